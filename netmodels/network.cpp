// When a network state stops being true.
#include "netmodels/network.hpp"

#include <algorithm>
#include <limits>

namespace netmodels {

Seconds NetworkState::horizon() const {
  Seconds first{std::numeric_limits<double>::infinity()};
  if (!upcoming.empty()) first = std::min(first, upcoming.front().at);
  if (!upcoming_background.empty()) first = std::min(first, upcoming_background.front().at);
  return first;
}

}  // namespace netmodels
