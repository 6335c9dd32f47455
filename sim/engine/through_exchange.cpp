// Up, then down, on links that are shared max-min fairly.
#include "sim/engine/through_exchange.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "kernels/catalogue.hpp"
#include "netmodels/buckets.hpp"

namespace sim::engine {

using netmodels::Bytes;
using netmodels::LinkState;
using netmodels::Seconds;

Seconds last_transfer(std::span<const LinkState> ways, Bytes size, const LinkState& shared) {
  std::vector<std::size_t> order(ways.size());  // the narrowest last: it ends last, too
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::ranges::greater{}, [&](std::size_t i) { return ways[i].bandwidth.count; });
  std::vector<double> left(ways.size(), size.count);
  std::vector<double> rate(ways.size());
  double now = 0;
  double last = 0;
  for (std::size_t begun = 0; begun < order.size();) {
    double capacity = shared.bandwidth.count;
    for (std::size_t at = order.size(); at-- > begun;) {  // narrow ways take what they can, others share
      const double share = capacity / static_cast<double>(at - begun + 1);
      rate[order[at]] = std::min(ways[order[at]].bandwidth.count, share);
      capacity -= rate[order[at]];
    }
    const double step = left[order[begun]] / rate[order[begun]];  // the widest is the first to end
    now += step;
    for (std::size_t at = begun; at < order.size(); ++at) left[order[at]] -= rate[order[at]] * step;
    const double nothing = 1e-9 * size.count;
    while (begun < order.size() && left[order[begun]] <= nothing) {
      last = std::max(last, now + ways[order[begun]].latency.count);
      ++begun;
    }
  }
  return Seconds{last} + shared.latency;
}

std::string_view ThroughExchange::name() const {
  return through_.kind == scenario::ThroughKind::server ? "server" : "object store";
}

Seconds ThroughExchange::time(const Platform& platform, const std::vector<std::uint32_t>& workers,
                              const netmodels::NetworkState& state, Bytes message, Bytes mean) const {
  std::vector<LinkState> up;
  std::vector<LinkState> down;
  for (const std::uint32_t worker : workers) {
    const std::uint32_t other = worker == 0 ? 1 : 0;  // its own links are those of any route on a star
    up.push_back(state.links[platform.route(worker, other).front()]);
    down.push_back(state.links[platform.route(other, worker).back()]);
  }
  const bool server = through_.kind == scenario::ThroughKind::server;
  const Bytes fetched = server ? mean : message * static_cast<double>(workers.size() - 1);
  return last_transfer(up, message, through_.link) + last_transfer(down, fetched, through_.link);
}

ThroughBytes through_bytes(const scenario::Compression& compression, std::int64_t values,
                           std::uint32_t workers) {
  const kernels::Entry& format = *compression.stated().method;
  const Bytes message =
      kernels::message_bytes(format, {values, compression.ratio, compression.index_bytes, false});
  const Bytes whole{netmodels::gradient_value_bytes * static_cast<double>(values)};
  const bool sums = format.recoded || format.exchange == netmodels::CollectiveKind::all_reduce;
  return {message, sums ? message : std::min(whole, message * static_cast<double>(workers))};
}

}  // namespace sim::engine
