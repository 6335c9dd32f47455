// Settings by which the steps of a training compute and exchange.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "netmodels/sharded_step.hpp"
#include "netmodels/workload.hpp"
#include "policies/synchronisation_row.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Workers of a node that collectives count with: all of it, or 1 where these workers do not fill nodes, as
/// after a loss: rings are then over all.
inline std::uint32_t node_group(std::uint32_t workers, std::uint32_t per_node) {
  return workers % per_node == 0 ? per_node : 1;
}

/// The parts of a scenario that step graphs follow from, and what is resolved from them once for a run.
struct StepSettings {
  const netmodels::Workload& workload;
  const scenario::Training& training;
  const scenario::Compression& compression;
  CompressionCosts costs;
  const scenario::Exchange& exchange;
  std::string_view library = {};  ///< library that runs unnamed collectives; empty: none
  double gradient_bytes;          ///< bytes of a gradient value that is sent as it is, above 0
  const policies::SynchronisationChoice& synchronisation;
  std::uint32_t workers = 1;
  std::uint32_t workers_per_node = 1;
  bool shares_nodes = false;  ///< exchanges with other workers, or with other GPUs of the same replica
  std::string_view member_name = "worker";  ///< name of what takes part in a training: "worker" or "node"
  bool sites = false;                       ///< whether nodes exchange models, and their workers gradients
  std::optional<netmodels::ShardedExchange>
      sharded;              ///< exchange among all workers; nothing: states are not sharded
  netmodels::Bytes states;  ///< size of the model and its optimizer, which a worker downloads when it returns

  /// Workers that are one to the synchronisation policy.
  [[nodiscard]] std::uint32_t site() const { return sites ? workers_per_node : 1; }
  /// Values of one fragment of the model, rounded up.
  [[nodiscard]] std::int64_t fragment_values() const {
    const std::int64_t fragments = streaming_of(synchronisation).fragments;
    return (workload.parameters() + fragments - 1) / fragments;
  }
  /// Of a training whose states are sharded.
  /// @param workers  that take part
  [[nodiscard]] netmodels::ShardedExchange sharded_among(std::uint32_t workers) const {
    netmodels::ShardedExchange among = *sharded;
    among.ranks = workers;
    among.group = node_group(workers, workers_per_node);
    return among;
  }
};

/// @param work, cluster, stated, exchange  outlive the settings
StepSettings step_settings_of(const scenario::Work& work, const scenario::Cluster& cluster,
                              const scenario::Stated& stated, const scenario::Exchange& exchange);

}  // namespace sim::engine
