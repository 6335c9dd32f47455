// RedSync: a threshold searched between the mean and the largest magnitude until k to 2k values pass.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {

// RedSync's bisection as questions and answers: both implementations ask the same.

/// First asks how many values pass the mean; then bisects between mean and largest, or between 0 and mean,
/// until k to 2k pass. For "more than 2k" any number above 2k will do.
struct RedSyncSearch {
  double mean = 0, largest = 0;  ///< statistics of the finite magnitudes
  std::int64_t elements = 0, k = 0;
  int rounds_left = 0;
  bool begun = false, found = false;
  double low = 0, high = 0;
  Magnitude limit = 0;  ///< passed by `passing_it` values, at least k
  std::int64_t passing_it = 0;

  [[nodiscard]] constexpr bool done() const { return begun && (found || rounds_left == 0); }
  [[nodiscard]] constexpr Magnitude requested() const { return at_least(begun ? (low + high) / 2 : mean); }

  constexpr void hear(std::int64_t passing) {
    if (!begun) return begin(passing);
    --rounds_left;
    const double middle = (low + high) / 2;
    if (passing < k) {
      high = middle;
      return;
    }
    limit = requested();
    passing_it = passing;
    found = passing <= 2 * k;
    low = middle;
  }

  /// The values that pass the limit, or the k largest where too many do.
  [[nodiscard]] constexpr Cut cut() const {
    return passing_it <= 2 * k ? Cut::from(limit) : Cut::of_largest(k);
  }

 private:
  constexpr void begin(std::int64_t passing) {
    begun = true;
    const bool above_mean = passing >= k;
    low = above_mean ? mean : 0;
    high = above_mean ? largest : mean;
    limit = at_least(low);
    passing_it = above_mean ? passing : elements;
  }
};

/// Sends between k and 2k values, k = kept(ratio, n): bisects thr(x) = mean|v| + x (max|v| - mean|v|), x in
/// [0, 1], until k <= count(|v| >= thr) <= 2k, at most `rounds` times; where fewer than k reach the mean, the
/// search goes from 0 to the mean instead. If the rounds run out, as with many equal values, the exact top k
/// of those above the last threshold that at least k passed are sent.
///
/// One published implementation stops when the interval is 0.2 wide, that is after three rounds, and so may
/// miss k by far; it also raises the threshold when between k/2 and k values pass, though more are wanted.
/// Source: Fang et al., "RedSync: Reducing synchronization bandwidth for distributed deep learning training
///         system", J. Parallel Distrib. Comput. 133, 2019, threshold binary search.
class RedSync : public Sparsifier {
 public:
  struct Settings {
    double ratio = 0.01;  ///< c, kept / original, in (0, 1]
    int rounds = 25;      ///< bisections, at least 1
    int index_bytes = 4;  ///< per index on the wire, 4 or 8
  };

  explicit RedSync(const Settings& settings);

  /// CUDA implementation, of device_redsync.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

 private:
  Settings settings_;
  Candidates candidates_;
};

}  // namespace kernels
