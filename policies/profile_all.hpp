// Grid search: every configuration is profiled, and what the profiles show is believed as it is.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "policies/planner_row.hpp"

namespace policies {

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
