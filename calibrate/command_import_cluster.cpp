// `calibrate import topology` and `mahimahi`: what machines print becomes parts of a cluster.
#include <fmt/format.h>

#include "calibrate/check_scenario.hpp"
#include "calibrate/commands.hpp"
#include "calibrate/count_option.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/imports/mahimahi.hpp"
#include "calibrate/imports/node_topology.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"
#include "files/text_file.hpp"

namespace calibrate {
namespace {

using netmodels::Result;

const std::vector<KeySource>& node_sources() {
  static const std::vector<KeySource> sources{{"cluster.nccl.gpu.compute_capability", "--compute-capability"},
                                              {"cluster.nccl.network.kind", "--network"},
                                              {"cluster.nccl.network.rate", "--rate"},
                                              {"cluster.nccl.cpu", "--cpu"},
                                              {"cluster.nccl.pcie.generation", "--pcie"}};
  return sources;
}

/// Refuses a node that a scenario cannot use.
/// @returns warnings
Result<std::vector<std::string>> check_node(const ImportTopologyOptions& options, int gpus,
                                            const std::string& node) {
  if (options.simulator.empty()) return std::vector<std::string>{};
  std::string scenario = fmt::format(
      "# Can the node be simulated?\nworkload: {{name: trial, parameters: 1000000, compute: 1 ms, batch: "
      "1}}\n"
      "training: {{batch: 1, steps: 1}}\ncluster:\n  workers: {}\n",
      gpus);
  for (const std::string_view line : files::lines_of(node)) scenario += "  " + std::string(line) + "\n";
  const auto checked = check_scenario(options.simulator, scenario, options.output, node_sources());
  if (checked) return checked->warnings;
  return netmodels::refuse(options.file, "the node cannot be simulated: " + checked.error().what,
                           "change the options of the import, or describe the node by hand");
}

/// @returns warnings
Result<std::vector<std::string>> import_topology(const ImportTopologyOptions& options, std::ostream& out) {
  GRADSIM_TRY(capability,
              read_count("--compute-capability", options.compute_capability, {.least = 30, .most = 999}));
  GRADSIM_TRY(pcie, read_count("--pcie", options.pcie, {.least = 3, .most = 6}));
  GRADSIM_TRY(text, files::read_terminal_text(options.file));
  GRADSIM_TRY(node, imports::read_topology(*text, options.file));
  GRADSIM_TRY(printed, imports::print_node(*node, {.compute_capability = *capability,
                                                   .network_kind = options.network,
                                                   .rate = options.rate,
                                                   .cpu = options.cpu,
                                                   .pcie_generation = *pcie,
                                                   .without_nvlink = options.without_nvlink}));
  GRADSIM_TRY(warnings, check_node(options, node->gpus, printed->text));
  if (auto written = files::write_output(options.output, printed->text, out); !written)
    return tl::unexpected(written.error());
  warnings->insert(warnings->begin(), printed->warnings.begin(), printed->warnings.end());
  return warnings;
}

Result<void> import_mahimahi(const ImportMahimahiOptions& options, std::ostream& out) {
  constexpr double ms_per_s = 1000;
  GRADSIM_TRY(interval, read_count("--interval-ms", options.interval_ms, {.most = 1'000'000'000}));
  GRADSIM_TRY(text, files::read_input(options.file));
  const netmodels::Seconds length{**interval / ms_per_s};
  GRADSIM_TRY(link, imports::import_mahimahi(*text, options.file, length));
  return files::write_output(options.output, imports::print_link_steps(*link, options.file), out);
}

int exit_code_of(const Result<void>& done, std::ostream& log) {
  if (done) return exit_done;
  log << done.error().text() << "\n";
  return exit_refused;
}

}  // namespace

int run_import_topology(const ImportTopologyOptions& options, std::ostream& out, std::ostream& log) {
  const auto warnings = import_topology(options, out);
  if (!warnings) return exit_code_of(tl::unexpected(warnings.error()), log);
  for (const std::string& warning : *warnings) log << "warning: " << warning << "\n";
  return exit_done;
}

int run_import_mahimahi(const ImportMahimahiOptions& options, std::ostream& out, std::ostream& log) {
  return exit_code_of(import_mahimahi(options, out), log);
}

}  // namespace calibrate
