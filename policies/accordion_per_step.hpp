// Accordion without epochs: each step's smoothed gradient norm against the last step's.
#pragma once

#include <optional>

#include "policies/compression_policy.hpp"
#include "policies/moving_average.hpp"
#include "policies/two_ratios.hpp"

namespace policies {

/// With E_i the smoothed norm of the whole gradient after step i,
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
  std::string_view method_;
  bool high_ = false;
  MovingAverage norm_;
};

void describe(settings::Fields& fields, AccordionPerStep::Settings& settings);

}  // namespace policies
