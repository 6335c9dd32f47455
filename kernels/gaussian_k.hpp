// GaussianK: a threshold from a normal distribution fitted to the values, then mended.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {

// GaussianK's correction of its first threshold as questions and answers: both implementations ask the same.

/// Begins at a quantile of the normal distribution; halves, raises by half or goes to the middle of two until
/// 2k/3 to 4k/3 values pass. When the rounds are over it asks once more, to know whether any pass. For "more
/// than 4k/3" any number above will do.
struct GaussianKSearch {
  double threshold = 0;
  std::int64_t k = 0;
  int rounds_left = 0;
  double too_low = 0, too_high = 0;  ///< the last thresholds that too many and too few passed
  bool raised = false, lowered = false;
  bool over = false;
  std::int64_t passing_it = 0;  ///< when over

  [[nodiscard]] constexpr bool done() const { return over; }
  [[nodiscard]] constexpr Magnitude requested() const { return at_least(threshold); }

  constexpr void hear(std::int64_t passing) {
    over = rounds_left == 0 || (3 * passing >= 2 * k && 3 * passing <= 4 * k);
    passing_it = passing;
    if (over) return;
    --rounds_left;
    const bool few = passing < k;
    (few ? too_high : too_low) = threshold;
    (few ? lowered : raised) = true;
    if (raised && lowered) {
      threshold = (too_low + too_high) / 2;
    } else {
      threshold *= few ? 0.5 : 1.5;
    }
  }

  /// The values that pass, or the largest value where none does.
  [[nodiscard]] constexpr Cut cut() const {
    return passing_it > 0 ? Cut::from(requested()) : Cut::of_largest(1);
  }
};

/// Sends about k = kept(ratio, n) values, at least one. The first threshold is sigma z, with z the quantile
/// Phi(z) = 1 - c/2 and sigma the root mean square of the finite values. While fewer than 2k/3 or more than
/// 4k/3 values pass, it is halved or multiplied by 1.5, or set to the middle once it is known to lie between
/// two, at most `rounds` times; then, as with many equal values, all that pass are sent.
///
/// Leaves out: the mean in the fit, which the original includes; a gradient's is close to zero.
/// The published code never brackets and can swing between two thresholds.
/// Source: Shi et al., "Understanding Top-k Sparsification in Distributed Deep Learning",
///         arXiv:1911.08772, 2019, Algorithm 1.
class GaussianK : public Sparsifier {
 public:
  struct Settings {
    double ratio = 0.01;  ///< c, kept / original, in (0, 1]
    int rounds = 20;      ///< corrections of the threshold, at least 0
    int index_bytes = 4;  ///< per index on the wire, 4 or 8
  };

  explicit GaussianK(const Settings& settings);

  /// CUDA implementation, of device_gaussian_k.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

  /// The z that a standard normal value exceeds in magnitude with probability `share`, in (0, 1].
  static double quantile(double share);

 private:
  Settings settings_;
  double quantile_;
  Candidates candidates_;
};

}  // namespace kernels
