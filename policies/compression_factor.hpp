// GraVAC's compression factor, the inverse of a compression ratio, as a type of its own.
#pragma once

#include <compare>

namespace policies {

/// CF (theta) = original / kept, at least 1: 10 keeps 10 %. The rest of the project speaks of the ratio, kept
/// / original; the two never meet but through this type.
struct CompressionFactor {
  double value = 1;

  constexpr auto operator<=>(const CompressionFactor&) const = default;
  /// kept / original, in (0, 1].
  [[nodiscard]] constexpr double ratio() const { return 1 / value; }
};

}  // namespace policies
