// Designs of profiles: few configurations, or all of them.
#include "policies/profile_design.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <tuple>

namespace policies {

// Walks a grid by size and batch.

namespace {

/// Whether the configuration at `place` of the sorted grid belongs to the design.
class Member {
 public:
  Member(std::span<const Configuration> grid, const std::vector<std::size_t>& sorted)
      : grid_(grid), sorted_(sorted) {}

  [[nodiscard]] bool of(ProfileDesign design, std::size_t place) const {
    const bool smallest = workers(place) == workers(0);
    const bool largest = workers(place) == workers(sorted_.size() - 1);
    switch (design) {
      case ProfileDesign::start: return place == 0;
      case ProfileDesign::three_corners:
        return (smallest && (first(place) || last(place))) || (largest && last(place));
      case ProfileDesign::corners: return (smallest || largest) && (first(place) || last(place));
      case ProfileDesign::ends: return first(place) || last(place);
      case ProfileDesign::all: return true;
    }
    return true;
  }

 private:
  [[nodiscard]] int workers(std::size_t place) const { return grid_[sorted_[place]].workers; }
  [[nodiscard]] bool first(std::size_t place) const {
    return place == 0 || workers(place - 1) != workers(place);
  }
  [[nodiscard]] bool last(std::size_t place) const {
    return place + 1 == sorted_.size() || workers(place + 1) != workers(place);
  }

  std::span<const Configuration> grid_;
  const std::vector<std::size_t>& sorted_;
};

}  // namespace

std::vector<std::size_t> designed(ProfileDesign design, std::span<const Configuration> grid) {
  std::vector<std::size_t> sorted(grid.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::sort(sorted, {}, [&](std::size_t i) { return std::tuple(grid[i].workers, grid[i].batch); });
  const Member member(grid, sorted);
  std::vector<std::size_t> order;
  for (std::size_t place = 0; place < sorted.size(); ++place) {
    if (member.of(design, place)) order.push_back(sorted[place]);
  }
  return order;
}

std::optional<std::size_t> next_unprofiled(std::span<const std::size_t> order,
                                           std::span<const Profile> profiled) {
  for (const std::size_t index : order) {
    if (std::ranges::find(profiled, index, &Profile::index) == profiled.end()) return index;
  }
  return std::nullopt;
}

// One profile after the other.

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
