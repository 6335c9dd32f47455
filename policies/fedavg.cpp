// Counting rounds of so many epochs.
#include "policies/fedavg.hpp"

#include <cmath>

namespace policies {

Synchronisation FedAvg::decide(const SynchronisationObservation& seen) {
  constexpr double rounding = 1e-9;
  const double reached = std::floor(seen.epoch / every_epochs_ + rounding);
  const bool is_retaken = exchanged_at_ == seen.step;  // after a failure it ends as before
  if (reached <= rounds_ && !is_retaken) return Synchronisation::stay_local;
  if (!is_retaken) rounds_ = reached;
  exchanged_at_ = seen.step;
  return sampled_ ? Synchronisation::average_sampled : Synchronisation::average_parameters;
}

}  // namespace policies
