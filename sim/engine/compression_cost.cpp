// Looking up stated, measured and published times, and falling back.
#include "sim/engine/compression_cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/compression_floor.hpp"
#include "netmodels/execution.hpp"

namespace sim::engine {

using netmodels::Seconds;
using policies::CompressionChoice;
using scenario::CostChoice;
using scenario::CostLevel;
using scenario::Scenario;

namespace {

/// Of the whole gradient; nothing where no time of this method is stated.
std::optional<Seconds> stated_time(const scenario::Compression& compression,
                                   const CompressionChoice& choice) {
  if (compression.time && choice.method != "none") return compression.time;
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

std::int64_t tensors_of(const netmodels::Workload& workload) {
  std::int64_t tensors = 0;
  for (const netmodels::Layer& layer : workload.layers)
    tensors += std::ssize(netmodels::parameter_tensors(layer));
  return tensors;
}

/// A part of the gradient.
struct GradientPart {
  std::int64_t values;
  std::int64_t tensors;
};

/// Nothing where no file describes the device.
std::optional<Seconds> floor_of(const Scenario& scenario, const CompressionChoice& choice,
                                std::int64_t values) {
  if (!scenario.device) return std::nullopt;
  const auto format = kernels::find_wire_format(choice.method);
  return kernels::compression_floor(**format, {values, choice.ratio, scenario.compression.index_bytes, false},
                                    *scenario.device);
}

std::optional<CompressionCost> measured_cost(const Scenario& scenario, const CompressionChoice& choice,
                                             std::int64_t values) {
  const auto* kernel =
      netmodels::find_measured_kernel(scenario.compression.kernels.rows, choice.method, values);
  if (kernel == nullptr) return std::nullopt;
  const Seconds time = kernel->cost.time(static_cast<double>(values), choice.ratio);
  const double error = std::min(1.0, kernel->p90_error);
  return CompressionCost{time, time * (1 - error), time * (1 + error), {}, CostLevel::kernels};
}

/// The factor from the published device to this one: times per value follow the memory's bandwidth.
double bandwidth_scale(const Scenario& scenario) {
  const netmodels::KernelCosts& stack = scenario.compression.framework;
  if (scenario.compression.measured_on_device) return 1;
  if (!scenario.device || !stack.memory_bandwidth) return 1;
  return *stack.memory_bandwidth / scenario.device->memory_bandwidth;
}

/// By how much the published range grows at both ends.
double widening(const Scenario& scenario) {
  constexpr double elsewhere = 2, same = 0.01;
  const bool known = scenario.device && scenario.compression.framework.memory_bandwidth;
  const bool is_published_device = known && std::abs(bandwidth_scale(scenario) - 1) < same;
  return is_published_device || scenario.compression.measured_on_device ? 1 : elsewhere;
}

std::optional<CompressionCost> published_cost(const Scenario& scenario, const CompressionChoice& choice,
                                              const GradientPart& part) {
  const auto* row =
      netmodels::find_measured_kernel(scenario.compression.framework.rows, choice.method, part.values);
  if (row == nullptr) return std::nullopt;
  const Seconds launches = row->cost.fixed + static_cast<double>(part.tensors) * row->per_tensor;
  const Seconds passes = row->cost.time(static_cast<double>(part.values), choice.ratio) - row->cost.fixed;
  const Seconds time = launches + passes * bandwidth_scale(scenario);
  const double wide = widening(scenario);
  const Seconds low = time * (row->low / wide);
  return CompressionCost{time, low, time * (row->high * wide), low, CostLevel::framework};
}

/// The published time, from the floor on unless the scenario asks for the published one alone. What was
/// measured on the device of the workload needs no floor.
CompressionCost with_floor(const Scenario& scenario, CompressionCost published,
                           std::optional<Seconds> floor) {
  const scenario::Compression& compression = scenario.compression;
  if (floor && compression.cost != CostChoice::framework && !compression.measured_on_device)
    published.least = std::min(published.least, *floor);
  return published;
}

/// A bound below whatever is known above it.
CompressionCost bound(Seconds least, const std::optional<CompressionCost>& published) {
  CompressionCost cost{least, least, {}, {}, CostLevel::floor};
  if (!published) return cost;
  cost.most = std::max(least, *published->most);
  cost.least_published = published->least_published;
  return cost;
}

CompressionCost unstated_cost(const Scenario& scenario, const CompressionChoice& choice,
                              const GradientPart& part) {
  const CostChoice asked = scenario.compression.cost;
  const auto measured = measured_cost(scenario, choice, part.values);
  const auto published = published_cost(scenario, choice, part);
  const auto floor = floor_of(scenario, choice, part.values);
  if (asked == CostChoice::floor && floor) return bound(*floor, published);
  if (asked != CostChoice::framework && measured) return *measured;
  if (published) return with_floor(scenario, *published, floor);
  if (measured) return *measured;
  if (floor) return bound(*floor, std::nullopt);
  return {.assumed = {}, .least = {}, .most = {}, .least_published = {}, .level = CostLevel::unknown};
}

/// Restoring one message where nothing but the time of compressing is published.
Seconds published_restoring(const Scenario& scenario, const CompressionChoice& choice, std::int64_t values) {
  const auto format = kernels::find_wire_format(choice.method);
  const netmodels::Bytes traffic =
      kernels::compression_traffic(**format, {values, choice.ratio, scenario.compression.index_bytes, false});
  const netmodels::KernelCosts& stack = scenario.compression.framework;
  constexpr double half = 0.5;
  if (scenario.device) return half * (traffic / scenario.device->sustained_memory());
  return stack.memory_bandwidth ? half * (traffic / *stack.memory_bandwidth) : Seconds{};
}

/// Reading one message once; 0 where no file describes the device.
Seconds reading_time(const Scenario& scenario, const CompressionChoice& choice, std::int64_t values) {
  if (!scenario.device) return {};
  const auto format = kernels::find_wire_format(choice.method);
  const netmodels::Bytes message =
      kernels::message_bytes(**format, {values, choice.ratio, scenario.compression.index_bytes, false});
  return message / scenario.device->sustained_memory();
}

/// @param part  of the way, in [0, 1]
Seconds between(Seconds low, Seconds high, double part) {
  return low > Seconds{} ? low * std::pow(high / low, part) : high * part;
}

Seconds spent(const Scenario& scenario, const CompressionCost& cost) {
  const auto& drawn = scenario.compression.drawn;
  return drawn ? quantile_of(cost, *drawn) : cost.assumed;
}

}  // namespace

std::string describe_stack(const netmodels::KernelCosts& costs) {
  return (costs.measured ? "measured in " : "published for ") + costs.stack;
}

Seconds quantile_of(const CompressionCost& cost, double share) {
  if (!cost.most) return cost.assumed;
  if (cost.least >= cost.assumed) return between(cost.assumed, *cost.most, share);
  return share < 0.5 ? between(cost.least, cost.assumed, 2 * share)
                     : between(cost.assumed, *cost.most, 2 * share - 1);
}

bool brings_messages(std::string_view method) {
  const auto format = kernels::find_wire_format(method);
  return format && (*format)->exchange == netmodels::CollectiveKind::all_gather;
}

CompressionCost operator+(const CompressionCost& one, const CompressionCost& other) {
  CompressionCost sum{
      one.assumed + other.assumed, one.least + other.least, {}, {}, std::max(one.level, other.level)};
  if (one.most && other.most) sum.most = *one.most + *other.most;
  if (one.least_published || other.least_published) {
    sum.least_published =
        one.least_published.value_or(one.least) + other.least_published.value_or(other.least);
  }
  return sum;
}

CompressionCost compression_cost(const Scenario& scenario, const CompressionChoice& choice,
                                 std::int64_t values, std::int64_t tensors) {
  if (const auto stated = stated_time(scenario.compression, choice)) {
    const Seconds time =
        *stated * (static_cast<double>(values) / static_cast<double>(scenario.workload.parameters()));
    return {time, time, time, {}, CostLevel::stated};
  }
  if (values == 0 || choice.method == "none") {  // the uncompressed case was measured as a yardstick
    return {.assumed = {}, .least = {}, .most = Seconds{}, .least_published = {}, .level = CostLevel::stated};
  }
  return unstated_cost(scenario, choice, {values, tensors});
}

CompressionCost whole_compression_cost(const Scenario& scenario, const CompressionChoice& choice) {
  return unstated_cost(scenario, choice, {scenario.workload.parameters(), tensors_of(scenario.workload)});
}

Seconds compression_time(const Scenario& scenario, const CompressionChoice& choice, std::int64_t values,
                         std::int64_t tensors) {
  return spent(scenario, compression_cost(scenario, choice, values, tensors));
}

CompressionCost restoring_cost(const Scenario& scenario, const CompressionChoice& choice, std::int64_t values,
                               std::uint32_t workers) {
  const CompressionCost none{{}, {}, Seconds{}, {}, CostLevel::stated};
  if (values == 0 || !brings_messages(choice.method) || stated_time(scenario.compression, choice))
    return none;
  const double others = workers - 1.0;
  const CompressionCost cost = compression_cost(scenario, choice, values);
  const Seconds published = others * published_restoring(scenario, choice, values);
  if (cost.level == CostLevel::framework) return {published, published / 2, 2 * published, {}, cost.level};
  if (cost.level != CostLevel::kernels) {  // the message must at least be read
    const Seconds least = others * reading_time(scenario, choice, values);
    return {least,
            least,
            cost.most ? std::optional(std::max(least, 2 * published)) : std::nullopt,
            {},
            cost.level};
  }
  const auto* kernel =
      netmodels::find_measured_kernel(scenario.compression.kernels.rows, choice.method, values);
  if (kernel->restoring.empty()) return {{}, {}, std::nullopt, {}, cost.level};
  const Seconds time =
      others * netmodels::restoring_time(kernel->restoring, static_cast<double>(values), choice.ratio);
  const double error = std::min(1.0, kernel->restoring_p90_error);
  return {time, time * (1 - error), time * (1 + error), {}, cost.level};
}

Seconds restoring_time(const Scenario& scenario, const CompressionChoice& choice, std::int64_t values,
                       std::uint32_t workers) {
  return spent(scenario, restoring_cost(scenario, choice, values, workers));
}

CostLevel compression_level(const Scenario& scenario, std::string_view method) {
  return compression_cost(scenario, {method, 1}, std::max<std::int64_t>(1, scenario.workload.parameters()))
      .level;
}

Seconds time_of_trials(const Scenario& scenario, std::span<const CompressionChoice> trials) {
  Seconds sum;
  double given = 1;
  const std::int64_t tensors = tensors_of(scenario.workload);
  for (const CompressionChoice& trial : trials) {
    if (trial.method == "none") continue;  // sent as it is
    const auto values = std::llround(given * static_cast<double>(scenario.workload.parameters()));
    sum += compression_time(scenario, trial, values, tensors);
    given = std::min(given, trial.ratio);
  }
  return sum;
}

std::optional<CompressionCost> unstated_whole_cost(const Scenario& scenario) {
  if (scenario.compression.method == "none") return std::nullopt;
  const CompressionChoice sent{scenario.compression.method, scenario.compression.ratio};
  const std::int64_t values = scenario.workload.parameters();
  const CompressionCost stated = compression_cost(scenario, sent, values);
  if (stated.level == CostLevel::stated) return std::nullopt;
  return whole_compression_cost(scenario, sent) +
         restoring_cost(scenario, sent, values, static_cast<std::uint32_t>(scenario.cluster.workers));
}

}  // namespace sim::engine
