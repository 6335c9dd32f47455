// Shares of the batch that follow a rule: all equal, by stated speed, by streams, or by the last epoch's
// speeds.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "policies/batching_policy.hpp"
#include "settings/choice.hpp"

namespace policies {

// Uniform batching: every worker keeps the batch that the training states.

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

// Static batching: each worker's samples in proportion to the speed that is stated for it (open loop).

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

// ScaDLES' batching: each device takes one second of its stream.

/// b_i = S_i samples, where S_i arrive per second, within [b_min, b_max]; the released code keeps
/// 8 <= b_i <= 1024. A device without a stream keeps its batch.
///
/// Source: Tyagi & Swany, "ScaDLES: Scalable Deep Learning over Streaming Data at the Edge", IEEE BigData
///         2022, section IV.
class StreamRateBatch final : public BatchingPolicy {
 public:
  struct Settings {
    BatchChanges changes{.min = 8, .max = 1024};

    bool operator==(const Settings&) const = default;
  };
  StreamRateBatch(const Settings&, BatchBounds bounds) : bounds_(std::move(bounds)) {}

  [[nodiscard]] std::unique_ptr<BatchingPolicy> copy() const override {
    return std::make_unique<StreamRateBatch>(*this);
  }
  std::optional<std::vector<int>> decide(const BatchingObservation& seen) override;

 private:
  BatchBounds bounds_;
};

void describe(settings::Fields& fields, StreamRateBatch::Settings& settings);

// Dynamic batch size (DBS): once an epoch, samples in proportion to each worker's speed in the epoch before.

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
  std::vector<Done> done_;      ///< totals of the current epoch, by worker
};

}  // namespace policies
