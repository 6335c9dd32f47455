// A step in closed form, and the dense training that a question starts from.
#include "sim/advise/closed_step.hpp"

#include <limits>
#include <memory>
#include <numeric>
#include <optional>
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
  return synchronisation->traits.every_step && compression.method == "none" && !decided_by_step(compression);
}

scenario::Scenario dense_of(const scenario::Scenario& training) {
  scenario::Scenario dense = training;
  dense.synchronisation = {};
  dense.compression = {};
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

/// In a first round, where a policy draws some.
std::vector<std::uint32_t> taking_part(const Scenario& scenario) {
  std::vector<std::uint32_t> workers(static_cast<std::size_t>(scenario.cluster.workers));
  std::iota(workers.begin(), workers.end(), 0U);
  return engine::drawn_workers({drawn_share(scenario.synchronisation),
                                static_cast<std::uint32_t>(workers_of_site(scenario)), scenario.seed},
                               workers, 0);
}

/// One way to end a step, and its cost by closed forms.
class Ending final : public netmodels::CollectiveEvaluator {
 public:
  Ending(const Scenario& scenario, Traffic traffic, const LinkState& link)
      : scenario_(scenario),
        workers_(taking_part(scenario)),
        link_(link),
        plan_(scenario, StepAction{traffic, {}}, workers_) {
    plan_.plan(static_cast<std::uint32_t>(workers_.size()));
    choose();
    find_nccl();
  }

  ClosedStep step() {
    engine::SlowFactors factors;
    engine::Stragglers(scenario_).nominal(workers_, factors);
    netmodels::StepTimes times;
    (void)netmodels::run_step(plan_.graph(), {factors.slowest, factors.mean, plan_.slowdown()}, *this, times);
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
    if (nccl_ && engine::NcclTimes::runs(row, operation)) {
      const auto time = nccl_->time(row, operation);
      if (!time) return tl::unexpected(time.error());
      step_.latency += time->total() - time->wire;
      return on_link(*time);
    }
    step_.latency += row.closed(operation, {link_.latency, {infinite}});
    return row.closed(operation, link_);
  }

 private:
  void choose() {
    const engine::ExchangePlan& plan = plan_.exchange();
    if (plan.open_operations.empty()) return;
    const std::string name =
        plan.candidates.size() == 1 ? std::string(plan.candidates.front()->name) : "auto";
    const auto policy = policies::make_exchange_policy(name, scenario_.exchange.hysteresis);
    const policies::NetworkEstimate seen{link_, {}};
    chosen_ = policy->choose({seen, plan.open_operations, plan.candidates});
    step_.collective = chosen_->name;
  }

  /// Bytes between nodes take longer in proportion where the link is slower than the one of a quiet network.
  [[nodiscard]] Seconds on_link(const netmodels::nccl::Time& time) const {
    const double slower = scenario_.cluster.link.bandwidth / link_.bandwidth * time.link_share;
    const bool crosses = scenario_.cluster.workers > scenario_.cluster.workers_per_node;
    return crosses && slower > 1 ? time.total() + wire_of(time) * (slower - 1) : time.total();
  }

  void find_nccl() {
    const auto* hardware = nccl_of(scenario_);
    if (hardware == nullptr) return;
    nccl_ = engine::NcclTimes::make(*hardware, workers_,
                                    static_cast<std::uint32_t>(scenario_.cluster.workers_per_node));
  }

  [[nodiscard]] const netmodels::MeasuredCollective* measured(const netmodels::Collective& row) const {
    if (scenario_.evaluator != scenario::Evaluator::automatic) return nullptr;
    const auto ranks = static_cast<std::uint32_t>(workers_.size());
    const auto per_node = static_cast<std::uint32_t>(scenario_.cluster.workers_per_node);
    return netmodels::find_measured(scenario_.cluster.measured, row.kind, ranks, ranks / per_node);
  }

  const Scenario& scenario_;
  std::vector<std::uint32_t> workers_;  ///< of a first round
  LinkState link_;
  engine::CommunicationPlan plan_;
  const netmodels::Collective* chosen_ = nullptr;
  std::optional<engine::NcclTimes> nccl_;
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
  if (merging_server_of(scenario.synchronisation))  // nobody waits
    return Ending(scenario, Traffic::nothing, link).step();
  ClosedStep exchanging = Ending(scenario, exchanged(scenario.synchronisation), link).step();
  const auto n = static_cast<double>(period_of(scenario.synchronisation));
  const auto delay = static_cast<double>(streaming_of(scenario.synchronisation).delay);
  if (n <= 1 && delay == 0) return exchanging;
  const ClosedStep local = Ending(scenario, Traffic::nothing, link).step();
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
