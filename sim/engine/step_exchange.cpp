// Planning buckets, asking the exchange policy, pricing stage after stage.
#include "sim/engine/step_exchange.hpp"

#include <algorithm>
#include <utility>

#include "policies/exchange_row.hpp"
#include "sim/engine/compression_time.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

namespace {

/// A named collective stays where it can carry what is sent; elsewhere the cheapest that can is taken.
void keep_what_fits(scenario::Exchange& exchange, netmodels::CollectiveKind sent) {
  const auto named = netmodels::find_collective(exchange.collective);
  if (!named || (*named)->kind == sent) return;
  const bool sums = (*named)->kind == netmodels::CollectiveKind::all_reduce;
  if (sent != netmodels::CollectiveKind::ar_topk || !sums) exchange.collective = "auto";
}

/// A model is sent dense and at once, after the optimizer.
void send_parameters(scenario::Scenario& scenario) {
  scenario.compression = {};
  scenario.exchange.first_bucket = {};
  scenario.exchange.bucket = {};
  scenario.exchange.overlap = false;
  keep_what_fits(scenario.exchange, netmodels::CollectiveKind::all_reduce);
}

void send_chosen(scenario::Scenario& scenario, const ChosenCompression& chosen, std::uint32_t workers) {
  const auto format = kernels::find_wire_format(chosen.sent.method);
  scenario.compression.time = time_of_trials(scenario, chosen.trials) +
                              restoring_time(scenario, chosen.sent, scenario.workload.parameters(), workers);
  scenario.compression.method = chosen.sent.method;
  scenario.compression.ratio = chosen.sent.ratio;
  keep_what_fits(scenario.exchange, (*format)->exchange);
}

/// @param workers  that take part
scenario::Scenario for_end(const scenario::Scenario& stated, const StepEnd& end, std::uint32_t workers) {
  scenario::Scenario scenario = stated;
  if (end.traffic == Traffic::parameters) send_parameters(scenario);
  if (end.traffic == Traffic::gradients && end.compression) send_chosen(scenario, *end.compression, workers);
  return scenario;
}

}  // namespace

StepExchange::StepExchange(const scenario::Scenario& scenario, StepEnd end)
    : scenario_(&scenario), end_(std::move(end)) {
  const scenario::Exchange exchange = for_end(scenario, end_, 1).exchange;
  overlap_ = {exchange.overlap, exchange.overlap_slowdown};
  policy_ = policies::make_exchange_policy(exchange.collective, exchange.hysteresis);
}

void StepExchange::plan(std::uint32_t workers) {
  const std::uint32_t exchanging = end_.traffic == Traffic::nothing ? 1 : workers;
  const scenario::Scenario scenario = for_end(*scenario_, end_, exchanging);
  exchange_ = plan_exchange(scenario, exchanging);
  compute_ = plan_compute(scenario, exchange_, exchanging);
  chosen_ = nullptr;
  past_.reset();
}

void StepExchange::choose(const std::optional<policies::NetworkEstimate>& network, std::uint64_t reading,
                          Pricer& pricer) {
  reading_ = reading;
  const policies::ExchangeObservation seen{network, past_, exchange_.open_operations, exchange_.candidates};
  const netmodels::Collective* choice = policy_->choose(seen);
  if (choice == chosen_) return;
  chosen_ = choice;
  prepare(pricer);
}

void StepExchange::prepare(Pricer& pricer) {
  handles_.clear();
  priced_.clear();
  sent_ = netmodels::Bytes{};
  for (const PlannedBucket& bucket : exchange_.buckets) {
    std::vector<Pricer::Handle>& handles = handles_.emplace_back();
    std::vector<PricedStage>& priced = priced_.emplace_back();
    for (const PlannedStage& stage : bucket.stages) {
      const netmodels::Collective* row = stage.row == nullptr ? chosen_ : stage.row;
      handles.push_back(pricer.prepare(*row, stage.operation));
      const auto sent = pricer.sent_per_worker(handles.back());
      if (sent && sent_)
        *sent_ += *sent;
      else
        sent_.reset();
      priced.push_back({row, stage.operation, {}, PricedBy::path});
    }
  }
}

Result<Seconds> StepExchange::price(std::size_t bucket, Seconds start, Pricer& pricer,
                                    NetworkPlayer& network) {
  Seconds sum;
  for (std::size_t stage = 0; stage < handles_[bucket].size(); ++stage) {
    network.advance_within_step(start + sum);
    const auto price = pricer.price(handles_[bucket][stage], network, start + sum);
    if (!price) return tl::unexpected(price.error());
    priced_[bucket][stage].duration = price->duration;
    priced_[bucket][stage].by = price->by;
    priced_[bucket][stage].error = price->error;
    sum += price->duration;
    const PlannedStage& planned = exchange_.buckets[bucket].stages[stage];
    if (planned.row == nullptr) past_ = {chosen_->name, planned.operation.size, price->duration};
  }
  return sum;
}

Seconds StepExchange::last_time(std::size_t bucket, double errors) const {
  Seconds sum;
  for (const PricedStage& stage : priced_[bucket])
    sum += stage.duration * std::max(0.0, 1 + errors * stage.error);
  return sum;
}

bool StepExchange::measured() const {
  return std::ranges::any_of(priced_, [](const std::vector<PricedStage>& stages) {
    return std::ranges::any_of(stages,
                               [](const PricedStage& stage) { return stage.by == PricedBy::measured; });
  });
}

}  // namespace sim::engine
