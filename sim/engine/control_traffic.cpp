// Sizes of flags and shared samples, and their costs.
#include "sim/engine/control_traffic.hpp"

#include <cmath>

#include "netmodels/collective.hpp"

namespace sim::engine {

using netmodels::Bytes;
using netmodels::Result;
using netmodels::Seconds;

ControlTraffic::ControlTraffic(bool flags, const learning::learners::LearnerChoice& learner,
                               std::uint64_t seed)
    : flags_(flags) {
  if (const auto* stated = injection_of(learner))
    shared_ =
        SharedSamples{learning::datasets::Injection(*stated, seed), stated->batch, shared_sample(learner)};
}

Bytes ControlTraffic::shared_bytes(std::span<const std::uint32_t> workers,
                                   const scenario::Training& training) const {
  if (!shared_) return {};
  const learning::datasets::Injection& injection = shared_->injection;
  const auto all = static_cast<double>(workers.size());
  double samples = 0;  // by the mean donor
  for (const std::uint32_t worker : workers) {
    const int own = injection.own_samples(batch_of(training, worker), workers.size());
    samples += std::round(shared_->share * own) / all;
  }
  return static_cast<double>(injection.donor_count(workers.size())) * samples * *shared_->size;
}

void ControlTraffic::plan(std::span<const std::uint32_t> workers, const scenario::Training& training,
                          CostEvaluator& evaluator) {
  handles_.clear();
  sent_ = {};
  const auto ranks = static_cast<std::uint32_t>(workers.size());
  if (ranks < 2) return;
  const netmodels::Collective& row = netmodels::collective_row("recursive_doubling_allgather");
  const auto add = [&](Bytes together) {
    netmodels::Operation operation;
    operation.ranks = ranks;
    operation.size = together;
    handles_.push_back(evaluator.prepare(row, operation));
    sent_ += *evaluator.sent_per_worker(handles_.back());
  };
  if (flags_) add(Bytes{static_cast<double>(ranks)});
  if (const Bytes shared = shared_bytes(workers, training); shared > Bytes{}) add(shared);
}

Result<Seconds> ControlTraffic::evaluate(Seconds start, CostEvaluator& evaluator,
                                         NetworkTimeline& network) const {
  Seconds sum;
  for (const CostEvaluator::Handle handle : handles_) {
    network.advance_within_step(start + sum);
    GRADSIM_TRY(price, evaluator.evaluate(handle, network, start + sum));
    sum += price->duration;
  }
  return sum;
}

}  // namespace sim::engine
