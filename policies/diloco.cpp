// Counting local steps up to the outer one.
#include "policies/diloco.hpp"

namespace policies {

Synchronisation DiLoCo::decide(const SynchronisationObservation& seen) {
  const bool last = (seen.step + 1) % every_ == 0;
  return last ? Synchronisation::outer_step : Synchronisation::stay_local;
}

}  // namespace policies
