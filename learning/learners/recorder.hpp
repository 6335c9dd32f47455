// Statistics of a live training that are kept, so that they can be replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learning/learners/gradient_exchange.hpp"
#include "learning/learners/learner.hpp"
#include "learning/learners/record_file.hpp"
#include "policies/relative_change.hpp"
#include "settings/fields.hpp"

namespace learning::learners {

// Which statistics of a live training are kept for a replay.

/// Denominator of a recorded gain with error feedback.
enum class GainOver : std::uint8_t {
  error_fed,  ///< ||g_e||^2, of the gradient and what earlier steps left, as published
  gradient,   ///< ||g||^2, of the gradient alone, as GraVAC's released code has it; may exceed 1
};

constexpr auto names_of(GainOver) {
  return std::to_array<settings::Named<GainOver>>(
      {{"error_fed", GainOver::error_fed}, {"gradient", GainOver::gradient}});
}

/// Settings of recording: the map under `learner.record`.
struct Recording {
  std::int64_t every = 20;          ///< steps from one recorded step to the next, at least 1
  std::string method = "topk";      ///< a sparse compressor with a ratio
  std::vector<double> ratios = {};  ///< ratios of the gains, in (0, 1), none twice
  GainOver gain_over = GainOver::error_fed;

  bool operator==(const Recording&) const = default;
};

void describe(settings::Fields& fields, Recording& recording);
/// Refuses a ratio that is named twice, and a method without a gain at a ratio.
std::optional<settings::Problem> problem_of(const Recording& recording);

// Keeps the statistics of a live training, so that they can be replayed.

/// One step as a recorder sees it.
struct RecordedStep {
  std::span<const Share> shares;
  double learning_rate = 0;
  const Gradients* gradients = nullptr;
  const Updated* updated = nullptr;
  std::span<const Contribution> contributions;  ///< before anything is compressed
};

/// Gains with error feedback are those that each ratio would have had from the first step on: for each there
/// is a separate residual memory, which is fed in every step and sends nothing.
class Recorder {
 public:
  /// @param layer_sizes  as in `GradientExchange`
  Recorder(Recording settings, RecordFacts facts, const std::vector<std::int64_t>& layer_sizes,
           std::uint64_t seed);

  /// Takes every step; keeps every `every`-th, of it what is finite. Its update sent gradients.
  void add(const RecordedStep& step);
  /// The test after the last step.
  void add(const Evaluation& evaluation);

  [[nodiscard]] const Record& record() const { return record_; }

 private:
  void add_change(const RecordedStep& step);
  void add_gains(std::span<const Contribution> contributions, bool kept);

  Recording settings_;
  std::vector<GradientExchange> shadows_;  ///< per ratio
  Record record_;
  std::vector<policies::RelativeChange> changes_;  ///< changes by worker
  std::int64_t step_ = 0;
  double samples_ = 0;
};

}  // namespace learning::learners
