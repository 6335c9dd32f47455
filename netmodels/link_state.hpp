// Latency and bandwidth of a link or of a path.
#pragma once

#include "netmodels/quantity.hpp"

namespace netmodels {

/// The state of one direction of a link, or of the path between any two ranks of a free homogeneous network
/// (alpha and 1/beta).
struct LinkState {
  Seconds latency;
  Bandwidth bandwidth;

  bool operator==(const LinkState&) const = default;
  /// A single message on the link.
  [[nodiscard]] constexpr Seconds time(Bytes message) const { return latency + message / bandwidth; }
};

}  // namespace netmodels
