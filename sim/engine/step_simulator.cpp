// Wiring cluster, network, policies and step graphs together.
#include "sim/engine/step_simulator.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "sim/engine/compression_cost.hpp"
#include "sim/engine/site_step.hpp"
#include "sim/scenario/nccl_keys.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

namespace {

/// Evaluates the collectives of a step that begins at a time.
class OnNetwork final : public netmodels::CollectiveEvaluator {
 public:
  OnNetwork(CommunicationPlan& plan, Seconds begin, CostEvaluator& evaluator, NetworkTimeline& network)
      : plan_(plan), begin_(begin), evaluator_(evaluator), network_(network) {}

  Result<Seconds> duration(std::size_t operation, Seconds start) override {
    return plan_.evaluate(operation, begin_ + start, evaluator_, network_);
  }
  [[nodiscard]] bool share_links(std::size_t one, std::size_t other) const override {
    return plan_.share_links(one, other);
  }

 private:
  CommunicationPlan& plan_;
  Seconds begin_;
  CostEvaluator& evaluator_;
  NetworkTimeline& network_;
};

/// What the collectives of the last step took, were each longer by so many times its error.
class WithErrors final : public netmodels::CollectiveEvaluator {
 public:
  WithErrors(const CommunicationPlan& plan, double errors) : plan_(plan), errors_(errors) {}

  Result<Seconds> duration(std::size_t operation, Seconds) override {
    const CommunicationPlan::Evaluated& last = plan_.evaluated(operation);
    return last.duration * std::max(0.0, 1 + errors_ * last.error);
  }
  [[nodiscard]] bool share_links(std::size_t one, std::size_t other) const override {
    return plan_.share_links(one, other);
  }

 private:
  const CommunicationPlan& plan_;
  double errors_;
};

scenario::Probe probe_of(scenario::Probe probe, bool oracle) {
  probe.oracle = probe.oracle || oracle;
  return probe;
}

}  // namespace

StepSimulator::StepSimulator(const scenario::Scenario& scenario, RunNetwork network, bool oracle)
    : settings_(step_settings_of(scenario.work, scenario.cluster, *scenario.stated, scenario.exchange)),
      training_(scenario.work.training),
      cluster_(std::move(network.cluster)),
      network_(std::move(network.timeline)),
      evaluator_(*cluster_, {.evaluator = scenario.simulation.evaluator,
                             .audit = scenario.simulation.audit,
                             .seed = scenario.simulation.seed,
                             .measured = scenario.cluster.measured,
                             .workers_per_node = settings_.workers_per_node,
                             .extrapolate = scenario.cluster.extrapolate,
                             .nccl = nccl_of(scenario.work, scenario.cluster, scenario.exchange,
                                             scenario.simulation.evaluator),
                             .in_hops = scenario.cluster.in_hops}),
      probe_(probe_of(scenario.exchange.probe, oracle), scenario.simulation.seed),
      stragglers_(scenario.work, scenario.cluster, *scenario.stated, scenario.simulation.seed),
      workers_(settings_.workers),
      control_(scenario.exchange.synchronisation->traits.flags, scenario.learner.kind,
               scenario.simulation.seed),
      deciding_(policies::deciding_time_of(scenario.exchange.synchronisation)) {
  std::iota(workers_.begin(), workers_.end(), 0U);
  if (scenario.exchange.through) through_.emplace(*scenario.exchange.through);
  plan_all();
}

Result<std::unique_ptr<StepSimulator>> StepSimulator::make(const scenario::Scenario& scenario,
                                                           ClusterCache& clusters, bool oracle) {
  GRADSIM_TRY(network, RunNetwork::make(scenario.cluster, clusters));
  return std::unique_ptr<StepSimulator>(new StepSimulator(scenario, std::move(*network), oracle));
}

void StepSimulator::plan_all() {
  evaluator_.set_workers(workers_);
  plans_.clear();
  if (!settings_.synchronisation->traits.every_step) {  // known from the beginning
    plan_for({Traffic::nothing, {}});
    plan_for({Traffic::parameters, {}});
  }
  plan_for({});
  control_.plan(workers_, training_, evaluator_);
}

CommunicationPlan& StepSimulator::plan_for(const StepAction& action) {
  constexpr std::size_t most_kept = 64;  // a policy may choose any ratio
  const auto known = std::ranges::find(plans_, action, &CommunicationPlan::action);
  if (known != plans_.end()) {
    plans_.splice(plans_.begin(), plans_, known);
    return plans_.front();
  }
  if (plans_.size() == most_kept) plans_.pop_back();
  plans_.emplace_front(settings_, action, workers_).plan(static_cast<std::uint32_t>(workers_.size()));
  return plans_.front();
}

void StepSimulator::lose(const std::vector<std::uint32_t>& workers) {
  std::erase_if(workers_,
                [&](std::uint32_t worker) { return std::ranges::find(workers, worker) != workers.end(); });
  clocks_.remain(workers_);
  if (!workers_.empty()) plan_all();
}

void StepSimulator::set_workers(std::vector<std::uint32_t> workers) {
  if (workers == workers_) return;
  workers_ = std::move(workers);
  clocks_.meet();
  plan_all();
}

void StepSimulator::join(const std::vector<std::uint32_t>& workers) {
  workers_.insert(workers_.end(), workers.begin(), workers.end());
  std::ranges::sort(workers_);
  plan_all();
}

netmodels::LinkState StepSimulator::link_between(std::uint32_t from, std::uint32_t to, Seconds now) {
  const netmodels::NetworkState& state = network_.state(now);
  netmodels::LinkState way{{}, {std::numeric_limits<double>::infinity()}};
  for (const netmodels::LinkId link : platform().route(from, to)) {
    way.latency += state.links[link].latency;
    way.bandwidth = std::min(way.bandwidth, state.links[link].bandwidth);
  }
  return way;
}

bool StepSimulator::looks_at_network() const {
  return scenario::decided_by_step(settings_.compression) ||
         std::ranges::any_of(plans_, &CommunicationPlan::watches);
}

Seconds StepSimulator::observe(Seconds now) {
  return looks_at_network() ? probe_.look(platform(), workers_, network_.state(now)) : Seconds{};
}

void StepSimulator::set_batches(const std::vector<int>& samples) {
  training_.batches = samples;
  stragglers_.set_batches(samples);
  control_.plan(workers_, training_, evaluator_);
}

/// All workers of a node take a step of it together: each as long as the slowest of them.
void StepSimulator::join_nodes() {
  if (!settings_.sites) return;
  const std::uint32_t per_node = settings_.workers_per_node;
  for (std::size_t first = 0; first < workers_.size();) {
    std::size_t end = first;
    while (end < workers_.size() && workers_[end] / per_node == workers_[first] / per_node) ++end;
    const auto node = std::span(factors_.of_worker).subspan(first, end - first);
    std::ranges::fill(node, *std::ranges::max_element(node));
    first = end;
  }
}

Seconds StepSimulator::run_clocks(const StepAction& action, Seconds computing,
                                  const std::vector<Seconds>& waits) {
  clocks_before_ = clocks_;
  if (computing == Seconds{}) return waits.empty() ? Seconds{} : *std::ranges::max_element(waits);
  const bool overlaps = streaming_of(settings_.synchronisation).delay > 0;
  const bool meets = !control_.empty() || (action.traffic != Traffic::nothing && !overlaps);
  if (meets && clocks_.together() && waits.empty()) return {};
  join_nodes();
  const Seconds waited = clocks_.run(workers_, computing, waits, factors_);
  if (meets) clocks_.meet();
  return waited;
}

Result<void> StepSimulator::step(Seconds now, std::int64_t step, bool with_jitter, const StepAction& action,
                                 const std::vector<Seconds>& waits) {
  if (with_jitter)
    stragglers_.factors(step, now, workers_, factors_);
  else
    stragglers_.nominal(workers_, factors_);
  CommunicationPlan& plan = plan_for(action);
  const bool news = plan.watches() && plan.reading() != probe_.readings();
  if (!plan.chosen() || news)
    plan.choose(probe_.estimate(now), probe_.readings(), probe_.links(), evaluator_);
  const Seconds waited = run_clocks(action, plan.graph().computing, waits);
  OnNetwork evaluator(plan, now + waited, evaluator_, network_);
  auto ran = netmodels::run_step(plan.graph(), pace(plan), evaluator, times_);
  times_.margin = margin(plan);
  times_.parts.stream_wait = waited;
  times_.duration += waited + deciding_;
  times_.parts.compute += deciding_;
  if (ran && goes_through(action)) send_through(now);
  if (!ran || control_.empty()) return ran;
  GRADSIM_TRY(beside, control_.evaluate(now + times_.duration, evaluator_, network_));
  times_.duration += *beside;
  times_.exchange_busy += *beside;
  times_.parts.exchange += *beside;
  return {};
}

void StepSimulator::send_through(Seconds now) {
  const auto count = static_cast<std::uint32_t>(workers_.size());
  const auto sent = stated_method(settings_.compression, Traffic::parameters);
  const std::int64_t values = settings_.fragment_values();
  Seconds compress;
  if (sent) {
    std::int64_t tensors = 0;
    for (const netmodels::Layer& layer : settings_.workload.layers) tensors += layer.parameters > 0 ? 1 : 0;
    compress = settings_.costs.compressing_time(*sent, values, tensors) +
               settings_.costs.restoring_time(*sent, values, count);
  }
  const Seconds start = now + times_.duration + compress;
  network_.advance_within_step(start);
  const ThroughBytes bytes = through_bytes(settings_.compression, values, count);
  const Seconds exchange =
      through_->time(platform(), workers_, network_.state(start), bytes.message, bytes.mean);
  times_.parts.compress += compress;
  times_.parts.exchange += exchange;
  times_.exchange_busy += exchange;
  times_.duration += compress + exchange;
}

Seconds StepSimulator::models_exchange() const {
  if (!settings_.sites) return times_.parts.exchange;
  const std::vector<netmodels::StepOperation>& operations = plan().graph().operations;
  Seconds sum;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].name == between_sites_name || operations[i].name == within_site_name)
      sum += times_.operations[i].end - times_.operations[i].start;
  }
  return sum;
}

std::string_view StepSimulator::collective() const {
  return goes_through(plan().action()) ? through_->name() : plan().collective();
}

Seconds StepSimulator::margin(const CommunicationPlan& plan) const {
  if (!plan.measured()) return {};
  const auto duration = [&](double errors) {
    WithErrors evaluator(plan, errors);
    netmodels::StepTimes times;
    (void)netmodels::run_step(plan.graph(), pace(plan), evaluator, times);
    return times.duration;
  };
  return (duration(1) - duration(-1)) / 2;
}

std::optional<netmodels::Bytes> StepSimulator::sent() const {
  const auto sent = plan().sent();
  if (!sent) return std::nullopt;
  netmodels::Bytes message = *sent;
  if (goes_through(plan().action()))
    message += through_bytes(settings_.compression, settings_.fragment_values(),
                             static_cast<std::uint32_t>(workers_.size()))
                   .message;
  return message + control_.sent();
}

std::optional<netmodels::Bytes> StepSimulator::sent_between_nodes() const {
  const auto sent = plan().sent_between_nodes();
  if (!sent || goes_through(plan().action()) || !control_.empty()) return std::nullopt;
  return sent;
}

EvaluatorCounts StepSimulator::evaluators() const { return evaluator_.counts(); }

std::int64_t StepSimulator::samples_per_step() const {
  std::int64_t samples = 0;
  for (const std::uint32_t worker : workers_) samples += batch_of(training_, worker);
  return samples / training_.sharers;
}

policies::NetworkEstimate StepSimulator::network(Seconds now) {
  return true_estimate(platform(), workers_, network_.state(now));
}

std::optional<netmodels::LinkState> StepSimulator::neighbours(Seconds now) {
  return engine::neighbours(platform(), workers_, network_.state(now));
}

Seconds StepSimulator::latency_of(std::size_t operation, Seconds now) {
  return plan().latency_of(operation, evaluator_, network_.state(now));
}

netmodels::LinkState StepSimulator::slowest_hop(std::size_t operation, Seconds now) {
  const netmodels::Collective& row = *plan().evaluated(operation).row;
  return engine::slowest_hop(platform(), workers_, network_.state(now), row.reach,
                             plan().graph().operations[operation].operation);
}

std::vector<std::string> StepSimulator::links(Seconds now) {
  return link_summary(platform(), network_.state(now));
}

}  // namespace sim::engine
