// Times of collectives as NCCL would choose them on described hardware.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "netmodels/collective.hpp"
#include "netmodels/nccl/time.hpp"
#include "netmodels/result.hpp"

namespace sim::engine {

/// NCCL on some workers of a cluster whose hardware is described, on a quiet network.
class NcclTimes {
 public:
  /// @param workers  by rank
  /// @returns nothing for workers that fill their nodes unevenly, or that the hardware has no room for
  static std::optional<NcclTimes> make(const netmodels::nccl::Hardware& hardware,
                                       std::span<const std::uint32_t> workers,
                                       std::uint32_t workers_per_node);

  /// Whether all ranks together run this row by NCCL: a schedule that NCCL has, of a kind that it chooses
  /// for.
  static bool runs(const netmodels::Collective& row);
  /// Whether it runs this operation: all ranks contribute alike.
  static bool runs(const netmodels::Collective& row, const netmodels::Operation& operation);

  /// Ranks of equal index on all nodes exchange at a time: each takes its share of a node's network
  /// interfaces.
  /// @param row  that `runs` accepts; its algorithm does not count
  [[nodiscard]] netmodels::Result<netmodels::nccl::Time> time(const netmodels::Collective& row,
                                                              const netmodels::Operation& operation) const;
  /// The model of the ranks that work together in a row; null for one rank, and where the hardware has no
  /// room for them.
  [[nodiscard]] const netmodels::nccl::Model* model_of(const netmodels::Collective& row) const;
  /// NCCL's name of what a row does.
  static netmodels::nccl::Operation operation_of(const netmodels::Collective& row);
  /// Relative; nine of ten times of such hardware lay within it.
  [[nodiscard]] double error() const;
  [[nodiscard]] const netmodels::nccl::Model& model() const { return model_; }

 private:
  explicit NcclTimes(netmodels::nccl::Model model) : model_(std::move(model)) {}

  netmodels::nccl::Model model_;  ///< of all workers
  /// Of the workers of one node, and of one worker on each node with its share of the interfaces; nothing
  /// where that is one worker.
  std::optional<netmodels::nccl::Model> within_node_;
  std::optional<netmodels::nccl::Model> between_nodes_;
};

}  // namespace sim::engine
