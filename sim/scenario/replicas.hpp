// Replicas of a model that span several GPUs: `parallelism.tensor` and `parallelism.pipeline`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/link_state.hpp"
#include "netmodels/result.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

struct Cluster;
struct Scenario;

/// Replaces a cluster of GPUs by the data-parallel group of one of them, and the workload by that GPU's
/// share: the GPUs of a tensor group share the link of their node, those of one stage have equal indices in
/// their groups, and the stages of a pipeline lie on nodes of their own, or beside each other where a stage
/// does not fill a node. A replica has the speed of its slowest GPU.
/// Nothing happens where a replica is one GPU.
/// @param tree  what the scenario was read from, for the places in messages
/// @returns an Error for degrees that do not fit the workers, the nodes, the blocks or the micro-batches, and
/// for clusters and policies that treat single workers apart
/// Source of the order of GPUs: Narayanan et al., SC 2021: tensor first, then data, then pipeline.
netmodels::Result<void> settle_replicas(Scenario& scenario, const language::Value& tree);

/// Adds the costs of a pipeline to a workload whose micro-batches are accumulated, and lets the speed of a
/// replica leave out what it exchanges inside, which a slow GPU does not slow.
void settle_pipeline(Scenario& scenario);

/// Puts another link between the nodes of a settled scenario; the messages of a pipeline use it, too.
/// Leaves out: the share of messages in the speed of a slow replica.
/// @param link  of one worker: where GPUs of a tensor group share it, the part of one
void replace_link(Scenario& scenario, const netmodels::LinkState& link);

/// The part of a link between nodes that a worker has: less than 1 where GPUs of a tensor group share it.
double share_of_link(const Scenario& scenario);

/// The GPUs of each replica, by their numbers in the stated cluster; empty where a replica is one GPU. What
/// is stated of a GPU by its number counts for the replica that has it.
std::vector<std::vector<std::uint32_t>> gpus_of_replicas(const Scenario& scenario);

/// All GPUs, where one of each replica is simulated.
const Cluster& cluster_as_stated(const Scenario& scenario);

/// A warning that names the link between stages, where its messages take more of a step than predictions err
/// (`tie`) of a stage's passes: stages on nodes that are far from each other.
/// @returns nothing without a pipeline, or where its messages take less
std::optional<std::string> pipeline_warning(const Scenario& scenario, const language::Value& tree);

/// "a replica is 32 GPUs (tensor 8, pipeline 4): 12.1 ms of a step are exchanges between them, 20 ms wait for
/// the pipeline"; empty where a replica is one GPU.
std::string describe_replica(const Scenario& scenario);

}  // namespace sim::scenario
