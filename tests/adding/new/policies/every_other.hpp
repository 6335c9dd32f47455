// Compresses every other step.
#pragma once

#include "policies/compression_policy.hpp"

namespace policies {

/// Steps 0, 2, 4, ... are sent at a ratio, the others dense.
class EveryOther final : public CompressionPolicy {
 public:
  struct Settings {
    double ratio = 0.1;  ///< kept / original, in (0, 1]

    bool operator==(const Settings&) const = default;
    [[nodiscard]] double first_ratio() const { return ratio; }
  };
  EveryOther(const Settings& settings, const CompressionJob& job)
      : sent_{job.stated.method, settings.ratio} {}

  [[nodiscard]] std::unique_ptr<CompressionPolicy> copy() const override {
    return std::make_unique<EveryOther>(*this);
  }
  CompressionPlan plan(const CompressionObservation& seen) override {
    return {{seen.step % 2 == 0 ? sent_ : CompressionChoice{}}, std::nullopt};
  }
  std::optional<std::size_t> choose(const CompressionTrials&) override { return 0; }
  void learn(const CompressionOutcome&) override {}

 private:
  CompressionChoice sent_;
};

void describe(settings::Fields& fields, EveryOther::Settings& settings);

}  // namespace policies
