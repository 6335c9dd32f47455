// GraVAC: the compression factor climbs as long as gradients keep enough of their energy and throughput pays.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "policies/compression_policy.hpp"
#include "policies/moving_average.hpp"

namespace policies {

// GraVAC's compression factor, the inverse of a compression ratio, as its own type.

/// CF (theta) = original / kept, at least 1: 10 keeps 10 %. The rest of the project speaks of the ratio, kept
/// / original; the two are converted by this type alone.
struct CompressionFactor {
  double value = 1;

  constexpr auto operator<=>(const CompressionFactor&) const = default;
  /// kept / original, in (0, 1].
  [[nodiscard]] constexpr double ratio() const { return 1 / value; }
};

/// How GraVAC's candidates follow each other, as multiples of the first floor.
enum class FactorScaling : std::uint8_t {
  exponential,  ///< 2^1, 2^2, 2^4, 2^8, ...
  geometric,    ///< 2, 4, 8, 16, ...
};

constexpr auto names_of(FactorScaling) {
  return std::to_array<settings::Named<FactorScaling>>(
      {{"exponential", FactorScaling::exponential}, {"geometric", FactorScaling::geometric}});
}

/// All factors that GraVAC can try, in order: from `least`, each below `most`, then `most` itself.
/// 10 to 1000 exponential: 10, 20, 40, 160, 1000. 10 to 2000 geometric: 10, 20, 40, ..., 1280, 2000.
/// @param least  at least 1
/// @param most   not below `least`
std::vector<CompressionFactor> factor_ladder(FactorScaling scaling, CompressionFactor least,
                                             CompressionFactor most);

/// Each step is compressed twice, multi-level: by the floor (theta_min), and from there to the candidate
/// (theta_s theta_min). With smoothed gains d_min and d_c,
///
///   d_c >= epsilon: the candidate is sent;  else d_min >= epsilon: the floor;  else the dense gradient
///
/// and the compression throughput of the message is noted, samples / t_iter times its smoothed gain (dense:
/// gain 1, factor 1). At the end of each window the candidate goes up one rung of the ladder; where it had
/// nearly the gain of the floor, |d_min - d_c| <= omega d_min, the floor rises; and where the two best
/// throughputs differ by no more than omega of the lesser, the search is over: the lower of their factors is
/// the candidate from then on (1: nothing is compressed any more). The thresholds on the gains stay in force.
///
/// The first window tries only the floor. A gain that is unknown or not finite is below
/// epsilon for this step. When a factor is new its average starts afresh (the algorithm box is silent).
///
/// Leaves out: a way back down but through epsilon; the noise of single step times (the last throughput
///             counts, as printed).
/// Source: Tyagi & Swany, "GraVAC: Adaptive Compression for Communication-Efficient Distributed DL Training",
///         IEEE CLOUD 2023, section III and Algorithm 1.
class Gravac final : public CompressionPolicy {
 public:
  struct Settings {
    double min_factor = 10;     ///< first theta_min, original / kept, at least 1
    double max_factor = 1000;   ///< theta_max, not below the first floor
    double gain = 0.7;          ///< epsilon, in (0, 1]
    double tolerance = 0.01;    ///< omega, at least 0
    std::int64_t window = 500;  ///< steps, at least 1
    FactorScaling scaling = FactorScaling::exponential;
    std::optional<double> smoothing = {};  ///< weight of a new gain, in (0, 1]; nothing: N / 100, at most 1
    /// Algorithm 1 to the letter where the text says otherwise: the search ends at the factor of the second
    /// best throughput, be it the higher one; the floor rises to the next candidate, untried; and the time of
    /// trials does not count in t_iter where the dense gradient is sent.
    bool as_printed = false;

    bool operator==(const Settings&) const = default;
    [[nodiscard]] double first_ratio() const { return CompressionFactor{min_factor}.ratio(); }
  };

  /// @param job  `stated.method` is a sparse row of the wire formats, for both levels
  Gravac(const Settings& settings, const CompressionJob& job);

  [[nodiscard]] std::unique_ptr<CompressionPolicy> copy() const override {
    return std::make_unique<Gravac>(*this);
  }
  CompressionPlan plan(const CompressionObservation& seen) override;
  std::optional<std::size_t> choose(const CompressionTrials& shown) override;
  void learn(const CompressionOutcome& outcome) override;

 private:
  /// One of the two factors that a step tries.
  struct Level {
    CompressionFactor factor;
    MovingAverage gain;
  };
  /// The last observation of a factor.
  struct Throughput {
    CompressionFactor factor;
    double samples_per_second;  ///< times the gain
  };

  [[nodiscard]] bool one_level() const { return candidate_.factor == floor_.factor; }
  /// Smooths a gain into a level. @returns whether the level may be sent
  bool passes(Level& level, const std::optional<double>& gain) const;
  void note(CompressionFactor factor, double samples_per_second);
  void end_window();
  void climb();
  /// @returns the factor to stay with, where the best two throughputs are level
  [[nodiscard]] std::optional<CompressionFactor> saturation();
  void settle(CompressionFactor ideal);

  Settings settings_;
  kernels::Method method_;
  std::vector<CompressionFactor> ladder_;
  Level floor_;
  Level candidate_;
  std::vector<Throughput> throughputs_;  ///< one per factor that was sent
  Level sent_;
  std::int64_t steps_ = 0;
  double weight_ = 1;  ///< weight of a new gain
  bool settled_ = false;
};

void describe(settings::Fields& fields, Gravac::Settings& settings);
/// The largest factor is not below the least.
std::optional<settings::Problem> problem_of(const Gravac::Settings& settings);

}  // namespace policies
