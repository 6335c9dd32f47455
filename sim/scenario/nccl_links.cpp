// Links of a cluster that describes the hardware of NCCL: derived where they are left out, else compared.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "netmodels/nccl/time.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/place.hpp"
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

/// One link of a cluster: between its nodes, or inside one.
struct LinkQuestion {
  std::string link;    ///< its key
  std::string fabric;  ///< the key in place of it
  std::string_view joins;
  std::string_view rate;  ///< the key of the hardware that decides it
  nccl::Group group;
};

Result<void> compare_links(const LinkQuestion& question, const LinkState& stated, const LinkState& reached,
                           const Value& tree) {
  const double ratio = stated.bandwidth / reached.bandwidth;
  if (ratio <= most_difference && ratio >= 1 / most_difference) return {};
  const std::string path = find_path(tree, question.link) != nullptr ? question.link : question.fabric;
  constexpr int digits = 4;
  return refuse_at(
      tree, path,
      fmt::format("`{}` gives {} {}, and the hardware of `cluster.nccl` reaches {}: they differ "
                  "by more than a factor of {:g}",
                  path, question.joins, print(stated.bandwidth, digits), print(reached.bandwidth, digits),
                  most_difference),
      fmt::format("correct one of them, or leave out `{}`, which then follows from `cluster.nccl.{}`", path,
                  question.rate));
}

/// Fills in a link that is left out, or compares it.
/// @param derives   whether a link is needed
/// @param compares  whether times of NCCL are taken
Result<void> settle_link(const LinkQuestion& question, const nccl::Hardware& hardware, const Value& tree,
                         bool compares, std::optional<LinkState>& link) {
  if (link && !compares) return {};
  const auto reached = reached_link(hardware, question.group);
  if (!reached) {
    if (link) return {};  // refused where the description is checked
    return refuse_at(tree, "cluster.nccl." + reached.error().where, reached.error().what,
                     reached.error().hint);
  }
  if (reached->bandwidth.count <= 0) return {};
  if (link) return compare_links(question, *link, *reached, tree);
  link = *reached;
  return {};
}

}  // namespace

Result<void> settle_nccl_links(Scenario& scenario, const Value& tree) {
  Cluster& cluster = scenario.cluster;
  if (!cluster.nccl || platform_file(cluster.topology) != nullptr) return {};
  if (cluster.workers % cluster.workers_per_node != 0) return {};
  const nccl::Hardware& hardware = *cluster.nccl;
  const auto ranks = static_cast<std::uint32_t>(cluster.workers);
  const auto per_node = static_cast<std::uint32_t>(cluster.workers_per_node);
  const bool compares = nccl_of(scenario) != nullptr;
  if (per_node > 1) {
    const LinkQuestion inside{
        "cluster.inner_link",
        "cluster.inner_fabric",
        "workers inside a node",
        hardware.nvlink.fabric == nccl::Fabric::none ? "pcie.generation" : "nvlink.link_rate",
        {.ranks = per_node}};
    if (auto settled = settle_link(inside, hardware, tree, compares, cluster.inner_link); !settled)
      return settled;
  }
  const bool has_link = find_path(tree, "cluster.link") != nullptr || cluster.fabric.has_value();
  const nccl::Group whole{.ranks = ranks, .nodes = ranks / per_node};
  if (whole.nodes == 1 && has_link) return {};  // it joins nothing
  const LinkQuestion between{"cluster.link", "cluster.fabric", "nodes", "network.rate", whole};
  std::optional<LinkState> link = has_link ? std::optional(cluster.link) : std::nullopt;
  if (auto settled = settle_link(between, hardware, tree, compares, link); !settled) return settled;
  if (link) cluster.link = *link;
  return {};
}

}  // namespace sim::scenario
