// Dynamic batch size (DBS): once an epoch, samples in proportion to each worker's speed in the epoch before.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "policies/batching_policy.hpp"

namespace policies {

/// When an epoch has ended:
///
///   X_k = samples of worker k in that epoch / the time it computed them,   b_k = K b_0 X_k / sum_i X_i
///
/// rounded by largest remainder, without a dead-band.
///
/// Leaves out: the shares of the data set that follow the batches.
/// Source: Ye et al., "DBS: Dynamic Batch Size for Distributed Deep Neural Network Training",
///         arXiv:2007.11831, 2020 (recalled).
class DbsBatch final : public BatchingPolicy {
 public:
  using Settings = BatchChanges;
  DbsBatch(const Settings&, BatchBounds bounds) : bounds_(std::move(bounds)) {}

  [[nodiscard]] std::unique_ptr<BatchingPolicy> copy() const override {
    return std::make_unique<DbsBatch>(*this);
  }
  std::optional<std::vector<int>> decide(const BatchingObservation& seen) override;

 private:
  struct Done {
    double samples = 0;
    netmodels::Seconds time;
  };
  [[nodiscard]] std::vector<double> speeds(std::span<const WorkerObservation> workers) const;

  BatchBounds bounds_;
  std::optional<double> mean_;  ///< b_0
  double epoch_ = 0;            ///< number of the current one
  std::vector<Done> done_;      ///< in it, by worker
};

}  // namespace policies
