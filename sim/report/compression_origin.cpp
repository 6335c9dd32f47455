// Says where times of compression come from, and how far they reach.
#include "sim/report/compression_origin.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "sim/engine/quantization.hpp"
#include "sim/scenario/sharded_sending.hpp"

namespace sim::report {

using engine::CompressionCost;
using engine::CompressionCosts;

namespace {

using Kernels = std::vector<netmodels::MeasuredKernel>;

/// The limits of a measured time of one method.
/// @param values  of the whole gradient
std::string beyond_what_was_measured(const Kernels& measured, const policies::CompressionChoice& choice,
                                     std::int64_t values) {
  std::int64_t largest = 0;
  double least_ratio = 1, most_ratio = 0;
  for (const netmodels::MeasuredKernel& kernel : measured) {
    if (kernel.method != choice.method.name()) continue;
    largest = std::max(largest, kernel.largest);
    least_ratio = std::min(least_ratio, kernel.smallest_ratio);
    most_ratio = std::max(most_ratio, kernel.largest_ratio);
  }
  std::string beyond;
  if (values > largest) beyond += fmt::format("; above {} values: extrapolated", largest);
  if (choice.method->low_rank)
    return beyond + "; measured at rank 1; higher ranks are assumed to cost no more";
  if (choice.method->sparse && (choice.ratio < least_ratio || choice.ratio > most_ratio))
    beyond += fmt::format("; the ratio {:g} is extrapolated: {:g} to {:g} were measured", choice.ratio,
                          least_ratio, most_ratio);
  return beyond;
}

/// @param restored, rows  of how many measured rows restoring was measured, too
std::string restored_messages(std::ptrdiff_t restored, std::ptrdiff_t rows) {
  if (restored == 0) return "; with one message restored, though an all-gather brings one of each worker";
  return restored == rows ? "; with a message of each worker restored"
                          : "; with a message of each worker restored, where that was measured";
}

/// "29 ms to 440 ms", of the whole gradient.
std::string range_of_times(netmodels::Seconds from, netmodels::Seconds to) {
  constexpr int digits = 2;
  return netmodels::print(from, digits) + " to " + netmodels::print(to, digits);
}

/// Says where the times of one arm come from.
class OriginText {
 public:
  OriginText(const CompressionCosts& costs, bool asynchronous)
      : costs_(costs), stated_(costs.stated()), asynchronous_(asynchronous) {}

  /// Whether steps may send several methods or ratios; whole gradients, of a dense warm-up, take no time.
  [[nodiscard]] bool sends_several() const {
    return stated_.policy->traits.decides || (stated_.warm_up.any() && !stated_.warm_up.is_dense());
  }
  /// The source of times that are not stated.
  [[nodiscard]] std::string unstated(const policies::CompressionChoice& choice) const;

 private:
  /// Whether a worker restores the messages of all others; a server answers only those that push to it.
  [[nodiscard]] bool restores_messages(const kernels::Entry& method) const {
    return !asynchronous_ && engine::brings_messages(method);
  }
  /// As above, of a measured row, whose method may be none that a scenario can name.
  [[nodiscard]] bool restores_messages(const netmodels::MeasuredKernel& kernel) const {
    const auto method = kernels::find_wire_format(kernel.method);
    return method && restores_messages(**method);
  }
  /// Messages to restore of the methods that an all-gather carries.
  /// @param method  the only one that counts; empty: all do
  [[nodiscard]] std::string restored(std::string_view method) const;
  /// "1000 to 2000 values, nine of ten held-out sizes within 5 %".
  [[nodiscard]] std::string measured_row(const netmodels::MeasuredKernel& kernel) const;
  /// A floor, or nothing at all.
  [[nodiscard]] std::string least() const {
    return costs_.device() != nullptr ? "a floor: memory traffic on " + costs_.device()->name
                                      : "not known for this device, counted as 0";
  }
  [[nodiscard]] std::string published(const policies::CompressionChoice& choice,
                                      const CompressionCost& cost) const;
  /// Sentence on times that were not measured here.
  [[nodiscard]] std::string unmeasured(const policies::CompressionChoice& choice) const;

  const CompressionCosts& costs_;
  const scenario::Compression& stated_;
  bool asynchronous_;
};

std::string OriginText::restored(std::string_view method) const {
  std::ptrdiff_t restored = 0, rows = 0;
  for (const netmodels::MeasuredKernel& kernel : stated_.kernels.rows) {
    const bool counts = method.empty() || kernel.method == method;
    if (!counts || !restores_messages(kernel)) continue;
    ++rows;
    if (!kernel.restoring.empty()) ++restored;
  }
  return rows == 0 ? "" : restored_messages(restored, rows);
}

std::string OriginText::measured_row(const netmodels::MeasuredKernel& kernel) const {
  constexpr double percent = 100;
  std::string row = fmt::format("{} to {} values, nine of ten held-out sizes within {:.2g} %",
                                kernel.smallest, kernel.largest, percent * kernel.p90_error);
  if (kernel.restoring_p90_error > 0 && restores_messages(kernel))
    row += fmt::format(" ({:.2g} % with {} messages restored)", percent * kernel.restoring_p90_error,
                       netmodels::judged_messages);
  return row;
}

std::string OriginText::published(const policies::CompressionChoice& choice,
                                  const CompressionCost& cost) const {
  const netmodels::KernelCosts& stack = stated_.framework;
  std::string text =
      fmt::format("{} on {}, {} for the whole gradient ({})", describe_stack(stack), stack.device,
                  netmodels::print(cost.assumed, 3), range_of_times(*cost.least_published, *cost.most));
  if (cost.least < *cost.least_published)
    text += fmt::format("; {}: {}", least(), netmodels::print(cost.least, 2));
  if (restores_messages(*choice.method))
    text += "; with a message of each worker restored at half its memory traffic";
  return text;
}

std::string OriginText::unmeasured(const policies::CompressionChoice& choice) const {
  const netmodels::KernelCosts& stack = stated_.framework;
  if (sends_several()) {
    if (stack.rows.empty()) return least();
    return fmt::format("{} on {}; of methods without a {} time: {}", describe_stack(stack), stack.device,
                       stack.measured ? "measured" : "published", least());
  }
  const CompressionCost cost = costs_.whole(choice);
  return cost.level == scenario::CostLevel::framework ? published(choice, cost) : least();
}

std::string OriginText::unstated(const policies::CompressionChoice& choice) const {
  const std::string otherwise = unmeasured(choice);
  const bool passed_over =
      stated_.cost == scenario::CostChoice::floor || stated_.cost == scenario::CostChoice::framework;
  if (stated_.kernels.rows.empty() || passed_over) return otherwise;
  const std::string measured = "measured on " + stated_.kernels.device;
  if (sends_several()) return measured + restored({}) + "; of methods that were not measured: " + otherwise;
  std::string rows;
  for (const netmodels::MeasuredKernel& kernel : stated_.kernels.rows)
    if (kernel.method == choice.method.name()) rows += ", " + measured_row(kernel);
  if (rows.empty()) return otherwise;
  return measured + rows + beyond_what_was_measured(stated_.kernels.rows, choice, costs_.parameters()) +
         restored(choice.method.name());
}

/// "in 4 bits: as `int4`, measured on A100".
std::string quantizing_origin(const CompressionCosts& costs, const netmodels::QuantizedForm& form) {
  using scenario::CostLevel;
  const CostLevel level = engine::level_of_quantizing(costs, form);
  const std::string what = form.share < 1 ? fmt::format("of {:.2g} %: ", 100 * form.share)
                                          : fmt::format("in {:g} bits: ", form.bits);
  if (costs.device() != nullptr && engine::is_least(level))
    return what + "a floor: memory traffic on " + costs.device()->name;
  const netmodels::KernelCosts& stack = costs.stated().framework;
  std::string origin = "stated";
  if (level == CostLevel::kernels) origin = "measured on " + costs.stated().kernels.device;
  if (level == CostLevel::framework) origin = fmt::format("{} on {}", describe_stack(stack), stack.device);
  const std::string_view kernel = scenario::kernel_of(form);
  return what + (kernel.empty() ? origin : fmt::format("as `{}`, {}", kernel, origin));
}

/// Source of the times of what sharded steps quantise; empty where nothing is.
std::string quantization_origin(const CompressionCosts& costs, const scenario::Parallelism& parallelism) {
  if (!parallelism.is_sharded()) return "";
  const netmodels::ShardSending sending = sending_of(parallelism);
  std::string text;
  for (const auto& form : sending.forms()) {
    if (!form) continue;
    const std::string one = quantizing_origin(costs, *form);
    if (text.find(one) == std::string::npos) text += (text.empty() ? "quantising " : ", ") + one;
  }
  return text;
}

}  // namespace

std::string describe_stack(const netmodels::KernelCosts& costs) {
  return (costs.measured ? "measured in " : "published for ") + costs.stack;
}

std::string compression_origin(const CompressionCosts& costs, const policies::CompressionChoice& choice,
                               bool asynchronous) {
  const OriginText text(costs, asynchronous);
  const scenario::Compression& stated = costs.stated();
  if (!choice.compresses() && !text.sends_several()) return std::string(no_compression);
  if (stated.time) {
    const bool free = *stated.time == netmodels::Seconds{} && choice.compresses();
    return free ? "stated as 0 s: free" : "as stated";
  }
  const std::string otherwise = text.unstated(choice);
  if (stated.times.empty()) return otherwise;
  return "as stated, interpolated between ratios; of methods without a stated time: " + otherwise;
}

std::string compression_time_origin(const CompressionCosts& costs, const scenario::Parallelism& parallelism,
                                    const policies::SynchronisationChoice& synchronisation) {
  if (const std::string quantizing = quantization_origin(costs, parallelism); !quantizing.empty())
    return quantizing;
  return compression_origin(costs, costs.stated().stated(), is_asynchronous(synchronisation));
}

std::string compression_time_origin(const SimulatedArm& arm) {
  const scenario::Scenario& stated = *arm.scenario;
  return compression_time_origin({stated.exchange.compression, stated.work.workload, stated.work.device},
                                 stated.work.parallelism, stated.exchange.synchronisation);
}

}  // namespace sim::report
