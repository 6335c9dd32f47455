// A training run in the making: everything that a step needs, kept from one step to the next.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/exchange_policy.hpp"
#include "sim/engine/compute_plan.hpp"
#include "sim/engine/exchange_plan.hpp"
#include "sim/engine/network_player.hpp"
#include "sim/engine/network_probe.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/pricer.hpp"
#include "sim/engine/step_model.hpp"
#include "sim/engine/stragglers.hpp"

namespace sim::engine {

/// The state that `play` and `explain` drive step by step.
class Training {
 public:
  /// One collective of one bucket, priced.
  struct PricedStage {
    const netmodels::Collective* row;
    netmodels::Operation operation;
    netmodels::Seconds duration;
    PricedBy by;
  };

  /// @returns the training, or an Error when the cluster cannot be built as stated
  static netmodels::Result<std::unique_ptr<Training>> make(const scenario::Scenario& scenario);

  /// Lets the network change up to `now`.
  void arrive(netmodels::Seconds now, std::int64_t step, double epoch) { network_.advance(now, step, epoch); }
  /// Probes if it is time to and lets the exchange policy choose. @returns the time that training stood still
  netmodels::Seconds observe(netmodels::Seconds now);
  /// Plays a step that begins at `now`; what it took is in `times` and `record`.
  /// @param with_jitter  false: every worker at its nominal speed
  netmodels::Result<void> step(netmodels::Seconds now, std::int64_t step, bool with_jitter);
  /// Forgets what the network did during the last step, which was lost.
  void abandon_step() { network_.return_to_step_start(); }
  /// Goes on without these workers.
  void lose(const std::vector<std::uint32_t>& workers);

  [[nodiscard]] const std::vector<std::uint32_t>& workers() const { return workers_; }
  [[nodiscard]] const Platform& platform() const { return *platform_; }
  [[nodiscard]] const StepTimes& times() const { return times_; }
  [[nodiscard]] const SlowFactors& factors() const { return factors_; }
  [[nodiscard]] const ComputePlan& compute() const { return compute_; }
  [[nodiscard]] const ExchangePlan& exchange() const { return exchange_; }
  [[nodiscard]] const std::vector<std::vector<PricedStage>>& priced() const { return priced_; }
  /// That carries the values; empty where nothing is exchanged.
  [[nodiscard]] std::string_view collective() const {
    return workers_.size() > 1 ? chosen_->name : std::string_view{};
  }
  [[nodiscard]] const EvaluatorCounts& evaluators() const { return pricer_.counts(); }
  /// Per worker and step; nothing for printed forms.
  [[nodiscard]] std::optional<netmodels::Bytes> sent() const { return sent_; }
  [[nodiscard]] policies::NetworkEstimate network(netmodels::Seconds now);
  [[nodiscard]] std::vector<std::string> links(netmodels::Seconds now);

 private:
  Training(const scenario::Scenario& scenario, std::unique_ptr<Platform> platform, NetworkPlayer network);
  void plan();
  void choose(netmodels::Seconds now);
  void prepare_stages();
  netmodels::Result<netmodels::Seconds> price_bucket(std::size_t bucket, netmodels::Seconds at);

  scenario::Scenario scenario_;
  std::unique_ptr<Platform> platform_;
  NetworkPlayer network_;
  Pricer pricer_;
  NetworkProbe probe_;
  Stragglers stragglers_;
  std::unique_ptr<policies::ExchangePolicy> policy_;

  std::vector<std::uint32_t> workers_;
  ExchangePlan exchange_;
  ComputePlan compute_;
  OverlapRule overlap_;
  const netmodels::Collective* chosen_ = nullptr;
  std::vector<std::vector<Pricer::Handle>> handles_;  ///< per bucket and stage
  std::vector<std::vector<PricedStage>> priced_;      ///< per bucket, of the last step
  std::optional<netmodels::Bytes> sent_;
  std::optional<policies::PastExchange> past_;  ///< of the last bucket of the last step
  std::uint64_t readings_seen_ = 0;
  netmodels::Seconds step_start_;
  SlowFactors factors_;
  StepTimes times_;
};

}  // namespace sim::engine
