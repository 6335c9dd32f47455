// Shortens a training.
#include "sim/advise/sampled_run.hpp"

#include <algorithm>
#include <cmath>

namespace sim::advise {
namespace {

using netmodels::Seconds;
using scenario::Cluster;
using scenario::Scenario;

constexpr std::int64_t least_with_changes = 2000;
constexpr std::int64_t most_of_a_period = 5000;
constexpr std::int64_t most_short_steps = 100 * most_of_a_period;  // where steps are shorter than estimated

bool has_moments(const Cluster& cluster) {
  const auto once = [](const auto& row) { return !row.period; };
  const auto starts_or_ends = [&](const scenario::BackgroundTraffic& traffic) {
    return once(traffic) && (traffic.start > Seconds{} || traffic.end);
  };
  return !cluster.changes.empty() || std::ranges::any_of(cluster.traces, once) ||
         std::ranges::any_of(cluster.background, starts_or_ends);
}

/// The longest; nothing where nothing repeats itself.
std::optional<Seconds> period_of(const Cluster& cluster) {
  std::optional<Seconds> longest;
  const auto see = [&](const std::optional<Seconds>& period) {
    if (period && (!longest || *period > *longest)) longest = period;
  };
  for (const scenario::LinkTrace& trace : cluster.traces) see(trace.period);
  for (const scenario::BackgroundTraffic& traffic : cluster.background) see(traffic.period);
  return longest;
}

/// All that is stated in time, steps or epochs happens so many times as soon.
void scale(Cluster& cluster, double share) {
  for (scenario::LinkChange& change : cluster.changes) {
    change.at.value *= share;
    if (change.at.unit == scenario::Moment::Unit::step) change.at.value = std::round(change.at.value);
  }
  for (scenario::LinkTrace& trace : cluster.traces) {
    for (scenario::LinkTrace::Point& point : trace.points) point.at *= share;
    if (trace.period) *trace.period *= share;
  }
  for (scenario::BackgroundTraffic& traffic : cluster.background) {
    traffic.start *= share;
    if (traffic.end) *traffic.end *= share;
    if (traffic.period) *traffic.period *= share;
  }
}

/// A whole number of rounds of local steps and an exchange.
std::int64_t whole_rounds(std::int64_t steps, const policies::SynchronisationChoice& stated) {
  const std::int64_t period = period_of(stated);
  return (steps + period - 1) / period * period;
}

}  // namespace

SampledRun sampled_run_of(const Scenario& training, double whole, std::int64_t steps, Seconds step) {
  SampledRun sampled{training, {}};
  Scenario& played = sampled.scenario;
  played.learner = {};
  played.output.steps_every = 1;
  played.output.timeline_steps = 0;
  const auto all = static_cast<std::int64_t>(std::ceil(whole));
  const auto period = period_of(training.cluster);
  std::int64_t count = whole_rounds(steps, training.synchronisation);
  if (has_moments(training.cluster)) {
    count = std::min(all, std::max(count, least_with_changes));
    scale(played.cluster, static_cast<double>(count) / static_cast<double>(all));
  } else if (period && all <= most_of_a_period) {
    count = all;
  } else if (period) {
    const double longest = static_cast<double>(most_of_a_period) * step.count;
    const double share = std::min(1.0, longest / period->count);
    scale(played.cluster, share);
    sampled.period = *period * share;
    count = most_short_steps;  // the period ends the play
  }
  played.training.steps = whole_rounds(count, training.synchronisation);
  return sampled;
}

}  // namespace sim::advise
