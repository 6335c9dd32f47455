// The collective that takes least time on the network as last seen.
#include "policies/collective_choice.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace policies {
namespace {

using netmodels::Collective;
using netmodels::Seconds;

constexpr double rounding = 1e-9;  // evaluators agree to it; what differs by less is equal

/// The closed forms on one link between any two workers.
class EstimatedTimes final : public CandidateTimes {
 public:
  explicit EstimatedTimes(const ExchangeObservation& seen) : seen_(seen) {}

  Seconds time(const Collective& row, Seconds) override {
    const netmodels::LinkState link{seen_.network->latency, seen_.network->bandwidth};
    Seconds sum;
    for (const netmodels::Operation& operation : seen_.operations) sum += row.closed(operation, link);
    return sum;
  }
  Seconds at_least(const Collective& row) override { return time(row, {}); }

 private:
  const ExchangeObservation& seen_;
};

/// A candidate's time, or something not above it.
struct BoundedTime {
  const Collective* row;
  Seconds time;
};

/// The first of the shortest that are shorter than `to_beat`; null: none is. Candidates are looked at by
/// their bounds, so that those that cannot be the shortest are never evaluated.
const Collective* shortest(const ExchangeObservation& seen, CandidateTimes& times, Seconds to_beat) {
  std::vector<BoundedTime> order;
  for (const Collective* row : seen.candidates) order.push_back({row, times.at_least(*row)});
  std::ranges::stable_sort(order, {}, &BoundedTime::time);
  Seconds least = to_beat * (1 - rounding);
  std::vector<BoundedTime> evaluated;
  for (const BoundedTime& candidate : order) {
    const Seconds limit = least * (1 + rounding);
    if (candidate.time > limit) break;
    evaluated.push_back({candidate.row, times.time(*candidate.row, limit)});
    least = std::min(least, evaluated.back().time);
  }
  for (const Collective* row : seen.candidates) {
    const auto found = std::ranges::find(evaluated, row, &BoundedTime::row);
    const bool shorter = found != evaluated.end() && found->time < to_beat * (1 - rounding);
    if (shorter && found->time <= least * (1 + rounding)) return row;
  }
  return nullptr;
}

}  // namespace

const Collective* CheapestCollective::choose(const ExchangeObservation& seen) {
  const bool known =
      current_ != nullptr && std::ranges::find(seen.candidates, current_) != seen.candidates.end();
  if (!known) current_ = seen.candidates.front();
  if (!seen.network && seen.times == nullptr) return current_;
  EstimatedTimes estimated(seen);
  CandidateTimes& times = seen.times != nullptr ? *seen.times : estimated;
  const Seconds now = times.time(*current_, Seconds{std::numeric_limits<double>::infinity()});
  const Collective* best = shortest(seen, times, now * (known ? 1 - hysteresis_ : 1.0));
  if (best != nullptr) current_ = best;
  return current_;
}

}  // namespace policies
