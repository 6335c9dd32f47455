// A quantile of the last values that a policy saw.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace policies {

/// The smallest of the last n values that a share q of them does not exceed (nearest rank).
class RecentQuantile {
 public:
  /// @param share   q, in (0, 1)
  /// @param window  n, at least 1
  RecentQuantile(double share, std::size_t window) : share_(share), window_(window) {}

  /// @param value  not NaN
  void add(double value);
  /// Nothing before the first value.
  [[nodiscard]] std::optional<double> value() const;

 private:
  double share_;
  std::size_t window_;
  std::deque<double> values_;   ///< oldest first, at most n
  std::vector<double> sorted_;  ///< the same, smallest first
};

}  // namespace policies
