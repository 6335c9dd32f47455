// Collects stated moments, and compares them with the length of the training.
#include "sim/scenario/moments.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "learning/models/learning_rate.hpp"
#include "policies/synchronisation_row.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/resolving.hpp"

namespace sim::scenario {
namespace {

Moment moment_of(const Moment& at) { return at; }
Moment moment_of(netmodels::Seconds at) { return {Moment::Unit::time, at.count}; }

/// Gathers the moments of one arm.
class MomentCollector {
 public:
  explicit MomentCollector(const language::Value& tree) : tree_(tree) {}

  void add(const std::string& key, const Moment& at) {
    found_.push_back({key, language::place_of(tree_, key), at});
  }

  /// @param list  path of the items
  /// @param name  of the key in each item
  template <class Item, class Value>
  void add_each(const std::string& list, const std::string& name, const std::vector<Item>& items,
                Value Item::*at) {
    for (std::size_t i = 0; i < items.size(); ++i)
      add(fmt::format("{}.{}", language::item(list, i), name), moment_of(items[i].*at));
  }

  std::vector<StatedMoment> take() { return std::move(found_); }

 private:
  const language::Value& tree_;
  std::vector<StatedMoment> found_;
};

void add_cluster(const Cluster& cluster, MomentCollector& into) {
  into.add_each("cluster.changes", "at", cluster.changes, &LinkChange::at);
  into.add_each("cluster.speed_changes", "at", cluster.speed_changes, &SpeedChange::at);
  into.add_each("cluster.background", "start", cluster.background, &BackgroundTraffic::start);
  into.add_each("cluster.failures", "at", cluster.failures, &Failure::at);
  into.add_each("cluster.absences", "from", cluster.absences, &Absence::from);
}

/// The first rows of trace files.
void add_traces(const Resolving& arm, MomentCollector& into) {
  const std::vector<LinkTrace>& traces = arm.scenario.cluster.traces;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (!traces[i].points.empty())
      into.add(language::item("cluster.traces", i) + ".file", moment_of(traces[i].points.front().at));
  }
  const auto& streams = arm.written.work.streams;
  const bool is_trace_alone = streams && !streams->trace.empty() && streams->changes.empty();
  if (is_trace_alone && !arm.scenario.work.streams->changes.empty())
    into.add("streams.trace", moment_of(arm.scenario.work.streams->changes.front().at));
}

/// Changes of the learning rate; not those in epochs of a data set whose samples are not those of an epoch.
void add_rate(const Resolving& arm, MomentCollector& into) {
  const learning::models::RateSchedule* rate = rate_schedule_of(arm.scenario.learner.kind);
  if (rate == nullptr) return;
  const auto samples = known_samples(arm.scenario.learner.kind);
  const bool same_epochs = !samples || *samples == arm.scenario.work.training.samples;
  for (std::size_t i = 0; i < rate->changes.size(); ++i) {
    const Moment& at = rate->changes[i].at;
    if (at.unit == Moment::Unit::step || same_epochs)
      into.add(language::item("learner.rate.changes", i) + ".at", at);
  }
}

/// Samples of a step of all workers; nothing where steps differ.
std::optional<double> samples_of_each_step(const Scenario& arm) {
  const Cluster& cluster = arm.cluster;
  const bool keeps_workers = cluster.failures.empty() && !cluster.workers_come_and_go() &&
                             policies::drawn_share(arm.exchange.synchronisation) == 1;
  if (!keeps_workers || arm.work.batching->changes != nullptr) return {};
  return static_cast<double>(samples_of_step(arm.work.training, cluster.workers));
}

/// Steps of the training; nothing where they follow from the run.
std::optional<double> steps_of(const Scenario& arm) {
  const Training& training = arm.work.training;
  if (training.steps) return static_cast<double>(*training.steps);
  const auto step = samples_of_each_step(arm);
  if (!step) return {};
  return std::ceil(training.epochs * static_cast<double>(training.samples) / *step);
}

}  // namespace

std::string describe_moment(const Moment& at) {
  switch (at.unit) {
    case Moment::Unit::time: return print(netmodels::Seconds{at.value});
    case Moment::Unit::step: return fmt::format("step {:g}", at.value);
    case Moment::Unit::epoch: return fmt::format("epoch {:g}", at.value);
  }
  return "";
}

std::vector<StatedMoment> moments_of(const Resolving& arm) {
  MomentCollector found(arm.tree);
  add_cluster(arm.written.cluster, found);
  add_traces(arm, found);
  add_rate(arm, found);
  found.add_each("compute.slowdowns", "at", arm.written.work.compute.slowdowns, &Slowdown::at);
  if (const auto& streams = arm.written.work.streams)
    found.add_each("streams.changes", "at", streams->changes, &StreamRateChange::at);
  const policies::SynchronisationChoice& method = arm.scenario.exchange.synchronisation;
  if (const auto local_from = policies::local_from(method); local_from && arm.scenario.cluster.workers > 1)
    found.add(fmt::format("synchronisation.{}", method->traits.local_steps_key), *local_from);
  return found.take();
}

bool is_after_training(const Moment& at, const Scenario& arm) {
  const Training& training = arm.work.training;
  if (at.unit == Moment::Unit::time) return false;
  const auto steps = steps_of(arm);
  if (at.unit == Moment::Unit::step) return steps && at.value >= *steps;
  if (!training.steps && at.value >= training.epochs) return true;
  const auto step = samples_of_each_step(arm);
  if (!steps || !step) return false;
  const double last_begins = (*steps - 1) * *step / static_cast<double>(training.samples);
  return at.value > last_begins;
}

}  // namespace sim::scenario
