// Always the same method at the same ratio, and a warm-up before another policy in which the first epochs
// send more.
#pragma once

#include "policies/compression_policy.hpp"
#include "settings/choice.hpp"

namespace policies {

// Always the same method at the same ratio.

/// A constant choice; `none` is the dense gradient.
class FixedCompression final : public CompressionPolicy {
 public:
  explicit FixedCompression(const CompressionChoice& choice) : choice_(choice) {}
  FixedCompression(const settings::None&, const CompressionJob& job) : choice_(job.stated) {}

  [[nodiscard]] std::unique_ptr<CompressionPolicy> copy() const override {
    return std::make_unique<FixedCompression>(*this);
  }
  CompressionPlan plan(const CompressionObservation&) override { return {{choice_}, std::nullopt}; }
  std::optional<std::size_t> choose(const CompressionTrials&) override { return 0; }
  void learn(const CompressionOutcome&) override {}

 private:
  CompressionChoice choice_;
};

// A warm-up before another compression policy: the first epochs send more, then the other policy begins.

/// Follows a schedule from the whole gradient down to the first ratio of another policy, which then takes
/// over. That policy does not see the warm-up: it learns only about its own ratios. A ratio of 1 is
/// sent dense.
class RatioWarmUp final : public CompressionPolicy {
 public:
  /// @param first  what the schedule arrives at: the method of the warm-up and the ratio c
  /// @param then   the policy after the warm-up; not null
  RatioWarmUp(const RatioSchedule& schedule, const CompressionChoice& first,
              std::unique_ptr<CompressionPolicy> then);

  [[nodiscard]] std::unique_ptr<CompressionPolicy> copy() const override;
  CompressionPlan plan(const CompressionObservation& seen) override;
  std::optional<std::size_t> choose(const CompressionTrials& shown) override;
  void learn(const CompressionOutcome& outcome) override;

 private:
  RatioSchedule schedule_;
  CompressionChoice first_;
  std::unique_ptr<CompressionPolicy> then_;
  bool over_ = false;
};

}  // namespace policies
