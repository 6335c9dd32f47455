// `calibrate fit kernels`: read, fit, hold the errors against the band, write.
#include "calibrate/command_fit_kernels.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "calibrate/exit_code.hpp"
#include "calibrate/files/output_file.hpp"
#include "calibrate/files/text_file.hpp"
#include "calibrate/fits/kernel_cost.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr double percent = 100;

void describe(const std::vector<fits::KernelCostFit>& all, std::ostream& log) {
  for (const fits::KernelCostFit& fit : all) {
    log << fmt::format("{}: {} points; one size held out at a time: median {:.1f} %, worst {:.1f} %\n",
                       fit.compressor, fit.points, percent * fit.held_out.median,
                       percent * fit.held_out.worst);
  }
}

Result<void> check_band(const std::vector<fits::KernelCostFit>& all, const FitKernelsOptions& options) {
  for (const fits::KernelCostFit& fit : all) {
    const double error = percent * fit.held_out.median;
    if (error <= options.band_percent || options.force) continue;
    return refuse(options.file,
                  fmt::format("the median held-out error of {} is {:.1f} %, above the band of {} %",
                              fit.compressor, error, options.band_percent),
                  "measure on a quieter machine or at more sizes; --force writes it all the same");
  }
  return {};
}

Result<std::string> fit_file(const FitKernelsOptions& options, std::ostream& log) {
  const auto text = files::read_text(options.file);
  if (!text) return tl::unexpected(text.error());
  const auto measured = measurements::parse_kernel_times(*text, options.file);
  if (!measured) return tl::unexpected(measured.error());
  const auto fits = fits::fit_kernel_costs(measured->times);
  if (!fits) return refuse(options.file, fits.error().what, fits.error().mend);
  if (!options.quiet) describe(*fits, log);
  if (auto kept = check_band(*fits, options); !kept) return tl::unexpected(kept.error());
  return fits::print_kernel_costs(*measured, *fits, std::filesystem::path(options.file).filename().string(),
                                  options.version);
}

}  // namespace

int run_fit_kernels(const FitKernelsOptions& options, std::ostream& out, std::ostream& log) {
  const auto text = fit_file(options, log);
  const auto written =
      text ? files::write_output(options.output, *text, out) : Result<void>(tl::unexpected(text.error()));
  if (written) return exit_done;
  log << written.error().text() << "\n";
  return exit_refused;
}

}  // namespace calibrate
