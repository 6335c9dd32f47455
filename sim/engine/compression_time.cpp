// Looking up stated times, and falling back.
#include "sim/engine/compression_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kernels/compression_floor.hpp"

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

/// Whether each worker gets the message of every other and restores it; else the network adds them up.
bool brings_messages(std::string_view method) {
  const auto format = kernels::find_wire_format(method);
  return format && (*format)->exchange == netmodels::CollectiveKind::all_gather;
}

}  // namespace

Seconds compression_time(const scenario::Scenario& scenario, const policies::CompressionChoice& choice,
                         std::int64_t values) {
  if (const auto stated = stated_time(scenario.compression, choice)) {
    return *stated * (static_cast<double>(values) / static_cast<double>(scenario.workload.parameters()));
  }
  if (values == 0 || choice.method == "none") return {};  // the uncompressed case was measured as a yardstick
  const auto* kernel = netmodels::find_measured_kernel(scenario.compression.kernels, choice.method, values);
  if (kernel != nullptr) return kernel->cost.time(static_cast<double>(values), choice.ratio);
  if (!scenario.device) return {};
  const auto format = kernels::find_wire_format(choice.method);
  return kernels::compression_floor(**format, {values, choice.ratio, scenario.compression.index_bytes, false},
                                    *scenario.device);
}

Seconds restoring_time(const scenario::Scenario& scenario, const policies::CompressionChoice& choice,
                       std::int64_t values, std::uint32_t workers) {
  if (values == 0 || !brings_messages(choice.method) || stated_time(scenario.compression, choice)) return {};
  const auto* kernel = netmodels::find_measured_kernel(scenario.compression.kernels, choice.method, values);
  if (kernel == nullptr || kernel->restoring.empty()) return {};
  return (workers - 1.0) *
         netmodels::restoring_time(kernel->restoring, static_cast<double>(values), choice.ratio);
}

bool compression_time_known(const scenario::Scenario& scenario, std::string_view method) {
  const scenario::Compression& compression = scenario.compression;
  if (method == "none" || scenario.device || compression.time) return true;
  return std::ranges::find(compression.times, method, &scenario::CompressionTime::method) !=
             compression.times.end() ||
         netmodels::find_measured_kernel(compression.kernels, method, 1) != nullptr;
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

/// The limits of a measured time of the scenario's method.
std::string beyond_what_was_measured(const scenario::Scenario& scenario,
                                     const policies::CompressionChoice& choice) {
  const scenario::Compression& compression = scenario.compression;
  std::int64_t largest = 0;
  double least_ratio = 1, most_ratio = 0;
  for (const netmodels::MeasuredKernel& kernel : compression.kernels) {
    if (kernel.method != choice.method) continue;
    largest = std::max(largest, kernel.largest);
    least_ratio = std::min(least_ratio, kernel.smallest_ratio);
    most_ratio = std::max(most_ratio, kernel.largest_ratio);
  }
  std::string beyond;
  if (scenario.workload.parameters() > largest)
    beyond += fmt::format("; above {} values: extrapolated", largest);
  const auto format = kernels::find_wire_format(choice.method);
  if (format && (*format)->low_rank)
    return beyond + "; measured at rank 1; higher ranks are assumed to cost no more";
  const bool has_ratio = !format || (*format)->sparse;  // multilevel has no separate format
  if (has_ratio && (choice.ratio < least_ratio || choice.ratio > most_ratio))
    beyond += fmt::format("; the ratio {:g} is extrapolated: {:g} to {:g} were measured", choice.ratio,
                          least_ratio, most_ratio);
  return beyond;
}

/// Whether a worker restores the messages of all others; a server answers only those that push to it.
bool restores_messages(const scenario::Scenario& scenario, std::string_view method) {
  return !is_asynchronous(scenario.synchronisation) && brings_messages(method);
}

/// @param restored, rows  of how many measured rows restoring was measured, too
std::string restored_messages(std::ptrdiff_t restored, std::ptrdiff_t rows) {
  if (restored == 0) return "; with one message restored, though an all-gather brings one of each worker";
  return restored == rows ? "; with a message of each worker restored"
                          : "; with a message of each worker restored, where that was measured";
}

/// What is restored of the methods that an all-gather carries.
/// @param counts  whether a method counts
template <class Counts>
std::string restored_messages(const scenario::Scenario& scenario, const Counts& counts) {
  std::ptrdiff_t restored = 0, rows = 0;
  for (const netmodels::MeasuredKernel& kernel : scenario.compression.kernels) {
    if (!counts(kernel.method) || !restores_messages(scenario, kernel.method)) continue;
    ++rows;
    if (!kernel.restoring.empty()) ++restored;
  }
  return rows == 0 ? "" : restored_messages(restored, rows);
}

/// "1000 to 2000 values, nine of ten held-out sizes within 5 %".
std::string measured_row(const scenario::Scenario& scenario, const netmodels::MeasuredKernel& kernel) {
  constexpr double percent = 100;
  std::string row = fmt::format("{} to {} values, nine of ten held-out sizes within {:.2g} %",
                                kernel.smallest, kernel.largest, percent * kernel.p90_error);
  if (kernel.restoring_p90_error > 0 && restores_messages(scenario, kernel.method))
    row += fmt::format(" ({:.2g} % with {} messages restored)", percent * kernel.restoring_p90_error,
                       netmodels::judged_messages);
  return row;
}

/// The source of times that are not stated.
std::string unstated_origin(const scenario::Scenario& scenario, const policies::CompressionChoice& choice) {
  const scenario::Compression& compression = scenario.compression;
  const std::string otherwise = scenario.device ? "a floor: memory traffic on " + scenario.device->name
                                                : "not known for this device, counted as 0";
  if (compression.kernels.empty()) return otherwise;
  const std::string measured = "measured on " + compression.kernel_device;
  if (scenario::decided_by_step(compression)) {
    return measured + restored_messages(scenario, [](const std::string&) { return true; }) +
           "; of methods that were not measured: " + otherwise;
  }
  std::string rows;
  for (const netmodels::MeasuredKernel& kernel : compression.kernels)
    if (kernel.method == choice.method) rows += ", " + measured_row(scenario, kernel);
  if (rows.empty()) return otherwise;
  const auto is_own = [&](const std::string& method) { return method == choice.method; };
  return measured + rows + beyond_what_was_measured(scenario, choice) + restored_messages(scenario, is_own);
}

}  // namespace

std::string compression_time_origin(const scenario::Scenario& scenario) {
  return compression_time_origin(scenario, {scenario.compression.method, scenario.compression.ratio});
}

std::string compression_time_origin(const scenario::Scenario& scenario,
                                    const policies::CompressionChoice& choice) {
  const bool policy = scenario::decided_by_step(scenario.compression);
  if (choice.method == "none" && !policy) return "none";
  if (scenario.compression.time) return "as stated";
  const std::string otherwise = unstated_origin(scenario, choice);
  if (scenario.compression.times.empty()) return otherwise;
  return "as stated, interpolated between ratios; of methods without a stated time: " + otherwise;
}

}  // namespace sim::engine
