// When workers and centre meet, and how far they move.
#include "policies/easgd.hpp"

namespace policies {

Synchronisation Easgd::decide(const SynchronisationObservation& seen) {
  const bool meets = seen.step % every_ == 0;
  return meets ? Synchronisation::average_elastically : Synchronisation::stay_local;
}

double Easgd::moving_rate(std::uint32_t workers) {
  constexpr double beta = 0.9;
  return beta / workers;
}

}  // namespace policies
