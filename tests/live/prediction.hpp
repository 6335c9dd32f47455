// Predictions by the closed forms of the exchanges that the live testbed measures, from ping-pong on another
// bandwidth.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "calibrate/measurements/measurement.hpp"
#include "kernels/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/result.hpp"

namespace live {

using netmodels::Bytes;
using netmodels::LinkState;
using netmodels::Seconds;

/// Sizes from here on are held to the bands; below, single packets, wake-ups of processes and the shaper's
/// burst decide.
inline constexpr Bytes smallest_clean{262144};
/// Open MPI's pipelined broadcast is set to cut messages into pieces of this size.
inline constexpr Bytes broadcast_piece{8192};

/// Latency and payload bandwidth on a line of another rate.
///
/// The latency is the half round trip of the smallest message. The payload's share of the line is the slope
/// from the smallest clean size to the largest, divided by the line rate it was measured at. Leaves out: what
/// the processor adds at higher rates, acknowledgements that share the line with data.
/// @param ping_pong  point_to_point at `measured_at`
inline netmodels::Result<LinkState> transferred(const calibrate::measurements::Measurements& ping_pong,
                                                netmodels::Bandwidth measured_at, netmodels::Bandwidth line) {
  const auto& points = ping_pong.points;
  const auto clean =
      std::ranges::find_if(points, [](const auto& point) { return point.size >= smallest_clean; });
  if (clean == points.end() || clean->size == points.back().size || clean == points.begin()) {
    return netmodels::refuse("", "the ping-pong has no small size and two of 256 KiB or more",
                             "measure such as 4B,256KiB,1MiB");
  }
  if (points.back().time <= clean->time)
    return netmodels::refuse("", "large messages do not take longer than small ones",
                             "measure larger messages");
  const netmodels::Bandwidth payload =
      (points.back().size - clean->size) / (points.back().time - clean->time);
  return LinkState{points.front().time, (payload / measured_at) * line};
}

/// One exchange to be predicted.
struct Exchange {
  std::string_view name;  ///< name of a row of `calibrate::measurements::operations()`
  Bytes size;             ///< as that row counts it
  std::uint32_t ranks;    ///< N
  double ratio = 1;       ///< c of the sparse exchanges, kept / original
  Seconds local{};        ///< computing of the sparse exchanges, measured without messages
};

inline Seconds closed(std::string_view collective, Bytes size, std::uint32_t ranks, const LinkState& link) {
  netmodels::Operation operation{.ranks = ranks, .size = size};
  if (collective == "ring_allgatherv") {
    const double mean = size.count / ranks;
    for (std::uint32_t i = 0; i < ranks; ++i)
      operation.parts.push_back({mean * (0.5 + double(i) / (ranks - 1))});
  }
  return (*netmodels::find_collective(collective))->closed(operation, link);
}

/// Pieces follow each other down the chain without waiting for answers, so that each link's latency counts
/// once: (N-1) L + (N-2+C) M/(C B), the table's pipelined form on a link without latency, and the latencies.
inline Seconds pipelined_broadcast(Bytes size, std::uint32_t ranks, const LinkState& link) {
  const auto pieces = static_cast<std::uint32_t>(std::max(1.0, std::ceil(size / broadcast_piece)));
  const netmodels::Operation operation{.ranks = ranks, .size = size, .chunks = pieces};
  const auto row = netmodels::find_collective("pipelined_broadcast");
  return (ranks - 1.0) * link.latency + (*row)->closed(operation, {Seconds{}, link.bandwidth});
}

/// The bytes that the collective under a compressed exchange is given, as its row counts them; for any other
/// exchange its own size.
inline Bytes carried(const Exchange& exchange) {
  const kernels::Payload payload{.elements = static_cast<std::int64_t>(exchange.size.count / 4),
                                 .ratio = exchange.ratio};
  const Bytes values{4.0 * static_cast<double>(kernels::kept(payload))};
  if (exchange.name == "topk_all_gather") return 2.0 * exchange.ranks * values;
  return exchange.name == "ar_topk" ? values : exchange.size;
}

/// The time of one exchange by ring all-reduce, ring all-gather and pipelined broadcast; nothing for a name
/// that is no exchange over the network.
inline std::optional<Seconds> predict(const Exchange& exchange, const LinkState& link) {
  const auto ring = [&](std::string_view name) {
    return closed(name, carried(exchange), exchange.ranks, link);
  };
  if (exchange.name == "point_to_point") return link.time(exchange.size);
  if (exchange.name == "all_reduce") return ring("ring_allreduce");
  if (exchange.name == "all_gather") return ring("ring_allgather");
  if (exchange.name == "all_gatherv") return ring("ring_allgatherv");
  if (exchange.name == "broadcast") return pipelined_broadcast(exchange.size, exchange.ranks, link);
  if (exchange.name == "topk_all_gather") return exchange.local + ring("ring_allgather");
  if (exchange.name == "ar_topk") {
    return exchange.local + pipelined_broadcast(carried(exchange), exchange.ranks, link) +
           ring("ring_allreduce");
  }
  return std::nullopt;
}

}  // namespace live
