// Fits Pollux's step by a pattern search, and weighs batches by their efficiency.
#include "policies/goodput.hpp"

#include <algorithm>
#include <cmath>

#include "policies/least_squares.hpp"
#include "policies/profile_design.hpp"

namespace policies {
namespace {

using Parameters = std::array<double, 5>;

constexpr double most_overlap = 10;

double step_of(const Parameters& p, const Configuration& at) {
  const double compute = p[0] + p[1] * at.share();
  const double network = at.workers > 1 ? p[2] + p[3] * at.workers : 0;
  const double longer = std::max(compute, network);
  if (longer <= 0) return 0;
  return longer * std::pow(std::pow(compute / longer, p[4]) + std::pow(network / longer, p[4]), 1 / p[4]);
}

double misfit(const Parameters& p, const PlanningObservation& seen) {
  constexpr double least = 1e-12;
  double sum = 0;
  for (const Profile& profile : seen.profiled) {
    const double error = std::log(std::max(step_of(p, seen.of(profile)), least) / profile.step.count);
    sum += error * error;
  }
  return sum;
}

/// A line over b and K, cut off at 0.
Parameters first_guess(const PlanningObservation& seen) {
  std::vector<std::vector<double>> rows;
  std::vector<double> steps;
  for (const Profile& profile : seen.profiled) {
    const Configuration& at = seen.of(profile);
    rows.push_back({1, at.share(), static_cast<double>(at.workers)});
    steps.push_back(profile.step.count);
  }
  const std::vector<double> found = least_squares(rows, steps);
  const double constant = std::max(found[0], 0.0) / 2;
  return {constant, std::max(found[1], 0.0), constant, std::max(found[2], 0.0), 1};
}

/// The same with one parameter moved by a share of its largest contribution.
Parameters moved(Parameters p, std::size_t which, double share, const Parameters& sizes) {
  const double most = which == 4 ? most_overlap : HUGE_VAL;
  p[which] = std::clamp(p[which] + share * sizes[which], which == 4 ? 1.0 : 0.0, most);
  return p;
}

/// How far each parameter may reasonably be moved: as if it made the whole of the mean step.
Parameters sizes_of(const PlanningObservation& seen) {
  double step = 0;
  double share = 0;
  double workers = 0;
  for (const Profile& profile : seen.profiled) {
    step += profile.step.count;
    share += seen.of(profile).share();
    workers += seen.of(profile).workers;
  }
  const double mean = step / static_cast<double>(seen.profiled.size());
  return {mean, step / share, mean, step / workers, most_overlap};
}

}  // namespace

GoodputModel GoodputModel::fit(const PlanningObservation& seen) {
  constexpr double first_move = 0.25;
  constexpr double last_move = 1e-5;
  const Parameters sizes = sizes_of(seen);
  Parameters best = first_guess(seen);
  double least = misfit(best, seen);
  for (double move = first_move; move > last_move;) {
    bool better = false;
    for (std::size_t which = 0; which < best.size(); ++which) {
      for (const double sign : {1.0, -1.0}) {
        const Parameters tried = moved(best, which, sign * move, sizes);
        const double error = misfit(tried, seen);
        if (error >= least) continue;
        best = tried;
        least = error;
        better = true;
      }
    }
    if (!better) move /= 2;
  }
  return {best};
}

netmodels::Seconds GoodputModel::step(const Configuration& configuration) const {
  return {step_of(parameters, configuration)};
}

double goodput_efficiency(double noise_scale, double batch, double first_batch) {
  return (noise_scale + first_batch) / (noise_scale + batch);
}

std::optional<std::size_t> Goodput::explore(const PlanningObservation& seen) {
  if (order_.empty()) order_ = designed(ProfileDesign::corners, seen.grid);
  return next_unprofiled(order_, seen.profiled);
}

std::vector<Prediction> Goodput::predict(const PlanningObservation& seen) const {
  const Profile& start = seen.profiled.front();
  const Configuration& from = seen.of(start);
  const bool known = start.noise && *start.noise < 1 && from.workers > 1;
  const double noise_scale =
      known ? std::max(0.0, (*start.noise * from.batch - from.share()) / (1 - *start.noise)) : HUGE_VAL;
  const GoodputModel model = GoodputModel::fit(seen);
  std::vector<Prediction> predictions;
  for (const Configuration& at : seen.grid) {
    const double efficiency = known ? goodput_efficiency(noise_scale, at.batch, from.batch) : 1;
    predictions.push_back(predict_training(seen, at, start.epochs / efficiency, model.step(at)));
  }
  return predictions;
}

}  // namespace policies
