// Links of a cluster that describes the hardware of NCCL: derived where they are left out.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "netmodels/nccl/time.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {
namespace {

using netmodels::Bandwidth;
using netmodels::LinkState;
using netmodels::Result;
namespace nccl = netmodels::nccl;

/// Two figures of one link that differ by more contradict each other: the goodput of TCP is known to 2 or so.
constexpr double most_difference = 3;

/// Of the ranks of a communicator to the next one of a ring.
Result<LinkState> reached_link(const nccl::Hardware& hardware, const nccl::Group& group) {
  constexpr netmodels::Bytes smallest{8};
  if (group.ranks == 1) return LinkState{};
  const auto model = nccl::Model::make(hardware, group);
  if (!model) return tl::unexpected(model.error());
  const auto message = model->time(nccl::Operation::send_recv, smallest);
  if (!message) return tl::unexpected(message.error());
  return LinkState{message->hops, group.nodes > 1 ? model->rates().node : model->rates().two_way};
}

/// Refuses a link inside a node that its hardware cannot have.
Result<void> compare_inner(const Cluster& cluster, const LinkState& reached, const language::Value& tree) {
  const LinkState& stated = *cluster.inner_link;
  const double ratio = stated.bandwidth / reached.bandwidth;
  if (ratio <= most_difference && ratio >= 1 / most_difference) return {};
  const bool is_link = language::find_path(tree, "cluster.inner_link") != nullptr;
  const std::string path = is_link ? "cluster.inner_link" : "cluster.inner_fabric";
  const bool has_nvlink = cluster.nccl->nvlink.fabric != nccl::Fabric::none;
  constexpr int digits = 4;
  return language::refuse_at(
      tree, path,
      fmt::format("`{}` gives workers inside a node {}, and the hardware of `cluster.nccl` reaches {}: they "
                  "differ by more than a factor of {:g}",
                  path, print(stated.bandwidth, digits), print(reached.bandwidth, digits), most_difference),
      fmt::format("correct one of them, or leave out `{}`, which then follows from `cluster.nccl.{}`", path,
                  has_nvlink ? "nvlink.link_rate" : "pcie.generation"));
}

/// Of a link that is needed.
tl::unexpected<netmodels::Error> refuse_hardware(const netmodels::Error& error, const language::Value& tree) {
  return language::refuse_at(tree, "cluster.nccl." + error.where, error.what, error.hint);
}

/// `nccl` and the link describe the same wires: the slower of both counts.
/// @param compares  whether times of NCCL are taken
Result<void> settle_inner(Cluster& cluster, const language::Value& tree, bool compares) {
  const auto per_node = static_cast<std::uint32_t>(cluster.workers_per_node);
  if (per_node == 1 || (cluster.inner_link && !compares)) return {};
  const auto reached = reached_link(*cluster.nccl, {.ranks = per_node});
  if (!reached) {
    if (cluster.inner_link) return {};  // refused where the description is checked
    return refuse_hardware(reached.error(), tree);
  }
  if (reached->bandwidth.count <= 0) return {};
  if (cluster.inner_link) {
    if (auto fine = compare_inner(cluster, *reached, tree); !fine) return fine;
  } else {
    cluster.inner_link = *reached;
  }
  cluster.in_hops.inner_link = std::min(cluster.inner_link->latency, reached->latency);
  if (cluster.inner_fabric && !cluster.inner_fabric->latency)
    cluster.in_hops.inner_link = cluster.inner_link->latency;
  return {};
}

/// `nccl` describes what a node has, and the link what is between nodes: delays add, the slower rate counts.
Result<void> settle_outer(Cluster& cluster, const language::Value& tree) {
  if (language::find_path(tree, "cluster.link") != nullptr) return {};
  if (cluster.fabric) {
    if (!cluster.fabric->latency) cluster.in_hops.link = cluster.link.latency;
    return {};
  }
  const auto ranks = static_cast<std::uint32_t>(cluster.workers);
  const auto per_node = static_cast<std::uint32_t>(cluster.workers_per_node);
  const auto reached = reached_link(*cluster.nccl, {.ranks = ranks, .nodes = ranks / per_node});
  if (!reached) return refuse_hardware(reached.error(), tree);
  if (reached->bandwidth.count <= 0) return {};
  cluster.link = *reached;
  cluster.in_hops.link = reached->latency;
  return {};
}

}  // namespace

Result<Cluster> with_nccl_links(Cluster cluster, bool compares, const language::Value& tree) {
  if (!cluster.nccl || platform_file(cluster.topology) != nullptr) return cluster;
  if (cluster.workers % cluster.workers_per_node != 0) return cluster;
  if (auto inner = settle_inner(cluster, tree, compares); !inner) return tl::unexpected(inner.error());
  if (auto outer = settle_outer(cluster, tree); !outer) return tl::unexpected(outer.error());
  return cluster;
}

}  // namespace sim::scenario
