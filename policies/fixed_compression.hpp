// Always the same method at the same ratio.
#pragma once

#include "policies/compression_policy.hpp"
#include "settings/choice.hpp"

namespace policies {

/// One choice, whatever is seen; `none` is the dense gradient.
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

}  // namespace policies
