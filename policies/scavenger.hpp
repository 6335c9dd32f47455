// Scavenger: profiles a few clusters and batches, predicts all others by a statistical and a parallel model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policies/job_models.hpp"
#include "policies/planner_row.hpp"
#include "policies/profile_design.hpp"

namespace policies {

/// Profiles that come with the epochs that their configuration needs to the target.
enum class KnownEpochs : std::uint8_t {
  all,    ///< every one, as if each had been trained to its end
  start,  ///< the first one alone, which the training itself shows; the others follow from the noise
};

constexpr auto names_of(KnownEpochs) {
  return std::to_array<settings::Named<KnownEpochs>>(
      {{"all", KnownEpochs::all}, {"start", KnownEpochs::start}});
}

/// The fitted models of a job.
struct JobModel {
  EfficiencyModel statistical;
  ThroughputModel parallel;

  /// @param seen  with at least one profile
  static JobModel fit(const PlanningObservation& seen, bool as_printed = false,
                      KnownEpochs epochs = KnownEpochs::all);
};

/// Full search profiles everything, partial search the edges of the grid, and both fit the two models to what
/// they saw. No search profiles only the start and takes the models of other jobs: epochs and step time of a
/// configuration relative to the start are the means over those jobs (the "universal" model, or that of one
/// similar job).
///
/// Leaves out: what the parameter server costs.
/// Source: Tyagi & Sharma, "Scavenger: A Cloud Service for Optimizing Cost and Performance of ML Training",
///         CCGrid 2023, sections III and IV. How the universal average is formed is not printed there.
class Scavenger final : public PlanningPolicy {
 public:
  struct Settings {
    ProfileDesign design = ProfileDesign::ends;
    std::vector<std::string> stored = {};  ///< other jobs, whose models take the place of fits; empty: none
    bool as_printed = false;               ///< (7) and (10) to the letter
    KnownEpochs epochs = KnownEpochs::all;

    bool operator==(const Settings&) const = default;
    [[nodiscard]] std::span<const std::string> stored_jobs() const { return stored; }
    /// `ends, as printed`, `no search`.
    [[nodiscard]] std::string variant() const;
  };

  Scavenger(const Settings& settings, const PlanningQuestion& question);

  [[nodiscard]] std::unique_ptr<PlanningPolicy> copy() const override {
    return std::make_unique<Scavenger>(*this);
  }
  std::optional<std::size_t> explore(const PlanningObservation& seen) override;
  [[nodiscard]] std::vector<Prediction> predict(const PlanningObservation& seen) const override;

 private:
  [[nodiscard]] std::vector<Prediction> predict_from_stored(const PlanningObservation& seen) const;

  Settings settings_;
  std::vector<JobModel> stored_;    ///< models of other jobs; not empty: used in place of fits
  std::vector<std::size_t> order_;  ///< order of the profiles; empty until the grid is seen
};

void describe(settings::Fields& fields, Scavenger::Settings& settings);

}  // namespace policies
