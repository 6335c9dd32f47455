// MSTopk: top-k by bisection of a threshold between the mean and the largest magnitude.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {

// MSTopk's bisection as questions and answers: both implementations ask the same.

/// Asks how many values pass a threshold, again and again: thr(x) = mean|v| + x (max|v| - mean|v|), x halving
/// [0, 1]. For "more than k" any number above k will do.
struct MsTopKSearch {
  double mean = 0, largest = 0;  ///< statistics of the finite magnitudes
  std::int64_t k = 0;
  int rounds_left = 0;
  double left = 0, right = 1;
  Magnitude low = 0;           ///< passed by more than k, or by all
  Magnitude high = above_all;  ///< passed by `sure` values, at most k
  std::int64_t sure = 0;

  [[nodiscard]] constexpr bool done() const { return rounds_left == 0 || sure == k; }
  [[nodiscard]] constexpr Magnitude requested() const {
    return at_least(mean + (left + right) / 2 * (largest - mean));
  }

  constexpr void hear(std::int64_t passing) {
    const bool few = passing <= k;
    (few ? high : low) = requested();
    if (few) sure = passing;
    (few ? right : left) = (left + right) / 2;
    --rounds_left;
  }

  [[nodiscard]] constexpr Cut cut() const {
    return sure == k ? Cut::from(high) : Cut{low, high, k - sure, 0};
  }
};

/// Sends exactly k = kept(ratio, n) values: with thr(x) = mean|v| + x (max|v| - mean|v|), `rounds` bisections
/// of x in [0, 1] find the lowest threshold that at most k pass and the highest that more than k pass. All at
/// or above the first are sent, and a contiguous run of those in between, begun at random, fills up to k.
/// Mean and largest are those of the finite magnitudes; what is not finite passes every threshold.
///
/// Once few are left above the lower threshold, the rounds count only these; the counts are the same.
///
/// The published implementation may start its run one place too late and then sends k - 1 values, truncates
/// c n to an integer that may be 0, and draws from an unseeded generator.
/// Source: Shi et al., "Towards Scalable Distributed Training of Deep Learning on Public Cloud Clusters",
///         MLSys 2021, Algorithm 1.
class MsTopK : public Sparsifier {
 public:
  struct Settings {
    double ratio = 0.01;     ///< c, kept / original, in (0, 1]
    int rounds = 25;         ///< bisections, at least 1
    std::uint64_t seed = 0;  ///< seed of the draw where the run begins
    int index_bytes = 4;     ///< per index on the wire, 4 or 8
  };

  explicit MsTopK(const Settings& settings);

  /// CUDA implementation, of device_ms_topk.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

 private:
  Cut bisect(std::span<const float> vector, MsTopKSearch search);
  std::int64_t count(std::span<const float> vector, Magnitude threshold) const;

  Settings settings_;
  bool collected_ = false;  ///< whether the candidates hold all that may still be sent
  Candidates candidates_;
};

}  // namespace kernels
