// Wiring platform, network, policies and step model together.
#include "sim/engine/training.hpp"

#include <algorithm>
#include <numeric>

#include "sim/engine/link_summary.hpp"

namespace sim::engine {

using netmodels::Result;
using netmodels::Seconds;

Training::Training(const scenario::Scenario& scenario, std::unique_ptr<Platform> platform,
                   NetworkPlayer network)
    : scenario_(scenario),
      platform_(std::move(platform)),
      network_(std::move(network)),
      pricer_(*platform_, {scenario.evaluator, scenario.audit, scenario.seed, scenario_.cluster.measured,
                           static_cast<std::uint32_t>(scenario.cluster.workers_per_node)}),
      probe_(scenario.probe, scenario.seed),
      stragglers_(scenario),
      workers_(static_cast<std::size_t>(scenario.cluster.workers)),
      side_(scenario) {
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
  pricer_.set_workers(workers_);
  ways_.clear();
  if (!scenario_.synchronisation->traits.every_step) {  // known from the beginning
    way({Traffic::nothing, {}});
    way({Traffic::parameters, {}});
  }
  way({});
  side_.plan(static_cast<std::uint32_t>(workers_.size()), pricer_);
}

StepExchange& Training::way(const StepEnd& end) {
  constexpr std::size_t most_kept = 64;  // a policy may choose any ratio
  const auto known = std::ranges::find(ways_, end, &StepExchange::end);
  if (known != ways_.end()) {
    ways_.splice(ways_.begin(), ways_, known);
    return ways_.front();
  }
  if (ways_.size() == most_kept) ways_.pop_back();
  ways_.emplace_front(scenario_, end).plan(static_cast<std::uint32_t>(workers_.size()));
  return ways_.front();
}

void Training::lose(const std::vector<std::uint32_t>& workers) {
  std::erase_if(workers_,
                [&](std::uint32_t worker) { return std::ranges::find(workers, worker) != workers.end(); });
  if (!workers_.empty()) plan();
}

bool Training::looks_at_network() const {
  return scenario::decided_by_step(scenario_.compression) ||
         std::ranges::any_of(ways_, &StepExchange::watches);
}

Seconds Training::observe(Seconds now) {
  return looks_at_network() ? probe_.look(*platform_, workers_, network_.state(now)) : Seconds{};
}

void Training::set_batches(const std::vector<int>& samples) {
  scenario_.training.batches = samples;
  stragglers_.set_batches(samples);
}

Seconds Training::put_off(const ComputePlan& plan, const std::vector<Seconds>& waits) const {
  Seconds computed;
  for (std::size_t rank = 0; rank < waits.size(); ++rank)
    computed = std::max(computed, waits[rank] + plan.total() * factors_.of_worker[rank]);
  return std::max(Seconds{}, computed - plan.total() * factors_.slowest);
}

Result<void> Training::step(Seconds now, std::int64_t step, bool with_jitter, const StepEnd& end,
                            const std::vector<Seconds>& waits) {
  if (with_jitter)
    stragglers_.factors(step, now, workers_, factors_);
  else
    stragglers_.nominal(workers_, factors_);
  StepExchange& way = this->way(end);
  const bool news = way.watches() && way.reading() != probe_.readings();
  if (!way.chosen() || news) way.choose(probe_.estimate(now), probe_.readings(), pricer_);
  const Seconds waited = put_off(way.compute(), waits);
  const auto price = [&](std::size_t bucket, Seconds start) {
    return way.price(bucket, now + waited + start, pricer_, network_);
  };
  auto played = play_step(way.compute(), way.overlap(), factors_.slowest, factors_.mean, price, times_);
  times_.margin = margin(way);
  times_.parts.stream_wait = waited;
  times_.duration += waited;
  if (!played || side_.empty()) return played;
  const auto beside = side_.price(now + times_.duration, pricer_, network_);
  if (!beside) return tl::unexpected(beside.error());
  times_.duration += *beside;
  times_.exchange_busy += *beside;
  times_.parts.exchange += *beside;
  return {};
}

Seconds Training::margin(const StepExchange& way) const {
  if (!way.measured()) return {};
  const auto duration = [&](double errors) {
    const auto price = [&](std::size_t bucket, Seconds) -> Result<Seconds> {
      return way.last_time(bucket, errors);
    };
    StepTimes times;
    (void)play_step(way.compute(), way.overlap(), factors_.slowest, factors_.mean, price, times);
    return times.duration;
  };
  return (duration(1) - duration(-1)) / 2;
}

std::optional<netmodels::Bytes> Training::sent() const {
  const auto sent = exchange().sent();
  if (!sent) return std::nullopt;
  return *sent + side_.sent();
}

std::int64_t Training::samples_per_step() const {
  std::int64_t samples = 0;
  for (const std::uint32_t worker : workers_) samples += batch_of(scenario_.training, worker);
  return samples;
}

policies::NetworkEstimate Training::network(Seconds now) {
  return true_estimate(*platform_, workers_, network_.state(now));
}

std::optional<netmodels::LinkState> Training::neighbours(Seconds now) {
  return engine::neighbours(*platform_, workers_, network_.state(now));
}

std::vector<std::string> Training::links(Seconds now) {
  return link_summary(*platform_, network_.state(now));
}

}  // namespace sim::engine
