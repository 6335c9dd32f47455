// Fits noise over the batch and epochs over noise.
#include "policies/efficiency_model.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "policies/least_squares.hpp"

namespace policies {
namespace {

double inverse_root(double batch) { return 1 / std::sqrt(batch); }

/// One column less where the law has no constant.
std::vector<double> noise_row(double batch, bool as_printed) {
  return as_printed ? std::vector{inverse_root(batch)} : std::vector{1.0, inverse_root(batch)};
}

void fit_noise(EfficiencyModel& law, const PlanningObservation& seen, bool as_printed) {
  std::vector<std::vector<double>> rows;
  std::vector<double> values;
  for (const Profile& profile : seen.profiled) {
    if (!profile.noise) continue;
    rows.push_back(noise_row(seen.of(profile).batch, as_printed));
    values.push_back(*profile.noise);
  }
  law.noise_slope = 1;
  if (rows.empty()) return;
  const std::vector<double> found = least_squares(rows, values);
  law.noise_slope = found.back();
  if (!as_printed) law.noise_floor = found.front();
}

}  // namespace

double EfficiencyModel::noise(double batch) const {
  return noise_floor + noise_slope * inverse_root(std::clamp(batch, smallest_batch, largest_batch));
}

EfficiencyModel EfficiencyModel::fit(const PlanningObservation& seen, bool as_printed) {
  EfficiencyModel law;
  law.smallest_batch = law.largest_batch = seen.of(seen.profiled.front()).batch;
  for (const Profile& profile : seen.profiled) {
    const double batch = seen.of(profile).batch;
    law.smallest_batch = std::min(law.smallest_batch, batch);
    law.largest_batch = std::max(law.largest_batch, batch);
  }
  fit_noise(law, seen, as_printed);
  std::vector<std::vector<double>> rows;
  std::vector<double> values;
  for (const Profile& profile : seen.profiled) {
    rows.push_back({1, law.noise(seen.of(profile).batch)});
    values.push_back(profile.epochs);
  }
  const std::vector<double> found = least_squares(rows, values);
  law.fewest_epochs = 0.5 * std::ranges::min(values);
  law.least_epochs = found[0];
  law.epochs_per_noise = found[1];
  return law;
}

}  // namespace policies
