// A training step as a trace recorded it: operations of one worker, to run with collectives of another
// cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/step_graph.hpp"

namespace netmodels {

/// A collective of a traced step.
struct TracedCollective {
  CollectiveKind kind = CollectiveKind::all_reduce;  ///< one of `traced_kinds`
  bool all_to_all = false;                           ///< whether it is an all-to-all, in place of `kind`
  CollectiveReach reach = CollectiveReach::all;
  /// Size of what each worker holds (all-reduce, broadcast, all-to-all), or of all contributions together
  /// (all-gather, reduce-scatter); above 0.
  Bytes size;

  bool operator==(const TracedCollective&) const = default;
};

/// One operation.
struct TracedOperation {
  std::string name;
  StepStream stream = StepStream::compute;
  Seconds duration;                                 ///< time on the traced machine; of collectives unused
  std::vector<std::uint32_t> after = {};            ///< predecessors by index, each smaller than its own
  std::optional<TracedCollective> collective = {};  ///< collective where the stream is `communication`
};

/// One step of one worker; each stream runs its operations in the order of this list.
struct TracedStep {
  std::vector<TracedOperation> operations;

  /// Whether collectives join the workers of a node, or one of each.
  [[nodiscard]] bool has_groups() const;
};

/// Rows of the table that carry each kind. None is null but `all_reduce`, which an exchange policy chooses
/// then.
struct TracedRows {
  const Collective* all_reduce = nullptr;
  const Collective* all_gather = nullptr;
  const Collective* reduce_scatter = nullptr;
  const Collective* broadcast = nullptr;
};

/// Whether a collective has a schedule: all-reduces, all-gathers, reduce-scatters and all-to-alls among all
/// workers or within nodes, all-reduces between nodes, broadcasts among all.
bool has_schedule(const TracedCollective& collective);

/// Whether it sums values: an all-reduce or a reduce-scatter.
bool sums(const TracedCollective& collective);

/// The step on another cluster. All-reduces within nodes are a reduce-scatter and an all-gather.
/// @param step   outlives the graph, which has its names
/// @param ranks  workers, at least 1; a single one exchanges nothing
/// @param group  workers of a node, which divides `ranks`
/// Leaves out: that computing on other devices takes another time, and that a shard of another number of
///             workers has another optimizer; several communicators at once.
StepGraph traced_graph(const TracedStep& step, std::uint32_t ranks, std::uint32_t group,
                       const TracedRows& rows);

/// The duration of the step when collectives take no time.
Seconds undisturbed(const TracedStep& step);

/// Bytes of the collectives that sum gradients: all-reduces (those between nodes apart, which only repeat
/// shards) and reduce-scatters.
Bytes summed_bytes(const TracedStep& step);

}  // namespace netmodels
