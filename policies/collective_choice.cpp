// The cheapest collective by the cost models on the network as last seen.
#include "policies/collective_choice.hpp"

#include <algorithm>

namespace policies {
namespace {

netmodels::Seconds cost(const netmodels::Collective& row, const ExchangeObservation& seen) {
  const netmodels::LinkState link{seen.network->latency, seen.network->bandwidth};
  netmodels::Seconds sum;
  for (const netmodels::Operation& operation : seen.operations) sum += row.closed(operation, link);
  return sum;
}

}  // namespace

const netmodels::Collective* CheapestCollective::choose(const ExchangeObservation& seen) {
  const bool known =
      current_ != nullptr && std::ranges::find(seen.candidates, current_) != seen.candidates.end();
  if (!known) current_ = seen.candidates.front();
  if (!seen.network) return current_;
  const netmodels::Seconds to_beat = cost(*current_, seen) * (known ? 1 - hysteresis_ : 1.0);
  const netmodels::Collective* best = nullptr;
  netmodels::Seconds least = to_beat;
  for (const netmodels::Collective* row : seen.candidates) {
    const netmodels::Seconds price = cost(*row, seen);
    if (price >= least) continue;
    least = price;
    best = row;
  }
  if (best != nullptr) current_ = best;
  return current_;
}

}  // namespace policies
