// Every key under `cluster`: what it is called, what it means, what it accepts.
#pragma once

#include "netmodels/collective.hpp"
#include "sim/scenario/field.hpp"
#include "sim/scenario/fields_batching.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

/// A collective spans all workers.
inline constexpr double most_workers = netmodels::most_ranks;

template <>
inline constexpr auto names_of<OnFailure> = std::to_array<Named<OnFailure>>({{"continue", OnFailure::go_on},
                                                                             {"stop", OnFailure::stop}});

template <>
inline constexpr auto names_of<NetworkPreset> =
    std::to_array<Named<NetworkPreset>>({{"exact", NetworkPreset::exact},
                                         {"tcp-wan", NetworkPreset::tcp_wan},
                                         {"tcp-lv08", NetworkPreset::tcp_lv08}});

template <>
inline constexpr auto names_of<TopologyKind> =
    std::to_array<Named<TopologyKind>>({{"star", TopologyKind::star},
                                        {"fat_tree", TopologyKind::fat_tree},
                                        {"dragonfly", TopologyKind::dragonfly},
                                        {"torus", TopologyKind::torus},
                                        {"racks", TopologyKind::racks},
                                        {"wan", TopologyKind::wan},
                                        {"platform", TopologyKind::platform}});

template <>
inline constexpr std::string_view choice_key<Topology> = "kind";

template <class V>
void describe(V& v, LinkSettings& link) {
  v.field({.name = "latency", .doc = "Time before the first byte arrives.", .example = "1 ms"}, link.latency);
  v.field(
      {.name = "bandwidth", .doc = "Capacity in each direction.", .bounds = above(0), .example = "10 Gbit/s"},
      link.bandwidth);
}

template <class V>
void describe(V& v, LinkChange& change) {
  v.field({.name = "at", .doc = "When: a time, a step or an epoch, counted from 0.", .example = "epoch 12"},
          change.at);
  v.field({.name = "bandwidth",
           .doc = "Capacity of each direction from then on.",
           .bounds = above(0),
           .example = "1 Gbit/s"},
          change.bandwidth);
  v.field({.name = "latency",
           .doc = "Latency from then on, stated as the link's own: see `link`.",
           .example = "50 ms"},
          change.latency);
  v.field({.name = "workers",
           .doc = "Workers whose own links change, those of whole nodes where workers share them; on star, "
                  "racks and wan only.",
           .bounds = at_least(0),
           .example = "[0, 3]"},
          change.workers);
  v.field({.name = "links",
           .doc = "Links as `sim explain` names them. Without `links` and `workers`: the own links of all "
                  "workers, or every "
                  "link where workers have none (fat_tree, torus, dragonfly, platform).",
           .example = "[rack0]"},
          change.links);
}

template <class V>
void describe(V& v, LinkTrace& trace) {
  v.field({.name = "file",
           .doc = "CSV file with the columns time_s, bandwidth_bit_per_s, latency_s (either of the last two "
                  "may be missing).",
           .example = "traces/wifi.csv"},
          trace.file);
  v.field({.name = "period",
           .doc = "The trace starts over after this long.",
           .bounds = above(0),
           .example = "10 min"},
          trace.period);
  v.field(
      {.name = "workers",
       .doc =
           "Workers whose own links follow the trace (star, racks and wan). Without it, the own links of all "
           "workers, or every link where workers have none.",
       .bounds = at_least(0),
       .example = "[2]"},
      trace.workers);
}

template <class V>
void describe(V& v, BackgroundTraffic& traffic) {
  v.field({.name = "from",
           .doc = "Worker on whose host the traffic begins.",
           .bounds = at_least(0),
           .example = "0"},
          traffic.from);
  v.field({.name = "to", .doc = "Worker on whose host it ends.", .bounds = at_least(0), .example = "1"},
          traffic.to);
  v.field({.name = "rate",
           .doc = "A constant rate that gives way to nobody; without it, as fast as its fair share allows.",
           .bounds = above(0),
           .example = "2 Gbit/s"},
          traffic.rate);
  v.field({.name = "start", .doc = "When it begins.", .fallback = "0 s", .example = "5 s"}, traffic.start);
  v.field({.name = "end", .doc = "When it ends; without it, never.", .example = "20 s"}, traffic.end);
  v.field(
      {.name = "period", .doc = "It comes again with this period.", .bounds = above(0), .example = "1 min"},
      traffic.period);
}

template <class V>
void describe(V& v, Failure& failure) {
  v.field({.name = "worker", .doc = "A worker that is lost for good.", .bounds = at_least(0), .example = "3"},
          failure.worker);
  v.field({.name = "link", .doc = "A link that is down, as `sim explain` names it.", .example = "worker3"},
          failure.link);
  v.field({.name = "at", .doc = "When it happens.", .example = "30 s"}, failure.at);
  v.field({.name = "until", .doc = "When the link works again; without it, never.", .example = "45 s"},
          failure.until);
}

template <class V>
void describe(V& v, WorkerLink& own) {
  v.field({.name = "workers",
           .doc = "Workers with that link; all workers of a node, where they share one.",
           .bounds = at_least(0),
           .example = "[7]",
           .need = Need::required},
          own.workers);
  v.field({.name = "link", .doc = "Their link.", .need = Need::required}, own.link);
}

template <class V>
void describe(V& v, Site& site) {
  v.field({.name = "name", .doc = "Name of the site.", .example = "amsterdam"}, site.name);
  v.field({.name = "workers",
           .doc = "Workers there; ranks are given to the sites in order.",
           .bounds = between(1, most_workers),
           .example = "4"},
          site.workers);
  v.field({.name = "bandwidth",
           .doc = "Capacity between the site and the backbone, each direction.",
           .bounds = above(0),
           .example = "1 Gbit/s"},
          site.bandwidth);
  v.field({.name = "latency",
           .doc = "Latency between the site's switch and the backbone; between two sites both are paid, and "
                  "`link` too.",
           .example = "20 ms"},
          site.latency);
}

template <class V>
void describe(V& v, FatTree& tree) {
  v.field({.name = "down",
           .doc = "Children of each switch, one number per level, leaves first.",
           .bounds = between(1, most_workers),
           .example = "[4, 4]",
           .need = Need::required},
          tree.down);
  v.field({.name = "up",
           .doc = "Parents of each child, one number per level, leaves first.",
           .bounds = between(1, most_workers),
           .example = "[1, 2]",
           .need = Need::required},
          tree.up);
  v.field({.name = "parallel",
           .doc = "Parallel links between child and parent, one number per level.",
           .bounds = between(1, most_workers),
           .example = "[1, 1]",
           .need = Need::required},
          tree.parallel);
}

template <class V>
void describe(V& v, Dragonfly& fly) {
  v.field({.name = "groups",
           .doc = "Groups; at most as many as routers in a chassis.",
           .bounds = between(1, most_workers),
           .example = "4"},
          fly.groups);
  v.field({.name = "chassis",
           .doc = "Chassis in each group.",
           .bounds = between(1, most_workers),
           .example = "2"},
          fly.chassis);
  v.field({.name = "routers",
           .doc = "Routers in each chassis.",
           .bounds = between(1, most_workers),
           .example = "4"},
          fly.routers);
  v.field(
      {.name = "nodes", .doc = "Nodes at each router.", .bounds = between(1, most_workers), .example = "2"},
      fly.nodes);
}

template <class V>
void describe(V& v, Racks& racks) {
  v.field({.name = "workers_per_rack",
           .doc = "Workers in each rack; divides the number of workers.",
           .bounds = between(1, most_workers),
           .example = "8"},
          racks.workers_per_rack);
  v.field({.name = "oversubscription",
           .doc = "Bandwidth into a rack's nodes over bandwidth of its uplink; between two racks the latency "
                  "of `link` is "
                  "paid twice.",
           .bounds = at_least(1),
           .example = "4"},
          racks.oversubscription);
}

template <class V>
void describe(V& v, Topology& topology) {
  v.choice({.name = "kind", .doc = "How the nodes are wired.", .example = "fat_tree"}, topology.kind);
  v.when(TopologyKind::fat_tree, topology.kind, [&](auto& inner) { describe(inner, topology.fat_tree); });
  v.when(TopologyKind::dragonfly, topology.kind, [&](auto& inner) { describe(inner, topology.dragonfly); });
  v.when(TopologyKind::torus, topology.kind, [&](auto& inner) {
    inner.field({.name = "dimensions",
                 .doc = "Nodes along each dimension.",
                 .bounds = between(1, most_workers),
                 .example = "[4, 4]",
                 .need = Need::required},
                topology.torus.dimensions);
  });
  v.when(TopologyKind::racks, topology.kind, [&](auto& inner) { describe(inner, topology.racks); });
  v.when(TopologyKind::wan, topology.kind, [&](auto& inner) {
    inner.field(
        {.name = "sites", .doc = "A star of sites over a backbone without limits.", .need = Need::required},
        topology.wan.sites);
  });
  v.when(TopologyKind::platform, topology.kind, [&](auto& inner) {
    inner.field({.name = "file", .doc = "SimGrid platform XML.", .example = "platforms/griffon.xml"},
                topology.platform.path);
    inner.field({.name = "hosts",
                 .doc = "Names of hosts in rank order; without it, all hosts by name.",
                 .example = "[node-0, node-1]"},
                topology.platform.hosts);
  });
}

/// What happens to the cluster while it trains.
template <class V>
void describe_events(V& v, Cluster& cluster) {
  v.field({.name = "changes", .doc = "Bandwidth or latency that changes during the run."}, cluster.changes);
  v.field({.name = "traces", .doc = "Bandwidth and latency over time, from files."}, cluster.traces);
  v.field({.name = "background", .doc = "Somebody else's traffic between the hosts of two workers."},
          cluster.background);
  v.field({.name = "failures", .doc = "Workers or links that break."}, cluster.failures);
  v.field({.name = "on_failure",
           .doc = "Whether training goes on with the workers that are left.",
           .fallback = "continue"},
          cluster.on_failure);
  v.field({.name = "recovery", .doc = "Time until training goes on after a failure.", .fallback = "0 s"},
          cluster.recovery);
}

template <class V>
void describe(V& v, Cluster& cluster) {
  v.field({.name = "workers",
           .doc = "Number of workers, each with one device.",
           .bounds = between(1, most_workers),
           .example = "8"},
          cluster.workers);
  v.field({.name = "workers_per_node",
           .doc = "Workers that share a node; divides the number of workers.",
           .fallback = "1",
           .bounds = between(1, most_workers)},
          cluster.workers_per_node);
  v.field({.name = "link",
           .doc = "Own link of each worker or node. Its latency is end to end between two of them on star, "
                  "inside a rack "
                  "and inside a site; one hop of the wiring on fat_tree, torus and dragonfly.",
           .example = "{latency: 1 ms, bandwidth: 10 Gbit/s}",
           .need = Need::optional},
          cluster.link);
  v.field({.name = "inner_link",
           .doc = "Link inside a node, its latency end to end; needed when workers share nodes."},
          cluster.inner_link);
  v.field({.name = "worker_links",
           .doc = "Workers whose link differs from the rest; whole nodes where workers share them. On star, "
                  "racks and wan."},
          cluster.worker_links);
  v.field({.name = "speeds",
           .doc = "Relative speed of each worker; without it, all 1.",
           .bounds = between(1e-6, 1e6),
           .example = "[1, 1, 1, 0.5]"},
          cluster.speeds);
  v.field({.name = "cores",
           .doc = "Cores of each worker in place of `speeds`: a speed of 1 is the mean of them.",
           .bounds = between(1e-6, 1e6),
           .example = "[4, 11, 24]"},
          cluster.cores);
  v.field({.name = "core_exponent",
           .doc = "Speed grows with cores to this power.",
           .fallback = "1",
           .bounds = between(0, 4)},
          cluster.core_exponent);
  v.field({.name = "speed_changes", .doc = "Speeds or cores that change during the run."},
          cluster.speed_changes);
  v.field({.name = "topology", .doc = "How the nodes are wired.", .fallback = "star"}, cluster.topology);
  v.field({.name = "preset",
           .doc = "How SimGrid models a flow: exactly by capacity, or as TCP on a wide or a local network.",
           .fallback = "exact"},
          cluster.preset);
  v.field({.name = "collective_times",
           .doc = "File of fits that `calibrate fit` wrote: with `network: auto`, collectives that it knows "
                  "on as many ranks and nodes take the time that was measured, whatever their algorithm.",
           .example = "collective_times/aws_2x1_socket.yaml",
           .need = Need::optional},
          cluster.collective_times);
  describe_events(v, cluster);
}

}  // namespace sim::scenario
