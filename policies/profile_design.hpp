// Design of profiling runs: few configurations of a grid, at its edges; or all, for a grid search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "policies/planner_row.hpp"
#include "policies/planning_policy.hpp"
#include "settings/key.hpp"

namespace policies {

// Which configurations of a grid are worth a profile: few of them, at its edges.

enum class ProfileDesign : std::uint8_t {
  start,          ///< only the smallest cluster with the smallest batch
  three_corners,  ///< smallest cluster with both extreme batches, largest cluster with the largest batch
  corners,        ///< smallest and largest cluster, each with both extreme batches
  ends,           ///< every cluster size with both extreme batches
  all,            ///< every configuration
};

constexpr auto names_of(ProfileDesign) {
  return std::to_array<settings::Named<ProfileDesign>>({{"all", ProfileDesign::all},
                                                        {"ends", ProfileDesign::ends},
                                                        {"corners", ProfileDesign::corners},
                                                        {"three_corners", ProfileDesign::three_corners}});
}

/// Indices into the grid in the order in which they are profiled: clusters only grow, so that machines that
/// run already go on. Extreme batches are those of the same cluster size.
/// @param grid  not empty
std::vector<std::size_t> designed(ProfileDesign design, std::span<const Configuration> grid);

/// The first of `order` that has no profile yet.
std::optional<std::size_t> next_unprofiled(std::span<const std::size_t> order,
                                           std::span<const Profile> profiled);

// Grid search: every configuration is profiled, and what the profiles show is believed as it is.

/// The baseline without a model: nothing is predicted for a configuration that was not profiled, so that all
/// are, in the order of the grid.
class ProfileAll final : public PlanningPolicy {
 public:
  ProfileAll() = default;
  ProfileAll(const settings::None&, const PlanningQuestion&) {}

  [[nodiscard]] std::unique_ptr<PlanningPolicy> copy() const override {
    return std::make_unique<ProfileAll>(*this);
  }
  std::optional<std::size_t> explore(const PlanningObservation& seen) override;
  /// @param seen  with a profile of every configuration
  [[nodiscard]] std::vector<Prediction> predict(const PlanningObservation& seen) const override;
};

}  // namespace policies
