// The time of a training that is interrupted and resumes from its last checkpoint.
#include "policies/rental.hpp"

#include <cmath>

namespace policies {

netmodels::Seconds Rental::expected_time(netmodels::Seconds work, int workers) const {
  if (interruptions.count <= 0) return write.count > 0 ? work + work / checkpoint_every * write : work;
  const double rate = interruptions.count * workers;
  const double piece = (1 / rate + restore.count) * std::expm1(rate * (checkpoint_every + write).count);
  return {work / checkpoint_every * piece};
}

std::optional<netmodels::Seconds> Rental::young_interval(int workers) const {
  if (interruptions.count <= 0 || write.count <= 0) return std::nullopt;
  return netmodels::Seconds{std::sqrt(2 * write.count / (interruptions.count * workers))};
}

std::optional<netmodels::Seconds> Rental::daly_interval(int workers) const {
  const auto young = young_interval(workers);
  if (!young) return std::nullopt;
  const double mean = 1 / (interruptions.count * workers);
  const double half = write.count / (2 * mean);
  if (half >= 1) return netmodels::Seconds{mean};
  return *young * (1 + std::sqrt(half) / 3 + half / 9) - write;
}

}  // namespace policies
