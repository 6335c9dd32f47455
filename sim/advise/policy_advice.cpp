// Finds which policies a training should take on its cluster.
#include "sim/advise/policy_advice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/advise/closed_step.hpp"
#include "sim/advise/policy_ranking.hpp"
#include "sim/advise/policy_simulation.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/scenario/policy_grid.hpp"
#include "sim/sweep/process_pool.hpp"

namespace sim::advise {

// Follows a network through its changes.

namespace {

using scenario::Cluster;

bool is_homogeneous(const Cluster& cluster) {
  const auto some_only = [](const auto& row) { return !row.workers.empty(); };
  const bool links = std::ranges::any_of(cluster.changes, [](const auto& row) { return !row.links.empty(); });
  return cluster.topology->traits.one_switch && cluster.workers_per_node == 1 &&
         cluster.worker_links.empty() && !cluster.upload && cluster.background.empty() && !links &&
         cluster.preset == scenario::NetworkPreset::exact &&
         std::ranges::none_of(cluster.changes, some_only) && std::ranges::none_of(cluster.traces, some_only);
}

template <class Change>
void follow(std::vector<netmodels::LinkState>& states, const Change& change) {
  netmodels::LinkState next = states.back();
  if (change.latency) next.latency = *change.latency;
  if (change.bandwidth) next.bandwidth = *change.bandwidth;
  states.push_back(next);
}

}  // namespace

std::optional<std::vector<netmodels::LinkState>> link_states(const Cluster& cluster) {
  const std::size_t traces = cluster.traces.size();
  if (!is_homogeneous(cluster) || traces > 1 || (traces == 1 && !cluster.changes.empty()))
    return std::nullopt;
  std::vector<netmodels::LinkState> states{{cluster.link.latency, cluster.link.bandwidth}};
  for (const scenario::LinkChange& change : cluster.changes) follow(states, change);
  if (traces == 0) return states;
  for (const scenario::LinkTrace::Point& point : cluster.traces.front().points) follow(states, point);
  if (cluster.traces.front().points.front().at == netmodels::Seconds{}) states.erase(states.begin());
  return states;
}

// Takes candidates from lists to figures.

namespace {

using netmodels::Bytes;
using netmodels::Dollars;
using netmodels::LinkState;
using netmodels::Result;
using netmodels::Seconds;
using scenario::PolicyCandidate;
using scenario::PolicyQuestion;
using scenario::Scenario;

constexpr double bytes_per_gigabyte = 1e9;

/// A candidate on its way.
struct Counted {
  const PolicyCandidate* candidate;
  StepsToTarget steps;
  /// For each network, on each of its states; empty where closed forms do not hold.
  std::vector<std::vector<ClosedStep>> closed;
};

bool learns_live(const PolicyCandidate& candidate) {
  return candidate.worlds.front().learner.kind->traits.trains;
}

/// Why a candidate cannot be compared with others; nothing where it can. Nothing is faster than a floor, so
/// that a method of which nothing else is known would win by what is unknown.
std::optional<std::string> unfair(const engine::CompressionCosts& costs) {
  using scenario::CostLevel;
  const scenario::Compression& compression = costs.stated();
  if (decided_by_step(compression) || compression.cost == scenario::CostChoice::floor) return std::nullopt;
  const CostLevel level = costs.level(compression.stated().method);
  if (compression.time || (level != CostLevel::floor && level != CostLevel::unknown)) return std::nullopt;
  const bool has_time = std::ranges::find(compression.times, compression.method,
                                          &scenario::CompressionTime::method) != compression.times.end();
  if (has_time) return std::nullopt;
  return "no time of compressing by " + compression.method + " is stated, measured or published";
}

class Advice {
 public:
  Advice(const PolicyQuestion& question, const std::filesystem::path& data_dir, const AdviceEffort& effort)
      : question_(question), effort_(effort), shelf_(data_dir), counter_(shelf_) {
    advised_.question = &question;
    advised_.left_out = question.left_out;
    advised_.pruning_margin = pruning_margin + question.advice.tie;
  }

  Result<AdvisedPolicies> answer() {
    count_all();
    prune();
    play_all();
    advised_.learner = learner_.empty() ? counter_.learner() : learner_;
    if (advised_.played.empty()) return refuse_all();
    advised_.chosen = choose_policy(advised_.played, question_.advice.objective, question_.advice.tie);
    advised_.chosen_if_least = choose_policy(advised_.played, question_.advice.objective,
                                             question_.advice.tie, CompressingTime::least);
    advised_.chosen_if_most = choose_policy(advised_.played, question_.advice.objective, question_.advice.tie,
                                            CompressingTime::most);
    advised_.best_dense = best_dense(advised_.played, question_.advice.objective);
    return std::move(advised_);
  }

 private:
  void count_all() {
    for (const PolicyCandidate& candidate : question_.candidates) {
      const Scenario& world = candidate.worlds.front();
      if (const auto reason = unfair({world.exchange.compression, world.work.workload, world.work.device})) {
        leave_out(*reason);
        continue;
      }
      auto steps = steps_of(candidate);
      if (!steps) {
        leave_out(steps.error().what);
        continue;
      }
      counted_.push_back({&candidate, *steps, closed_steps(candidate)});
    }
  }

  /// A live learner is only asked whether it can take the candidate.
  Result<StepsToTarget> steps_of(const PolicyCandidate& candidate) {
    const Scenario& world = candidate.worlds.front();
    if (!learns_live(candidate)) return counter_.count(world);
    if (auto made = shelf_.make(world); !made) return tl::unexpected(made.error());
    return StepsToTarget{
        stated_steps(world.work.training, world.cluster.workers, world.exchange.synchronisation),
        StepsKnown::learned,
        {}};
  }

  void leave_out(const std::string& reason) {
    if (why_.empty()) why_ = reason;
    scenario::leave_out(advised_.left_out, reason);
  }

  std::vector<std::vector<ClosedStep>> closed_steps(const PolicyCandidate& candidate) {
    std::vector<std::vector<ClosedStep>> networks;
    for (const Scenario& world : candidate.worlds) {
      const auto states = link_states(world.cluster);
      if (!states) advised_.closed_forms = false;
      if (!states || decided_by_step(world.exchange.compression)) return {};
      std::vector<ClosedStep>& steps = networks.emplace_back();
      for (const LinkState& link : *states) steps.push_back(closed_step(world, link));
    }
    return networks;
  }

  [[nodiscard]] std::optional<Dollars> cost_of(Seconds time, std::optional<Bytes> sent, int workers) const {
    if (!question_.rental) return std::nullopt;
    Dollars cost = question_.rental->cost(time, workers);
    if (question_.advice.price_per_gigabyte && sent)
      cost += *question_.advice.price_per_gigabyte * (sent->count / bytes_per_gigabyte);
    return cost;
  }

  void prune() {
    std::vector<const PolicyCandidate*> courses;  ///< the first candidate of each
    std::vector<PricedPolicy> evaluated;
    for (const Counted& counted : counted_) {
      const PolicyCandidate& candidate = *counted.candidate;
      const auto loop = std::ranges::find_if(
          courses, [&](const PolicyCandidate* first) { return same_course(*first, candidate); });
      PricedPolicy& one = evaluated.emplace_back();
      one.loop = static_cast<std::size_t>(loop - courses.begin());
      if (loop == courses.end()) courses.push_back(&candidate);
      one.dense = is_dense(candidate.worlds.front().exchange.synchronisation,
                           candidate.worlds.front().exchange.compression);
      for (const std::vector<ClosedStep>& network : counted.closed) {
        for (const ClosedStep& step : network) one.times.push_back(step.duration * counted.steps.steps);
      }
      // A candidate's bytes are known once it is simulated; where they cost money, nothing is pruned before.
      if (question_.advice.price_per_gigabyte) one.times.clear();
    }
    const bool live = !counted_.empty() && learns_live(*counted_.front().candidate);
    const std::vector<bool> kept = within_reach(evaluated, live, advised_.pruning_margin);
    std::vector<Counted> left;
    for (std::size_t i = 0; i < counted_.size(); ++i) {
      if (kept[i])
        left.push_back(std::move(counted_[i]));
      else
        advised_.pruned.push_back(
            {counted_[i].candidate, counted_[i].steps, std::ranges::min(evaluated[i].times)});
    }
    counted_ = std::move(left);
  }

  [[nodiscard]] Result<SimulatedPolicy> play(std::size_t index, std::size_t network) {
    const Counted& counted = counted_[index];
    const Scenario& world = counted.candidate->worlds[network];
    if (learns_live(*counted.candidate)) {
      GRADSIM_TRY(learned, simulate_to_target(world, shelf_, clusters_));
      return with_compressing_range(std::move(*learned), world, clusters_);
    }
    Seconds roughly = world.work.workload.compute(world.work.training.batch);
    if (!counted.closed.empty()) roughly = counted.closed[network].front().duration;
    const SampledRun sampled = sampled_run_of(world, counted.steps.steps, question_.advice.steps, roughly);
    GRADSIM_TRY(simulated, simulate_sample(sampled, shelf_, clusters_));
    return with_compressing_range(std::move(*simulated), sampled.scenario, clusters_);
  }

  void play_all() {
    const std::size_t networks = question_.networks.size();
    std::vector<std::vector<Result<SimulatedPolicy>>> played(counted_.size());
    for (auto& row : played) row.assign(networks, netmodels::refuse("", "interrupted"));
    sweep::PooledWork all;
    all.pieces = sweep::pieces_below(counted_.size() * networks);
    all.jobs = effort_.jobs;
    all.stop = effort_.stop;
    all.work = [&](std::size_t piece) {
      const auto one = play(piece / networks, piece % networks);
      if (!one) throw std::runtime_error(one.error().what);
      return pack(*one);
    };
    std::size_t done = 0;
    all.done = [&](std::size_t piece, sweep::WorkOutcome ended) {
      auto& slot = played[piece / networks][piece % networks];
      if (ended.failure)
        slot = netmodels::refuse("", *ended.failure);
      else
        slot = unpack_policy(ended.text);
      if (effort_.said) effort_.said(static_cast<double>(++done) / static_cast<double>(all.pieces.size()));
    };
    sweep::run_in_processes(all);
    for (std::size_t i = 0; i < counted_.size(); ++i) keep(counted_[i], std::move(played[i]));
  }

  /// A candidate that could not be simulated on some network is left out.
  void keep(const Counted& counted, std::vector<Result<SimulatedPolicy>> played) {
    AdvisedPolicy policy;
    policy.candidate = counted.candidate;
    policy.steps = counted.steps;
    policy.dense = is_dense(counted.candidate->worlds.front().exchange.synchronisation,
                            counted.candidate->worlds.front().exchange.compression);
    for (std::size_t network = 0; network < played.size(); ++network) {
      if (!played[network]) return leave_out(played[network].error().what);
      policy.outcomes.push_back(outcome(policy, std::move(*played[network]), network));
      if (policy.outcomes[network].time > policy.outcomes[policy.worst].time) policy.worst = network;
    }
    if (!counted.closed.empty())
      policy.closed = *std::ranges::max_element(counted.closed[policy.worst], {}, &ClosedStep::duration);
    advised_.played.push_back(std::move(policy));
  }

  PolicyOutcome outcome(AdvisedPolicy& policy, SimulatedPolicy played, std::size_t network) {
    const int workers = policy.candidate->worlds[network].cluster.workers;
    if (learns_live(*policy.candidate)) {
      policy.steps = {played.steps, StepsKnown::learned, played.accuracy};
      policy.reached = policy.reached && played.reached;
      learner_ = played.learner;
    }
    PolicyOutcome outcome;
    const double steps = policy.steps.steps;
    const auto whole = [&](Seconds step) {
      return question_.rental ? question_.rental->expected_time(step * steps, workers) : step * steps;
    };
    outcome.time = whole(played.step);
    outcome.margin = played.margin * steps;
    if (played.sent_by_all) outcome.sent_by_all = *played.sent_by_all * steps;
    outcome.cost = cost_of(outcome.time, outcome.sent_by_all, workers);
    if (played.sooner > Seconds{} || played.later != Seconds{}) {
      const auto with_step = [&](Seconds step) {
        const Seconds time = std::isfinite(step.count) ? whole(step) : step;
        return CompressingOutcome{time, cost_of(time, outcome.sent_by_all, workers)};
      };
      constexpr double never = std::numeric_limits<double>::infinity();
      outcome.least = with_step(played.step - played.sooner);
      outcome.most = with_step(played.step + played.later.value_or(Seconds{never}));
    }
    outcome.played = std::move(played);
    return outcome;
  }

  [[nodiscard]] Result<AdvisedPolicies> refuse_all() const {
    return netmodels::refuse("", "no candidate could be simulated: " + why_,
                             "other policies, or another training");
  }

  const PolicyQuestion& question_;
  const AdviceEffort& effort_;
  engine::LearnerShelf shelf_;
  engine::ClusterCache clusters_;
  StepsCounter counter_;
  AdvisedPolicies advised_;
  std::vector<Counted> counted_;
  std::string learner_;  ///< live
  std::string why_;      ///< the first reason to leave out what the scenario accepts
};

}  // namespace

Result<AdvisedPolicies> advise_policies(const PolicyQuestion& question, const std::filesystem::path& data_dir,
                                        const AdviceEffort& effort) {
  return Advice(question, data_dir, effort).answer();
}

}  // namespace sim::advise
