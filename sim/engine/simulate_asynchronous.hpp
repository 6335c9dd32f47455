// Training with a parameter server and workers that do not wait for each other, or not for long.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/engine/cluster_cache.hpp"
#include "sim/engine/flows.hpp"
#include "sim/engine/network_timeline.hpp"
#include "sim/engine/own_pace.hpp"
#include "sim/engine/record.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/engine/step_settings.hpp"
#include "sim/engine/stragglers.hpp"
#include "sim/engine/training_loop.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// The workers' own clocks, in the order of simulated time.
///
///   worker:  compute, compress, push its gradient, [wait until it is at most `staleness` steps ahead of the
///            slowest], pull the parameters, ...
///   server:  on its own host, with a link like the workers'; or on the host of worker 0, as in the
///            parameter_server collective, whose own messages then take no time
///
/// A worker pulls what the server has when the pull begins. Pushes and pulls share the links max-min fairly.
///
/// Leaves out: the server's own additions; pulls overlapped with computing; messages cut into buckets.
/// Source: Ho et al., "More Effective Distributed ML via a Stale Synchronous Parallel Parameter Server",
///         NeurIPS 2013; with no bound on staleness, Dean et al., "Large Scale Distributed Deep Networks",
///         NeurIPS 2012 (Downpour SGD).
class Asynchronous final : public OwnPace {
 public:
  /// @param scenario  outlives this
  /// @returns the training, or an Error when the cluster cannot be built as stated
  static netmodels::Result<std::unique_ptr<Asynchronous>> make(const scenario::Scenario& scenario,
                                                               ClusterCache& clusters);

  std::optional<Push> next(const PaceListener& listener) override;
  [[nodiscard]] netmodels::Seconds now() const override { return flows_.now(); }
  [[nodiscard]] NetworkTimeline& network() override { return network_; }
  [[nodiscard]] const Platform& platform() const override { return cluster_->platform(); }
  void arrive(std::int64_t step, double epoch) override {
    network_.advance(flows_.now(), step, epoch);
    stragglers_.arrive(flows_.now(), step, epoch);
  }
  void set_batches(const std::vector<int>& samples) override;
  [[nodiscard]] std::size_t workers() const override { return workers_.size(); }
  [[nodiscard]] std::string_view exchange() const override { return "push and pull"; }

 private:
  enum class Doing { pulling, computing, pushing, waiting };
  struct Worker {
    Doing doing = Doing::pulling;
    std::int64_t steps = 0;    ///< pushes that have arrived
    netmodels::Seconds since;  ///< when it began its current action
    netmodels::Seconds until;  ///< when it has computed
    Parts parts;
    std::int64_t pulled_at = 0;  ///< gradients that the server had taken when it pulled
    int samples = 1;             ///< of its batch
    netmodels::Seconds compute;  ///< of its passes
  };

  Asynchronous(const StepSettings& settings, Stragglers stragglers, RunNetwork network);
  void start_pull(std::uint32_t worker, const PaceListener& listener);
  void start_compute(std::uint32_t worker);
  void start_push(std::uint32_t worker);
  Push finish_push(std::uint32_t worker);
  void release(const PaceListener& listener);
  [[nodiscard]] bool may_go_on(const Worker& worker) const;
  [[nodiscard]] std::optional<std::uint32_t> next_to_compute() const;

  scenario::Training training_;            ///< with the batches of now
  std::optional<std::int64_t> staleness_;  ///< steps that a worker may be ahead; nothing: any number
  std::uint32_t server_;                   ///< rank of its host
  std::shared_ptr<SharedCluster> cluster_;
  NetworkTimeline network_;
  Stragglers stragglers_;
  Flows flows_;
  netmodels::Bytes push_size_;
  netmodels::Bytes pull_size_;
  netmodels::Seconds compute_;
  netmodels::Seconds compress_;
  std::vector<Worker> workers_;
  std::int64_t taken_ = 0;  ///< gradients, by the server
  bool begun_ = false;
};

// The loop over gradients of workers at their own pace.

/// Simulates a scenario that `is_asynchronous`. A recorded step is as many gradients as there are workers,
/// from any workers: it holds as many samples as a step of bulk-synchronous training where all batches are
/// alike. Its duration is the time since the step before, its parts are those of its gradients in the same
/// proportions.
netmodels::Result<ArmResult> simulate_asynchronously(const scenario::Scenario& scenario,
                                                     const Listeners& listeners, TrainingLoop loop,
                                                     ClusterCache& clusters);

}  // namespace sim::engine
