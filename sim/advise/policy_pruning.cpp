// Compares candidates state by state.
#include "sim/advise/policy_pruning.hpp"

#include <algorithm>

namespace sim::advise {
namespace {

bool beats(const PricedPolicy& one, const PricedPolicy& other, double margin) {
  if (one.times.empty() || other.times.empty()) return false;
  for (std::size_t state = 0; state < one.times.size(); ++state) {
    if (one.times[state] * (1 + margin) > other.times[state]) return false;
  }
  return true;
}

}  // namespace

std::vector<bool> within_reach(std::span<const PricedPolicy> candidates, bool within_courses, double margin) {
  std::vector<bool> kept;
  for (const PricedPolicy& candidate : candidates) {
    const auto beaten = [&](bool by_dense_only) {
      return std::ranges::any_of(candidates, [&](const PricedPolicy& other) {
        const bool compared =
            (!within_courses || other.loop == candidate.loop) && (!by_dense_only || other.dense);
        return compared && beats(other, candidate, margin);
      });
    };
    kept.push_back(!beaten(candidate.dense));
  }
  return kept;
}

}  // namespace sim::advise
