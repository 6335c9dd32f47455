// Looking up stated times, and falling back.
#include "sim/engine/compression_time.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "netmodels/compression_floor.hpp"

namespace sim::engine {
namespace {

using netmodels::Seconds;

/// Of the whole gradient; nothing where no time of this method is stated.
std::optional<Seconds> stated_time(const scenario::Compression& compression,
                                   const policies::CompressionChoice& choice) {
  if (compression.time) return compression.time;
  std::vector<const scenario::CompressionTime*> rows;
  for (const scenario::CompressionTime& row : compression.times) {
    if (row.method == choice.method) rows.push_back(&row);
  }
  if (rows.empty()) return std::nullopt;
  std::ranges::sort(rows, {}, [](const auto* row) { return row->ratio; });
  const auto above =
      std::ranges::lower_bound(rows, choice.ratio, {}, [](const auto* row) { return row->ratio; });
  if (above == rows.begin()) return rows.front()->time;
  if (above == rows.end()) return rows.back()->time;
  const scenario::CompressionTime& low = **std::prev(above);
  const scenario::CompressionTime& high = **above;
  const double part = std::log(choice.ratio / low.ratio) / std::log(high.ratio / low.ratio);
  return low.time + (high.time - low.time) * part;
}

}  // namespace

Seconds compression_time(const scenario::Scenario& scenario, const policies::CompressionChoice& choice,
                         std::int64_t values) {
  if (const auto stated = stated_time(scenario.compression, choice)) {
    return *stated * (static_cast<double>(values) / static_cast<double>(scenario.workload.parameters()));
  }
  if (values == 0 || choice.method == "none") return {};  // what is sent as it is was measured as a yardstick
  const auto* kernel = netmodels::find_measured_kernel(scenario.compression.kernels, choice.method, values);
  if (kernel != nullptr) return kernel->cost.time(static_cast<double>(values), choice.ratio);
  if (!scenario.device) return {};
  const auto format = netmodels::find_wire_format(choice.method);
  return netmodels::compression_floor(
      **format, {values, choice.ratio, scenario.compression.index_bytes, false}, *scenario.device);
}

bool compression_time_known(const scenario::Scenario& scenario) {
  const scenario::Compression& compression = scenario.compression;
  if (compression.method == "none" || scenario.device) return true;
  return stated_time(compression, {compression.method, compression.ratio}) ||
         netmodels::find_measured_kernel(compression.kernels, compression.method, 1) != nullptr;
}

Seconds time_of_trials(const scenario::Scenario& scenario,
                       std::span<const policies::CompressionChoice> trials) {
  Seconds sum;
  double given = 1;
  for (const policies::CompressionChoice& trial : trials) {
    if (trial.method == "none") continue;  // sent as it is
    const auto values = std::llround(given * static_cast<double>(scenario.workload.parameters()));
    sum += compression_time(scenario, trial, values);
    given = std::min(given, trial.ratio);
  }
  return sum;
}

namespace {

/// What a measured time of the scenario's method does not cover.
std::string beyond_what_was_measured(const scenario::Scenario& scenario) {
  const scenario::Compression& compression = scenario.compression;
  std::int64_t largest = 0;
  double least_ratio = 1, most_ratio = 0;
  for (const netmodels::MeasuredKernel& kernel : compression.kernels) {
    if (kernel.method != compression.method) continue;
    largest = std::max(largest, kernel.largest);
    least_ratio = std::min(least_ratio, kernel.smallest_ratio);
    most_ratio = std::max(most_ratio, kernel.largest_ratio);
  }
  std::string beyond;
  if (scenario.workload.parameters() > largest)
    beyond += fmt::format("; what is larger than {} values is extrapolated", largest);
  const auto format = netmodels::find_wire_format(compression.method);
  if (format && (*format)->low_rank)
    return beyond + "; measured at rank 1, and higher ranks are taken to cost no more";
  const bool has_ratio = !format || (*format)->sparse;  // multilevel has no format of its own
  if (has_ratio && (compression.ratio < least_ratio || compression.ratio > most_ratio))
    beyond += fmt::format("; the ratio {:g} is extrapolated: {:g} to {:g} were measured", compression.ratio,
                          least_ratio, most_ratio);
  return beyond;
}

/// Where times come from that nobody stated.
std::string unstated_origin(const scenario::Scenario& scenario) {
  const scenario::Compression& compression = scenario.compression;
  const std::string otherwise = scenario.device ? "a floor: memory traffic on " + scenario.device->name
                                                : "not known for this device, counted as 0";
  if (compression.kernels.empty()) return otherwise;
  const std::string measured = "measured on " + compression.kernel_device;
  if (scenario::decided_by_step(compression))
    return measured + "; of methods that were not measured: " + otherwise;
  constexpr double percent = 100;
  std::string rows;
  for (const netmodels::MeasuredKernel& kernel : compression.kernels) {
    if (kernel.method != compression.method) continue;
    rows += fmt::format(", {} to {} values, nine of ten held-out sizes within {:.2g} %", kernel.smallest,
                        kernel.largest, percent * kernel.p90_error);
  }
  if (rows.empty()) return otherwise;
  return measured + rows + beyond_what_was_measured(scenario) +
         "; with one message restored, though an all-gather brings one of each worker";
}

}  // namespace

std::string compression_time_origin(const scenario::Scenario& scenario) {
  const bool policy = scenario::decided_by_step(scenario.compression);
  if (scenario.compression.method == "none" && !policy) return "none";
  if (scenario.compression.time) return "as stated";
  const std::string otherwise = unstated_origin(scenario);
  if (scenario.compression.times.empty()) return otherwise;
  return "as stated, interpolated between ratios; of methods without a stated time: " + otherwise;
}

}  // namespace sim::engine
