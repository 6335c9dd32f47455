// Simulates the steps of a training run one after another, and summarises its links in a few lines.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/step_graph.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/engine/cluster_cache.hpp"
#include "sim/engine/communication_plan.hpp"
#include "sim/engine/control_traffic.hpp"
#include "sim/engine/cost_evaluator.hpp"
#include "sim/engine/network_probe.hpp"
#include "sim/engine/network_timeline.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/stragglers.hpp"
#include "sim/engine/through_exchange.hpp"
#include "sim/engine/worker_clocks.hpp"

namespace sim::engine {

// The links of a cluster in a few lines: which there are, by the names that a scenario may use, and what they
// do.

/// One line for each run of links of one role and one state, in the order of the link table:
/// "worker0 ... worker7 (8 own links, both directions): 10 Gbit/s, 1 ms end to end". Values are in the terms
/// of `cluster.changes`: end to end where two such links share a latency. A duplex link is named without
/// direction where both do the same.
std::vector<std::string> link_summary(const Platform& platform, const netmodels::NetworkState& state);

// Simulates the steps of a training run one after another: everything that a step needs, kept for the next.

/// The state that `simulate` and `explain` drive step by step.
class StepSimulator {
 public:
  /// @param scenario  outlives the simulator
  /// @param oracle    whether policies see the true network at every step, whatever the scenario states
  /// @returns the simulator, or an Error when the cluster cannot be built as stated
  static netmodels::Result<std::unique_ptr<StepSimulator>> make(const scenario::Scenario& scenario,
                                                                ClusterCache& clusters, bool oracle = false);

  /// Lets the network change up to `now`.
  void arrive(netmodels::Seconds now, std::int64_t step, double epoch) {
    network_.advance(now, step, epoch);
    stragglers_.arrive(now, step, epoch);
  }
  /// The settings of all steps.
  [[nodiscard]] const StepSettings& settings() const { return settings_; }
  /// From now on each worker takes so many samples, by number.
  void set_batches(const std::vector<int>& samples);
  /// Probes if it is time to. @returns the time that training stalled
  netmodels::Seconds observe(netmodels::Seconds now);
  /// The policies' view of the network now; nothing before the first probe.
  [[nodiscard]] std::optional<policies::NetworkEstimate> estimate(netmodels::Seconds now) const {
    return probe_.estimate(now);
  }
  /// Runs a step that begins at `now` and ends so; its times are in `times`.
  /// @param with_jitter  false: every worker at its nominal speed
  /// @param waits  for samples before each worker begins, in rank order; empty: none
  netmodels::Result<void> step(netmodels::Seconds now, std::int64_t step, bool with_jitter,
                               const StepAction& action = {},
                               const std::vector<netmodels::Seconds>& waits = {});
  /// Time that the last step took for models or their changes, which nothing hides; of sites, without what is
  /// exchanged inside them for the step itself.
  [[nodiscard]] netmodels::Seconds models_exchange() const;
  /// The last step waits so much longer for exchanges; below 0: so much less.
  void wait_for_exchange(netmodels::Seconds longer) {
    times_.duration += longer;
    times_.parts.exchange += longer;
  }
  /// Forgets what the network did during the last step, which was lost.
  void abandon_step() {
    network_.return_to_step_start();
    clocks_ = clocks_before_;
  }
  /// Training stood still: all workers begin the next step together.
  void begin_together() { clocks_.meet(); }
  /// Workers wait for an exchange that arrived so long before the end of the last step. @param before  at
  /// least 0
  void take_arrived(netmodels::Seconds before) { clocks_.wait_for(before); }
  /// Continues without these workers.
  void lose(const std::vector<std::uint32_t>& workers);
  /// Continues with these workers alone, who begin together.
  /// @param workers  at least one, in ascending order
  void set_workers(std::vector<std::uint32_t> workers);
  /// Continues with these workers, too.
  /// @param workers  at least one, none of which takes part
  void join(const std::vector<std::uint32_t>& workers);
  /// What a single flow from one worker to another has.
  [[nodiscard]] netmodels::LinkState link_between(std::uint32_t from, std::uint32_t to,
                                                  netmodels::Seconds now);

  [[nodiscard]] const std::vector<std::uint32_t>& workers() const { return workers_; }
  [[nodiscard]] const Platform& platform() const { return cluster_->platform(); }
  /// Of the last step. Its operations are those of `plan().graph()`, and begin after `parts.stream_wait`.
  [[nodiscard]] const netmodels::StepTimes& times() const { return times_; }
  [[nodiscard]] const SlowFactors& factors() const { return factors_; }
  /// Of a worker's own passes in the last step.
  /// @param rank  index into `workers`
  [[nodiscard]] netmodels::Seconds compute_time(std::size_t rank) const {
    return plan().graph().computing * factors_.of_worker[rank];
  }
  /// What the last step ended with.
  [[nodiscard]] const CommunicationPlan& plan() const { return plans_.front(); }
  /// That carried what the last step sent, or the server or store in place of one; empty: nothing was sent.
  [[nodiscard]] std::string_view collective() const;
  [[nodiscard]] EvaluatorCounts evaluators() const;
  /// By the mean worker in the last step; nothing for closed forms
  /// without a schedule.
  [[nodiscard]] std::optional<netmodels::Bytes> sent() const;
  /// Those of them that go to other nodes; nothing too where nodes have one worker, or flags or a server are
  /// used.
  [[nodiscard]] std::optional<netmodels::Bytes> sent_between_nodes() const;
  /// Samples of all workers' batches in one step.
  [[nodiscard]] std::int64_t samples_per_step() const;
  [[nodiscard]] policies::NetworkEstimate network(netmodels::Seconds now);
  [[nodiscard]] std::optional<netmodels::LinkState> neighbours(netmodels::Seconds now);
  [[nodiscard]] std::vector<std::string> links(netmodels::Seconds now);
  /// The part of a collective's time in the last step that is latency.
  /// @param operation  of `plan().graph()`
  [[nodiscard]] netmodels::Seconds latency_of(std::size_t operation, netmodels::Seconds now);
  /// The largest latency and the smallest bandwidth between neighbours in rings of the workers that work
  /// together in a collective of the last step.
  [[nodiscard]] netmodels::LinkState slowest_hop(std::size_t operation, netmodels::Seconds now);

 private:
  StepSimulator(const scenario::Scenario& scenario, RunNetwork network, bool oracle);
  void plan_all();
  /// Whether a step that ends so sends models through a server or a store, also with a single participant.
  [[nodiscard]] bool goes_through(const StepAction& action) const {
    const bool others = workers_.size() > 1 || policies::drawn_share(settings_.synchronisation) < 1;
    return through_ && action.traffic == Traffic::parameters && others;
  }
  /// Adds compressing, sending and restoring to the last step, one after another.
  void send_through(netmodels::Seconds now);
  [[nodiscard]] bool looks_at_network() const;
  CommunicationPlan& plan_for(const StepAction& action);
  /// Half of what the step would take longer with every measured collective at the upper end of its error
  /// than at the lower.
  [[nodiscard]] netmodels::Seconds margin(const CommunicationPlan& plan) const;
  void join_nodes();
  /// The workers' clocks go on by a step; those of workers that exchange meet.
  /// @returns by how much waiting for samples delays the last of them
  netmodels::Seconds run_clocks(const StepAction& action, netmodels::Seconds computing,
                                const std::vector<netmodels::Seconds>& waits);
  [[nodiscard]] netmodels::StepPace pace(const CommunicationPlan& plan) const {
    return {factors_.slowest, factors_.mean, plan.slowdown()};
  }

  StepSettings settings_;
  scenario::Training training_;  ///< with the batches of now
  std::shared_ptr<SharedCluster> cluster_;
  NetworkTimeline network_;
  CostEvaluator evaluator_;  ///< of collectives among the workers
  NetworkProbe probe_;
  Stragglers stragglers_;

  std::vector<std::uint32_t> workers_;
  /// By action, the last used first; those that were used and still may be.
  std::list<CommunicationPlan> plans_;
  ControlTraffic control_;
  netmodels::Seconds deciding_;  ///< of the synchronisation policy, in every step
  std::optional<ThroughExchange> through_;
  WorkerClocks clocks_;         ///< after the last step
  WorkerClocks clocks_before_;  ///< before it
  SlowFactors factors_;
  netmodels::StepTimes times_;
};

}  // namespace sim::engine
