// ScaDLES' batching: each device takes one second of its own stream.
#pragma once

#include <utility>

#include "policies/batching_policy.hpp"

namespace policies {

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

}  // namespace policies
