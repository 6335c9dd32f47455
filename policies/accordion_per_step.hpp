// Accordion without epochs: each step's smoothed gradient norm against the last step's.
#pragma once

#include <optional>

#include "policies/compression_policy.hpp"
#include "policies/moving_average.hpp"

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
    CompressionChoice low;    ///< little is lost, e.g. topk at 0.1
    CompressionChoice high;   ///< much is lost, e.g. topk at 0.001
    double threshold = 0.2;   ///< at least 0
    double smoothing = 0.05;  ///< weight of a new norm, in (0, 1]
  };

  explicit AccordionPerStep(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<CompressionPolicy> copy() const override {
    return std::make_unique<AccordionPerStep>(*this);
  }
  CompressionPlan plan(const CompressionObservation&) override {
    return {{high_ ? settings_.high : settings_.low}, std::nullopt};
  }
  std::optional<std::size_t> choose(const CompressionTrials&) override { return 0; }
  void learn(const CompressionOutcome& outcome) override;

 private:
  Settings settings_;
  bool high_ = false;
  MovingAverage norm_;
};

}  // namespace policies
