// Gives the first worker twice the samples.
#pragma once

#include <utility>

#include "policies/batching_policy.hpp"

namespace policies {

/// Before the first step; bounds are ignored, as a test's fixture may.
class DoubleFirst final : public BatchingPolicy {
 public:
  using Settings = BatchChanges;
  DoubleFirst(const Settings&, const BatchBounds&) {}

  [[nodiscard]] std::unique_ptr<BatchingPolicy> copy() const override {
    return std::make_unique<DoubleFirst>(*this);
  }
  std::optional<std::vector<int>> decide(const BatchingObservation& seen) override {
    if (std::exchange(decided_, true)) return std::nullopt;
    std::vector<int> samples;
    for (const WorkerObservation& one : seen.workers) samples.push_back(one.samples);
    samples.front() *= 2;
    return samples;
  }

 private:
  bool decided_ = false;
};

}  // namespace policies
