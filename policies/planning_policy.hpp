// Planning of the cluster to rent and the batch: input, queries and predictions of a planner, and the choice
// from that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "netmodels/quantity.hpp"
#include "policies/rental.hpp"
#include "settings/key.hpp"

namespace policies {

// Which cluster to rent and with which batch: the input, queries and predictions of a planner.

/// A cluster size and a batch.
struct Configuration {
  int workers = 1;  ///< K
  int batch = 1;    ///< B, samples of all workers together

  bool operator==(const Configuration&) const = default;

  /// b = B / K, samples of one worker; B need not be a multiple of K.
  [[nodiscard]] double share() const { return static_cast<double>(batch) / workers; }
};

/// The result of a short run under one configuration.
struct Profile {
  std::size_t index = 0;                       ///< index of the configuration in the grid
  netmodels::Seconds step = {};                ///< tau, above 0
  std::optional<netmodels::Seconds> sync = {}; /**< of the step, what the exchange took; nothing where it was
                                               not told apart */
  std::optional<double> noise = {};            ///< gamma / K, in (0, 1]; nothing where it was not measured
  double epochs = 1;  ///< e, to the target: from an earlier training under this configuration, above 0
};

/// Everything that a planner may know when it is asked.
struct PlanningObservation {
  std::span<const Configuration> grid;  ///< the clusters for rent, each once; not empty
  std::span<const Profile> profiled;    ///< profiles in the order of profiling, each configuration once
  double samples = 1;                   ///< D, an epoch; above 0
  Rental rental;

  [[nodiscard]] const Configuration& of(const Profile& profile) const { return grid[profile.index]; }
};

/// Time and cost of a training to the target.
struct Prediction {
  double epochs = 0;
  netmodels::Seconds step;
  netmodels::Seconds time;
  netmodels::Dollars cost;
};

/// T = e D tau / B with the rework after interruptions, C = T K p.
///
/// Source: Tyagi & Sharma, "Scavenger: A Cloud Service for Optimizing Cost and Performance of ML Training",
///         CCGrid 2023, (3) to (5).
Prediction predict_training(const PlanningObservation& seen, const Configuration& configuration,
                            double epochs, netmodels::Seconds step);

/// Asks for profiles until it knows enough, then predicts. State in, state out: a copy forks a what-if.
class PlanningPolicy {
 public:
  virtual ~PlanningPolicy() = default;
  [[nodiscard]] virtual std::unique_ptr<PlanningPolicy> copy() const = 0;

  /// @returns the index of the configuration to profile next, which has no profile yet, or nothing when
  ///          enough is known
  virtual std::optional<std::size_t> explore(const PlanningObservation& seen) = 0;

  /// @param seen  with at least one profile
  /// @returns one prediction for each configuration of the grid
  [[nodiscard]] virtual std::vector<Prediction> predict(const PlanningObservation& seen) const = 0;
};

// Which of several predicted trainings to buy: the fastest, the cheapest, or the knee between them.

enum class PlanningObjective : std::uint8_t { time, cost, knee };

constexpr auto names_of(PlanningObjective) {
  return std::to_array<settings::Named<PlanningObjective>>({{"time", PlanningObjective::time},
                                                            {"cost", PlanningObjective::cost},
                                                            {"knee", PlanningObjective::knee}});
}

/// The limits of a training; nothing: unlimited.
struct PlanningLimits {
  std::optional<netmodels::Seconds> time;
  std::optional<netmodels::Dollars> cost;
};

/// Indices of the predictions that no other beats in both time and cost, from the fastest to the cheapest; of
/// equals the first.
std::vector<std::size_t> time_cost_front(std::span<const Prediction> predictions);

/// The knee of the curve of cost over time, by Kneedle for a curve that falls and bends inward: with both
/// axes scaled to [0, 1] the point that lies deepest below the straight line between the ends. Where none
/// lies below it, the cheapest.
/// @param front  of `time_cost_front`; not empty
/// @returns one of `front`
/// Source: Satopaa, Albrecht, Irwin, Raghavan, "Finding a 'Kneedle' in a Haystack: Detecting Knee Points in
///         System Behavior", ICDCS workshops 2011, without smoothing and with sensitivity 0.
std::size_t kneedle(std::span<const Prediction> predictions, std::span<const std::size_t> front);

/// The best within the limits; the cheaper of two that are equally fast, the faster of two that cost the
/// same, then the first.
/// @returns nothing where no prediction keeps the limits
std::optional<std::size_t> choose_training(std::span<const Prediction> predictions,
                                           PlanningObjective objective, const PlanningLimits& limits = {});

}  // namespace policies
