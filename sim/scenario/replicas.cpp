// From GPUs to the data-parallel group of one of them.
#include "sim/scenario/replicas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "netmodels/nccl/network_goodput.hpp"
#include "netmodels/nccl/time.hpp"
#include "netmodels/result.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::scenario {
namespace {

using netmodels::Bandwidth;
using netmodels::Bytes;
using netmodels::LinkState;
using netmodels::ModelParallel;
using netmodels::Result;
using netmodels::Seconds;

Result<void> check_workload(const netmodels::Workload& workload, const ModelParallel& inside,
                            const language::Value& tree) {
  if (!workload.token_work || !workload.memory)
    return language::refuse_at(
        tree, "parallelism",
        fmt::format("the workload `{}` has no blocks that GPUs could share", workload.name),
        "describe the model by `transformer`, `config` or `model`, or leave out `tensor` and "
        "`pipeline`");
  const std::uint32_t parts = inside.pipeline * inside.interleave;
  if (workload.memory->blocks % parts == 0) return {};
  return language::refuse_at(
      tree, "parallelism.pipeline",
      fmt::format("{} blocks cannot be cut into {} equal parts", workload.memory->blocks, parts),
      "write a divisor of the blocks");
}

Result<void> check_micro_batches(int micro_batches, const ModelParallel& inside,
                                 const language::Value& tree) {
  if (inside.interleave == 1) return {};
  if (inside.pipeline == 1)
    return language::refuse_at(tree, "parallelism.interleave", "`interleave` needs several stages",
                               "write `pipeline` of at least 2, or leave it out");
  if (micro_batches % static_cast<int>(inside.pipeline) == 0) return {};
  return language::refuse_at(
      tree, "parallelism.interleave",
      fmt::format("{} micro-batches are not a multiple of {} stages", micro_batches, inside.pipeline),
      "write a multiple as `training.accumulation`, or leave out `interleave`");
}

Result<void> check_degrees(const Cluster& cluster, const netmodels::Workload& workload,
                           const ModelParallel& inside, const language::Value& tree) {
  const int tensor = static_cast<int>(inside.tensor);
  if (cluster.workers_per_node % tensor != 0)
    return language::refuse_at(
        tree, "parallelism.tensor",
        fmt::format("groups of {} GPUs do not fill nodes of {}", inside.tensor, cluster.workers_per_node),
        "write a divisor of `cluster.workers_per_node`");
  const std::int64_t heads = workload.token_work->heads;
  if (heads % inside.tensor != 0)
    return language::refuse_at(
        tree, "parallelism.tensor",
        fmt::format("{} GPUs cannot share the {} heads of `{}` equally", inside.tensor, heads, workload.name),
        "write a divisor of the heads");
  const int replica = static_cast<int>(inside.devices());
  if (cluster.workers % replica != 0)
    return language::refuse_at(tree, "parallelism",
                               fmt::format("{} GPUs are not a multiple of tensor x pipeline = {} x {} = {}",
                                           cluster.workers, inside.tensor, inside.pipeline, replica),
                               "write a multiple as `cluster.workers`");
  const int replicas = cluster.workers / replica;
  const int of_node = std::min(cluster.workers_per_node / tensor, replicas);
  if (replicas % of_node == 0) return {};
  return language::refuse_at(
      tree, "parallelism",
      fmt::format("{} GPUs of a stage do not fill nodes of {}", replicas * tensor, cluster.workers_per_node),
      "write `cluster.workers` so that each stage fills nodes");
}

Result<void> check_tensor_group(const Cluster& cluster, int tensor, const language::Value& tree) {
  const auto& nccl = cluster.nccl;
  using netmodels::nccl::Fabric;
  const bool whole_node = tensor == cluster.workers_per_node;
  const bool uneven = nccl && (nccl->nvlink.fabric == Fabric::mesh || nccl->nvlink.fabric == Fabric::pairs);
  if (tensor == 1 || whole_node || !uneven) return {};
  return language::refuse_at(
      tree, "parallelism.tensor", "which GPUs of an NVLink mesh form a group would decide their time",
      fmt::format("write `tensor: {}`, or leave out `cluster.nccl`", cluster.workers_per_node));
}

/// A ring on the links inside a node.
Seconds ring_time(const LinkState& link, std::uint32_t ranks, Bytes size) {
  const double rounds = 2.0 * (ranks - 1);
  return rounds * (link.latency + size / ranks / link.bandwidth);
}

/// An all-reduce in a tensor group.
Result<Seconds> all_reduce_time(const Cluster& cluster, std::uint32_t ranks, Bytes size) {
  if (!cluster.nccl) return ring_time(cluster.inner_link.value_or(cluster.link), ranks, size);
  GRADSIM_TRY(model, netmodels::nccl::Model::make(*cluster.nccl, {.ranks = ranks, .nodes = 1, .gpus = {}}));
  GRADSIM_TRY(time, model->time(netmodels::nccl::Operation::all_reduce, size));
  return time->total();
}

/// Through the times at the micro-batch and at twice its size.
/// @param ranks   of the group
/// @param sample  what is added up of one
/// @param batch   samples of a micro-batch
Result<netmodels::LinearTime> all_reduce_of(const Cluster& cluster, std::uint32_t ranks, Bytes sample,
                                            double batch) {
  if (ranks == 1) return netmodels::LinearTime{};
  const Bytes size = sample * batch;
  GRADSIM_TRY(once, all_reduce_time(cluster, ranks, size));
  GRADSIM_TRY(twice, all_reduce_time(cluster, ranks, 2 * size));
  const Seconds more = std::clamp(*twice - *once, Seconds{}, *once);
  return netmodels::LinearTime{*once - more, more / batch};
}

/// The GPUs of one index in all tensor groups of a node, with their share of its network interfaces.
netmodels::nccl::Hardware one_of_each_group(netmodels::nccl::Hardware hardware, int tensor) {
  hardware.measured.reset();
  hardware.gpu.per_node /= tensor;
  if (hardware.gpu.per_node == 1) hardware.nvlink = {};
  if (!hardware.network) return hardware;
  netmodels::nccl::Network& network = *hardware.network;
  network.measured_rate = netmodels::nccl::interface_goodput(network, hardware.gpu.per_node);
  const double share = std::min(1.0, static_cast<double>(network.nics_per_node) / tensor);
  network.nics_per_node = std::max(1, network.nics_per_node / tensor);
  network.rate *= share;
  *network.measured_rate *= share;
  return hardware;
}

void share_link(LinkState& link, int tensor) { link.bandwidth *= 1.0 / tensor; }

void share_range(std::optional<FabricRange>& range, int tensor) {
  if (!range) return;
  for (LinkState* link : std::array{&range->low, &range->mid, &range->high}) share_link(*link, tensor);
}

/// Tensor groups are of consecutive GPUs; the replicas of one stage lie beside each other, then those of the
/// next stage.
std::size_t replica_of(std::size_t gpu, std::size_t replicas, const ModelParallel& inside) {
  return gpu / inside.tensor % replicas;
}

/// Of each replica: that of its slowest GPU.
std::vector<double> speeds_of_replicas(const std::vector<double>& speeds, const ModelParallel& inside) {
  if (speeds.empty()) return {};
  std::vector<double> slowest(speeds.size() / inside.devices(), std::numeric_limits<double>::infinity());
  for (std::size_t gpu = 0; gpu < speeds.size(); ++gpu) {
    double& replica = slowest[replica_of(gpu, slowest.size(), inside)];
    replica = std::min(replica, speeds[gpu]);
  }
  return slowest;
}

/// The data-parallel group of one GPU.
void keep_one_group(Cluster& cluster, const ModelParallel& inside) {
  const int tensor = static_cast<int>(inside.tensor);
  cluster.speeds = speeds_of_replicas(cluster.speeds, inside);
  cluster.workers /= static_cast<int>(inside.devices());
  cluster.workers_per_node = std::min(cluster.workers_per_node / tensor, cluster.workers);
  share_link(cluster.link, tensor);
  share_range(cluster.link_range, tensor);
  share_range(cluster.tcp_at_line_rate, tensor);
  if (cluster.nccl && tensor > 1) cluster.nccl = one_of_each_group(*cluster.nccl, tensor);
}

/// From one GPU to that of the next stage. A group of one GPU leaves its index's share of the link; its
/// neighbours in the node send, too.
LinkState boundary_of(const Cluster& cluster) {
  LinkState next = cluster.link;
  next.bandwidth *= 1.0 / cluster.workers_per_node;
  return next;
}

}  // namespace

Result<void> check_replicas(const AllGpus& gpus, const ModelParallel& inside, int micro_batches,
                            const language::Value& tree) {
  if (auto checked = check_micro_batches(micro_batches, inside, tree); !checked) return checked;
  if (inside.devices() == 1) return {};
  if (auto checked = check_workload(gpus.workload, inside, tree); !checked) return checked;
  if (auto checked = check_degrees(gpus.cluster, gpus.workload, inside, tree); !checked) return checked;
  return check_tensor_group(gpus.cluster, static_cast<int>(inside.tensor), tree);
}

Result<ReplicaGroup> group_of_replicas(const AllGpus& gpus, const ModelParallel& inside,
                                       const Training& training, const language::Value& tree) {
  const double batch = static_cast<double>(training.batch) / training.accumulation;
  const auto all_reduce = all_reduce_of(gpus.cluster, inside.tensor, gpus.workload.token_work->hidden, batch);
  if (!all_reduce) {
    const netmodels::Error& error = all_reduce.error();
    return language::refuse_at(tree, "cluster.nccl" + (error.where.empty() ? "" : "." + error.where),
                               error.what, error.hint);
  }
  ReplicaGroup group{
      replica_share(gpus.workload, inside, *all_reduce, static_cast<std::uint32_t>(training.accumulation)),
      gpus.cluster};
  keep_one_group(group.cluster, inside);
  return group;
}

netmodels::Workload with_pipeline(netmodels::Workload share, const ModelParallel& inside,
                                  const Cluster& group) {
  add_pipeline(share, inside, boundary_of(group));
  return share;
}

std::vector<double> speeds_of_whole_steps(std::vector<double> speeds, const netmodels::Workload& share,
                                          double batch) {
  const Seconds whole = share.compute(batch);
  const Seconds exchanges = share.replica->exchanges.at(batch);
  for (double& speed : speeds) speed = whole / ((whole - exchanges) / speed + exchanges);
  return speeds;
}

void replace_link(Scenario& scenario, const LinkState& link) {
  const LinkState before = boundary_of(scenario.cluster);
  scenario.cluster.link = link;
  if (scenario.work.workload.replica)
    change_pipeline_link(scenario.work.workload, scenario.work.parallelism.inside(), before,
                         boundary_of(scenario.cluster));
}

std::vector<std::vector<std::uint32_t>> gpus_of_replicas(int gpus, int replicas,
                                                         const ModelParallel& inside) {
  const auto count = static_cast<std::size_t>(replicas);
  std::vector<std::vector<std::uint32_t>> found(count);
  for (int gpu = 0; gpu < gpus; ++gpu)
    found[replica_of(static_cast<std::size_t>(gpu), count, inside)].push_back(
        static_cast<std::uint32_t>(gpu));
  return found;
}

const Cluster& cluster_as_stated(const Stated& stated, const Cluster& cluster) {
  return stated.cluster ? *stated.cluster : cluster;
}

double share_of_link(const Stated& stated, const Parallelism& parallelism) {
  return stated.cluster ? 1.0 / parallelism.tensor : 1.0;
}

std::optional<std::string> pipeline_warning(const Work& work, const Cluster& cluster, const Stated& stated,
                                            const language::Value& tree) {
  const ModelParallel inside = work.parallelism.inside();
  if (inside.pipeline == 1 || !work.workload.replica || !stated.cluster) return std::nullopt;
  const LinkState boundary = boundary_of(cluster);
  netmodels::Workload alone = work.workload;
  alone.replica->exchanges = {};
  add_pipeline(alone, inside, boundary);
  const auto batch = batch_of(work.training, 0);
  const Seconds messages = alone.replica->exchanges.at(batch);
  const Seconds passes = work.workload.forward(batch) + work.workload.backward(batch);
  if (messages <= passes * tie) return std::nullopt;
  const Bandwidth whole = stated.cluster->link.bandwidth;
  const std::string share = boundary.bandwidth == whole
                                ? ""
                                : fmt::format(", of which a GPU has {} while all of its node send",
                                              netmodels::print(boundary.bandwidth, 3));
  return fmt::format(
      "{}: the boundary between two of the {} stages of the pipeline is the link between nodes, {} with "
      "{}{}: its messages take {} of a step beside {} of passes; where nodes are "
      "sites, keep a replica inside one of them (`tensor`), or share states in place of the pipeline "
      "(`data: fsdp`)",
      place_of(tree, "parallelism.pipeline"), inside.pipeline, netmodels::print(whole, 3),
      netmodels::print(boundary.latency, 3), share, netmodels::print(messages, 3),
      netmodels::print(passes, 3));
}

std::string describe_replica(const netmodels::Workload& workload, double batch, const ModelParallel& inside) {
  const auto& replica = workload.replica;
  if (!replica) return "";
  std::string text = fmt::format(
      "a replica is {} GPUs (tensor {}, pipeline {}): {} of a step are exchanges between them",
      replica->devices, inside.tensor, inside.pipeline, netmodels::print(replica->exchanges.at(batch), 3));
  if (inside.pipeline > 1)
    text += fmt::format(", {} wait for the pipeline", netmodels::print(replica->bubble.at(batch), 3));
  return text;
}

}  // namespace sim::scenario
