// SIDCo: a threshold from exponential tails fitted to the magnitudes in several stages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/compressor.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {

// SIDCo's last question: whether anything passes the threshold of its tails.

/// Asks once; where nothing passes, the largest value is sent.
struct SidcoSearch {
  double threshold = 0;  ///< eta of the stage reached
  bool over = false;
  std::int64_t passing_it = 0;  ///< when over

  [[nodiscard]] constexpr bool done() const { return over; }
  [[nodiscard]] constexpr Magnitude requested() const { return at_least(threshold); }

  constexpr void hear(std::int64_t passing) {
    over = true;
    passing_it = passing;
  }

  [[nodiscard]] constexpr Cut cut() const {
    return passing_it > 0 ? Cut::from(requested()) : Cut::of_largest(1);
  }
};

/// Sends about c n values, at least one and anything up to n. With the stage ratios d_1 d_2 ... d_M = c,
///
///   eta_1 = mean|v| ln(1 / d_1),   eta_m = eta_(m-1) + mean(|v| - eta_(m-1) : |v| >= eta_(m-1)) ln(1 / d_m),
///
/// all |v| >= eta_M are sent: d_1 = `first`, then `later` as often as more than that is left to do, and a
/// last stage with the rest; a single stage where c >= `first`. Means are those of the finite magnitudes;
/// values that are not finite are always sent. A stage above which nothing is left sends the largest value.
///
/// Leaves out: the other two families of distributions (generalised Pareto, gamma), and changing M while
/// training runs.
/// Source: Abdelmoniem et al., "An Efficient Statistical-based Gradient Compression Technique for Distributed
///         Training Systems", MLSys 2021, the exponential threshold and its multi-stage refinement.
class Sidco : public Sparsifier {
 public:
  struct Settings {
    double ratio = 0.01;  ///< c, kept / original, in (0, 1]
    double first = 0.25;  ///< d_1, in (0, 1)
    double later = 0.25;  ///< d_2 ..., in (0, 1)
    int index_bytes = 4;  ///< per index on the wire, 4 or 8
  };

  explicit Sidco(const Settings& settings);

  /// CUDA implementation, of device_sidco.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

  /// d_1, d_2, ..., d_M.
  static std::vector<double> stages(const Settings& settings);

 private:
  std::vector<double> stages_;
  Candidates candidates_;
};

}  // namespace kernels
