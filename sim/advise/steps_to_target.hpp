// How many steps a training takes until it is done, and how that is known.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "netmodels/result.hpp"
#include "sim/engine/learners.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::advise {

/// How a number of steps is known, from the surest to the least sure.
enum class StepsKnown {
  learned,  ///< a learner was taken to the target with just this
  stated,   ///< the scenario states how long a training is, and this changes nothing about it
  gain,     ///< steps without compression / mean compression gain
  assumed,  ///< as many as without compression and with an exchange in every step: an assumption
};

/// "known", "stated", "by gain", "assumed".
std::string_view to_string(StepsKnown known);

struct StepsToTarget {
  double steps = 1;
  StepsKnown known = StepsKnown::assumed;
  std::optional<double> accuracy;  ///< there; nothing where unknown
};

/// Counts steps by a learner that follows a model or a record, without simulating time. Counts are cached.
///
/// A gain below 1 lengthens a training by its inverse: throughput times gain is what GraVAC compares.
/// Source: Tyagi & Swany, "GraVAC: Adaptive Compression for Communication-Efficient Distributed DL Training",
///         IEEE CLOUD 2023, section III: compression throughput.
class StepsCounter {
 public:
  /// @param shelf  outlives it
  explicit StepsCounter(engine::LearnerShelf& shelf) : shelf_(&shelf) {}

  /// @param training  one whose learner is not live
  /// @returns the steps, or an Error without a place where the target is not reached in the stated training
  netmodels::Result<StepsToTarget> count(const scenario::Scenario& training);

  /// The source of accuracies: the learner's own sentence.
  [[nodiscard]] const std::string& learner() const { return learner_; }

 private:
  struct Walk {
    std::optional<StepsToTarget> target;
    bool knows_accuracy = false;  ///< whether the learner could know one at any step
    bool tested = false;          ///< whether any accuracy was known on the way
    std::optional<double> mean_gain;
    std::string label;
  };
  netmodels::Result<Walk> walk(const scenario::Scenario& training, std::int64_t most) const;
  netmodels::Result<StepsToTarget> count_dense(const scenario::Scenario& training);
  /// @param dense  steps of the same training without compression
  /// @returns nothing where the learner, asked for as many steps, has neither a result nor a gain
  std::optional<StepsToTarget> count_compressed(const scenario::Scenario& training,
                                                const StepsToTarget& dense);

  engine::LearnerShelf* shelf_;
  std::string learner_ = "none";
  std::map<int, netmodels::Result<StepsToTarget>> dense_;            ///< by batch
  std::map<std::pair<int, std::string>, StepsToTarget> compressed_;  ///< by batch and its learner's input
};

/// As many steps as the training states, without asking its learner.
double stated_steps(const scenario::Training& training, int workers,
                    const policies::SynchronisationChoice& synchronisation);

}  // namespace sim::advise
