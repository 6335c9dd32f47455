// `calibrate import torchtitan`, `deepspeed` and `hf-trainer`: configurations of trainings become scenarios.
#include <fmt/format.h>

#include "calibrate/commands.hpp"
#include "calibrate/count_option.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/imports/training_config.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

namespace calibrate {
namespace {

using netmodels::Result;

Result<imports::ConfigHints> read_config_hints(const ImportConfigOptions& options) {
  GRADSIM_TRY(workers, read_count("--workers", options.workers, {}));
  GRADSIM_TRY(per_node, read_count("--workers-per-node", options.workers_per_node, {}));
  GRADSIM_TRY(sequence, read_count("--sequence", options.sequence, {.most = 1'000'000'000}));
  GRADSIM_TRY(batch, read_count("--batch", options.batch, {}));
  GRADSIM_TRY(steps, read_count("--steps", options.steps, {.most = 1'000'000'000}));
  return imports::ConfigHints{.cluster = options.cluster,
                              .workers = *workers,
                              .workers_per_node = *per_node,
                              .device = options.device,
                              .stack = options.stack,
                              .mfu = options.mfu,
                              .model = options.model,
                              .sequence = *sequence,
                              .batch = *batch,
                              .steps = *steps,
                              .recomputation = options.recomputation};
}

Result<imports::TrainingConfig> import_config(const ImportConfigOptions& options, std::ostream& out) {
  const imports::ConfigFormat* format = imports::find_config_format(options.format);
  GRADSIM_TRY(hints, read_config_hints(options));
  GRADSIM_TRY(text, files::read_input(options.file));
  GRADSIM_TRY(config, format->read(*text, options.file));
  GRADSIM_TRY(scenario, imports::print_scenario(*config, *hints, options.file, options.output));
  if (auto written = files::write_output(options.output, *scenario, out); !written)
    return tl::unexpected(written.error());
  return config;
}

}  // namespace

int run_import_config(const ImportConfigOptions& options, std::ostream& out, std::ostream& log) {
  const auto config = import_config(options, out);
  if (!config) {
    log << config.error().text() << "\n";
    return exit_refused;
  }
  if (options.quiet) return exit_done;
  for (const std::string& fact : config->facts) log << fact << "\n";
  for (const imports::LeftOutKey& one : config->left_out)
    log << fmt::format("note: {} = {} left out: {}\n", one.key, one.value, one.why);
  return exit_done;
}

}  // namespace calibrate
