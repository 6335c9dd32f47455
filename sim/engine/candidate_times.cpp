// Bounds by the longest path first, the evaluator of the run where the bound does not decide.
#include "sim/engine/candidate_times.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "netmodels/path.hpp"

namespace sim::engine {

using netmodels::Collective;
using netmodels::NetworkState;
using netmodels::Operation;
using netmodels::Seconds;
using scenario::Evaluator;

namespace {

constexpr std::size_t most_candidate_times = 65536;  // kept; a trace may never return to a state

}  // namespace

CandidateTime CostEvaluator::bounded(const Collective& row, const Operation& operation,
                                     const NetworkState& state) const {
  const bool automatic = settings_.evaluator == Evaluator::automatic;
  if (const auto link = homogeneous_link(platform_, workers_, state); automatic && link) {
    const Seconds closed = row.closed(operation, *link);
    return {closed, closed};
  }
  if (row.schedule == nullptr || platform_.preset() != scenario::NetworkPreset::exact) return {};
  const netmodels::RoutedSchedule routed(
      row.schedule(operation), [&](std::uint32_t from, std::uint32_t to) -> const netmodels::Route& {
        return platform_.route(workers_[from], workers_[to]);
      });
  if (automatic || settings_.evaluator == Evaluator::path) {
    if (const auto path = routed.evaluate(state)) return {path->duration, path->duration};
  }
  return {routed.without_sharing(state)};
}

CandidateTime& CostEvaluator::candidate(const Collective& row, const Operation& operation,
                                        const NetworkState& state) {
  if (candidates_->size() >= most_candidate_times) candidates_->clear();
  const CandidateKey key{&row, operation.size.count, operation.group, operation.chunks, state.number};
  const auto [known, is_new] = candidates_->try_emplace(key);
  if (is_new) known->second = bounded(row, operation, state);
  return known->second;
}

Seconds CostEvaluator::least_time(const Collective& row, const Operation& operation,
                                  const NetworkState& state) {
  if (const auto time = nccl_time(row, operation, state)) return *time;
  const CandidateTime& known = candidate(row, operation, state);
  return known.time.value_or(known.at_least);
}

Seconds CostEvaluator::lasting_time(const Collective& row, const Operation& operation,
                                    const NetworkState& state) {
  if (const auto time = nccl_time(row, operation, state)) return *time;
  CandidateTime& known = candidate(row, operation, state);
  if (known.time) return *known.time;
  Prepared once{std::make_shared<SharedCollective>(), true, 0, std::nullopt, {}, nullptr, {}};
  once.shared->row = &row;
  once.shared->operation = operation;
  once.shared->workers = workers_;
  if (row.schedule != nullptr) once.shared->schedule = row.schedule(operation);
  bool reusable = false;
  const auto cost = evaluate(once, state, reusable);
  known.time = cost ? cost->duration : Seconds{std::numeric_limits<double>::infinity()};
  return *known.time;
}

ForeseenTimes::ForeseenTimes(CostEvaluator& evaluator, std::span<const Operation> operations,
                             const NetworkState& state)
    : evaluator_(evaluator), state_(state) {
  for (const Operation& operation : operations) {
    const auto known = std::ranges::find_if(
        operations_, [&](const Repeated& one) { return one.operation.size == operation.size; });
    if (known == operations_.end())
      operations_.push_back({operation, 1});
    else
      ++known->count;
  }
}

Seconds ForeseenTimes::time(const Collective& row, Seconds limit) {
  Seconds sum = at_least(row);
  for (const Repeated& one : operations_) {
    if (sum > limit) return sum;
    const Seconds least = evaluator_.least_time(row, one.operation, state_);
    sum += (evaluator_.lasting_time(row, one.operation, state_) - least) * one.count;
  }
  return sum;
}

Seconds ForeseenTimes::at_least(const Collective& row) {
  Seconds sum;
  for (const Repeated& one : operations_)
    sum += evaluator_.least_time(row, one.operation, state_) * one.count;
  return sum;
}

}  // namespace sim::engine
