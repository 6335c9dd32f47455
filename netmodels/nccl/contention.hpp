// NCCL's rings and trees as flows: how long they take on links that others use, that differ, or that change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netmodels/nccl/time.hpp"
#include "netmodels/network.hpp"
#include "netmodels/quantity.hpp"

namespace netmodels::nccl {

/// Bytes go from one rank to another.
struct Edge {
  std::uint32_t from;
  std::uint32_t to;

  bool operator==(const Edge&) const = default;
};

/// Edges that an operation sends along, on all channels together: every edge carries as much.
struct Pattern {
  std::vector<Edge> edges;
  double trips_around = 0;    ///< number of times that dependent steps pass all edges
  double trips_along = 0;     ///< and how many single edges they pass, one after the other
  Bandwidth quiet_rate = {};  ///< rate of an edge, on links that are as the model has them, Simple protocol
};

/// Rings pass ranks in order and back to the first, a broadcast ends at the last. A tree is a chain inside
/// each node and two binary trees over their first ranks, up and down. NVLS and PAT load each rank's link
/// once in each direction, as a ring does.
/// @param time  of `model` for `operation`
/// Leaves out: that channels enter and leave a node by different GPUs; the order of GPUs that NCCL finds.
/// Source: NCCL src/graph/{rings.cc, trees.cc, connect.cc}.
Pattern pattern_of(const Model& model, Operation operation, const Time& time);

/// Communicators that work at the same time, alike, on links.
struct Flows {
  std::vector<Route> links;                    ///< links of each communicator: as often as edges cross a link
  std::vector<std::span<const LinkId>> edges;  ///< the route of each edge of the first one
};

/// Links of a network, as a model sees them.
struct ModelLinks {
  std::vector<Bandwidth> most;   ///< limit by the model's hardware on a link; infinite where nothing does
  std::vector<Seconds> latency;  ///< part of a link's latency that is in the model's hops
};

/// A time on a network as it is.
struct ContendedTime {
  Time time;
  bool reusable = false;  ///< the same again until the horizon of the state
};

/// The time of an operation whose bytes move as flows. All edges of a ring or tree move at the rate of its
/// slowest, since each rank passes on what it receives; they share links max-min fairly with background
/// flows, an edge counting as one flow, and follow every change while they are under way. What is neither
/// wire nor fill passes before, and is as on a quiet network; latency of links that is not in the model's
/// hops is paid once a trip. A link carries no more than the hardware puts on it.
///
///   progress of wire and fill = min(1, rate of the slowest edge / (quiet_rate link_share))
///
/// @param routes  of background flows, by worker
/// @returns `quiet` with added latency in its `hops`, with its `contention`, and whether it holds until the
///          state's horizon
/// Leaves out: that a protocol's buffers bound the rate over long links; changes of latency under way.
ContendedTime contended(const Time& quiet, const Pattern& pattern, const Flows& flows,
                        const ModelLinks& model_links, const NetworkState& state, const Routes& routes);

/// Latency of links that is not in the model's hops, over all dependent steps.
Seconds added_latency(const Pattern& pattern, const Flows& flows, const ModelLinks& model_links,
                      const std::vector<LinkState>& links);

/// The part of an operation's time that passes while its bytes move, with its share of a correction.
Seconds wire_of(const Time& time);

}  // namespace netmodels::nccl
