// A training step as a trace recorded it: operations of one worker, to run with collectives of another
// cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/data_parallel_step.hpp"
#include "netmodels/device_work.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/step_graph.hpp"

namespace netmodels {

/// Evenly spaced ranks, as those of a communicator of PyTorch's device meshes. All ranks of the training are
/// in groups of this shape: blocks of `stride` x `count` ranks hold `stride` groups each.
struct RankGroup {
  std::uint32_t start = 0;   ///< first rank of the recorded group, which begins a group
  std::uint32_t stride = 1;  ///< distance of its ranks, at least 1
  std::uint32_t count = 1;   ///< number of its ranks, at least 1

  [[nodiscard]] std::uint64_t block() const { return std::uint64_t{stride} * count; }
  bool operator==(const RankGroup&) const = default;
};

/// One end of a message from each member of a group to another one, as a pipeline's or a ring's stages have.
/// All ranks do the same: a send to the member k on is received from the member k back.
struct TracedMessage {
  bool received = false;  ///< the receiving end; false: the sending end
  std::int32_t peer = 1;  ///< distance to the other end, in members around the group; not 0

  bool operator==(const TracedMessage&) const = default;
};

/// A collective of a traced step.
struct TracedCollective {
  CollectiveKind kind = CollectiveKind::all_reduce;  ///< one of `traced_kinds`
  bool all_to_all = false;                           ///< whether it is an all-to-all, in place of `kind`
  CollectiveReach reach = CollectiveReach::all;      ///< `groups`: as `group` says
  /// Size of what each worker holds (all-reduce, broadcast, all-to-all), or of all contributions together
  /// (all-gather, reduce-scatter); above 0.
  Bytes size;
  RankGroup group = {};
  bool gradient = false;                      ///< marked as one that sums gradients
  double value_bytes = 4;                     ///< bytes of a value, above 0
  std::optional<TracedMessage> message = {};  ///< one end of a message, in place of `kind`

  bool operator==(const TracedCollective&) const = default;
};

/// One operation.
struct TracedOperation {
  std::string name;
  StepStream stream = StepStream::compute;
  Seconds duration;                                 ///< time on its device; of collectives unused
  std::vector<std::uint32_t> after = {};            ///< predecessors by index, each smaller than its own
  std::optional<TracedCollective> collective = {};  ///< collective where the stream is `communication`
  std::uint8_t queue = 0;                           ///< queue of a collective; two queues run side by side
  /// Work from which `duration` follows on another device; nothing: the duration was traced.
  std::optional<DeviceWork> work = {};
};

/// One step of one worker; each stream runs its operations in the order of this list.
struct TracedStep {
  std::vector<TracedOperation> operations;
  bool marked = false;  ///< whether collectives that sum gradients are marked
  bool scaled = false;  ///< whether sizes are those of one number of workers, by rules for any

  /// Whether collectives join some of the workers, messages do, or sizes depend on their number.
  [[nodiscard]] bool has_groups() const;
  /// Whether collectives join the workers of a node, or one of each.
  [[nodiscard]] bool has_node_groups() const;
  /// Whether ranks send messages to others of their groups.
  [[nodiscard]] bool has_messages() const;
  /// Whether durations follow from work on a device.
  [[nodiscard]] bool is_predicted() const;
  /// Indices of the operations that sum gradients: those that are marked; of a step without marks,
  /// all-reduces (those between nodes apart, which only repeat shards) and reduce-scatters.
  [[nodiscard]] std::vector<std::uint32_t> gradients() const;
  /// Whether all gradients are summed by all-reduces among all workers.
  [[nodiscard]] bool sums_whole_gradients() const;
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
/// workers, within nodes or in groups, all-reduces between nodes, broadcasts among all or in groups.
bool has_schedule(const TracedCollective& collective);

/// Whether it sums values: an all-reduce or a reduce-scatter.
bool sums(const TracedCollective& collective);

/// Workers of a cluster.
struct TracedWorkers {
  std::uint32_t ranks = 1;  ///< at least 1; a single one exchanges nothing
  std::uint32_t group = 1;  ///< workers of a node, which divides `ranks`
};

/// The shape of the groups of a collective; `start` only of those of `CollectiveReach::groups`.
RankGroup members_of(const TracedCollective& collective, const TracedWorkers& workers);

/// Messages with their groups; groups that are all workers, those of a node, or one of each node, with that
/// reach.
TracedCollective with_known_reach(TracedCollective collective, const TracedWorkers& workers);

/// The step on another cluster.
/// @param step  outlives the graph, which has its names; its groups fit the workers, its messages have both
///              ends (netmodels/traced_messages.hpp)
/// @param gradients  exchanges that replace those of `TracedStep::gradients`, in their order; empty: none is
///                   replaced
/// Leaves out: that a shard of another number of workers has another optimizer; that compressing takes time
/// of the device's other work.
StepGraph traced_graph(const TracedStep& step, const TracedWorkers& workers, const TracedRows& rows,
                       std::span<const BucketExchange> gradients = {});

/// The duration of the step when collectives take no time.
Seconds undisturbed(const TracedStep& step);

/// Bytes of the collectives that sum gradients.
Bytes summed_bytes(const TracedStep& step);

}  // namespace netmodels
