// Keeps the statistics of a live training, so that they can be replayed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "learning/learners/gradient_exchange.hpp"
#include "learning/learners/learner.hpp"
#include "learning/learners/record_file.hpp"
#include "learning/learners/recording.hpp"

namespace learning::learners {

/// One step as a recorder sees it.
struct RecordedStep {
  std::span<const Share> shares;
  double learning_rate = 0;
  const Gradients* gradients = nullptr;
  const Updated* updated = nullptr;
  std::span<const Contribution> contributions;  ///< before anything is compressed
};

/// Gains with error feedback are those that each ratio would have had from the first step on: for each there
/// is a residual memory of its own, which is fed in every step and sends nothing.
class Recorder {
 public:
  /// @param layer_sizes  as in `GradientExchange`
  Recorder(Recording settings, RecordFacts facts, const std::vector<std::int64_t>& layer_sizes,
           std::uint64_t seed);

  /// Of every step; every `every`-th is kept, of it what is finite. Its update sent gradients.
  void add(const RecordedStep& step);
  /// The test after the last step.
  void add(const Evaluation& evaluation);

  [[nodiscard]] const Record& record() const { return record_; }

 private:
  void add_gains(std::span<const Contribution> contributions, bool kept);

  Recording settings_;
  std::vector<GradientExchange> shadows_;  ///< per ratio
  Record record_;
  std::int64_t step_ = 0;
  double samples_ = 0;
};

}  // namespace learning::learners
