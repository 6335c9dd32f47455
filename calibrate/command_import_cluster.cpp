// `calibrate import topology` and `mahimahi`: what machines print becomes parts of a cluster.
#include <fmt/format.h>

#include "calibrate/commands.hpp"
#include "calibrate/count_option.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/imports/mahimahi.hpp"
#include "calibrate/imports/node_topology.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

namespace calibrate {
namespace {

using netmodels::Result;

Result<void> import_topology(const ImportTopologyOptions& options, std::ostream& out) {
  GRADSIM_TRY(capability,
              read_count("--compute-capability", options.compute_capability, {.least = 30, .most = 999}));
  GRADSIM_TRY(text, files::read_terminal_text(options.file));
  GRADSIM_TRY(node, imports::read_topology(*text, options.file));
  GRADSIM_TRY(printed, imports::print_node(*node, {*capability, options.network, options.rate}));
  return files::write_output(options.output, *printed, out);
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
  return exit_code_of(import_topology(options, out), log);
}

int run_import_mahimahi(const ImportMahimahiOptions& options, std::ostream& out, std::ostream& log) {
  return exit_code_of(import_mahimahi(options, out), log);
}

}  // namespace calibrate
