// `calibrate import torchtitan`, `deepspeed` and `hf-trainer`: configurations of trainings become scenarios.
#include <ostream>

#include <fmt/format.h>

#include "calibrate/check_scenario.hpp"
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

/// Refuses a scenario that cannot be simulated, with the way out where that is the utilisation.
Result<void> check_imported(const ImportConfigOptions& options, const std::string& scenario) {
  if (options.simulator.empty()) return {};
  const auto checked = check_scenario(options.simulator, scenario, options.output);
  if (checked) return {};
  const std::string_view hint =
      options.stack.empty() ? "change the options of the import, or the configuration"
                            : "give --mfu '45 %' in place of --stack, where the stack is what does not fit";
  return netmodels::refuse(options.file, "the scenario would not run: " + checked.error().what,
                           std::string(hint));
}

Result<imports::TrainingConfig> import_config(const ImportConfigOptions& options, std::ostream& out) {
  const imports::ConfigFormat* format = imports::find_config_format(options.format);
  GRADSIM_TRY(hints, read_config_hints(options));
  GRADSIM_TRY(text, files::read_input(options.file));
  GRADSIM_TRY(config, format->read(*text, options.file));
  GRADSIM_TRY(scenario, imports::print_scenario(*config, *hints, options.file, options.output));
  if (auto runs = check_imported(options, *scenario); !runs) return tl::unexpected(runs.error());
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
    log << fmt::format("{}: {} = {} left out: {}\n", one.is_warning ? "warning" : "note", one.key, one.value,
                       one.why);
  return exit_done;
}

int run_import_keys(const std::string& format, std::ostream& out) {
  out << "# Keys of other programs' configurations\n\n"
         "What `calibrate import` makes of every documented key. This page is generated: `./dev docs` "
         "rewrites "
         "it. A key that is not modelled is warned of, in the first lines of the scenario and on stderr, at "
         "other values than those without effect; so is a key that is unknown.\n";
  for (const imports::ConfigFormat& row : imports::config_formats()) {
    if (!format.empty() && format != row.name) continue;
    out << fmt::format("\n## {}\n\n{}. Source: {}.\n\n", row.name, row.summary, row.source)
        << files::print_markdown(row.keys());
  }
  return exit_done;
}

}  // namespace calibrate
