// Wiring platform, network, policies and step model together.
#include "sim/engine/training.hpp"

#include <algorithm>
#include <numeric>

#include "policies/catalogue.hpp"
#include "sim/engine/link_summary.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

Training::Training(const scenario::Scenario& scenario, std::unique_ptr<Platform> platform,
                   NetworkPlayer network)
    : scenario_(scenario),
      platform_(std::move(platform)),
      network_(std::move(network)),
      pricer_(*platform_, {scenario.evaluator, scenario.audit, scenario.seed}),
      probe_(scenario.probe, scenario.seed),
      stragglers_(scenario),
      policy_(policies::make_exchange_policy(scenario.exchange.collective, scenario.exchange.hysteresis)),
      workers_(static_cast<std::size_t>(scenario.cluster.workers)),
      overlap_{scenario.exchange.overlap, scenario.exchange.overlap_slowdown} {
  std::iota(workers_.begin(), workers_.end(), 0U);
  plan();
}

Result<std::unique_ptr<Training>> Training::make(const scenario::Scenario& scenario) {
  auto platform = Platform::make(scenario.cluster);
  if (!platform) return tl::unexpected(platform.error());
  auto network = NetworkPlayer::make(scenario.cluster, **platform);
  if (!network) return tl::unexpected(network.error());
  return std::unique_ptr<Training>(new Training(scenario, std::move(*platform), std::move(*network)));
}

void Training::plan() {
  exchange_ = plan_exchange(scenario_, static_cast<std::uint32_t>(workers_.size()));
  compute_ = plan_compute(scenario_, exchange_);
  pricer_.set_workers(workers_);
  chosen_ = nullptr;
  past_.reset();
}

void Training::lose(const std::vector<std::uint32_t>& workers) {
  std::erase_if(workers_,
                [&](std::uint32_t worker) { return std::ranges::find(workers, worker) != workers.end(); });
  if (!workers_.empty()) plan();
}

Seconds Training::observe(Seconds now) {
  const bool watches = exchange_.candidates.size() > 1 && !exchange_.open_operations.empty();
  const Seconds still = watches ? probe_.look(*platform_, workers_, network_.state(now)) : Seconds{};
  if (chosen_ == nullptr || (watches && probe_.readings() != readings_seen_)) choose(now);
  return still;
}

void Training::choose(Seconds now) {
  readings_seen_ = probe_.readings();
  const policies::ExchangeObservation seen{probe_.estimate(now), past_, exchange_.open_operations,
                                           exchange_.candidates};
  const netmodels::Collective* choice = policy_->choose(seen);
  if (choice == chosen_) return;
  chosen_ = choice;
  prepare_stages();
}

void Training::prepare_stages() {
  handles_.clear();
  priced_.clear();
  sent_ = netmodels::Bytes{};
  for (const PlannedBucket& bucket : exchange_.buckets) {
    std::vector<Pricer::Handle>& handles = handles_.emplace_back();
    std::vector<PricedStage>& priced = priced_.emplace_back();
    for (const PlannedStage& stage : bucket.stages) {
      const netmodels::Collective* row = stage.row == nullptr ? chosen_ : stage.row;
      handles.push_back(pricer_.prepare(*row, stage.operation));
      const auto sent = pricer_.sent_per_worker(handles.back());
      if (sent && sent_)
        *sent_ += *sent;
      else
        sent_.reset();
      priced.push_back({row, stage.operation, {}, PricedBy::path});
    }
  }
}

Result<Seconds> Training::price_bucket(std::size_t bucket, Seconds at) {
  Seconds sum;
  for (std::size_t stage = 0; stage < handles_[bucket].size(); ++stage) {
    network_.advance_within_step(step_start_ + at + sum);
    const auto price = pricer_.price(handles_[bucket][stage], network_, step_start_ + at + sum);
    if (!price) return tl::unexpected(price.error());
    priced_[bucket][stage].duration = price->duration;
    priced_[bucket][stage].by = price->by;
    sum += price->duration;
    if (exchange_.buckets[bucket].stages[stage].row == nullptr) {
      past_ = {chosen_->name, exchange_.buckets[bucket].stages[stage].operation.size, price->duration};
    }
  }
  return sum;
}

Result<void> Training::step(Seconds now, std::int64_t step, bool with_jitter) {
  step_start_ = now;
  if (with_jitter)
    stragglers_.factors(step, now, workers_, factors_);
  else
    stragglers_.nominal(workers_, factors_);
  return play_step(
      compute_, overlap_, factors_.slowest, factors_.mean,
      [this](std::size_t bucket, Seconds start) { return price_bucket(bucket, start); }, times_);
}

policies::NetworkEstimate Training::network(Seconds now) {
  return true_estimate(*platform_, workers_, network_.state(now));
}

std::vector<std::string> Training::links(Seconds now) {
  return link_summary(*platform_, network_.state(now));
}

}  // namespace sim::engine
