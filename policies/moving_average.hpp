// Statistics of a policy over its steps: weighted averages, and a quantile of the last values.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace policies {

// A quantile of the last values that a policy saw.

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

// Exponentially weighted averages over the steps that a policy sees: over all of them, and over a window.

/// E_1 = x_1, E_i = E_(i-1) + weight (x_i - E_(i-1)).
class MovingAverage {
 public:
  /// @param weight  of the new value, in (0, 1]
  /// @returns the average with it
  double add(double value, double weight) {
    average_ = average_ ? *average_ + weight * (value - *average_) : value;
    return *average_;
  }
  /// Nothing before the first value.
  [[nodiscard]] std::optional<double> value() const { return average_; }

 private:
  std::optional<double> average_;
};

/// `MovingAverage` begun anew with the oldest of the last W values, in every step:
///
///   E_i = E_(i-1) + weight (x_i - E_(i-1)) + (1 - weight)^W (x_(i-W+1) - x_(i-W)),
///
/// whose last term, once there are more than W values, gives the weight of the value that leaves to the
/// oldest that stays.
class LimitedMovingAverage {
 public:
  /// @param window  W, at least 1
  explicit LimitedMovingAverage(std::size_t window) : values_(window) {}

  /// @param weight  of the new value, in (0, 1], the same for all
  /// @returns the average with it
  double add(double value, double weight) {
    const double leaving = values_[oldest_];
    values_[oldest_] = value;
    oldest_ = (oldest_ + 1) % values_.size();
    const bool full = count_ == values_.size();
    if (!full) ++count_;
    average_ = average_ ? *average_ + weight * (value - *average_) : value;
    if (full) *average_ += std::pow(1 - weight, static_cast<double>(count_)) * (values_[oldest_] - leaving);
    return *average_;
  }
  /// Nothing before the first value.
  [[nodiscard]] std::optional<double> value() const { return average_; }

 private:
  std::vector<double> values_;  ///< the last W, from `oldest_` on and round
  std::size_t oldest_ = 0;
  std::size_t count_ = 0;
  std::optional<double> average_;
};

/// The weight that GraVAC and SelSync give to the newest value where nothing is stated: N / 100, at most 1.
inline double weight_by_workers(std::uint32_t workers) { return workers < 100 ? workers / 100.0 : 1.0; }

/// The mean of the last W values, the k-th newest weighted by (1 - discount)^k.
///
/// Source: the released code of Tyagi & Swany, "Flexible Communication for Optimal Distributed Learning over
///         Unpredictable Networks", IEEE BigData 2023.
class WindowedAverage {
 public:
  /// @param window    W, at least 1
  /// @param discount  in [0, 1); 0 is the plain mean
  WindowedAverage(std::size_t window, double discount) : window_(window), discount_(discount) {}

  void add(double value) {
    if (values_.size() == window_) values_.pop_front();
    values_.push_back(value);
  }
  /// Nothing until the window is full.
  [[nodiscard]] std::optional<double> value() const {
    if (values_.size() < window_) return std::nullopt;
    double sum = 0;
    double weights = 0;
    for (const double value : values_) {  // Horner: what is older has been discounted more often
      sum = sum * (1 - discount_) + value;
      weights = weights * (1 - discount_) + 1;
    }
    return sum / weights;
  }
  void clear() { values_.clear(); }

 private:
  std::size_t window_;
  double discount_;
  std::deque<double> values_;  ///< oldest first, at most W
};

}  // namespace policies
