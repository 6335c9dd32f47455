// LB-BSP batching: predicts every worker's speed at the barrier, and shares the batch out to fit.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/batching_policy.hpp"
#include "policies/moving_average.hpp"

namespace policies {

/// Every worker's next speed is predicted from those it had, one step at a time, and at every `every`-th
/// barrier the samples follow the prediction:
///
///   X_k <- X_k + w (b_k / t_k - X_k),   b_k = K b_0 X_k / sum_i X_i
///
/// rounded by largest remainder. Nothing changes while no batch would move by more than the hysteresis.
///
/// Leaves out: the published predictor, a recurrent network (NARX) that also reads processor and memory use,
///             replaced here by the exponential average; on GPUs, the profile of time against batch taken
///             before the training.
/// Source: Chen et al., "Fast Distributed Deep Learning via Worker-Adaptive Batch Sizing", arXiv:1806.02508.
class LbBspBatch final : public BatchingPolicy {
 public:
  struct Settings {
    BatchChanges changes = {};
    std::int64_t every = 10;   ///< steps from one barrier at which batches may change to the next, at least 1
    double smoothing = 0.3;    ///< w, in (0, 1]
    double hysteresis = 0.05;  ///< relative to the larger of both batches, at least 0

    bool operator==(const Settings&) const = default;
  };

  LbBspBatch(const Settings& settings, BatchBounds bounds);

  [[nodiscard]] std::unique_ptr<BatchingPolicy> copy() const override {
    return std::make_unique<LbBspBatch>(*this);
  }
  std::optional<std::vector<int>> decide(const BatchingObservation& seen) override;

 private:
  Settings settings_;
  BatchBounds bounds_;
  std::optional<double> mean_;         ///< b_0
  std::vector<MovingAverage> speeds_;  ///< speeds by worker
};

void describe(settings::Fields& fields, LbBspBatch::Settings& settings);

}  // namespace policies
