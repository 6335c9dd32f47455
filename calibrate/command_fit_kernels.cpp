// `calibrate fit kernels`: read, fit, hold the errors against the band, write.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
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

std::string describe(const measurements::RelativeErrors& errors) {
  return fmt::format("median {:.1f} %, worst {:.1f} %", percent * errors.median, percent * errors.worst);
}

void describe(const std::vector<fits::KernelCostFit>& all, std::ostream& log) {
  for (const fits::KernelCostFit& fit : all) {
    log << fmt::format("{}: {} points of {} to {} values; one size held out at a time: {}{}\n",
                       fit.compressor, fit.points, fit.smallest, fit.largest, describe(fit.step.held_out),
                       fit.restoring
                           ? fmt::format("; with {} messages restored: {}", netmodels::judged_messages,
                                         describe(fit.restoring->held_out))
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

/// The fit and its error where that is above the band.
std::optional<std::string> outside_band(const fits::KernelCostFit& fit, double band_percent) {
  const double step = fit.step.held_out.median;
  const double restoring = fit.restoring ? fit.restoring->held_out.median : 0;
  const double error = percent * std::max(step, restoring);
  if (error <= band_percent) return std::nullopt;
  const std::string of =
      restoring > step ? fmt::format(" with {} messages restored", netmodels::judged_messages) : "";
  return fmt::format("{} of {} to {} values ({:.1f} %{})", fit.compressor, fit.smallest, fit.largest, error,
                     of);
}

Result<void> check_band(const std::vector<fits::KernelCostFit>& all, const FitKernelsOptions& options) {
  std::vector<std::string> outside;
  for (const fits::KernelCostFit& fit : all)
    if (const auto words = outside_band(fit, options.band_percent)) outside.push_back(*words);
  if (outside.empty() || options.force) return {};
  return refuse(options.file,
                fmt::format("the median held-out error is above the band of {} % for {}",
                            options.band_percent, fmt::join(outside, ", ")),
                "measure on a quieter machine or at more sizes, or leave their rows out; --partial writes "
                "the others, --force writes them anyway");
}

/// The fits that are written, and why compressors are left out, one line each.
struct Kept {
  std::vector<fits::KernelCostFit> fits;
  std::vector<std::string> left_out;
};

/// Adds the fits of one compressor, or the reason why it has none.
void fit_compressor(const std::vector<measurements::KernelTime>& its_times, netmodels::Bytes cache,
                    const FitKernelsOptions& options, Kept& kept) {
  const auto fits = fits::fit_kernel_costs(its_times, cache);
  if (!fits) {
    kept.left_out.push_back(fits.error().what);
    return;
  }
  std::vector<std::string> outside;
  for (const fits::KernelCostFit& fit : *fits)
    if (const auto words = outside_band(fit, options.band_percent)) outside.push_back(*words);
  if (outside.empty())
    kept.fits.insert(kept.fits.end(), fits->begin(), fits->end());
  else
    kept.left_out.push_back(fmt::format("held-out error above the band of {} %: {}", options.band_percent,
                                        fmt::join(outside, ", ")));
}

/// Each compressor by itself. @returns an Error where none is left
Result<Kept> fit_each(const std::vector<measurements::KernelTime>& times, netmodels::Bytes cache,
                      const FitKernelsOptions& options) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<measurements::KernelTime>> of_compressor;
  for (const measurements::KernelTime& time : times) {
    auto& its_times = of_compressor[time.compressor];
    if (its_times.empty()) order.push_back(time.compressor);
    its_times.push_back(time);
  }
  Kept kept;
  for (const std::string& name : order) fit_compressor(of_compressor[name], cache, options, kept);
  if (!kept.fits.empty()) return kept;
  return refuse(options.file, fmt::format("no compressor is left: {}", fmt::join(kept.left_out, "; ")),
                "measure on a quieter machine or at more sizes");
}

/// All compressors, or an Error where one cannot be fitted or lies outside the band.
Result<Kept> fit_all(const std::vector<measurements::KernelTime>& times, netmodels::Bytes cache,
                     const FitKernelsOptions& options) {
  auto fits = fits::fit_kernel_costs(times, cache);
  if (!fits) return refuse(options.file, fits.error().what, fits.error().hint);
  if (auto within = check_band(*fits, options); !within) return tl::unexpected(within.error());
  return Kept{std::move(*fits), {}};
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
  GRADSIM_TRY(kept, options.partial ? fit_each(measured->times, *cache, options)
                                    : fit_all(measured->times, *cache, options));
  if (!options.quiet) {
    describe(kept->fits, log);
    warn_of_one_ratio(measured->times, log);
    warn_of_one_side(kept->fits, *cache, log);
  }
  for (const std::string& reason : kept->left_out) {
    log << "left out: " << reason << "\n";
    measured->notes.push_back("left out: " + reason);
  }
  return fits::print_kernel_costs(*measured, kept->fits,
                                  std::filesystem::path(options.file).filename().string(), options.version);
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
