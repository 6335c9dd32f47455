// Conditions on a step that runs as it was traced.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "netmodels/traced_messages.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::scenario {
namespace {

using netmodels::Result;

/// @param traced  samples of a worker
Result<void> check_traced_batch(const Training& training, int traced, const language::Value& tree) {
  const auto other = [traced](int batch) { return batch != traced; };
  const std::vector<int>& each = training.batches;
  const bool own = std::ranges::any_of(each, other);
  if (!own && (!each.empty() || !other(training.batch))) return {};
  return language::refuse_at(tree, own ? "training.batches" : "training.batch",
                             fmt::format("the trace is of steps with {} samples a worker", traced),
                             fmt::format("write `training.batch: {}`, or trace another batch", traced));
}

/// Groups within nodes and between them need nodes.
Result<void> check_node_groups(const netmodels::TracedStep& traced, int per_node,
                               const language::Value& tree) {
  if (!traced.has_node_groups() || per_node > 1) return {};
  return language::refuse_at(tree, "cluster.workers_per_node",
                             "the trace has groups within nodes, and nodes have 1 worker",
                             "write how many workers a node has");
}

/// Evenly spaced groups must hold all workers.
Result<void> check_rank_groups(const netmodels::TracedStep& traced, int workers,
                               const language::Value& tree) {
  const auto count = static_cast<std::uint64_t>(workers);
  for (const netmodels::TracedOperation& operation : traced.operations) {
    if (!operation.collective || operation.collective->reach != netmodels::CollectiveReach::groups) continue;
    const netmodels::RankGroup& group = operation.collective->group;
    const std::string text = fmt::format("{}:{}:{}", group.start, group.stride, group.count);
    if (count % group.block() != 0) {
      return language::refuse_at(tree, "cluster.workers",
                                 fmt::format("`{}` exchanges in the group {}, and {} workers are not a "
                                             "multiple of {} x {}",
                                             operation.name, text, workers, group.stride, group.count),
                                 fmt::format("write a multiple of {}", group.block()));
    }
    if (group.start < count) continue;
    return language::refuse_at(
        tree, "cluster.workers",
        fmt::format("`{}` exchanges in the group {}, and the last worker is {}", operation.name, text,
                    workers - 1),
        fmt::format("write {} workers or more", group.start + (group.count - 1) * group.stride + 1));
  }
  return {};
}

/// Replicas of equal size must hold all workers.
Result<void> check_replicas(int sharers, int workers, const language::Value& tree) {
  if (workers % sharers == 0) return {};
  return language::refuse_at(
      tree, "cluster.workers",
      fmt::format("{} workers compute one batch together, and {} workers are not a multiple", sharers,
                  workers),
      fmt::format("write a multiple of {}", sharers));
}

/// Each send of a message needs its receive.
Result<void> check_messages(const netmodels::TracedStep& traced, const Cluster& cluster,
                            const language::Value& tree) {
  if (!traced.has_messages()) return {};
  const auto workers = static_cast<std::uint32_t>(cluster.workers);
  const auto per_node = static_cast<std::uint32_t>(cluster.workers_per_node);
  const std::uint32_t node = workers % per_node == 0 ? per_node : 1;
  const auto ends = netmodels::match_messages(traced, {workers, node});
  if (ends.problems.empty()) return {};
  const netmodels::MessageProblem& first = ends.problems.front();
  return language::refuse_at(
      tree, "workload.graph",
      fmt::format("row {} (`{}`): {}", first.operation, traced.operations[first.operation].name, first.what),
      first.hint);
}

}  // namespace

Result<void> check_traced(const netmodels::Workload& workload, const Training& training,
                          const Cluster& cluster, const language::Value& tree) {
  if (!workload.traced) return {};
  if (auto checked = check_traced_batch(training, workload.reference_batch, tree); !checked) return checked;
  const netmodels::TracedStep& traced = *workload.traced;
  if (auto checked = check_node_groups(traced, cluster.workers_per_node, tree); !checked) return checked;
  if (auto checked = check_rank_groups(traced, cluster.workers, tree); !checked) return checked;
  if (auto checked = check_messages(traced, cluster, tree); !checked) return checked;
  return check_replicas(training.sharers, cluster.workers, tree);
}

namespace {

/// The rank to which a rank sends a message.
/// @param group     shape of its group
/// @param distance  members from the sender to the receiver
std::uint32_t receiver_of(std::uint32_t rank, const netmodels::RankGroup& group, std::uint32_t distance) {
  const auto block = static_cast<std::uint32_t>(group.block());
  const std::uint32_t place = rank % block;
  const std::uint32_t member = (place / group.stride + distance) % group.count;
  return rank - place + place % group.stride + member * group.stride;
}

/// Members from a rank to the one that it sends to: of a message, and of the ring in which a group works
/// that is not all workers, a node or one of each node; nothing of other collectives.
std::optional<std::uint32_t> ring_distance(const netmodels::TracedCollective& collective,
                                           const netmodels::RankGroup& group) {
  if (collective.message) return netmodels::distance_of(*collective.message, group.count);
  const bool is_ring =
      collective.reach == netmodels::CollectiveReach::groups && !collective.all_to_all && group.count > 1;
  return is_ring ? std::optional<std::uint32_t>(1) : std::nullopt;
}

/// Most ranks of one node that send to other nodes at the same time; 0 where NCCL's choice is known.
std::uint32_t senders_of_node(const netmodels::TracedCollective& stated,
                              const netmodels::TracedWorkers& workers) {
  const netmodels::TracedCollective collective = with_known_reach(stated, workers);
  const netmodels::RankGroup group = members_of(collective, workers);
  const auto distance = ring_distance(collective, group);
  if (!distance) return 0;
  std::vector<std::uint32_t> senders(workers.ranks / workers.group);
  for (std::uint32_t rank = 0; rank < workers.ranks; ++rank) {
    const std::uint32_t node = rank / workers.group;
    senders[node] += receiver_of(rank, group, *distance) / workers.group != node ? 1 : 0;
  }
  return std::ranges::max(senders);
}

}  // namespace

std::vector<std::string> sender_warnings(const netmodels::TracedStep& traced, const Cluster& cluster,
                                         const language::Value& tree) {
  const bool described = cluster.nccl && cluster.nccl->network;
  if (!described || cluster.workers % cluster.workers_per_node != 0) return {};
  const netmodels::TracedWorkers workers{static_cast<std::uint32_t>(cluster.workers),
                                         static_cast<std::uint32_t>(cluster.workers_per_node)};
  const auto interfaces = static_cast<std::uint32_t>(cluster.nccl->network->nics_per_node);
  for (const netmodels::TracedOperation& operation : traced.operations) {
    if (!operation.collective) continue;
    const std::uint32_t senders = senders_of_node(*operation.collective, workers);
    if (senders == 0 || senders >= interfaces) continue;
    return {
        fmt::format("{}: `{}` leaves a node from {} of its {} workers and takes the rate of all {} "
                    "interfaces, where NCCL gives each worker its own: its time is a lower bound",
                    place_of(tree, "workload"), operation.name, senders, workers.group, interfaces)};
  }
  return {};
}

}  // namespace sim::scenario
