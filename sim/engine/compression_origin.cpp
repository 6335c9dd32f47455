// Says where times of compression come from, and how far they reach.
#include <algorithm>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/engine/quantization.hpp"

namespace sim::engine {
namespace {

/// The limits of a measured time of the scenario's method.
std::string beyond_what_was_measured(const scenario::Scenario& scenario,
                                     const policies::CompressionChoice& choice) {
  const scenario::Compression& compression = scenario.compression;
  std::int64_t largest = 0;
  double least_ratio = 1, most_ratio = 0;
  for (const netmodels::MeasuredKernel& kernel : compression.kernels.rows) {
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
  for (const netmodels::MeasuredKernel& kernel : scenario.compression.kernels.rows) {
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

/// "29 ms to 440 ms", of the whole gradient.
std::string range(netmodels::Seconds from, netmodels::Seconds to) {
  constexpr int digits = 2;
  return netmodels::print(from, digits) + " to " + netmodels::print(to, digits);
}

/// A floor, or nothing at all.
std::string least_origin(const scenario::Scenario& scenario) {
  return scenario.device ? "a floor: memory traffic on " + scenario.device->name
                         : "not known for this device, counted as 0";
}

std::string published_origin(const scenario::Scenario& scenario, const policies::CompressionChoice& choice,
                             const CompressionCost& cost) {
  const netmodels::KernelCosts& stack = scenario.compression.framework;
  std::string text =
      fmt::format("{} on {}, {} for the whole gradient ({})", describe_stack(stack), stack.device,
                  netmodels::print(cost.assumed, 3), range(*cost.least_published, *cost.most));
  if (cost.least < *cost.least_published)
    text += fmt::format("; {}: {}", least_origin(scenario), netmodels::print(cost.least, 2));
  if (restores_messages(scenario, choice.method))
    text += "; with a message of each worker restored at half its memory traffic";
  return text;
}

/// Whether steps may send several methods or ratios; whole gradients, of a dense warm-up, take no time.
bool sends_several(const scenario::Scenario& scenario) {
  const scenario::Compression& compression = scenario.compression;
  return compression.policy->traits.decides || (compression.warm_up.any() && !compression.warm_up.is_dense());
}

/// Of what was not measured here.
std::string unmeasured_origin(const scenario::Scenario& scenario, const policies::CompressionChoice& choice) {
  const netmodels::KernelCosts& stack = scenario.compression.framework;
  if (sends_several(scenario)) {
    if (stack.rows.empty()) return least_origin(scenario);
    return fmt::format("{} on {}; of methods without a {} time: {}", describe_stack(stack), stack.device,
                       stack.measured ? "measured" : "published", least_origin(scenario));
  }
  const CompressionCost cost = whole_compression_cost(scenario, choice);
  return cost.level == scenario::CostLevel::framework ? published_origin(scenario, choice, cost)
                                                      : least_origin(scenario);
}

/// The source of times that are not stated.
std::string unstated_origin(const scenario::Scenario& scenario, const policies::CompressionChoice& choice) {
  const scenario::Compression& compression = scenario.compression;
  const std::string otherwise = unmeasured_origin(scenario, choice);
  const bool passed_over =
      compression.cost == scenario::CostChoice::floor || compression.cost == scenario::CostChoice::framework;
  if (compression.kernels.rows.empty() || passed_over) return otherwise;
  const std::string measured = "measured on " + compression.kernels.device;
  if (sends_several(scenario)) {
    return measured + restored_messages(scenario, [](const std::string&) { return true; }) +
           "; of methods that were not measured: " + otherwise;
  }
  std::string rows;
  for (const netmodels::MeasuredKernel& kernel : compression.kernels.rows)
    if (kernel.method == choice.method) rows += ", " + measured_row(scenario, kernel);
  if (rows.empty()) return otherwise;
  const auto is_own = [&](const std::string& method) { return method == choice.method; };
  return measured + rows + beyond_what_was_measured(scenario, choice) + restored_messages(scenario, is_own);
}

}  // namespace

std::string compression_time_origin(const scenario::Scenario& scenario) {
  if (const std::string quantizing = quantization_origin(scenario); !quantizing.empty()) return quantizing;
  return compression_time_origin(scenario, {scenario.compression.method, scenario.compression.ratio});
}

std::string compression_time_origin(const scenario::Scenario& scenario,
                                    const policies::CompressionChoice& choice) {
  const bool policy = sends_several(scenario);
  if (choice.method == "none" && !policy) return "none";
  if (const auto& time = scenario.compression.time) {
    const bool free = *time == netmodels::Seconds{} && choice.method != "none";
    return free ? "stated as 0 s: free" : "as stated";
  }
  const std::string otherwise = unstated_origin(scenario, choice);
  if (scenario.compression.times.empty()) return otherwise;
  return "as stated, interpolated between ratios; of methods without a stated time: " + otherwise;
}

}  // namespace sim::engine
