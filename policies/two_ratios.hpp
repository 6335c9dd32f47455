// The two ratios between which both forms of Accordion choose.
#pragma once

#include "policies/compression_policy.hpp"

namespace policies {

/// Kept / original, each in (0, 1].
struct TwoRatios {
  double low = 0.1;    ///< low compression: while the gradient's norm changes fast
  double high = 0.01;  ///< high compression: otherwise

  bool operator==(const TwoRatios&) const = default;
  [[nodiscard]] CompressionChoice choice(bool compress_high, std::string_view method) const {
    return {method, compress_high ? high : low};
  }
};

/// Keys `low_ratio` and `high_ratio`.
void describe_two_ratios(settings::Fields& fields, TwoRatios& ratios);

}  // namespace policies
