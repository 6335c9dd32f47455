// One profile after the other.
#include "policies/profile_all.hpp"

#include <algorithm>
#include <cassert>

namespace policies {

std::optional<std::size_t> ProfileAll::explore(const PlanningObservation& seen) {
  for (std::size_t index = 0; index < seen.grid.size(); ++index) {
    if (std::ranges::find(seen.profiled, index, &Profile::index) == seen.profiled.end()) return index;
  }
  return std::nullopt;
}

std::vector<Prediction> ProfileAll::predict(const PlanningObservation& seen) const {
  assert(seen.profiled.size() == seen.grid.size());
  std::vector<Prediction> predictions(seen.grid.size());
  for (const Profile& profile : seen.profiled)
    predictions[profile.index] = predict_training(seen, seen.of(profile), profile.epochs, profile.step);
  return predictions;
}

}  // namespace policies
