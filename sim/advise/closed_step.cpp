// A step in closed form, and the dense training that a question starts from.
#include "sim/advise/closed_step.hpp"

#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "netmodels/measured_collective.hpp"
#include "netmodels/nccl/contention.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/engine/communication_plan.hpp"
#include "sim/engine/drawn_workers.hpp"
#include "sim/engine/nccl_times.hpp"
#include "sim/engine/stragglers.hpp"
#include "sim/scenario/nccl_keys.hpp"

namespace sim::advise {

// Takes policies away from a training.

bool is_dense(const policies::SynchronisationChoice& synchronisation,
              const scenario::Compression& compression) {
  return synchronisation->traits.every_step && !compression.compresses() && !decided_by_step(compression);
}

scenario::Scenario dense_of(const scenario::Scenario& training) {
  scenario::Scenario dense = training;
  dense.exchange.synchronisation = {};
  dense.exchange.compression = {};
  dense.exchange.collective = "auto";
  return dense;
}

// Evaluates a step by closed forms, or by measurements.

namespace {

using engine::StepAction;
using engine::Traffic;
using netmodels::LinkState;
using netmodels::Operation;
using netmodels::Seconds;
using scenario::Scenario;

Traffic exchanged(const policies::SynchronisationChoice& stated) {
  return exchanges_models(stated) ? Traffic::parameters : Traffic::gradients;
}

/// Values that the ways to end a step have in common.
struct StepOnLink {
  engine::StepSettings settings;
  std::vector<std::uint32_t> workers;  ///< time of a first round
  engine::SlowFactors factors;         ///< time of these, at nominal speed
  LinkState link;                      ///< link between any two of them
  netmodels::Bandwidth stated;         ///< range of the cluster's link
  std::span<const netmodels::MeasuredCollective>
      measured;  ///< measured collectives, whose times are taken where they fit
  std::optional<engine::NcclTimes> nccl;
};

StepOnLink step_on_link(const Scenario& scenario, const LinkState& link) {
  const scenario::Cluster& cluster = scenario.cluster;
  StepOnLink step{.settings = engine::step_settings_of(scenario.work, scenario.cluster, *scenario.stated,
                                                       scenario.exchange),
                  .workers = std::vector<std::uint32_t>(static_cast<std::size_t>(cluster.workers)),
                  .factors = {},
                  .link = link,
                  .stated = cluster.link.bandwidth,
                  .measured = {},
                  .nccl = {}};
  std::iota(step.workers.begin(), step.workers.end(), 0U);
  step.workers = engine::drawn_workers(
      {drawn_share(scenario.exchange.synchronisation), step.settings.site(), scenario.simulation.seed},
      step.workers, 0);
  engine::Stragglers(scenario.work, scenario.cluster, *scenario.stated, scenario.simulation.seed)
      .nominal(step.workers, step.factors);
  if (scenario.simulation.evaluator == scenario::Evaluator::automatic) step.measured = cluster.measured;
  if (const auto* hardware =
          nccl_of(scenario.work, scenario.cluster, scenario.exchange, scenario.simulation.evaluator))
    step.nccl = engine::NcclTimes::make(*hardware, step.workers, step.settings.workers_per_node);
  return step;
}

/// One way to end a step, and its cost by closed forms.
class Ending final : public netmodels::CollectiveEvaluator {
 public:
  /// @param common  outlives this
  Ending(const StepOnLink& common, Traffic traffic)
      : common_(common), plan_(common.settings, StepAction{traffic, {}}, common.workers) {
    plan_.plan(static_cast<std::uint32_t>(common.workers.size()));
    choose();
  }

  ClosedStep step() {
    netmodels::StepTimes times;
    (void)netmodels::run_step(
        plan_.graph(), {common_.factors.slowest, common_.factors.mean, plan_.slowdown()}, *this, times);
    step_.duration = times.duration;
    step_.parts = times.parts;
    step_.exchange_busy = times.exchange_busy;
    return step_;
  }

  netmodels::Result<Seconds> duration(std::size_t index, Seconds) override {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const netmodels::StepOperation& stage = plan_.graph().operations[index];
    const netmodels::Collective& row = stage.row == nullptr ? *chosen_ : *stage.row;
    const Operation& operation = stage.operation;
    if (row.kind == netmodels::CollectiveKind::all_gather)
      step_.gathered += operation.size * ((operation.ranks - 1.0) / operation.ranks);
    if (const auto* known = measured(row)) {
      step_.latency += netmodels::predict(known->times, netmodels::Bytes{});
      return netmodels::predict(known->times, operation.size);
    }
    if (common_.nccl && engine::NcclTimes::runs(row, operation)) {
      const auto time = common_.nccl->time(row, operation);
      if (!time) return tl::unexpected(time.error());
      step_.latency += time->total() - time->wire;
      return on_link(*time);
    }
    step_.latency += row.closed(operation, {common_.link.latency, {infinite}});
    return row.closed(operation, common_.link);
  }

 private:
  void choose() {
    const engine::ExchangePlan& plan = plan_.exchange();
    if (plan.open_operations.empty()) return;
    const netmodels::Collective* only = plan.candidates.size() == 1 ? plan.candidates.front() : nullptr;
    const auto policy = policies::make_exchange_policy(only, common_.settings.exchange.hysteresis);
    const policies::NetworkEstimate seen{common_.link, {}};
    chosen_ = policy->choose({seen, plan.open_operations, plan.candidates});
    step_.collective = chosen_->name;
  }

  /// Bytes between nodes take longer in proportion where the link is slower than the one of a quiet network.
  [[nodiscard]] Seconds on_link(const netmodels::nccl::Time& time) const {
    const double slower = common_.stated / common_.link.bandwidth * time.link_share;
    const bool crosses = common_.settings.workers > common_.settings.workers_per_node;
    return crosses && slower > 1 ? time.total() + wire_of(time) * (slower - 1) : time.total();
  }

  [[nodiscard]] const netmodels::MeasuredCollective* measured(const netmodels::Collective& row) const {
    const auto ranks = static_cast<std::uint32_t>(common_.workers.size());
    return netmodels::find_measured(common_.measured, row, ranks, ranks / common_.settings.workers_per_node);
  }

  const StepOnLink& common_;
  engine::CommunicationPlan plan_;
  const netmodels::Collective* chosen_ = nullptr;
  ClosedStep step_;
};

/// (a (n - 1) + b) / n
template <class T>
T spread(const T& a, const T& b, double n) {
  return (a * (n - 1) + b) / n;
}

engine::Parts spread(const engine::Parts& a, const engine::Parts& b, double n) {
  engine::Parts mean;
  mean.compute = spread(a.compute, b.compute, n);
  mean.wait = spread(a.wait, b.wait, n);
  mean.compress = spread(a.compress, b.compress, n);
  mean.exchange = spread(a.exchange, b.exchange, n);
  return mean;
}

}  // namespace

ClosedStep closed_step(const Scenario& scenario, const LinkState& link) {
  const StepOnLink common = step_on_link(scenario, link);
  const policies::SynchronisationChoice& stated = scenario.exchange.synchronisation;
  if (merging_server_of(stated)) return Ending(common, Traffic::nothing).step();  // nobody waits
  ClosedStep exchanging = Ending(common, exchanged(stated)).step();
  const auto n = static_cast<double>(period_of(stated));
  const auto delay = static_cast<double>(streaming_of(stated).delay);
  if (n <= 1 && delay == 0) return exchanging;
  const ClosedStep local = Ending(common, Traffic::nothing).step();
  // Exchanges queue: no more of each is hidden than the steps until the next one take.
  const Seconds hidden = std::min(exchanging.parts.exchange, std::min(delay, n) * local.duration);
  exchanging.duration -= hidden;
  exchanging.parts.exchange -= hidden;
  exchanging.duration = spread(local.duration, exchanging.duration, n);
  exchanging.parts = spread(local.parts, exchanging.parts, n);
  exchanging.exchange_busy = exchanging.exchange_busy / n;
  exchanging.latency = exchanging.latency / n;
  exchanging.gathered = exchanging.gathered / n;
  return exchanging;
}

}  // namespace sim::advise
