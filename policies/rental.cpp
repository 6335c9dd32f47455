// The time of a training that is interrupted and resumes from its last checkpoint.
#include "policies/rental.hpp"

#include <cmath>

namespace policies {

netmodels::Seconds Rental::expected_time(netmodels::Seconds work, int workers) const {
  if (interruptions.count <= 0) return work;
  const double rate = interruptions.count * workers;
  const double piece = (1 / rate + restore.count) * std::expm1(rate * checkpoint_every.count);
  return {work / checkpoint_every * piece};
}

}  // namespace policies
