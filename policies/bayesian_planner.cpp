// Beliefs over the grid and where to look next.
#include "policies/bayesian_planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "policies/profile_design.hpp"

namespace policies {
namespace {

/// Map of the configurations of a grid into the unit square.
class Map {
 public:
  explicit Map(std::span<const Configuration> grid) : low_(raw(grid.front())), high_(low_) {
    for (const Configuration& at : grid) {
      const Place place = raw(at);
      for (std::size_t i = 0; i < place.size(); ++i) {
        low_[i] = std::min(low_[i], place[i]);
        high_[i] = std::max(high_[i], place[i]);
      }
    }
  }

  [[nodiscard]] Place of(const Configuration& at) const {
    Place place = raw(at);
    for (std::size_t i = 0; i < place.size(); ++i)
      place[i] = high_[i] > low_[i] ? (place[i] - low_[i]) / (high_[i] - low_[i]) : 0;
    return place;
  }

 private:
  static Place raw(const Configuration& at) {
    return {std::log2(static_cast<double>(at.workers)), std::log2(static_cast<double>(at.batch))};
  }

  Place low_;
  Place high_;
};

double shown_time(const PlanningObservation& seen, const Profile& profile) {
  return predict_training(seen, seen.of(profile), profile.epochs, profile.step).time.count;
}

GaussianProcess believe(const PlanningObservation& seen, const Map& map) {
  std::vector<Place> places;
  std::vector<double> values;
  for (const Profile& profile : seen.profiled) {
    places.push_back(map.of(seen.of(profile)));
    values.push_back(std::log(shown_time(seen, profile)));
  }
  return {places, values};
}

/// The logarithm of what is to be least, from that of the time.
Belief objective_of(const Belief& time, PlanningObjective objective, const Configuration& at) {
  const double size = std::log(static_cast<double>(at.workers));
  if (objective == PlanningObjective::time) return time;
  if (objective == PlanningObjective::cost) return {time.mean + size, time.deviation};
  return {2 * time.mean + size, 2 * time.deviation};
}

double best_so_far(const PlanningObservation& seen, PlanningObjective objective) {
  double best = std::numeric_limits<double>::infinity();
  for (const Profile& profile : seen.profiled) {
    const Belief exact{std::log(shown_time(seen, profile)), 0};
    best = std::min(best, objective_of(exact, objective, seen.of(profile)).mean);
  }
  return best;
}

}  // namespace

std::optional<std::size_t> BayesianPlanner::explore(const PlanningObservation& seen) {
  if (first_.empty()) first_ = designed(ProfileDesign::three_corners, seen.grid);
  if (const auto corner = next_unprofiled(first_, seen.profiled)) return corner;
  const Map map(seen.grid);
  const GaussianProcess process = believe(seen, map);
  const double best = best_so_far(seen, objective_);
  std::optional<std::size_t> next;
  double largest = -1;
  for (std::size_t index = 0; index < seen.grid.size(); ++index) {
    if (std::ranges::find(seen.profiled, index, &Profile::index) != seen.profiled.end()) continue;
    const Configuration& at = seen.grid[index];
    const Belief belief = objective_of(process.at(map.of(at)), objective_, at);
    const double improvement = expected_improvement(belief, best);
    if (improvement <= largest) continue;
    largest = improvement;
    next = index;
  }
  const bool enough =
      seen.profiled.size() >= settings_.min_profiles && largest < -std::log(1 - settings_.min_improvement);
  return enough ? std::nullopt : next;
}

std::vector<Prediction> BayesianPlanner::predict(const PlanningObservation& seen) const {
  const Map map(seen.grid);
  const GaussianProcess process = believe(seen, map);
  std::vector<Prediction> predictions;
  for (const Configuration& at : seen.grid) {
    const netmodels::Seconds time{std::exp(process.at(map.of(at)).mean)};
    predictions.push_back({0, {}, time, seen.rental.cost(time, at.workers)});
  }
  for (const Profile& profile : seen.profiled)
    predictions[profile.index] = predict_training(seen, seen.of(profile), profile.epochs, profile.step);
  return predictions;
}

void describe(settings::Fields& fields, BayesianPlanner::Settings& settings) {
  fields.field(
      {.name = "min_improvement",
       .doc = "The search ends when the expected improvement is below this share of the best so far.",
       .fallback = "10 %",
       .bounds = {.min = 0, .max = 1, .open_below = true, .open_above = true},
       .share = true},
      settings.min_improvement);
  fields.field({.name = "min_profiles",
                .doc = "Configurations that are profiled before it may end.",
                .fallback = "6",
                .bounds = settings::between(1, 1e6)},
               settings.min_profiles);
}

}  // namespace policies
