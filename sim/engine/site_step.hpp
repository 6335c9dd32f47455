// Steps on two levels: workers of a node take every step together, nodes exchange their models now and then.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "netmodels/data_parallel_step.hpp"
#include "netmodels/step_graph.hpp"
#include "sim/engine/communication_plan.hpp"
#include "sim/engine/step_settings.hpp"

namespace sim::engine {

inline constexpr std::string_view between_sites_name = "models between nodes";
inline constexpr std::string_view within_site_name = "models within nodes";

/// The buckets of whole gradients that the workers of each node sum: by a reduce-scatter and an all-gather.
/// @param workers  all of them, a multiple of `cluster.workers_per_node`
std::vector<netmodels::BucketExchange> site_buckets(const StepSettings& settings, std::uint32_t workers);

/// The step of `parallelism.site: node` that exchanges no gradients between nodes: as FSDP inside each node,
/// or with whole gradients (`buckets`). Where models are exchanged, each worker then sends its 1/g of the
/// node's message to those of its index on the other nodes, after the optimizer: by an all-reduce where the
/// method sums, else by an all-gather. Workers with whole models gather the rest inside the node.
/// @param buckets  of `site_buckets`; not used where states are sharded
/// Leaves out: exchanges between nodes that begin before the optimizer ends; broadcasts of buffers.
/// Source: Jaghouar et al., "INTELLECT-1 Technical Report", arXiv:2412.01152, 2024 (FSDP inside, DiLoCo
///         between nodes).
netmodels::StepGraph site_step(const StepSettings& settings, const StepAction& action, std::uint32_t workers,
                               const std::vector<netmodels::BucketExchange>& buckets);

}  // namespace sim::engine
