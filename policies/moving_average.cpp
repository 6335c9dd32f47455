// A quantile of the last values.
#include "policies/moving_average.hpp"

#include <algorithm>
#include <cmath>

namespace policies {

void RecentQuantile::add(double value) {
  if (values_.size() == window_) {
    sorted_.erase(std::ranges::lower_bound(sorted_, values_.front()));
    values_.pop_front();
  }
  values_.push_back(value);
  sorted_.insert(std::ranges::upper_bound(sorted_, value), value);
}

std::optional<double> RecentQuantile::value() const {
  if (sorted_.empty()) return std::nullopt;
  const auto rank = static_cast<std::size_t>(std::ceil(share_ * static_cast<double>(sorted_.size())));
  return sorted_[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace policies
