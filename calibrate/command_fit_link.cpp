// `calibrate fit link`: messages, or a collective on several numbers of ranks, become a cluster file.
#include <fmt/format.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/fits/link_fit.hpp"
#include "calibrate/imports/vtrain.hpp"
#include "calibrate/measurements/measurement_csv.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

Result<std::vector<measurements::Measurements>> read_tables(const std::vector<std::string>& files) {
  std::vector<measurements::Measurements> tables;
  for (const std::string& file : files) {
    GRADSIM_TRY(text, files::read_input(file));
    GRADSIM_TRY(table, imports::is_vtrain_table(*text) ? imports::import_vtrain_table(*text, file)
                                                       : measurements::parse_csv(*text, file));
    tables.push_back(std::move(*table));
  }
  return tables;
}

Result<std::string> fit_cluster(const FitLinkOptions& options, std::ostream& log) {
  GRADSIM_TRY(tables, read_tables(options.files));
  const auto fit = fits::fit_link(*tables);
  if (!fit) return refuse(options.files.front(), fit.error().what, fit.error().hint);
  const double error = 100 * fit->held_out.mean;
  if (!options.quiet)
    log << fmt::format("held out by {}: mean {:.1f} %, median {:.1f} %, worst {:.1f} %\n", fit->by, error,
                       100 * fit->held_out.median, 100 * fit->held_out.worst);
  if (error > options.band_percent && !options.force)
    return refuse(options.files.front(),
                  fmt::format("the mean held-out error of {:.1f} % is above the band of {} %", error,
                              options.band_percent),
                  "fit by size alone with `calibrate fit`; --force writes it anyway");
  return fits::print_cluster(*fit, *tables, options.version);
}

}  // namespace

int run_fit_link(const FitLinkOptions& options, std::ostream& out, std::ostream& log) {
  const auto cluster = fit_cluster(options, log);
  const auto written = cluster ? files::write_output(options.output, *cluster, out)
                               : Result<void>(tl::unexpected(cluster.error()));
  if (written) return exit_done;
  log << written.error().text() << "\n";
  return exit_refused;
}

}  // namespace calibrate
