// Simulates one step for several times of compressing.
#include "sim/engine/compression_dependence.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sim::engine {
namespace {

using netmodels::Result;
using netmodels::Seconds;

/// The step that ends with gradients whose compression takes so long; nothing: as assumed.
Result<Seconds> step_taking(StepSimulator& simulator, std::optional<Seconds> compressing, Seconds now,
                            std::int64_t step) {
  GRADSIM_TRY(played, simulator.step(now, step, false, {Traffic::gradients, {}, compressing}));
  const Seconds duration = simulator.times().duration;
  simulator.abandon_step();
  return duration;
}

/// Of all buckets that are exchanged in the last step.
CompressionCost cost_of_buckets(const StepSimulator& simulator) {
  const CompressionCosts& costs = simulator.settings().costs;
  const policies::CompressionChoice sent = costs.stated().stated();
  const auto workers = static_cast<std::uint32_t>(simulator.workers().size());
  CompressionCost sum{{}, {}, Seconds{}, {}, scenario::CostLevel::stated};
  for (const netmodels::BucketExchange& bucket : simulator.plan().exchange().buckets) {
    if (bucket.stages.empty()) continue;
    const std::int64_t values = bucket.bucket.elements;
    sum = sum + costs.compressing(sent, values, bucket.bucket.tensors);
    sum = sum + costs.restoring(sent, values, workers);
  }
  return sum;
}

/// Times of compressing at which the step is simulated: the ends of the range, some in between, and two
/// beyond them, where all of compressing is exposed.
std::vector<Seconds> times_to_try(const CompressionCost& cost, Seconds step) {
  constexpr int between = 4;
  const Seconds most = cost.most.value_or(std::max(cost.assumed, step));
  const Seconds shortest = std::max(cost.least, most * 1e-6);  // a logarithm of it is taken
  std::vector<Seconds> times{cost.least, cost.assumed, most, most + step, most + 2 * step};
  for (int i = 0; i <= between; ++i)
    times.push_back(shortest * std::pow(most / shortest, static_cast<double>(i) / between));
  std::ranges::sort(times);
  const auto close = [&](Seconds one, Seconds next) { return next - one <= 1e-9 * most; };
  times.erase(std::unique(times.begin(), times.end(), close),
              times.end());  // clang 14 rejects ranges::unique
  return times;
}

}  // namespace

Seconds CompressionDependence::step_at(Seconds compressing) const {
  const auto above = std::ranges::lower_bound(points, compressing, {}, &Point::compressing);
  const auto high = std::clamp<std::ptrdiff_t>(above - points.begin(), 1, std::ssize(points) - 1);
  const Point& one = points[static_cast<std::size_t>(high - 1)];
  const Point& other = points[static_cast<std::size_t>(high)];
  const double way = (compressing - one.compressing) / (other.compressing - one.compressing);
  return one.step + (other.step - one.step) * way;
}

Result<std::optional<CompressionDependence>> compression_dependence(StepSimulator& simulator, Seconds now,
                                                                    std::int64_t step) {
  const scenario::Compression& compression = simulator.settings().compression;
  if (!compression.compresses() || simulator.workers().size() < 2) return std::nullopt;
  GRADSIM_TRY(assumed, step_taking(simulator, std::nullopt, now, step));
  CompressionDependence dependence{cost_of_buckets(simulator), {}};
  if (!dependence.cost.uncertain()) return std::nullopt;
  for (const Seconds compressing : times_to_try(dependence.cost, *assumed)) {
    GRADSIM_TRY(duration, step_taking(simulator, compressing, now, step));
    dependence.points.push_back({compressing, *duration});
  }
  return dependence;
}

}  // namespace sim::engine
