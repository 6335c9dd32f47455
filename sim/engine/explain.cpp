// One undisturbed step per declared phase, taken apart.
#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "sim/engine/phases.hpp"
#include "sim/engine/play.hpp"
#include "sim/engine/play_asynchronous.hpp"
#include "sim/engine/training.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

namespace {

using scenario::Moment;

/// A point of training right after a moment, as far as it can be told without playing up to it.
struct Point {
  Seconds time;
  std::int64_t step = 0;
  double epoch = 0;
};

void move_to(Point& point, const Moment& moment) {
  switch (moment.unit) {
    case Moment::Unit::time: point.time = std::max(point.time, Seconds{moment.value}); break;
    case Moment::Unit::step:
      point.step = std::max(point.step, static_cast<std::int64_t>(moment.value));
      break;
    case Moment::Unit::epoch: point.epoch = std::max(point.epoch, moment.value); break;
  }
}

/// Every moment once; in order as far as moments of different units can be ordered.
std::vector<Moment> moments_of(const std::vector<scenario::LinkChange>& changes) {
  std::vector<Moment> moments;
  for (const scenario::LinkChange& change : changes) moments.push_back(change.at);
  const auto key = [](const Moment& moment) { return std::pair{moment.unit, moment.value}; };
  std::ranges::sort(moments, {}, key);
  const auto same = [&](const Moment& a, const Moment& b) { return key(a) == key(b); };
  moments.erase(std::unique(moments.begin(), moments.end(), same),
                moments.end());  // clang 14 rejects ranges::unique
  return moments;
}

/// What the operation would cost if bandwidth were no limit, as a part of what it costs.
Seconds latency_share(const StepExchange::PricedStage& stage, const policies::NetworkEstimate& network) {
  const Seconds whole = stage.row->closed(stage.operation, {network.latency, network.bandwidth});
  const Seconds latency =
      stage.row->closed(stage.operation, {network.latency, {std::numeric_limits<double>::infinity()}});
  return whole == Seconds{} ? Seconds{} : stage.duration * (latency / whole);
}

std::string bound_of(const Training& training, const ExplainedStep& explained) {
  const Parts& parts = explained.step.parts;
  const Seconds total = explained.step.duration;
  const auto percent = [&](Seconds part) { return fmt::format("{:.0f} %", 100 * (part / total)); };
  if (parts.wait > std::max({parts.compute, parts.exchange, parts.compress})) {
    return fmt::format("the slowest worker decides: the others wait {} of the step for it",
                       percent(parts.wait));
  }
  if (parts.exchange >= parts.compute + parts.wait && parts.exchange >= parts.compress) {
    Seconds latency;
    Seconds busy;
    for (const ExplainedExchange& exchange : explained.exchanges) {
      latency += exchange.latency_share;
      busy += exchange.duration;
    }
    const bool by_latency = latency > busy / 2;
    return fmt::format(
        "the exchange decides: {} of the step is exchange that nothing hides, and {:.0f} % of the exchange "
        "is {}",
        percent(parts.exchange), 100 * (by_latency ? latency : busy - latency) / busy,
        by_latency ? "latency" : "bandwidth");
  }
  if (parts.compress > parts.compute + parts.wait)
    return fmt::format("compression decides: it takes {} of the step", percent(parts.compress));
  const bool hidden = explained.step.exchange_busy > parts.exchange;
  return fmt::format("computing decides: it takes {} of the step{}", percent(parts.compute + parts.wait),
                     training.workers().size() > 1 && hidden
                         ? fmt::format("; {:.0f} % of the exchange is hidden behind it",
                                       100 * (1 - parts.exchange / explained.step.exchange_busy))
                         : "");
}

void describe_exchanges(const Training& training, ExplainedStep& explained) {
  const policies::NetworkEstimate network{explained.latency, explained.bandwidth, {}};
  const std::size_t buckets = training.exchange().exchange().buckets.size();
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const BucketTimes& way = training.times().buckets[bucket];
    Seconds ready = way.ready;
    Seconds wait = way.compress - way.ready;
    Seconds compress = way.exchange - way.compress;
    Seconds start = way.exchange;
    for (const StepExchange::PricedStage& stage : training.exchange().priced()[bucket]) {
      const std::string name = fmt::format("bucket {} of {}: {} values", bucket + 1, buckets,
                                           training.exchange().exchange().buckets[bucket].bucket.elements);
      explained.exchanges.push_back({name, std::string(stage.row->name), std::string(stage.row->formula),
                                     stage.operation.size, stage.operation.ranks, ready, wait, compress,
                                     start, stage.duration, latency_share(stage, network),
                                     std::string(to_string(stage.by))});
      start += stage.duration;
      ready = start;
      wait = compress = {};
    }
  }
}

/// What a step that does not stay local ends with.
Traffic exchanged(const policies::SynchronisationChoice& stated) {
  return exchanges_models(stated) ? Traffic::parameters : Traffic::gradients;
}

StepRecord record_of(const Training& training, const scenario::Scenario& scenario, std::size_t phase,
                     const Point& point, Traffic traffic) {
  const StepTimes& times = training.times();
  return {point.step,
          point.epoch,
          phase,
          point.time,
          times.duration,
          times.parts,
          times.exchange_busy,
          training.sent(),
          static_cast<std::uint32_t>(training.workers().size()),
          training.exchange().collective(),
          traffic == Traffic::gradients ? scenario.compression.ratio : 1,
          traffic == Traffic::gradients ? std::string_view(scenario.compression.method) : "",
          traffic,
          0,
          {},
          training.samples_per_step(),
          {},
          times.margin};
}

Result<ExplainedStep> explain_at(Training& training, const scenario::Scenario& scenario, Phases& phases,
                                 const Point& point) {
  training.arrive(point.time, point.step, point.epoch);
  training.observe(point.time);
  const Traffic traffic = exchanged(scenario.synchronisation);
  Result<std::optional<CompressionWorth>> worth = std::nullopt;
  if (traffic == Traffic::gradients) worth = compression_worth(training, scenario, point.time, point.step);
  if (!worth) return tl::unexpected(worth.error());
  if (auto played = training.step(point.time, point.step, false, {traffic, {}}); !played)
    return tl::unexpected(played.error());
  const policies::NetworkEstimate network = training.network(point.time);
  phases.arrive(point.time, point.step, point.epoch,
                [&] { return to_string(network, training.workers().size()); });
  const ComputePlan& compute = training.exchange().compute();
  ExplainedStep explained{phases.label(),
                          network.latency,
                          network.bandwidth,
                          training.links(point.time),
                          compute.host_overhead,
                          compute.forward,
                          compute.backward,
                          compute.optimizer,
                          {},
                          {},
                          {},
                          *worth};
  explained.step = record_of(training, scenario, phases.current(), point, traffic);
  describe_exchanges(training, explained);
  explained.bound = bound_of(training, explained);
  return explained;
}

}  // namespace

bool has_typical_step(const scenario::Scenario& scenario) {
  return !is_asynchronous(scenario.synchronisation) && !scenario.compression.policy->traits.decides &&
         !scenario.batching->traits.decides && !scenario.streams;
}

Result<std::vector<ExplainedStep>> explain(const scenario::Scenario& scenario,
                                           const std::atomic<bool>* stop) {
  if (is_asynchronous(scenario.synchronisation)) {
    return netmodels::refuse("synchronisation",
                             "workers that do not wait for each other have no step in common",
                             "explain a scenario with `synchronisation: bsp`, or run this one");
  }
  if (scenario.compression.policy->traits.decides) {
    return netmodels::refuse("compression.policy",
                             "what a policy sends depends on gradients, of which a single step shows none",
                             "explain a scenario with `policy: fixed`, or run this one");
  }
  if (!has_typical_step(scenario)) {
    return netmodels::refuse(
        scenario.streams ? "streams" : "batching",
        "the samples of a step depend on the steps before it, and a single step has none",
        "explain a scenario with `batching: uniform` and no streams, or run this one");
  }
  scenario::Scenario watched = scenario;
  watched.probe.oracle = true;
  auto training = Training::make(watched);
  if (!training) return tl::unexpected(training.error());
  Phases phases(scenario.cluster.changes);
  std::vector<ExplainedStep> steps;
  Point point;
  const auto explain_here = [&]() -> Result<void> {
    auto explained = explain_at(**training, scenario, phases, point);
    if (!explained) return tl::unexpected(explained.error());
    steps.push_back(std::move(*explained));
    return {};
  };
  if (auto first = explain_here(); !first) return tl::unexpected(first.error());
  for (const Moment& moment : moments_of(scenario.cluster.changes)) {
    if (stop != nullptr && stop->load()) break;
    move_to(point, moment);
    if (auto next = explain_here(); !next) return tl::unexpected(next.error());
  }
  return steps;
}

}  // namespace sim::engine
