// Replicas of a model that span several GPUs: `parallelism.tensor` and `parallelism.pipeline`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/link_state.hpp"
#include "netmodels/model_parallel.hpp"
#include "netmodels/result.hpp"
#include "netmodels/workload.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

/// A workload, and the cluster that it runs on, of all GPUs.
struct AllGpus {
  const netmodels::Workload& workload;
  const Cluster& cluster;
};

/// Refuses degrees that do not fit the workers, the nodes, the blocks or the micro-batches.
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_replicas(const AllGpus& gpus, const netmodels::ModelParallel& inside,
                                       int micro_batches, const language::Value& tree);

/// The data-parallel group of one GPU of each replica, and that GPU's share of the workload.
struct ReplicaGroup {
  netmodels::Workload workload;
  Cluster cluster;
};

/// One GPU of each replica: the GPUs of a tensor group share the link of their node, those of one stage have
/// equal indices in their groups, and the stages of a pipeline lie on nodes of their own, or beside each
/// other where a stage does not fill a node. A replica has the speed of its slowest GPU.
/// @param gpus      accepted by `check_replicas`
/// @param inside    degrees of a replica of several GPUs
/// @param training  batch and micro-batches of a replica
/// @param tree      what the scenario was read from, for the places in messages
/// @returns an Error of NCCL's description that does not fit a tensor group
/// Source of the order of GPUs: Narayanan et al., SC 2021: tensor first, then data, then pipeline.
netmodels::Result<ReplicaGroup> group_of_replicas(const AllGpus& gpus, const netmodels::ModelParallel& inside,
                                                  const Training& training, const language::Value& tree);

/// A workload whose micro-batches are accumulated, with the costs of its pipeline.
/// @param share  of a GPU of a replica
/// @param group  its data-parallel group
netmodels::Workload with_pipeline(netmodels::Workload share, const netmodels::ModelParallel& inside,
                                  const Cluster& group);

/// Speeds of replicas in whole steps: a slow GPU does not slow the exchanges inside a replica.
/// @param speeds  relative speed of computing in each replica
/// @param share   of a GPU of a replica, with its pipeline
/// @param batch   samples of a replica
std::vector<double> speeds_of_whole_steps(std::vector<double> speeds, const netmodels::Workload& share,
                                          double batch);

/// Puts another link between the nodes of a settled scenario; the messages of a pipeline use it, too.
/// Leaves out: the share of messages in the speed of a slow replica.
/// @param link  of one worker: where GPUs of a tensor group share it, the part of one
void replace_link(Scenario& scenario, const netmodels::LinkState& link);

/// The part of a link between nodes that a worker has: less than 1 where GPUs of a tensor group share it.
double share_of_link(const Stated& stated, const Parallelism& parallelism);

/// The GPUs of each replica, by their numbers in the stated cluster. What is stated of a GPU by its number
/// counts for the replica that has it.
/// @param gpus      all GPUs, at least 1
/// @param replicas  at least 1
std::vector<std::vector<std::uint32_t>> gpus_of_replicas(int gpus, int replicas,
                                                         const netmodels::ModelParallel& inside);

/// All GPUs, where one of each replica is simulated.
/// @param cluster  the simulated one
const Cluster& cluster_as_stated(const Stated& stated, const Cluster& cluster);

/// A warning that names the link between stages, where its messages take more of a step than predictions err
/// (`tie`) of a stage's passes: stages on nodes that are far from each other.
/// @returns nothing without a pipeline, or where its messages take less
std::optional<std::string> pipeline_warning(const Work& work, const Cluster& cluster, const Stated& stated,
                                            const language::Value& tree);

/// "a replica is 32 GPUs (tensor 8, pipeline 4): 12.1 ms of a step are exchanges between them, 20 ms wait for
/// the pipeline"; empty where a replica is one GPU.
/// @param batch  samples of a replica
std::string describe_replica(const netmodels::Workload& workload, double batch,
                             const netmodels::ModelParallel& inside);

}  // namespace sim::scenario
