// The batching policy of a run: the samples of every worker, from the first step to the last.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "policies/batching_policy.hpp"
#include "sim/engine/reason.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Samples per second of a worker's stream.
using ArrivalRate = std::function<double(std::uint32_t worker)>;

/// Asks the policy step by step, and keeps its decisions.
class BatchController {
 public:
  /// @param training  states the samples of the first step
  BatchController(const policies::BatchingChoice& policy, const scenario::Cluster& cluster,
                  const scenario::Training& training, const std::vector<scenario::BatchLimits>& limits);

  /// Before a step of these workers.
  /// @param arriving  empty where there are no streams
  /// @returns whether anybody's samples change
  bool decide(std::int64_t step, double epoch, const std::vector<std::uint32_t>& workers,
              const ArrivalRate& arriving = {});

  /// The time of a worker for a step with so many samples, only its own passes. Of a step that began before
  /// its samples changed nothing is learned.
  void learn(std::uint32_t worker, int samples, netmodels::Seconds compute);

  /// By worker.
  [[nodiscard]] const std::vector<int>& samples() const { return samples_; }
  /// After the first step has begun.
  [[nodiscard]] std::int64_t changes() const { return changes_; }
  /// Batches for a reader of the result: each, or their range where there are many workers.
  [[nodiscard]] Reason reason() const;

 private:
  std::unique_ptr<policies::BatchingPolicy> policy_;  ///< null for `uniform`
  std::vector<int> samples_;
  std::vector<double> stated_speeds_;
  std::vector<std::optional<netmodels::Seconds>> compute_;  ///< of the last step, by worker
  std::vector<policies::WorkerObservation> seen_;
  std::int64_t changes_ = 0;
};

}  // namespace sim::engine
