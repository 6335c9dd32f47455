// Workers for tests of batching policies: a time that follows the batch, and steps run against a policy.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "policies/batching_policy.hpp"

namespace policies {

/// Time of a step of one worker.
using TimeOfBatch = std::function<double(std::uint32_t worker, int samples)>;

/// Steps of a job whose workers' times are a function of their batches.
class BatchingJob {
 public:
  BatchingJob(std::unique_ptr<BatchingPolicy> policy, std::vector<int> samples, TimeOfBatch time)
      : policy_(std::move(policy)), samples_(std::move(samples)), time_(std::move(time)) {}

  /// @returns whether the policy changed batches before this step
  bool step() {
    std::vector<WorkerObservation> seen;
    for (std::uint32_t worker = 0; worker < samples_.size(); ++worker) {
      WorkerObservation one{worker, samples_[worker], {}, stated_.empty() ? 1 : stated_[worker], {}};
      if (step_ > 0) one.compute = netmodels::Seconds{time_(worker, samples_[worker])};
      if (!arriving_.empty()) one.arriving = arriving_[worker];
      seen.push_back(one);
    }
    const auto decided = policy_->decide({step_, static_cast<double>(step_) / steps_per_epoch_, seen});
    ++step_;
    if (decided) samples_ = *decided;
    changes_ += decided ? 1 : 0;
    return decided.has_value();
  }
  BatchingJob& run(int steps) {
    for (int i = 0; i < steps; ++i) step();
    return *this;
  }
  BatchingJob& states(std::vector<double> speeds) {
    stated_ = std::move(speeds);
    return *this;
  }
  BatchingJob& streams(std::vector<double> rates) {
    arriving_ = std::move(rates);
    return *this;
  }
  BatchingJob& epochs_of(double steps) {
    steps_per_epoch_ = steps;
    return *this;
  }

  [[nodiscard]] const std::vector<int>& samples() const { return samples_; }
  [[nodiscard]] int sum() const { return std::accumulate(samples_.begin(), samples_.end(), 0); }
  [[nodiscard]] int changes() const { return changes_; }
  /// The longest over the shortest time of a worker with the batches of now.
  [[nodiscard]] double spread() const {
    double least = time_(0, samples_[0]);
    double most = least;
    for (std::uint32_t worker = 0; worker < samples_.size(); ++worker) {
      least = std::min(least, time_(worker, samples_[worker]));
      most = std::max(most, time_(worker, samples_[worker]));
    }
    return most / least;
  }

 private:
  std::unique_ptr<BatchingPolicy> policy_;
  std::vector<int> samples_;
  TimeOfBatch time_;
  std::vector<double> stated_;
  std::vector<double> arriving_;
  double steps_per_epoch_ = 100;
  std::int64_t step_ = 0;
  int changes_ = 0;
};

}  // namespace policies
