// One undisturbed step per declared phase, taken apart.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/engine/drawn_workers.hpp"
#include "sim/engine/overlap_room.hpp"
#include "sim/engine/phases.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/engine/simulate_asynchronous.hpp"
#include "sim/engine/step_simulator.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

namespace {

using scenario::Moment;

/// A point of training right after a moment, as far as it is known without simulating up to it.
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
std::vector<Moment> ordered(std::vector<Moment> moments) {
  const auto key = [](const Moment& moment) { return std::pair{moment.unit, moment.value}; };
  std::ranges::sort(moments, {}, key);
  const auto same = [&](const Moment& a, const Moment& b) { return key(a) == key(b); };
  moments.erase(std::unique(moments.begin(), moments.end(), same),
                moments.end());  // clang 14 rejects ranges::unique
  return moments;
}

/// The exchange as the part that decides, by what its time is for the most part.
Reason bound_by_exchange(const StepSimulator& simulator, const ExplainedStep& explained) {
  const Figure share = Figure::share("share", explained.step.parts.exchange / explained.step.duration);
  if (explained.exchanges.empty())
    return {ReasonKind::exchange_through, {share, Figure::named("through", simulator.collective())}};
  Seconds latency;
  Seconds busy;
  for (const ExplainedExchange& exchange : explained.exchanges) {
    latency += exchange.latency_share;
    busy += exchange.duration;
  }
  const bool by_latency = latency > busy / 2;
  return {by_latency ? ReasonKind::exchange_latency : ReasonKind::exchange_bandwidth,
          {share, Figure::share("part", (by_latency ? latency : busy - latency) / busy)}};
}

/// The part that decides the time of the step.
Reason bound_of(const StepSimulator& simulator, const ExplainedStep& explained) {
  const Parts& parts = explained.step.parts;
  const Seconds computing = parts.compute + parts.wait;
  const auto share = [&](Seconds part) { return Figure::share("share", part / explained.step.duration); };
  if (parts.wait > std::max({parts.compute, parts.exchange, parts.compress}))
    return {ReasonKind::slowest_worker, {share(parts.wait)}};
  if (parts.exchange >= std::max(computing, parts.compress)) return bound_by_exchange(simulator, explained);
  if (parts.compress > computing) return {ReasonKind::compressing, {share(parts.compress)}};
  const bool hidden = explained.step.exchange_busy > parts.exchange;
  if (!hidden || simulator.workers().size() == 1) return {ReasonKind::computing, {share(computing)}};
  return {ReasonKind::computing_hides_exchange,
          {share(computing), Figure::share("hidden", 1 - parts.exchange / explained.step.exchange_busy)}};
}

/// "buffers", "all-gather of unit 3", or as a trace calls it.
std::string name_of_collective(const netmodels::StepGraph& graph, const netmodels::StepOperation& operation) {
  if (graph.traced || operation.name == netmodels::buffers_name) return std::string(operation.name);
  return fmt::format("{} of unit {}", operation.name, operation.bucket + 1);
}

/// That work together.
std::uint32_t ranks_of(const netmodels::Collective& row, const netmodels::Operation& operation) {
  if (row.reach == netmodels::CollectiveReach::groups) return operation.members;
  return row.reach == netmodels::CollectiveReach::within_node ? operation.group : operation.ranks;
}

/// That a worker sends to other nodes, on average.
/// @param per_node  workers of a node
netmodels::Bytes bytes_between_nodes(const netmodels::Collective& row, const netmodels::Operation& operation,
                                     std::uint32_t per_node) {
  if (row.reach == netmodels::CollectiveReach::within_node) return {};
  netmodels::Bytes sum;
  const netmodels::Schedule schedule = row.schedule(operation);
  for (const netmodels::Phase& phase : schedule.phases) {
    for (const netmodels::Round& round : phase.rounds) {
      for (const netmodels::Transfer& message : round) {
        if (schedule.rank_of(message.from) / per_node != schedule.rank_of(message.to) / per_node)
          sum += message.size * static_cast<double>(phase.repeat);
      }
    }
  }
  return sum / static_cast<double>(operation.ranks);
}

/// Whether exchanges of a step differ in which ranks work together.
bool has_levels(const netmodels::StepGraph& graph) {
  return std::ranges::any_of(graph.operations, [](const netmodels::StepOperation& operation) {
    return operation.work == netmodels::StepWork::collective && operation.row != nullptr &&
           operation.row->reach != netmodels::CollectiveReach::all;
  });
}

/// The first exchange of the same messages that took as long; null where there is none.
const ExplainedExchange* first_like(const ExplainedStep& explained, const ExplainedExchange& exchange) {
  const auto found = std::ranges::find_if(explained.exchanges, [&](const ExplainedExchange& other) {
    return other.collective == exchange.collective && other.size == exchange.size &&
           other.ranks == exchange.ranks && other.group == exchange.group &&
           other.duration == exchange.duration;
  });
  return found == explained.exchanges.end() ? nullptr : &*found;
}

/// What the links make of an exchange.
/// @param levels  whether bytes to other nodes are to be told
void describe_links(StepSimulator& simulator, std::size_t operation, const ExplainedStep& explained,
                    bool levels, ExplainedExchange& exchange) {
  if (const ExplainedExchange* first = first_like(explained, exchange)) {
    exchange.latency_share = first->latency_share;
    exchange.hop = first->hop;
    exchange.by_formula = first->by_formula;
    exchange.between_nodes = first->between_nodes;
    return;
  }
  const netmodels::Collective& row = *simulator.plan().evaluated(operation).row;
  const netmodels::Operation& sent = simulator.plan().graph().operations[operation].operation;
  exchange.latency_share = simulator.latency_of(operation, explained.step.start);
  exchange.hop = simulator.slowest_hop(operation, explained.step.start);
  exchange.by_formula = row.closed(sent, exchange.hop);
  const bool in_groups = row.reach == netmodels::CollectiveReach::groups;
  const std::uint32_t per_node = in_groups ? simulator.settings().workers_per_node : sent.group;
  if (levels && row.schedule != nullptr) exchange.between_nodes = bytes_between_nodes(row, sent, per_node);
}

/// One row per collective of the graph; the wait of what was compressed is in the first one that sends it. It
/// is ready when it may be sent.
void describe_exchanges(StepSimulator& simulator, ExplainedStep& explained) {
  const CommunicationPlan& plan = simulator.plan();
  const netmodels::StepGraph& graph = plan.graph();
  const auto& times = simulator.times().operations;
  const auto& buckets = plan.exchange().buckets;
  const bool levels = has_levels(graph);
  std::optional<std::uint32_t> bucket;
  Seconds ready;
  Seconds compress;         // begins
  bool compressed = false;  // what the next collective sends
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const netmodels::StepOperation& operation = graph.operations[i];
    if (operation.work == netmodels::StepWork::compress) {
      ready = {};
      for (const std::uint32_t before : operation.after) ready = std::max(ready, times[before].end);
      compress = times[i].start;
      compressed = true;
    }
    if (operation.work != netmodels::StepWork::collective) continue;
    const bool of_bucket = operation.name.empty();
    const Seconds start = times[i].start;
    if (!std::exchange(compressed, false)) ready = compress = start;
    if (of_bucket) bucket = operation.bucket;
    const CommunicationPlan::Evaluated& evaluated = plan.evaluated(i);
    ExplainedExchange exchange{.bucket = of_bucket
                                             ? fmt::format("bucket {} of {}: {} values", *bucket + 1,
                                                           buckets.size(), buckets[*bucket].bucket.elements)
                                             : name_of_collective(graph, operation),
                               .collective = std::string(evaluated.row->name),
                               .formula = std::string(evaluated.row->formula),
                               .size = operation.operation.size,
                               .ranks = ranks_of(*evaluated.row, operation.operation),
                               .group = evaluated.row->two_level ? operation.operation.group : 1,
                               .ready = ready,
                               .wait = compress - ready,
                               .compress = start - compress,
                               .start = start,
                               .duration = evaluated.duration,
                               .end = times[i].end,
                               .latency_share = {},
                               .evaluator = std::string(to_string(evaluated.by)),
                               .hop = {},
                               .by_formula = {},
                               .nccl = evaluated.nccl};
    describe_links(simulator, i, explained, levels, exchange);
    explained.exchanges.push_back(std::move(exchange));
  }
}

/// The end of a step that does not stay local.
Traffic exchanged(const policies::SynchronisationChoice& stated) {
  return exchanges_models(stated) ? Traffic::parameters : Traffic::gradients;
}

/// How a step at this point ends: whole gradients while a dense warm-up lasts.
/// @param kind  of several ways; null: the only one
StepAction action_at(const Point& point, const StepSettings& settings, const policies::StepKind* kind) {
  if (kind != nullptr) {
    StepAction action{traffic_of(kind->decision), {}};
    if (kind->decision.dense) action.compression = whole_gradient();
    return action;
  }
  const policies::RatioSchedule& warm_up = settings.compression.warm_up;
  StepAction action{exchanged(settings.synchronisation), {}};
  if (warm_up.is_dense() && !warm_up.over(point.step, point.epoch)) action.compression = whole_gradient();
  return action;
}

StepRecord record_of(const StepSimulator& simulator, std::size_t phase, const Point& point,
                     const StepAction& action) {
  const auto sent = sent_by(action, simulator.settings().compression);
  const netmodels::StepTimes& times = simulator.times();
  return {point.step,
          point.epoch,
          phase,
          point.time,
          times.duration,
          times.parts,
          times.exchange_busy,
          simulator.sent(),
          static_cast<std::uint32_t>(simulator.workers().size()),
          simulator.collective(),
          sent ? sent->ratio : 1,
          recorded_name(sent),
          action.traffic,
          0,
          {},
          simulator.samples_per_step(),
          {},
          times.margin};
}

/// A step that stays local, where there are such steps between exchanges, or others overlap the exchange.
Result<std::optional<Seconds>> local_step(StepSimulator& simulator, const Point& point) {
  const policies::SynchronisationChoice& stated = simulator.settings().synchronisation;
  if (streaming_of(stated).delay == 0 && period_of(stated) == 1) return std::nullopt;
  if (auto ran = simulator.step(point.time, point.step, false, {Traffic::nothing, {}}); !ran)
    return tl::unexpected(ran.error());
  simulator.begin_together();
  return simulator.times().duration;
}

/// In the long run: exchanges overlap `delay` steps, and fewer where the next one follows sooner, as they are
/// sent one after another.
/// @param exchanging  the step that begins it, as if it was waited for
/// @param local       a step that stays local
OverlappedExchange overlapped(const StepSimulator& exchanging, Seconds local) {
  const policies::SynchronisationChoice& stated = exchanging.settings().synchronisation;
  const std::int64_t delay = streaming_of(stated).delay;
  const std::int64_t period = period_of(stated);
  const Seconds sending = exchanging.models_exchange();
  OverlappedExchange found{std::min(delay, period), {}, {}, {}};
  found.room = overlap_room(period, delay, local, exchanging.times().duration - sending);
  found.waited = std::max(Seconds{}, sending - found.room);
  found.hidden = sending - found.waited;
  return found;
}

/// @param steps       from one exchange to the next
/// @param exchanging  a step with an exchange, without what later steps hide of it
std::optional<Round> round_of(std::int64_t steps, Seconds exchanging, Seconds local) {
  if (steps == 1) return std::nullopt;
  return Round{steps, local, exchanging + local * static_cast<double>(steps - 1)};
}

/// Nothing where no gradients are exchanged, or it was not asked for.
Result<std::optional<CompressionWorth>> worth_at(StepSimulator& simulator, const Point& point, bool asked) {
  const StepSettings& settings = simulator.settings();
  if (!asked || settings.sharded || settings.workload.traced) return std::nullopt;
  return compression_worth(simulator, point.time, point.step);
}

/// An exchange that later steps overlap: the step keeps what is waited for.
std::optional<OverlappedExchange> overlap_exchange(StepSimulator& simulator,
                                                   const std::optional<Seconds>& local) {
  const bool overlaps = streaming_of(simulator.settings().synchronisation).delay > 0;
  if (!overlaps || simulator.collective().empty()) return std::nullopt;
  const OverlappedExchange later = overlapped(simulator, *local);
  simulator.wait_for_exchange(-1.0 * later.hidden);
  return later;
}

Result<ExplainedStep> explain_at(StepSimulator& simulator, Phases& phases, const Point& point,
                                 const ExplainOptions& options, const policies::StepKind* kind) {
  simulator.arrive(point.time, point.step, point.epoch);
  simulator.observe(point.time);
  const StepAction action = action_at(point, simulator.settings(), kind);
  const bool gradients = action.traffic == Traffic::gradients && (kind == nullptr || !kind->decision.dense);
  GRADSIM_TRY(worth, worth_at(simulator, point, options.compression_worth && gradients));
  Result<std::optional<CompressionDependence>> dependence = std::nullopt;
  if (options.dependence && gradients) dependence = compression_dependence(simulator, point.time, point.step);
  if (!dependence) return tl::unexpected(dependence.error());
  GRADSIM_TRY(local, local_step(simulator, point));
  if (auto played = simulator.step(point.time, point.step, false, action); !played)
    return tl::unexpected(played.error());
  const std::optional<OverlappedExchange> later = overlap_exchange(simulator, *local);
  const policies::NetworkEstimate network = simulator.network(point.time);
  phases.arrive(point.time, point.step, point.epoch,
                [&] { return to_string(network, simulator.workers().size()); });
  const netmodels::StepGraph& graph = simulator.plan().graph();
  ExplainedStep explained{
      kind == nullptr ? phases.label() : fmt::format("{}, {}", phases.label(), kind->text),
      network.latency,
      network.bandwidth,
      simulator.links(point.time),
      graph.total("host overhead"),
      graph.total("forward"),
      graph.total("backward"),
      graph.total("optimizer"),
      {},
      {},
      {},
      *worth,
      std::move(*dependence),
      later,
      *local ? round_of(period_of(simulator.settings().synchronisation), simulator.times().duration, **local)
             : std::nullopt};
  explained.step = record_of(simulator, phases.current(), point, action);
  describe_exchanges(simulator, explained);
  explained.bound = bound_of(simulator, explained);
  return explained;
}

/// Whether training of a known number of steps makes a step of this kind.
bool is_reached(const scenario::Training& training, const policies::StepKind& kind) {
  return !training.steps || kind.first < *training.steps;
}

}  // namespace

Result<void> check_typical_step(const policies::SynchronisationChoice& synchronisation,
                                const scenario::Compression& compression,
                                const policies::BatchingChoice& batching,
                                const std::optional<scenario::Streams>& streams) {
  if (is_asynchronous(synchronisation)) {
    return netmodels::refuse("synchronisation", "workers that do not wait for each other have no common step",
                             "explain a scenario with `synchronisation: bsp`, or run this one");
  }
  if (compression.policy->traits.decides) {
    return netmodels::refuse("compression.policy",
                             "what the policy sends depends on gradients, and a single step has none",
                             "explain a scenario with `policy: fixed`, or run this one");
  }
  if (batching->traits.decides || streams) {
    return netmodels::refuse(streams ? "streams" : "batching",
                             "the samples of a step depend on earlier steps, and a single step has none",
                             "explain a scenario with `batching: uniform` and no streams, or run this one");
  }
  return {};
}

Result<std::vector<ExplainedStep>> explain(const scenario::Scenario& scenario, ClusterCache& clusters,
                                           const ExplainOptions& options) {
  if (auto typical = check_typical_step(scenario.exchange.synchronisation, scenario.exchange.compression,
                                        scenario.work.batching, scenario.work.streams);
      !typical)
    return tl::unexpected(typical.error());
  GRADSIM_TRY(simulator, StepSimulator::make(scenario, clusters, true));
  const RoundDraw draw{policies::drawn_share(scenario.exchange.synchronisation),
                       (*simulator)->settings().site(), scenario.simulation.seed};
  (*simulator)->set_workers(drawn_workers(draw, (*simulator)->workers(), 0));
  const std::vector<Moment> moments =
      phase_moments(scenario.cluster.changes, scenario.exchange.compression.warm_up);
  Phases phases(moments);
  std::vector<ExplainedStep> steps;
  Point point;
  const std::vector<policies::StepKind> kinds = policies::step_kinds(scenario.exchange.synchronisation);
  const auto explain_kind = [&](const policies::StepKind* kind) -> Result<void> {
    GRADSIM_TRY(explained, explain_at(**simulator, phases, point, options, kind));
    steps.push_back(std::move(*explained));
    return {};
  };
  const auto explain_here = [&]() -> Result<void> {
    if (kinds.empty()) return explain_kind(nullptr);
    for (const policies::StepKind& kind : kinds) {
      if (!is_reached(scenario.work.training, kind)) continue;
      if (auto done = explain_kind(&kind); !done) return done;
    }
    return {};
  };
  if (auto first = explain_here(); !first) return tl::unexpected(first.error());
  for (const Moment& moment : ordered(moments)) {
    if (options.stop != nullptr && options.stop->load()) break;
    move_to(point, moment);
    if (auto next = explain_here(); !next) return tl::unexpected(next.error());
  }
  return steps;
}

}  // namespace sim::engine
