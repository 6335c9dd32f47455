// Tells updates apart by what is exchanged, when, and of how many samples.
#include "sim/report/update_kind.hpp"

#include <algorithm>
#include <cmath>

#include "sim/scenario/execution.hpp"
#include "sim/scenario/sharded_sending.hpp"

namespace sim::report {
namespace {

/// Per step and of all workers, as stated: workers that are lost later count.
std::int64_t stated_samples(const Candidate& candidate) {
  return samples_of_step(candidate.arm->scenario->work.training, candidate.arm->scenario->cluster.workers);
}

UpdateKind kind_of(const Candidate& candidate) {
  const auto& arm = *candidate.arm->scenario;
  return update_kind(arm.exchange.synchronisation, arm.exchange.compression, arm.work.parallelism);
}

bool has_streams(const Candidate& candidate) { return candidate.arm->result.buffer.has_value(); }

bool alike_samples(const Candidate& one, const Candidate& other) {
  constexpr double almost = 0.01;
  const double own = samples_per_step(one);
  const double others = samples_per_step(other);
  if (std::abs(own - others) <= almost * std::max(own, others)) return true;
  return !has_streams(one) && !has_streams(other) && stated_samples(one) == stated_samples(other);
}

bool same_compression(const scenario::Compression& one, const scenario::Compression& other) {
  return one.method == other.method && one.ratio == other.ratio && one.policy == other.policy &&
         one.warm_up == other.warm_up && one.selection == other.selection &&
         one.topk_per_tile == other.topk_per_tile;
}

/// Of exact arms: the fewest samples per step. Nothing where there are none.
const Candidate* smallest_exact(const Comparison& comparison) {
  const Candidate* smallest = nullptr;
  for (const Candidate& candidate : comparison.candidates) {
    if (kind_of(candidate) != UpdateKind::exact) continue;
    if (smallest == nullptr || samples_per_step(candidate) < samples_per_step(*smallest))
      smallest = &candidate;
  }
  return smallest;
}

/// One that all arms learn like; null: there is none.
const Candidate* like_all(const Comparison& comparison) {
  const Candidate& first = comparison.candidates.front();
  const auto alike = [&](const Candidate& candidate) { return same_update(first, candidate); };
  return std::ranges::all_of(comparison.candidates, alike) ? &first : nullptr;
}

}  // namespace

UpdateKind update_kind(const policies::SynchronisationChoice& synchronisation,
                       const scenario::Compression& compression, const scenario::Parallelism& parallelism) {
  if (!synchronisation->traits.every_step) return UpdateKind::other;
  const bool compresses = compression.compresses() || compression.policy->traits.decides;
  return compresses || scenario::sending_of(parallelism).changes_values() ? UpdateKind::approximated
                                                                          : UpdateKind::exact;
}

bool same_update(const Candidate& one, const Candidate& other) {
  const scenario::Scenario& a = *one.arm->scenario;
  const scenario::Scenario& b = *other.arm->scenario;
  const UpdateKind kind = kind_of(one);
  if (kind != kind_of(other) || !alike_samples(one, other) ||
      one.arm->result.learner != other.arm->result.learner)
    return false;
  if (kind == UpdateKind::exact) return true;
  return same_compression(a.exchange.compression, b.exchange.compression) &&
         a.exchange.synchronisation == b.exchange.synchronisation &&
         a.work.parallelism.compress == b.work.parallelism.compress &&
         scenario::describe_execution(a.work, a.cluster, a.exchange) ==
             scenario::describe_execution(b.work, b.cluster, b.exchange);
}

ByUpdate by_update(const Comparison& comparison) {
  const Candidate* exact = smallest_exact(comparison);
  const Candidate* model = exact != nullptr ? exact : like_all(comparison);
  ByUpdate arms;
  for (const Candidate& candidate : comparison.candidates) {
    const bool leads = model != nullptr && same_update(*model, candidate);
    (leads ? arms.leading : arms.others).push_back(candidate);
  }
  return arms;
}

}  // namespace sim::report
