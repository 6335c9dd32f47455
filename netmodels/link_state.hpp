// Latency and bandwidth of a link or of a path.
#pragma once

#include "netmodels/quantity.hpp"

namespace netmodels {

/// What one direction of a link does, or what any two ranks of a free homogeneous network see of each other
/// (alpha and 1/beta).
struct LinkState {
  Seconds latency;
  Bandwidth bandwidth;

  bool operator==(const LinkState&) const = default;
  /// One message alone on the link.
  [[nodiscard]] constexpr Seconds time(Bytes message) const { return latency + message / bandwidth; }
};

}  // namespace netmodels
