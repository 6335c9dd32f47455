// Scavenger's parallel and statistical model.
#include "policies/job_models.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "policies/least_squares.hpp"

namespace policies {

// Fits the time of a step and carries over what the fit misses.

namespace {

using Rows = std::vector<std::vector<double>>;

/// Linear interpolation between two points.
double between(int at, int low, double at_low, int high, double at_high) {
  return at_low + (at_high - at_low) * (at - low) / (high - low);
}

bool tells_apart(const PlanningObservation& seen) {
  return std::ranges::all_of(seen.profiled, [](const Profile& profile) { return profile.sync.has_value(); });
}

/// Compute over 1 and b, sync over 1, B and K.
ThroughputModel::Coefficients fit_apart(const PlanningObservation& seen, bool as_printed) {
  Rows compute_rows;
  Rows sync_rows;
  std::vector<double> compute;
  std::vector<double> sync;
  for (const Profile& profile : seen.profiled) {
    const Configuration& at = seen.of(profile);
    compute_rows.push_back({1, at.share()});
    compute.push_back((profile.step - *profile.sync).count);
    sync_rows.push_back({1, as_printed ? 0.0 : at.batch, static_cast<double>(at.workers)});
    sync.push_back(profile.sync->count);
  }
  const std::vector<double> c = least_squares(compute_rows, compute);
  const std::vector<double> s = least_squares(sync_rows, sync);
  return {.constant = c[0] + s[0], .share = c[1], .workers = s[2], .batch = s[1]};
}

ThroughputModel::Coefficients fit_together(const PlanningObservation& seen, bool as_printed) {
  Rows rows;
  std::vector<double> steps;
  for (const Profile& profile : seen.profiled) {
    const Configuration& at = seen.of(profile);
    rows.push_back({1, at.share(), as_printed ? 0.0 : at.batch, static_cast<double>(at.workers)});
    steps.push_back(profile.step.count);
  }
  const std::vector<double> found = least_squares(rows, steps);
  return {.constant = found[0], .share = found[1], .workers = found[3], .batch = found[2]};
}

/// The value of a line of points, constant beyond them.
double value_at(const std::vector<std::pair<int, double>>& line, int at) {
  const auto above = std::ranges::lower_bound(line, at, {}, &std::pair<int, double>::first);
  if (above == line.begin()) return line.front().second;
  if (above == line.end()) return line.back().second;
  const auto below = above - 1;
  return between(at, below->first, below->second, above->first, above->second);
}

}  // namespace

ThroughputModel ThroughputModel::fit(const PlanningObservation& seen, bool as_printed) {
  constexpr double least_share = 0.01;
  ThroughputModel law;
  law.coefficients_ = tells_apart(seen) ? fit_apart(seen, as_printed) : fit_together(seen, as_printed);
  law.least_ = least_share * std::ranges::min(seen.profiled, {}, &Profile::step).step.count;
  if (!as_printed) law.keep_missed(seen);
  return law;
}

double ThroughputModel::law(const Configuration& configuration) const {
  return coefficients_.constant + coefficients_.share * configuration.share() +
         coefficients_.workers * configuration.workers + coefficients_.batch * configuration.batch;
}

void ThroughputModel::keep_missed(const PlanningObservation& seen) {
  for (const Profile& profile : seen.profiled) {
    const Configuration& at = seen.of(profile);
    auto size = std::ranges::lower_bound(missed_, at.workers, {}, &Missed::workers);
    if (size == missed_.end() || size->workers != at.workers)
      size = missed_.insert(size, Missed{at.workers, {}});
    size->by_batch.emplace_back(at.batch, profile.step.count - law(at));
  }
  for (Missed& size : missed_) std::ranges::sort(size.by_batch);
}

double ThroughputModel::carried(const Configuration& configuration) const {
  if (missed_.empty()) return 0;
  const auto above = std::ranges::lower_bound(missed_, configuration.workers, {}, &Missed::workers);
  const auto below = above == missed_.begin() ? above : above - 1;
  if (above == missed_.end()) return value_at(below->by_batch, configuration.batch);
  const double at_above = value_at(above->by_batch, configuration.batch);
  if (above == below || above->workers == configuration.workers) return at_above;
  return between(configuration.workers, below->workers, value_at(below->by_batch, configuration.batch),
                 above->workers, at_above);
}

netmodels::Seconds ThroughputModel::step(const Configuration& configuration) const {
  return {std::max(law(configuration) + carried(configuration), least_)};
}

// Fits noise over the batch and epochs over noise.

namespace {

double inverse_root(double batch) { return 1 / std::sqrt(batch); }

/// One column less where the model has no constant.
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

namespace {

/// The noise over the profiled batches; nothing about epochs yet.
EfficiencyModel noise_of(const PlanningObservation& seen, bool as_printed) {
  EfficiencyModel law;
  law.smallest_batch = law.largest_batch = seen.of(seen.profiled.front()).batch;
  for (const Profile& profile : seen.profiled) {
    const double batch = seen.of(profile).batch;
    law.smallest_batch = std::min(law.smallest_batch, batch);
    law.largest_batch = std::max(law.largest_batch, batch);
  }
  fit_noise(law, seen, as_printed);
  return law;
}

}  // namespace

EfficiencyModel EfficiencyModel::fit_noise_alone(const PlanningObservation& seen, bool as_printed) {
  EfficiencyModel law = noise_of(seen, as_printed);
  const Profile& first = seen.profiled.front();
  law.epochs_per_noise = first.epochs / law.noise(seen.of(first).batch);
  return law;
}

EfficiencyModel EfficiencyModel::fit(const PlanningObservation& seen, bool as_printed) {
  EfficiencyModel law = noise_of(seen, as_printed);
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
