// Drawing rates, filling and emptying queues.
#include "sim/engine/stream_buffers.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <utility>

#include "sim/engine/random.hpp"

namespace sim::engine {
namespace {

using netmodels::Seconds;

double drawn_rate(const scenario::RateDistribution& law, std::uint64_t seed, std::uint32_t worker) {
  Draw draw(seed, Stream::rates, worker);
  const double standard = law.law == scenario::RateDistributionKind::normal
                              ? draw.normal()
                              : std::numbers::sqrt3 * (2 * draw.uniform() - 1);  // deviation 1
  const double most = law.max.value_or(std::numeric_limits<double>::infinity());
  return std::clamp(law.mean + law.deviation * standard, law.min, most);
}

}  // namespace

StreamBuffers::StreamBuffers(const scenario::Streams& stated, std::uint32_t workers, std::uint64_t seed)
    : stated_(stated) {
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    const double rate =
        stated_.distribution ? drawn_rate(*stated_.distribution, seed, worker) : stated_.rates[worker];
    devices_.push_back({{{{}, rate}}, 0, 0, {}});
    for (const scenario::StreamRateChange& change : stated_.changes) this->change(worker, change);
  }
}

void StreamBuffers::change(std::uint32_t worker, const scenario::StreamRateChange& change) {
  const auto& whose = change.workers;
  if (!whose.empty() && std::ranges::find(whose, static_cast<int>(worker)) == whose.end()) return;
  std::vector<Rate>& rates = devices_[worker].rates;
  const double factor = change.factor.value_or(1);
  rates.push_back({change.at, change.rate.value_or(factor * rates.front().samples_per_second)});
}

std::size_t StreamBuffers::current(std::uint32_t worker, Seconds now) const {
  const std::vector<Rate>& rates = devices_[worker].rates;
  const auto later = std::ranges::upper_bound(rates, now, {}, &Rate::at);
  return static_cast<std::size_t>(later - rates.begin()) - 1;
}

Seconds StreamBuffers::end_of(std::uint32_t worker, std::size_t rate) const {
  const std::vector<Rate>& rates = devices_[worker].rates;
  return rate + 1 < rates.size() ? rates[rate + 1].at : Seconds{std::numeric_limits<double>::infinity()};
}

double StreamBuffers::rate(std::uint32_t worker, Seconds now) const {
  return devices_[worker].rates[current(worker, now)].samples_per_second;
}

double StreamBuffers::arriving(std::uint32_t worker, Seconds from, Seconds to) const {
  double samples = 0;
  for (std::size_t rate = current(worker, from); from < to; ++rate) {
    const Seconds until = std::min(to, end_of(worker, rate));
    samples += devices_[worker].rates[rate].samples_per_second * (until - from).count;
    from = until;
  }
  return samples;
}

Seconds StreamBuffers::wait_for(std::uint32_t worker, Seconds now, double samples) const {
  Seconds at = now;
  for (std::size_t rate = current(worker, now);; ++rate) {
    const double arriving = devices_[worker].rates[rate].samples_per_second;
    const Seconds needed{samples / arriving};
    const Seconds until = end_of(worker, rate);
    if (at + needed <= until) return at + needed - now;
    samples -= arriving * (until - at).count;
    at = until;
  }
}

const std::vector<Seconds>& StreamBuffers::take(Seconds now, const std::vector<std::uint32_t>& workers,
                                                const std::vector<int>& samples) {
  waits_.clear();
  for (const std::uint32_t worker : workers) {
    Device& device = devices_[worker];
    if (stated_.waiting_counts) {
      const double late = arriving(worker, device.counted_from, now);
      device.arrived += late;
      buffer_.streamed += late;
    }
    const double queued = device.held + std::exchange(device.arrived, 0);
    const double missing = samples[worker] - queued;
    waits_.push_back(missing > 0 ? wait_for(worker, now, missing) : Seconds{});
    if (missing > 0) buffer_.streamed += missing;
    device.held = missing > 0 || stated_.buffer == scenario::StreamBuffer::truncation ? 0 : -missing;
    device.counted_from = now + waits_.back();
  }
  return waits_;
}

void StreamBuffers::pass(Seconds end, Seconds working, const std::vector<std::uint32_t>& workers) {
  buffer_.samples = 0;
  buffer_.fullest = 0;
  for (const std::uint32_t worker : workers) {
    Device& device = devices_[worker];
    const Seconds from = stated_.waiting_counts ? device.counted_from : end - working;
    const double arrived = arriving(worker, from, end);
    const bool kept = stated_.buffer == scenario::StreamBuffer::persistence;  // also while a worker rests
    device.arrived = kept ? device.arrived + arrived : arrived;
    device.counted_from = end;
    buffer_.streamed += arrived;
    const double queued = device.held + device.arrived;
    buffer_.samples += queued;
    buffer_.fullest = std::max(buffer_.fullest, queued);
  }
  buffer_.bytes = stated_.sample_size * buffer_.samples;
}

}  // namespace sim::engine
