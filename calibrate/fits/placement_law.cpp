// The time of a training step over local batch and placement.
#include "calibrate/fits/placement_law.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "calibrate/fits/simplex_search.hpp"

namespace calibrate::fits {
namespace {

constexpr double placement_threshold = 0.1;  // of log(predicted / measured)
constexpr double most_overlap = 10;
constexpr int search_steps = 1500;

/// All variables are free: times by their logarithm, the overlap by a logistic curve from 1 to 10.
PlacementLaw law_of(const std::vector<double>& v) {
  return {{std::exp(v[0])},
          {std::exp(v[1])},
          {std::exp(v[2])},
          {std::exp(v[3])},
          {std::exp(v[4])},
          {std::exp(v[5])},
          1 + (most_overlap - 1) / (1 + std::exp(-v[6]))};
}

double loss_of(const PlacementLaw& law, std::span<const PlacedStep> steps) {
  double loss = 0;
  for (const PlacedStep& step : steps) {
    const double size = std::abs(std::log(predict(law, step.placement) / step.time));
    loss +=
        size <= placement_threshold ? size * size : placement_threshold * (2 * size - placement_threshold);
  }
  return loss / static_cast<double>(steps.size());
}

bool has(std::span<const PlacedStep> steps, bool (*is)(const Placement&)) {
  return std::ranges::any_of(steps, is, &PlacedStep::placement);
}

}  // namespace

netmodels::Seconds predict(const PlacementLaw& law, const Placement& placement) {
  const netmodels::Seconds compute = law.compute_start + placement.local_batch * law.compute_per_sample;
  if (placement.replicas == 1) return compute;
  const int more = std::max(placement.replicas - 2, 0);
  const netmodels::Seconds sync = placement.nodes > 1 ? law.remote_start + more * law.remote_per_replica
                                                      : law.local_start + more * law.local_per_replica;
  return {
      std::pow(std::pow(compute.count, law.overlap) + std::pow(sync.count, law.overlap), 1 / law.overlap)};
}

netmodels::Result<PlacementLaw> fit_placements(std::span<const PlacedStep> steps) {
  if (!has(steps, [](const Placement& p) { return p.replicas == 1; }) ||
      !has(steps, [](const Placement& p) { return p.replicas > 1 && p.nodes == 1; }) ||
      !has(steps, [](const Placement& p) { return p.nodes > 1; })) {
    return netmodels::refuse("", "these placements do not show what synchronisation costs",
                             "give steps of one replica, of several on one node, and of several nodes");
  }
  const auto quickest = std::ranges::min_element(steps, {}, &PlacedStep::time);
  const double whole = quickest->time.count;
  std::vector<double> start;
  for (const double share : {0.5, 0.02, 1.0, 0.05, 0.1, 0.02}) start.push_back(std::log(share * whole));
  start.push_back(-1);
  const auto loss = [&](const std::vector<double>& v) { return loss_of(law_of(v), steps); };
  return law_of(minimise(loss, start, 0.7, search_steps));
}

}  // namespace calibrate::fits
