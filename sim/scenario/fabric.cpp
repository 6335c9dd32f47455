// Goodput of fabrics: finds the transport, and makes the link of it.
#include "sim/scenario/fabric.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "netmodels/goodput.hpp"
#include "netmodels/nearest.hpp"
#include "settings/type.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

void describe(settings::Fields& fields, Fabric& fabric) {
  using namespace settings;
  fields.field({.name = "kind", .doc = "Kind of the network.", .example = "ethernet"}, fabric.kind);
  fields.field({.name = "rate",
                .doc = "Line rate of one network interface in one direction; of nvlink and pcie, that of all "
                       "links of one worker.",
                .bounds = above(0),
                .example = "50 Gbit/s"},
               fabric.rate);
  fields.field({.name = "nics",
                .doc = "Network interfaces of a node that carry training traffic.",
                .fallback = "1",
                .bounds = between(1, 64)},
               fabric.nics);
  fields.field(
      {.name = "transport",
       .doc = "What uses it: a file of scenarios/transports, or a path. It sets goodput and latency, "
              "with their range.",
       // Other kinds have a transport of their own name.
       .example = fabric.kind == inputs::FabricKind::ethernet ? "nccl_tcp" : settings::name_of(fabric.kind)},
      fabric.transport);
  fields.field({.name = "latency",
                .doc = "Latency in place of the transport's, with the meaning of the link's own: see `link`.",
                .bounds = at_least(0),
                .example = "45 us"},
               fabric.latency);
  fields.field({.name = "connections",
                .doc = "Connections of a channel to a peer in place of the transport's, threads x sockets: 1 "
                       "where a container hides the interface from the library.",
                .bounds = between(1, 64),
                .example = "1",
                .demands = {.uses = {Capability::flow_cap}}},
               fabric.connections);
  fields.field({.name = "placement_group",
                .doc = "Whether the machines are in one placement group of the cloud.",
                .fallback = "false",
                .demands = {.uses = {Capability::placement_cap}}},
               fabric.placement_group);
}

namespace {

using netmodels::Bandwidth;
using netmodels::Goodput;
using netmodels::GoodputClass;
using netmodels::LinkState;
using netmodels::print;
using netmodels::Result;
using netmodels::Seconds;

/// One fabric of a cluster while its link is made.
struct StatedFabric {
  const Fabric& fabric;
  int workers_per_node;
  const language::Value& tree;
  std::string path;  ///< cluster.fabric

  /// @param remedy  a value of the key with which the error is gone; empty: none is known
  [[nodiscard]] tl::unexpected<netmodels::Error> refused(const std::string& key, const std::string& what,
                                                         std::string hint,
                                                         const std::string& remedy = {}) const {
    std::vector<netmodels::Change> changes;
    if (!remedy.empty()) changes.push_back({path + "." + key, remedy});
    return language::refuse_at(tree, path + "." + key, what, std::move(hint), std::move(changes));
  }
};

std::string named_fabric(const Fabric& fabric) {
  const std::string count = fabric.nics == 1 ? "" : fmt::format("{} x ", fabric.nics);
  return fmt::format("{} over {}{} {}", fabric.transport, count, rate_text(fabric.kind, fabric.rate),
                     inputs::title_of(fabric.kind));
}

netmodels::GoodputCaps caps_of(const inputs::Transport& transport, const GoodputClass& known,
                               const Fabric& fabric, int workers_per_node) {
  netmodels::GoodputCaps caps{.flows = {}, .node = known.node_cap};
  if (transport.process_cap) {
    const Bandwidth processes = *transport.process_cap * workers_per_node;
    caps.node = caps.node ? std::min(*caps.node, processes) : processes;
  }
  const auto& flow_cap = fabric.placement_group && transport.placement_group_flow_cap
                             ? transport.placement_group_flow_cap
                             : transport.flow_cap;
  const int connections =
      fabric.connections.value_or(transport.socket_threads * transport.sockets_per_thread);
  if (flow_cap) caps.flows = *flow_cap * (transport.channels * connections);
  return caps;
}

FabricRange range_of(const inputs::Transport& transport, const GoodputClass& known, const Fabric& fabric,
                     int workers_per_node) {
  const Goodput rates = netmodels::goodput(known.shares, fabric.rate * fabric.nics,
                                           caps_of(transport, known, fabric, workers_per_node));
  const inputs::StepLatency latency =
      fabric.latency ? inputs::StepLatency{.mid = *fabric.latency, .low = {}, .high = {}, .source = {}}
                     : *transport.latency;
  return {.kind = fabric.kind,
          .name = named_fabric(fabric),
          .low = {latency.high.value_or(latency.mid), rates.low},
          .mid = {latency.mid, rates.mid},
          .high = {latency.low.value_or(latency.mid), rates.high},
          .source = known.source};
}

/// Names of the transports that run over a kind of fabric.
std::string transports_over(inputs::FabricKind kind, inputs::TransportFiles& transports) {
  std::string names;
  for (const std::string& name : inputs::list_transports(transports.data_dir())) {
    const auto transport = transports.load(language::Value::scalar(name, language::Origin()));
    if (transport && (*transport)->fits_kind(kind)) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

/// "`kind: ethernet` or `roce`", of the kinds that a transport runs over.
std::string kinds_of(const inputs::Transport& transport) {
  std::string names;
  for (const auto& row : names_of(inputs::FabricKind{})) {
    if (transport.fits_kind(row.value))
      names += fmt::format("{}`{}{}`", names.empty() ? "" : " or ", names.empty() ? "kind: " : "", row.name);
  }
  return names;
}

/// What a transport says of a fabric.
struct SettledFabric {
  FabricRange range;
  std::string library;  ///< that it belongs to; empty: none
  FlowCaps caps;
};

Result<SettledFabric> range_at(const StatedFabric& stated, inputs::TransportFiles& transports) {
  const Fabric& fabric = stated.fabric;
  if (inputs::joins_workers(fabric.kind) && fabric.nics > 1) {
    return stated.refused(
        "nics",
        fmt::format("{} interfaces beside {}, whose rate ({}) is that of all links of one "
                    "worker",
                    fabric.nics, inputs::title_of(fabric.kind), rate_text(fabric.kind, fabric.rate)),
        "leave `nics` out; it counts interfaces between nodes", "1");
  }
  GRADSIM_TRY(found, transports.load(*language::find_path(stated.tree, stated.path + ".transport")));
  const inputs::Transport& transport = **found;
  if (!transport.fits_kind(fabric.kind)) {
    const std::string others = transports_over(fabric.kind, transports);
    return stated.refused(
        "transport", fmt::format("`{}` does not run over {}", transport.name, inputs::title_of(fabric.kind)),
        fmt::format("accepted here: {}; `{}` needs {}", others, transport.name, kinds_of(transport)),
        others.substr(0, others.find(',')));
  }
  const GoodputClass* known = transport.class_at(fabric.rate, stated.workers_per_node);
  if (known == nullptr) {
    return stated.refused("rate",
                          fmt::format("unknown goodput of `{}` at {}, known only at {}", transport.name,
                                      print(fabric.rate), transport.known_rates()),
                          "write one of these rates, or a measured goodput as `link: {latency: 50 us, "
                          "bandwidth: 10 Gbit/s}`");
  }
  if (!fabric.latency && !transport.latency) {
    return stated.refused("transport", fmt::format("unknown latency of `{}`", transport.name),
                          "write `latency` beside it");
  }
  return SettledFabric{range_of(transport, *known, fabric, stated.workers_per_node),
                       transport.library.value_or(""),
                       {transport.flow_cap || transport.placement_group_flow_cap,
                        transport.placement_group_flow_cap.has_value()}};
}

Result<void> refuse_both(const language::Value& tree, const std::string& prefix, const LinkState& link,
                         const Fabric& fabric) {
  return language::refuse_at(
      tree, prefix + "fabric",
      fmt::format("both `{0}link` ({1}) and `{0}fabric` ({2}) are given", prefix,
                  rate_text(fabric.kind, link.bandwidth), rate_text(fabric.kind, fabric.rate)),
      "keep the fabric where the line rate is known, or the link where the goodput was measured",
      {{prefix + "fabric", {}}});
}

Result<void> check_place(const StatedFabric& stated, bool fits, std::string_view joined,
                         std::string_view accepted) {
  if (fits) return {};
  return stated.refused(
      "kind", fmt::format("{} does not join {}", inputs::title_of(stated.fabric.kind), joined),
      fmt::format("accepted here: {}", accepted), std::string(accepted.substr(0, accepted.find(','))));
}

/// The rates of IEEE 802.3 Ethernet that servers have, in Gbit/s.
constexpr std::array line_rates{1, 10, 25, 40, 50, 100, 200, 400};

bool is_line_rate(Bandwidth bandwidth) {
  constexpr double gigabit = 1e9 / 8;
  return std::ranges::any_of(line_rates, [&](int rate) { return bandwidth.count == rate * gigabit; });
}

/// What TCP by NCCL yields at the bandwidth of a plain link; nothing where the data do not say.
Result<std::optional<FabricRange>> tcp_at(Bandwidth rate, int workers_per_node,
                                          inputs::TransportFiles& transports) {
  const Fabric fabric{.rate = rate, .transport = "nccl_tcp"};
  std::error_code unknown;
  if (!std::filesystem::exists(transports.data_dir() / "transports" / (fabric.transport + ".yaml"), unknown))
    return std::nullopt;
  GRADSIM_TRY(found, transports.load(language::Value::scalar(fabric.transport, language::Origin())));
  const inputs::Transport& transport = **found;
  if (!transport.latency) return std::nullopt;
  const GoodputClass* known = transport.class_at(rate, workers_per_node);
  if (known == nullptr) return std::nullopt;
  return range_of(transport, *known, fabric, workers_per_node);
}

/// Whether the times of collectives follow from links.
bool links_decide(const Cluster& cluster) {
  return cluster.collective_times.empty() && nccl_of(cluster) == nullptr;
}

Result<void> settle_outer(Cluster& cluster, const language::Value& tree, inputs::TransportFiles& transports) {
  const bool has_link = language::find_path(tree, "cluster.link") != nullptr;
  if (!cluster.fabric) {
    const bool is_plain = has_link && platform_file(cluster.topology) == nullptr && links_decide(cluster);
    if (!is_plain || !is_line_rate(cluster.link.bandwidth)) return {};
    GRADSIM_TRY(range, tcp_at(cluster.link.bandwidth, cluster.workers_per_node, transports));
    cluster.tcp_at_line_rate = *range;
    return {};
  }
  if (has_link) return refuse_both(tree, "cluster.", cluster.link, *cluster.fabric);
  const StatedFabric stated{*cluster.fabric, cluster.workers_per_node, tree, "cluster.fabric"};
  if (auto fits = check_place(stated, inputs::joins_nodes(cluster.fabric->kind), "nodes",
                              "ethernet, infiniband, roce, efa, slingshot, nvlink");
      !fits)
    return fits;
  GRADSIM_TRY(known, range_at(stated, transports));
  auto& [range, library, caps] = *known;
  cluster.fabric->library = std::move(library);
  cluster.fabric->caps = caps;
  cluster.link = range.mid;
  const bool decides = platform_file(cluster.topology) == nullptr && links_decide(cluster);
  if (decides) cluster.link_range = std::move(range);
  return {};
}

Result<void> settle_inner(Cluster& cluster, const language::Value& tree, inputs::TransportFiles& transports) {
  if (!cluster.inner_fabric) return {};
  if (cluster.inner_link)
    return refuse_both(tree, "cluster.inner_", *cluster.inner_link, *cluster.inner_fabric);
  const StatedFabric stated{*cluster.inner_fabric, cluster.workers_per_node, tree, "cluster.inner_fabric"};
  if (auto fits = check_place(stated, inputs::joins_workers(cluster.inner_fabric->kind),
                              "the workers of a node", "nvlink, pcie");
      !fits)
    return fits;
  GRADSIM_TRY(known, range_at(stated, transports));
  auto& [range, library, caps] = *known;
  cluster.inner_fabric->library = std::move(library);
  cluster.inner_fabric->caps = caps;
  cluster.inner_link = range.mid;
  cluster.inner_link_range = std::move(range);
  return {};
}

}  // namespace

bool is_one_node(const Cluster& cluster) {
  return cluster.inner_link && cluster.workers_per_node > 1 && cluster.workers == cluster.workers_per_node;
}

bool states_network_between_nodes(const Cluster& cluster, const language::Value& tree) {
  return language::find_path(tree, "cluster.link") != nullptr || cluster.fabric.has_value() ||
         cluster.nccl.has_value() || platform_file(cluster.topology) != nullptr;
}

Result<Cluster> with_fabric_links(Cluster cluster, const language::Value& tree,
                                  inputs::TransportFiles& transports) {
  if (auto settled = settle_outer(cluster, tree, transports); !settled)
    return tl::unexpected(std::move(settled.error()));
  if (auto settled = settle_inner(cluster, tree, transports); !settled)
    return tl::unexpected(std::move(settled.error()));
  // No message leaves a single node: the network that it lacks has no part in any time.
  if (!states_network_between_nodes(cluster, tree) && is_one_node(cluster))
    cluster.link = *cluster.inner_link;
  return cluster;
}

}  // namespace sim::scenario
