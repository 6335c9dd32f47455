// Whether NCCL's times hold for a cluster, and checks of `cluster.nccl`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/nccl/hardware.hpp"
#include "netmodels/result.hpp"
#include "netmodels/roofline.hpp"
#include "policies/synchronisation_row.hpp"
#include "settings/nccl_hardware.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

struct Cluster;
struct Parallelism;
struct Scenario;

/// Refuses a description that `netmodels::nccl::validate` refuses, alone or for the cluster's workers, and
/// GPUs of another vendor.
/// @param device         of the workload, where a file describes it
/// @param timed          device of the workload as it states it
/// @param tree           what the scenario was read from, for the places in messages
netmodels::Result<void> check_nccl(const Cluster& cluster, const std::optional<netmodels::Device>& device,
                                   const std::string& timed, const language::Value& tree);

/// Refuses `network: nccl` where NCCL's times do not hold.
netmodels::Result<void> check_nccl_evaluator(const Cluster& cluster, const Parallelism& parallelism,
                                             const policies::SynchronisationChoice& method,
                                             const language::Value& tree);

/// Why NCCL's times do not hold for a cluster that describes its hardware: they need links that the cluster
/// states, shared by capacity, and as many workers on each node. Nothing where they hold.
std::optional<std::string_view> nccl_obstacle(const Cluster& cluster);
/// The same for how workers exchange there, too.
std::optional<std::string_view> nccl_obstacle(const Cluster& cluster, const Parallelism& parallelism,
                                              const policies::SynchronisationChoice& method);

/// A cluster with the links that it leaves out, as the described hardware reaches them on a quiet network:
/// the bandwidth of a node's interfaces and of a GPU inside a node, and the latency of a small message; and
/// what NCCL's hops contain of their latency. A stated `link` is the network between nodes: its delay adds to
/// NCCL's hops, and the slower of it and the interfaces counts. A stated `inner_link` must agree with the
/// hardware within a factor of 3; a platform file defines its own links.
/// @param compares  whether times of NCCL are taken
/// @param tree      what the scenario was read from, for the places in messages
/// @returns an Error of the description where a link is needed, and of links that contradict it
netmodels::Result<Cluster> with_nccl_links(Cluster cluster, bool compares, const language::Value& tree);

/// The description by which collectives are evaluated; null where there is none, or an obstacle.
const netmodels::nccl::Hardware* nccl_of(const Cluster& cluster);
/// The same where the evaluator of the scenario takes NCCL's times, and no other library runs collectives;
/// else null.
const netmodels::nccl::Hardware* nccl_of(const Work& work, const Cluster& cluster, const Exchange& exchange,
                                         Evaluator evaluator);

/// Warnings: a description that is not used, and a version whose constants were not read.
std::vector<std::string> nccl_warnings(const Scenario& scenario, const language::Value& tree);

/// What `read_nccl` finds.
struct NcclDescription {
  netmodels::nccl::Hardware hardware;
  std::optional<std::uint32_t> workers_per_node = {};  ///< as the file states them
  std::vector<std::string> warnings = {};              ///< as of `nccl_warnings`
};

/// The key `nccl` of a file of clusters.
/// @param name      a file, or a name in scenarios/clusters
/// @returns an Error also where the file has no such key
netmodels::Result<NcclDescription> read_nccl(const std::string& name, const std::filesystem::path& data_dir);

}  // namespace sim::scenario
