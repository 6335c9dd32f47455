// `calibrate import torchtitan`, `deepspeed` and `hf-trainer`: configurations of trainings become scenarios.
#include <algorithm>
#include <array>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "calibrate/check_scenario.hpp"
#include "calibrate/commands.hpp"
#include "calibrate/count_option.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/imports/training_config.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "files/text_file.hpp"

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

/// Source of each key of the scenario: an option, else the first key of the configuration that becomes it.
std::vector<KeySource> key_sources(const imports::ConfigFormat& format) {
  std::vector<KeySource> sources;
  for (const auto& [key, option] :
       std::to_array<std::pair<const char*, const char*>>({{"workload.model", "--model"},
                                                           {"workload.config", "--model"},
                                                           {"workload.sequence", "--sequence"},
                                                           {"workload.device", "--device"},
                                                           {"workload.stack", "--stack"},
                                                           {"workload.mfu", "--mfu"},
                                                           {"workload.recomputation", "--recomputation"},
                                                           {"workload.batch", "--batch"},
                                                           {"training.batch", "--batch"},
                                                           {"training.accumulation", "--batch"},
                                                           {"cluster.use", "--cluster"},
                                                           {"cluster.workers", "--workers"},
                                                           {"cluster.workers_per_node", "--workers-per-node"},
                                                           {"training.steps", "--steps"}}))
    sources.push_back({key, option});
  for (const files::ForeignKey& row : format.keys()) {
    const std::string_view text = row.text.starts_with('`') ? row.text.substr(1) : std::string_view();
    const std::string key(text.substr(0, text.find_first_of("`:")));
    const bool is_known = std::ranges::find(sources, key, &KeySource::key) != sources.end();
    if (row.use == files::KeyUse::read && key.find('.') != std::string::npos && !is_known)
      sources.push_back({key, std::string(row.key)});
  }
  return sources;
}

/// Refuses a scenario that cannot be simulated.
Result<CheckedScenario> check_imported(const ImportConfigOptions& options,
                                       const imports::ConfigFormat& format, const std::string& scenario) {
  if (options.simulator.empty()) return CheckedScenario{};
  auto checked = check_scenario(options.simulator, scenario, options.output, key_sources(format));
  if (checked) return checked;
  const bool has_hint = checked.error().what.find("; ") != std::string::npos;
  return netmodels::refuse(options.file, "the scenario would not run: " + checked.error().what,
                           has_hint ? "" : "change the options of the import, or the configuration");
}

/// GPUs of a node of the cluster; an Error where `sim check` does not accept the cluster.
Result<std::optional<int>> cluster_node(const ImportConfigOptions& options,
                                        const imports::ConfigFormat& format,
                                        const imports::ConfigHints& hints) {
  if (options.simulator.empty()) return std::nullopt;
  const std::string trial =
      "# How many GPUs has a node?\nworkload: {name: trial, parameters: 1000000, compute: 1 ms, batch: 1}\n"
      "training: {batch: 1, steps: 1}\n" +
      imports::print_cluster(hints, options.output);
  GRADSIM_TRY(checked, check_imported(options, format, trial));
  const auto node = files::read_integer(resolved_value(checked->resolved, "cluster.workers_per_node"));
  return node ? std::optional(static_cast<int>(*node)) : std::nullopt;
}

/// Tokens of a sample that the model states and the configuration does not.
void assume_sequence(imports::TrainingConfig& config, const CheckedScenario& checked) {
  const std::string tokens = resolved_value(checked.resolved, "workload.sequence");
  if (config.sequence || tokens.empty()) return;
  config.assume(
      "--sequence",
      fmt::format("The configuration does not state the tokens of a sample: {} are those of the model",
                  tokens));
}

Result<imports::TrainingConfig> import_config(const ImportConfigOptions& options, std::ostream& out) {
  const imports::ConfigFormat* format = imports::find_config_format(options.format);
  GRADSIM_TRY(hints, read_config_hints(options));
  GRADSIM_TRY(text, files::read_input(options.file));
  GRADSIM_TRY(config, format->read(*text, options.file));
  if (imports::depends_on_node(*config) && hints->workers) {
    GRADSIM_TRY(node, cluster_node(options, *format, *hints));
    hints->cluster_node = *node;
  }
  GRADSIM_TRY(scenario, imports::print_scenario(*config, *hints, options.file, options.output));
  GRADSIM_TRY(checked, check_imported(options, *format, *scenario));
  config->warnings = checked->warnings;
  assume_sequence(*config, *checked);
  GRADSIM_TRY(whole, imports::print_scenario(*config, *hints, options.file, options.output));
  if (auto written = files::write_output(options.output, *whole, out); !written)
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
  for (const std::string& line : imports::log_lines(*config)) log << line << "\n";
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
