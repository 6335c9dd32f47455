// What was measured at a few compression ratios, read at any ratio in between.
#pragma once

#include <vector>

namespace policies {

/// One measurement.
struct RatioPoint {
  double ratio = 1;  ///< kept / original, in (0, 1]
  double value = 0;
};

/// Straight lines between the points over the logarithm of the ratio; constant beyond the outermost points.
///
/// The published code fits a rational of exponentials with six parameters to five points and two anchors. A
/// line from point to point keeps what was measured, cannot fail to converge, and rises wherever the points
/// do; over the logarithm because the candidates lie about evenly there.
class RatioCurve {
 public:
  /// @param points  at least one, in any order, no ratio twice
  explicit RatioCurve(std::vector<RatioPoint> points);
  /// The curve that comes closest to the points (least squares) among those that never fall as the ratio
  /// rises: neighbours out of order share their mean.
  static RatioCurve rising(std::vector<RatioPoint> points);

  [[nodiscard]] double at(double ratio) const;

 private:
  std::vector<RatioPoint> points_;  ///< by ratio
};

}  // namespace policies
