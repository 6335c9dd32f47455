// `calibrate fit kernels`: read, fit, hold the errors against the band, write.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "calibrate/fits/kernel_cost.hpp"
#include "files/input_file.hpp"
#include "files/output_file.hpp"

namespace calibrate {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr double percent = 100;

/// The limits of a fit, for compressors whose ratios were measured.
void warn_of_one_ratio(const std::vector<measurements::KernelTime>& times, std::ostream& log) {
  std::map<std::string, std::set<double>> ratios;
  for (const measurements::KernelTime& time : times) ratios[time.compressor].insert(time.ratio);
  for (const auto& [compressor, of_it] : ratios) {
    if (of_it.size() > 1 || *of_it.begin() == 1) continue;
    log << fmt::format("{}: measured at the ratio {:g} only; the cost of other ratios is unknown\n",
                       compressor, *of_it.begin());
  }
}

std::string in_words(const measurements::RelativeErrors& errors) {
  return fmt::format("median {:.1f} %, worst {:.1f} %", percent * errors.median, percent * errors.worst);
}

void describe(const std::vector<fits::KernelCostFit>& all, std::ostream& log) {
  for (const fits::KernelCostFit& fit : all) {
    log << fmt::format("{}: {} points of {} to {} values; one size held out at a time: {}{}\n",
                       fit.compressor, fit.points, fit.smallest, fit.largest, in_words(fit.step.held_out),
                       fit.restoring
                           ? fmt::format("; with {} messages restored: {}", netmodels::judged_messages,
                                         in_words(fit.restoring->held_out))
                           : "");
  }
}

/// Compressors to be fitted on both sides of the cache size but measured only on one.
void warn_of_one_side(const std::vector<fits::KernelCostFit>& all, netmodels::Bytes cache,
                      std::ostream& log) {
  constexpr double value_bytes = 4;
  for (const fits::KernelCostFit& fit : all) {
    const bool within = value_bytes * static_cast<double>(fit.largest) <= cache.count;
    const auto rows = std::ranges::count(all, fit.compressor, &fits::KernelCostFit::compressor);
    if (cache.count == 0 || rows > 1) continue;
    log << fmt::format("{}: no size was measured {} the cache of {}; one fit for all\n", fit.compressor,
                       within ? "beyond" : "within", netmodels::print(cache));
  }
}

Result<void> check_band(const std::vector<fits::KernelCostFit>& all, const FitKernelsOptions& options) {
  std::vector<std::string> outside;
  for (const fits::KernelCostFit& fit : all) {
    const double step = fit.step.held_out.median;
    const double restoring = fit.restoring ? fit.restoring->held_out.median : 0;
    const double error = percent * std::max(step, restoring);
    const std::string of =
        restoring > step ? fmt::format(" with {} messages restored", netmodels::judged_messages) : "";
    if (error > options.band_percent && !options.force)
      outside.push_back(fmt::format("{} of {} to {} values ({:.1f} %{})", fit.compressor, fit.smallest,
                                    fit.largest, error, of));
  }
  if (outside.empty()) return {};
  return refuse(options.file,
                fmt::format("the median held-out error is above the band of {} % for {}",
                            options.band_percent, fmt::join(outside, ", ")),
                "measure on a quieter machine or at more sizes, or leave their rows out; --force writes "
                "them anyway");
}

Result<netmodels::Bytes> read_cache(const FitKernelsOptions& options) {
  if (options.cache.empty()) return netmodels::Bytes{0};
  const auto cache = netmodels::parse<netmodels::Bytes>(options.cache);
  if (!cache) return refuse("--cache", cache.error().what, cache.error().hint);
  return *cache;
}

Result<std::string> fit_file(const FitKernelsOptions& options, std::ostream& log) {
  if (files::is_same_file(options.output, options.file))
    return refuse("-o", fmt::format("`{}` holds the measurements", options.output), "name another file");
  GRADSIM_TRY(text, files::read_input(options.file));
  GRADSIM_TRY(measured, measurements::parse_kernel_times(*text, options.file));
  GRADSIM_TRY(cache, read_cache(options));
  const auto fits = fits::fit_kernel_costs(measured->times, *cache);
  if (!fits) return refuse(options.file, fits.error().what, fits.error().hint);
  if (!options.quiet) {
    describe(*fits, log);
    warn_of_one_ratio(measured->times, log);
    warn_of_one_side(*fits, *cache, log);
  }
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
