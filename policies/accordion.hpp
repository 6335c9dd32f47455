// Accordion: little compression while gradients change fast, much while they do not; by epochs, or step by
// step.
#pragma once

#include <cstdint>
#include <optional>

#include "policies/compression_policy.hpp"
#include "policies/moving_average.hpp"

namespace policies {

// The two ratios between which both forms of Accordion choose.

/// Kept / original, each in (0, 1].
struct TwoRatios {
  double low = 0.1;    ///< low compression: while the gradient's norm changes fast
  double high = 0.01;  ///< high compression: otherwise

  bool operator==(const TwoRatios&) const = default;
  [[nodiscard]] CompressionChoice choice(bool compress_high, kernels::Method method) const {
    return {method, compress_high ? high : low};
  }
};

/// Keys `low_ratio` and `high_ratio`.
void describe_two_ratios(settings::Fields& fields, TwoRatios& ratios);

// Accordion: little compression while gradients change fast, much while they do not, epoch window by window.

/// Compares, at the end of each window of epochs, the mean norm of its gradients with the window before:
///
///   | ||g||_prev - ||g|| | / ||g||_prev >= threshold: low compression;  else high compression
///
/// The first window is compressed low. A window without a known norm changes nothing.
///
/// Leaves out: the decision layer by layer (one norm of the whole gradient is seen); the norm of the gradient
///             summed over the window, replaced here by the mean of the steps' norms; low compression after
///             the learning rate decays (a policy does not see the rate).
/// Source: Agarwal et al., "Adaptive Gradient Communication via Critical Learning Regime Identification",
///         MLSys 2021.
class Accordion final : public CompressionPolicy {
 public:
  struct Settings {
    TwoRatios ratios = {};
    double threshold = 0.5;    ///< at least 0
    double every_epochs = 10;  ///< epochs of a window, above 0

    bool operator==(const Settings&) const = default;
    [[nodiscard]] double first_ratio() const { return ratios.low; }
  };

  /// @param job  `stated.method` is a sparse row of the wire formats
  Accordion(const Settings& settings, const CompressionJob& job)
      : settings_(settings), method_(job.stated.method) {}

  [[nodiscard]] std::unique_ptr<CompressionPolicy> copy() const override {
    return std::make_unique<Accordion>(*this);
  }
  CompressionPlan plan(const CompressionObservation& seen) override;
  std::optional<std::size_t> choose(const CompressionTrials&) override { return 0; }
  void learn(const CompressionOutcome& outcome) override;

 private:
  void end_window();

  Settings settings_;
  kernels::Method method_;
  bool high_ = false;
  double window_ = 0;  ///< number of the current one
  double norms_ = 0;   ///< sum of the norms in the current window
  std::int64_t steps_ = 0;
  std::optional<double> before_;  ///< mean norm of the last window that had one
};

void describe(settings::Fields& fields, Accordion::Settings& settings);

// Accordion without epochs: each step's smoothed gradient norm against the last step's.

/// Compares norms step by step. With E_i the smoothed norm of the whole gradient after step i,
///
///   |E_i - E_(i-1)| / E_(i-1) >= threshold: low compression in the next step;  else high compression
///
/// Low until two norms are known; a step without a known norm changes nothing.
///
/// Leaves out: an average over a window of limited length.
/// Source: the Accordion baseline in the released code of Tyagi & Swany, "GraVAC: Adaptive Compression for
///         Communication-Efficient Distributed DL Training", IEEE CLOUD 2023.
class AccordionPerStep final : public CompressionPolicy {
 public:
  struct Settings {
    TwoRatios ratios = {};
    double threshold = 0.2;   ///< at least 0
    double smoothing = 0.05;  ///< weight of a new norm, in (0, 1]

    bool operator==(const Settings&) const = default;
    [[nodiscard]] double first_ratio() const { return ratios.low; }
  };

  /// @param job  `stated.method` is a sparse row of the wire formats
  AccordionPerStep(const Settings& settings, const CompressionJob& job)
      : settings_(settings), method_(job.stated.method) {}

  [[nodiscard]] std::unique_ptr<CompressionPolicy> copy() const override {
    return std::make_unique<AccordionPerStep>(*this);
  }
  CompressionPlan plan(const CompressionObservation&) override {
    return {{settings_.ratios.choice(high_, method_)}, std::nullopt};
  }
  std::optional<std::size_t> choose(const CompressionTrials&) override { return 0; }
  void learn(const CompressionOutcome& outcome) override;

 private:
  Settings settings_;
  kernels::Method method_;
  bool high_ = false;
  MovingAverage norm_;
};

void describe(settings::Fields& fields, AccordionPerStep::Settings& settings);

}  // namespace policies
