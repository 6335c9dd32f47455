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

namespace {

/// Of the whole gradient; nothing where no time of this method is stated.
std::optional<Seconds> stated_time(const scenario::Compression& compression,
                                   const CompressionChoice& choice) {
  if (compression.time && choice.compresses()) return compression.time;
  std::vector<const scenario::CompressionTime*> rows;
  for (const scenario::CompressionTime& row : compression.times) {
    if (row.method == choice.method.name()) rows.push_back(&row);
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

std::optional<CompressionCost> measured_cost(const netmodels::KernelCosts& kernels,
                                             const CompressionChoice& choice, std::int64_t values) {
  const auto* kernel = netmodels::find_measured_kernel(kernels.rows, choice.method.name(), values);
  if (kernel == nullptr) return std::nullopt;
  const Seconds time = kernel->cost.time(static_cast<double>(values), choice.ratio);
  const double error = std::min(1.0, kernel->p90_error);
  return CompressionCost{time, time * (1 - error), time * (1 + error), {}, CostLevel::kernels};
}

/// The published time, from the floor on unless the scenario asks for the published one alone. What was
/// measured on the device of the workload needs no floor.
CompressionCost with_floor(const scenario::Compression& compression, CompressionCost published,
                           std::optional<Seconds> floor) {
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

/// @param part  of the way, in [0, 1]
Seconds between(Seconds low, Seconds high, double part) {
  return low > Seconds{} ? low * std::pow(high / low, part) : high * part;
}

}  // namespace

Seconds quantile_of(const CompressionCost& cost, double share) {
  if (!cost.most) return cost.assumed;
  if (cost.least >= cost.assumed) return between(cost.assumed, *cost.most, share);
  return share < 0.5 ? between(cost.least, cost.assumed, 2 * share)
                     : between(cost.assumed, *cost.most, 2 * share - 1);
}

bool brings_messages(const kernels::Entry& method) {
  return method.exchange == netmodels::CollectiveKind::all_gather;
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

std::optional<Seconds> CompressionCosts::floor(const CompressionChoice& choice, std::int64_t values) const {
  if (device_ == nullptr) return std::nullopt;
  return kernels::compression_floor(*choice.method, {values, choice.ratio, stated_->index_bytes, false},
                                    *device_);
}

double CompressionCosts::bandwidth_scale() const {
  const netmodels::KernelCosts& stack = stated_->framework;
  if (stated_->measured_on_device) return 1;
  if (device_ == nullptr || !stack.memory_bandwidth) return 1;
  return *stack.memory_bandwidth / device_->memory_bandwidth;
}

double CompressionCosts::widening() const {
  constexpr double elsewhere = 2, same = 0.01;
  const bool known = device_ != nullptr && stated_->framework.memory_bandwidth;
  const bool is_published_device = known && std::abs(bandwidth_scale() - 1) < same;
  return is_published_device || stated_->measured_on_device ? 1 : elsewhere;
}

std::optional<CompressionCost> CompressionCosts::published(const CompressionChoice& choice,
                                                           const Part& part) const {
  const auto* row =
      netmodels::find_measured_kernel(stated_->framework.rows, choice.method.name(), part.values);
  if (row == nullptr) return std::nullopt;
  const Seconds launches = row->cost.fixed + static_cast<double>(part.tensors) * row->per_tensor;
  const Seconds passes = row->cost.time(static_cast<double>(part.values), choice.ratio) - row->cost.fixed;
  const Seconds time = launches + passes * bandwidth_scale();
  const double wide = widening();
  const Seconds low = time * (row->low / wide);
  return CompressionCost{time, low, time * (row->high * wide), low, CostLevel::framework};
}

CompressionCost CompressionCosts::unstated(const CompressionChoice& choice, const Part& part) const {
  const CostChoice asked = stated_->cost;
  const auto measured = measured_cost(stated_->kernels, choice, part.values);
  const auto published_time = published(choice, part);
  const auto least = floor(choice, part.values);
  if (asked == CostChoice::floor && least) return bound(*least, published_time);
  if (asked != CostChoice::framework && measured) return *measured;
  if (published_time) return with_floor(*stated_, *published_time, least);
  if (measured) return *measured;
  if (least) return bound(*least, std::nullopt);
  return {.assumed = {}, .least = {}, .most = {}, .least_published = {}, .level = CostLevel::unknown};
}

Seconds CompressionCosts::published_restoring(const CompressionChoice& choice, std::int64_t values) const {
  const netmodels::Bytes traffic =
      kernels::compression_traffic(*choice.method, {values, choice.ratio, stated_->index_bytes, false});
  const netmodels::KernelCosts& stack = stated_->framework;
  constexpr double half = 0.5;
  if (device_ != nullptr) return half * (traffic / device_->sustained_memory());
  return stack.memory_bandwidth ? half * (traffic / *stack.memory_bandwidth) : Seconds{};
}

Seconds CompressionCosts::reading_time(const CompressionChoice& choice, std::int64_t values) const {
  if (device_ == nullptr) return {};
  const netmodels::Bytes message =
      kernels::message_bytes(*choice.method, {values, choice.ratio, stated_->index_bytes, false});
  return message / device_->sustained_memory();
}

Seconds CompressionCosts::spent(const CompressionCost& cost) const {
  return stated_->drawn ? quantile_of(cost, *stated_->drawn) : cost.assumed;
}

CompressionCost CompressionCosts::compressing(const CompressionChoice& choice, std::int64_t values,
                                              std::int64_t tensors) const {
  if (const auto stated = stated_time(*stated_, choice)) {
    const Seconds time = *stated * (static_cast<double>(values) / static_cast<double>(parameters()));
    return {time, time, time, {}, CostLevel::stated};
  }
  if (values == 0 || !choice.compresses()) {  // the uncompressed case was measured as a yardstick
    return {.assumed = {}, .least = {}, .most = Seconds{}, .least_published = {}, .level = CostLevel::stated};
  }
  return unstated(choice, {values, tensors});
}

Seconds CompressionCosts::compressing_time(const CompressionChoice& choice, std::int64_t values,
                                           std::int64_t tensors) const {
  return spent(compressing(choice, values, tensors));
}

CompressionCost CompressionCosts::whole(const CompressionChoice& choice) const {
  return unstated(choice, {parameters(), tensors_of(*workload_)});
}

CompressionCost CompressionCosts::restoring(const CompressionChoice& choice, std::int64_t values,
                                            std::uint32_t workers) const {
  const CompressionCost none{{}, {}, Seconds{}, {}, CostLevel::stated};
  if (values == 0 || !brings_messages(*choice.method) || stated_time(*stated_, choice)) return none;
  const double others = workers - 1.0;
  const CompressionCost cost = compressing(choice, values);
  const Seconds published = others * published_restoring(choice, values);
  if (cost.level == CostLevel::framework) return {published, published / 2, 2 * published, {}, cost.level};
  if (cost.level != CostLevel::kernels) {  // the message must at least be read
    const Seconds least = others * reading_time(choice, values);
    return {least,
            least,
            cost.most ? std::optional(std::max(least, 2 * published)) : std::nullopt,
            {},
            cost.level};
  }
  const auto* kernel = netmodels::find_measured_kernel(stated_->kernels.rows, choice.method.name(), values);
  if (kernel->restoring.empty()) return {{}, {}, std::nullopt, {}, cost.level};
  const Seconds time =
      others * netmodels::restoring_time(kernel->restoring, static_cast<double>(values), choice.ratio);
  const double error = std::min(1.0, kernel->restoring_p90_error);
  return {time, time * (1 - error), time * (1 + error), {}, cost.level};
}

Seconds CompressionCosts::restoring_time(const CompressionChoice& choice, std::int64_t values,
                                         std::uint32_t workers) const {
  return spent(restoring(choice, values, workers));
}

CostLevel CompressionCosts::level(kernels::Method method) const {
  return compressing({method, 1}, std::max<std::int64_t>(1, parameters())).level;
}

Seconds CompressionCosts::time_of_trials(std::span<const CompressionChoice> trials) const {
  Seconds sum;
  double given = 1;
  const std::int64_t tensors = tensors_of(*workload_);
  for (const CompressionChoice& trial : trials) {
    if (!trial.compresses()) continue;  // sent as it is
    const auto values = std::llround(given * static_cast<double>(parameters()));
    sum += compressing_time(trial, values, tensors);
    given = std::min(given, trial.ratio);
  }
  return sum;
}

std::optional<CompressionCost> CompressionCosts::unstated_whole(std::uint32_t workers) const {
  const CompressionChoice sent = stated_->stated();
  if (!sent.compresses()) return std::nullopt;
  const std::int64_t values = parameters();
  if (compressing(sent, values).level == CostLevel::stated) return std::nullopt;
  return whole(sent) + restoring(sent, values, workers);
}

}  // namespace sim::engine
