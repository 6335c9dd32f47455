// NCCL's choice of algorithm, protocol, channels and threads for a collective.
#pragma once

#include <array>
#include <optional>

#include "netmodels/nccl/graph.hpp"
#include "netmodels/nccl/hardware.hpp"
#include "netmodels/quantity.hpp"

namespace netmodels::nccl {

/// NCCL's choice for one operation.
struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::LL;
  int channels = 0;
  int threads = 0;        ///< threads of a channel, without those that only synchronise
  Bytes chunk = {};       ///< bytes of a channel that one step moves
  Seconds estimate = {};  ///< NCCL's own, which decides and is not a time: 39 % off in the median
};

/// The costs by which NCCL 2.18 to 2.29 chooses: latency + size / bandwidth, the smallest of them, and of
/// equal ones the first in the order tree, ring, NVLS, NVLS tree, PAT and LL, LL128, Simple.
class CostTable {
 public:
  /// One algorithm with one protocol.
  struct Entry {
    Seconds latency = {};
    Seconds plugin = {};       ///< part of `latency` that the network plugin states
    Bandwidth bandwidth = {};  ///< rate of the size as nccl-tests counts it; 0: it does not run
    int threads = 0;
  };

  /// @param hardware, group  accepted by `validate`; more than one rank
  /// Leaves out: CollNet, NVLS over nodes (it needs SHARP), user buffers that are registered.
  /// Source: NCCL src/graph/tuning.cc, src/enqueue.cc, src/init.cc.
  CostTable(const Hardware& hardware, const Group& group);

  [[nodiscard]] const Graphs& graphs() const { return graphs_; }
  [[nodiscard]] const Entry& entry(Operation operation, Algorithm algorithm, Protocol protocol) const {
    return entries_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(algorithm)]
                   [static_cast<std::size_t>(protocol)];
  }
  /// NCCL's estimate; nothing where this algorithm does not run.
  [[nodiscard]] std::optional<Seconds> cost(Operation operation, Algorithm algorithm, Protocol protocol,
                                            Bytes size) const;
  /// @param operation  all_reduce, all_gather, reduce_scatter, broadcast or reduce
  /// @returns nothing where the environment allows no algorithm that the operation has
  [[nodiscard]] std::optional<Choice> choose(Operation operation, Bytes size) const;

 private:
  friend class CostTableBuilder;
  static constexpr std::size_t operations = 5;
  static constexpr std::size_t algorithms = 5;
  static constexpr std::size_t protocols = 3;

  [[nodiscard]] Choice complete(Operation operation, Choice choice, Bytes size) const;

  Graphs graphs_;
  int ranks_;
  int nodes_;
  double plateau_ = 1;  ///< factor on the latency of ring Simple all-reduces between nodes
  std::array<std::array<std::array<Entry, protocols>, algorithms>, operations> entries_{};
};

/// The factor on a tree's bandwidth in all-reduces of this size, by which NCCL chooses: one for each power of
/// two.
double tree_correction(Protocol protocol, Bytes size);

/// The same, interpolated between powers of two, so that times rise with size.
double smooth_tree_correction(Protocol protocol, Bytes size);

}  // namespace netmodels::nccl
