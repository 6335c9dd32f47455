// Uniform batching: every worker keeps the batch that the training states.
#pragma once

#include "policies/batching_policy.hpp"
#include "settings/choice.hpp"

namespace policies {

/// Never changes anything: b_k = b_0 where the training states one batch for all.
class UniformBatch final : public BatchingPolicy {
 public:
  UniformBatch() = default;
  UniformBatch(const settings::None&, const BatchBounds&) {}
  [[nodiscard]] std::unique_ptr<BatchingPolicy> copy() const override {
    return std::make_unique<UniformBatch>(*this);
  }
  std::optional<std::vector<int>> decide(const BatchingObservation&) override { return std::nullopt; }
};

}  // namespace policies
