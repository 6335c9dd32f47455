// Simulates candidates, whole or sampled.
#include "sim/advise/policy_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/engine/compression_cost.hpp"
#include "sim/engine/goodput_steps.hpp"
#include "sim/engine/simulate.hpp"

namespace sim::advise {

// Shortens a training.

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

/// Multiplies every time, step and epoch at which the network changes by `share`.
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

SampledRun sampled_run_of(Scenario training, double whole, std::int64_t steps, Seconds step) {
  SampledRun sampled{std::move(training), {}};
  Scenario& played = sampled.scenario;
  played.learner = {};
  played.simulation.output.steps_every = 1;
  played.simulation.output.timeline_steps = 0;
  const auto all = static_cast<std::int64_t>(std::ceil(whole));
  const auto period = period_of(played.cluster);
  std::int64_t count = whole_rounds(steps, played.exchange.synchronisation);
  if (has_moments(played.cluster)) {
    count = std::min(all, std::max(count, least_with_changes));
    scale(played.cluster, static_cast<double>(count) / static_cast<double>(all));
  } else if (period && all <= most_of_a_period) {
    count = all;
  } else if (period) {
    const double longest = static_cast<double>(most_of_a_period) * step.count;
    const double share = std::min(1.0, longest / period->count);
    scale(played.cluster, share);
    sampled.period = *period * share;
    count = most_short_steps;  // the period ends the run
  }
  played.work.training.steps = whole_rounds(count, played.exchange.synchronisation);
  return sampled;
}

// Simulates candidates and summarises the results.

namespace {

using engine::StepRecord;
using netmodels::Bytes;
using netmodels::Result;
using netmodels::Seconds;
using PlainJson = nlohmann::json;

/// Sums over steps.
class Sums {
 public:
  void add(const StepRecord& step) {
    ++steps_;
    sums_.step += step.duration;
    sums_.parts += step.parts;
    sums_.exchange_busy += step.exchange_busy;
    sums_.margin += step.margin;
    if (step.sent && sent_)
      *sent_ += *step.sent * step.workers;
    else
      sent_.reset();
    if (!step.collective.empty()) ++uses_[std::string(step.collective)];
  }

  /// @param outside  time outside the steps
  [[nodiscard]] SimulatedPolicy means(Seconds outside) const {
    const auto count = static_cast<double>(std::max<std::int64_t>(1, steps_));
    SimulatedPolicy played = sums_;
    played.step = (sums_.step + outside) / count;
    played.parts = sums_.parts / count;
    played.exchange_busy = sums_.exchange_busy / count;
    played.margin = sums_.margin / count;
    if (sent_) played.sent_by_all = *sent_ / count;
    played.steps = count;
    const auto most = std::ranges::max_element(uses_, {}, [](const auto& use) { return use.second; });
    if (most != uses_.end()) played.collective = most->first;
    return played;
  }

 private:
  SimulatedPolicy sums_;
  std::int64_t steps_ = 0;
  std::optional<Bytes> sent_ = Bytes{};
  std::map<std::string, std::int64_t> uses_;
};

PlainJson plain_json_of(const std::optional<double>& value) {
  return value ? PlainJson(*value) : PlainJson(nullptr);
}

std::optional<double> number_in(const PlainJson& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

}  // namespace

namespace {

/// @param cost    of compressing the whole gradient; nothing: none, or it is stated
/// @param period  steps from one exchange to the next
SimulatedPolicy with_range_by_period(SimulatedPolicy simulated,
                                     const std::optional<engine::CompressionCost>& cost,
                                     std::int64_t period) {
  if (!cost) return simulated;
  const auto steps = static_cast<double>(period);
  simulated.sooner = (cost->assumed - cost->least) / steps;
  simulated.later = cost->most ? std::optional((*cost->most - cost->assumed) / steps) : std::nullopt;
  return simulated;
}

}  // namespace

Result<SimulatedPolicy> with_compressing_range(SimulatedPolicy simulated, const scenario::Scenario& training,
                                               engine::ClusterCache& clusters) {
  if (!training.exchange.compression.compresses()) return simulated;
  if (!engine::has_like_steps(training.exchange.synchronisation, training.exchange.compression,
                              training.work.batching, training.work.streams)) {
    const engine::CompressionCosts costs(training.exchange.compression, training.work.workload,
                                         training.work.device);
    return with_range_by_period(std::move(simulated),
                                costs.unstated_whole(static_cast<std::uint32_t>(training.cluster.workers)),
                                period_of(training.exchange.synchronisation));
  }
  GRADSIM_TRY(steps, engine::explain(training, clusters,
                                     {.compression_worth = false, .dependence = true, .stop = nullptr}));
  for (const engine::ExplainedStep& explained : *steps) {
    if (!explained.dependence) continue;
    const engine::CompressionDependence& dependence = *explained.dependence;
    const Seconds assumed = explained.step.duration;
    simulated.sooner = std::max(simulated.sooner, assumed - dependence.step_at(dependence.cost.least));
    if (!dependence.cost.most)
      simulated.later.reset();
    else if (simulated.later)
      simulated.later = std::max(*simulated.later, dependence.step_at(*dependence.cost.most) - assumed);
  }
  return simulated;
}

Result<SimulatedPolicy> simulate_sample(const SampledRun& sampled, engine::LearnerShelf& shelf,
                                        engine::ClusterCache& clusters) {
  std::atomic<bool> over = false;
  Sums sums;
  engine::Listeners listeners;
  listeners.stop = &over;
  listeners.step = [&](const StepRecord& step) {
    if (sampled.period && step.start >= *sampled.period)
      over = true;
    else
      sums.add(step);
  };
  GRADSIM_TRY(played, engine::simulate(sampled.scenario, listeners, shelf, clusters));
  if (sampled.period && !over && played->time < *sampled.period) {
    return netmodels::refuse(
        "",
        fmt::format("`{}` steps end before the period of {} does, with which the network repeats",
                    sampled.scenario.work.training.steps.value_or(0), print(*sampled.period, 4)),
        "a shorter period, or a workload whose steps take longer");
  }
  return sums.means(played->outside_steps);
}

Result<SimulatedPolicy> simulate_to_target(Scenario training, engine::LearnerShelf& shelf,
                                           engine::ClusterCache& clusters) {
  training.simulation.output.steps_every = 1;
  training.simulation.output.timeline_steps = 0;
  std::atomic<bool> over = false;
  Sums sums;
  engine::Listeners listeners;
  listeners.stop = &over;
  listeners.step = [&](const StepRecord& step) {
    sums.add(step);
    const bool tested = step.learning && step.learning->evaluated;
    if (tested && training.learner.target &&
        training.learner.target->reached_by(step.learning->evaluated->accuracy,
                                            step.learning->evaluated->loss))
      over = true;
  };
  GRADSIM_TRY(result, engine::simulate(training, listeners, shelf, clusters));
  SimulatedPolicy played = sums.means(result->outside_steps);
  played.learner = result->learner;
  played.reached = result->learning->target.has_value();
  played.accuracy =
      played.reached ? std::optional(result->learning->target->accuracy) : result->learning->best_accuracy;
  return played;
}

std::string pack(const SimulatedPolicy& played) {
  const engine::Parts& parts = played.parts;
  const PlainJson sent = played.sent_by_all ? PlainJson(played.sent_by_all->count) : PlainJson(nullptr);
  const PlainJson json{{"step", played.step.count},
                       {"parts",
                        {parts.compute.count, parts.wait.count, parts.compress.count, parts.exchange.count,
                         parts.stream_wait.count}},
                       {"busy", played.exchange_busy.count},
                       {"sooner", played.sooner.count},
                       {"later", played.later ? PlainJson(played.later->count) : PlainJson(nullptr)},
                       {"margin", played.margin.count},
                       {"sent", sent},
                       {"collective", played.collective},
                       {"steps", played.steps},
                       {"accuracy", plain_json_of(played.accuracy)},
                       {"reached", played.reached},
                       {"learner", played.learner}};
  std::string bytes;
  PlainJson::to_cbor(json, bytes);
  return bytes;
}

SimulatedPolicy unpack_policy(const std::string& bytes) {
  const PlainJson json = PlainJson::from_cbor(bytes);
  const auto seconds = [](const PlainJson& value) { return Seconds{value.get<double>()}; };
  SimulatedPolicy played;
  played.step = seconds(json.at("step"));
  const PlainJson& parts = json.at("parts");
  played.parts = {seconds(parts[0]), seconds(parts[1]), seconds(parts[2]), seconds(parts[3]),
                  seconds(parts[4])};
  played.exchange_busy = seconds(json.at("busy"));
  played.sooner = seconds(json.at("sooner"));
  played.later.reset();
  if (const auto later = number_in(json.at("later"))) played.later = Seconds{*later};
  played.margin = seconds(json.at("margin"));
  if (const auto sent = number_in(json.at("sent"))) played.sent_by_all = Bytes{*sent};
  played.collective = json.at("collective").get<std::string>();
  played.steps = json.at("steps").get<double>();
  played.accuracy = number_in(json.at("accuracy"));
  played.reached = json.at("reached").get<bool>();
  played.learner = json.at("learner").get<std::string>();
  return played;
}

}  // namespace sim::advise
