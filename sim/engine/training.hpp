// A training run in the making: everything that a step needs, kept from one step to the next.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/exchange_policy.hpp"
#include "sim/engine/network_player.hpp"
#include "sim/engine/network_probe.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/pricer.hpp"
#include "sim/engine/side_exchange.hpp"
#include "sim/engine/step_exchange.hpp"
#include "sim/engine/step_model.hpp"
#include "sim/engine/stragglers.hpp"

namespace sim::engine {

/// The state that `play` and `explain` drive step by step.
class Training {
 public:
  /// @returns the training, or an Error when the cluster cannot be built as stated
  static netmodels::Result<std::unique_ptr<Training>> make(const scenario::Scenario& scenario);

  /// Lets the network change up to `now`.
  void arrive(netmodels::Seconds now, std::int64_t step, double epoch) {
    network_.advance(now, step, epoch);
    stragglers_.arrive(now, step, epoch);
  }
  /// From now on each worker takes so many samples, by number.
  void set_batches(const std::vector<int>& samples);
  /// Probes if it is time to. @returns the time that training stood still
  netmodels::Seconds observe(netmodels::Seconds now);
  /// What policies know of the network now; nothing before the first probe.
  [[nodiscard]] std::optional<policies::NetworkEstimate> estimate(netmodels::Seconds now) const {
    return probe_.estimate(now);
  }
  /// Plays a step that begins at `now` and ends so; what it took is in `times`.
  /// @param with_jitter  false: every worker at its nominal speed
  /// @param waits  for samples before each worker begins, in rank order; empty: none
  netmodels::Result<void> step(netmodels::Seconds now, std::int64_t step, bool with_jitter,
                               const StepEnd& end = {}, const std::vector<netmodels::Seconds>& waits = {});
  /// Forgets what the network did during the last step, which was lost.
  void abandon_step() { network_.return_to_step_start(); }
  /// Goes on without these workers.
  void lose(const std::vector<std::uint32_t>& workers);

  [[nodiscard]] const std::vector<std::uint32_t>& workers() const { return workers_; }
  [[nodiscard]] const Platform& platform() const { return *platform_; }
  [[nodiscard]] const StepTimes& times() const { return times_; }
  [[nodiscard]] const SlowFactors& factors() const { return factors_; }
  /// Of a worker's own passes in the last step.
  /// @param rank  index into `workers`
  [[nodiscard]] netmodels::Seconds compute_time(std::size_t rank) const {
    return exchange().compute().total() * factors_.of_worker[rank];
  }
  /// What the last step ended with.
  [[nodiscard]] const StepExchange& exchange() const { return ways_.front(); }
  [[nodiscard]] const EvaluatorCounts& evaluators() const { return pricer_.counts(); }
  /// Per worker, in the last step; nothing for printed forms.
  [[nodiscard]] std::optional<netmodels::Bytes> sent() const;
  /// Samples of all workers' batches in one step.
  [[nodiscard]] std::int64_t samples_per_step() const;
  [[nodiscard]] policies::NetworkEstimate network(netmodels::Seconds now);
  [[nodiscard]] std::optional<netmodels::LinkState> neighbours(netmodels::Seconds now);
  [[nodiscard]] std::vector<std::string> links(netmodels::Seconds now);

 private:
  Training(const scenario::Scenario& scenario, std::unique_ptr<Platform> platform, NetworkPlayer network);
  void plan();
  [[nodiscard]] bool looks_at_network() const;
  StepExchange& way(const StepEnd& end);
  /// See StepTimes.
  [[nodiscard]] netmodels::Seconds margin(const StepExchange& way) const;
  /// By how much waiting puts off the end of the slowest worker's passes.
  [[nodiscard]] netmodels::Seconds put_off(const ComputePlan& plan,
                                           const std::vector<netmodels::Seconds>& waits) const;

  scenario::Scenario scenario_;
  std::unique_ptr<Platform> platform_;
  NetworkPlayer network_;
  Pricer pricer_;
  NetworkProbe probe_;
  Stragglers stragglers_;

  std::vector<std::uint32_t> workers_;
  std::list<StepExchange>
      ways_;  ///< to end a step, the last used first; those that were used and still may be
  SideExchange side_;
  SlowFactors factors_;
  StepTimes times_;
};

}  // namespace sim::engine
