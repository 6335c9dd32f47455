// Static batching: each worker's samples in proportion to the speed that is stated for it (open loop).
#pragma once

#include <utility>

#include "policies/batching_policy.hpp"

namespace policies {

/// Before the first step, and again when workers are lost:
///
///   b_k = K b_0 X_k / sum_i X_i,   sum b_k = K b_0
///
/// rounded by largest remainder. X is what the job's description says: cores, or FLOP/s; nothing is measured.
/// The paper prints b_k = b_0 X_k / sum X_i, which contradicts the sum that it states; the K is put in here.
/// b_0 is the mean of the batches that the training begins with.
///
/// Source: Tyagi & Sharma, "Taming Resource Heterogeneity in Distributed ML Training with Dynamic Batching",
///         IEEE ACSOS 2020, section III.
class ProportionalBatch final : public BatchingPolicy {
 public:
  using Settings = BatchChanges;
  ProportionalBatch(const Settings&, BatchBounds bounds) : bounds_(std::move(bounds)) {}

  [[nodiscard]] std::unique_ptr<BatchingPolicy> copy() const override {
    return std::make_unique<ProportionalBatch>(*this);
  }
  std::optional<std::vector<int>> decide(const BatchingObservation& seen) override;

 private:
  BatchBounds bounds_;
  std::optional<double> mean_;  ///< b_0
  std::size_t workers_ = 0;     ///< for which it was decided
};

}  // namespace policies
