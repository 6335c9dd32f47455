// One training step as a graph of operations, and its timing when it runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace netmodels {

/// The kind of an operation.
enum class StepWork : std::uint8_t {
  compute,     ///< a part of the forward or backward pass, the optimizer, host overhead
  compress,    ///< compression of a gradient, before it is sent
  restore,     ///< restoring of received messages into a gradient
  collective,  ///< communication of all workers
  memory,      ///< a copy within a device or between device and host
  delay,       ///< until a communication that is ready may begin; occupies no stream
};

/// The resource that an operation occupies on a worker: operations of one stream run one after another.
enum class StepStream : std::uint8_t { compute, communication, copy, host };
inline constexpr std::size_t step_streams = 4;

/// One operation, the same on all workers.
struct StepOperation {
  StepWork work = StepWork::compute;
  StepStream stream = StepStream::compute;
  std::string_view name;  ///< "forward", "compress", "buffers"; empty for collectives of a bucket
  Seconds duration = {};  ///< duration at nominal speed; collectives: unused, from an evaluator
  /// Operations that must have ended, by index, each smaller than its own; besides those of the same stream.
  std::vector<std::uint32_t> after = {};
  std::uint32_t bucket = 0;         ///< bucket of the gradient, where it belongs to one
  const Collective* row = nullptr;  ///< collectives; null: an exchange policy chooses
  Operation operation = {};         ///< collectives
  std::uint8_t queue = 0;           ///< queue of the communication stream; queues run side by side
};

/// The operations of one step. An operation that runs during one of the compute stream is listed before it,
/// unless it can only start after its end; those of a traced step are listed in any order that their
/// dependencies allow.
struct StepGraph {
  std::vector<StepOperation> operations;
  std::vector<std::uint32_t> collectives;  ///< indices of the collectives, in their order
  Seconds computing;                       ///< nominal time of the compute stream's operations together
  bool queued = false;                     ///< whether operations are in several queues
  bool traced = false;  ///< whether traced: with work of the host and copies, without delays

  /// @returns its index
  std::uint32_t add(StepOperation operation);
  /// Nominal time of all operations of this name together.
  [[nodiscard]] Seconds total(std::string_view name) const;
};

/// How fast the workers of a step are.
struct StepPace {
  double slowest = 1;   ///< factor of the slowest worker on the time of its compute stream
  double mean = 1;      ///< slow-down of the mean worker
  double slowdown = 0;  ///< the compute stream takes longer by this share while a collective runs
};

/// Parts of the time of a step, for the average worker. The parts add up to the step.
struct Parts {
  Seconds compute;   ///< forward and backward pass, optimizer and host overhead; of a traced step also copies
                     ///< and the host's work that nothing hides
  Seconds wait;      ///< until the slowest worker has computed as much
  Seconds compress;  ///< compression and restoring that nothing hides
  Seconds exchange;  ///< communication, and waiting until it may begin, that nothing hides
  Seconds stream_wait = {};  ///< wait of the slowest worker for samples still to arrive

  [[nodiscard]] Seconds total() const { return compute + wait + compress + exchange + stream_wait; }
  Parts& operator+=(const Parts& other);
};

Parts operator/(const Parts& parts, double divisor);

/// When an operation runs, since the step began.
struct OperationTimes {
  Seconds start;
  Seconds end;
};

/// The times of a step.
struct StepTimes {
  Seconds duration;
  Seconds exchange_busy;  ///< time in which a collective runs, hidden by computation or not
  /// Half of what the step takes longer with every measured collective at the upper end of its error than
  /// with every one at the lower end. The end is where nine of ten held-out sizes lie within. 0 where no
  /// collective was measured. Leaves out: errors of compute and compression times, and that errors of several
  /// collectives may cancel.
  Seconds margin;
  Parts parts;
  std::vector<OperationTimes> operations;  ///< times of the slowest worker, by index
  std::vector<OperationTimes> gaps;        ///< when its compute stream is idle; the last one has no end
};

/// Returns the times of collectives.
class CollectiveEvaluator {
 public:
  virtual ~CollectiveEvaluator() = default;
  /// @param operation  index of a collective of the graph; asked in the order in which they start
  /// @param start      since the step began
  virtual Result<Seconds> duration(std::size_t operation, Seconds start) = 0;
  /// Whether two collectives of different queues share links; asked after their durations.
  [[nodiscard]] virtual bool share_links(std::size_t, std::size_t) const { return true; }
};

/// Runs a step: each operation starts as soon as its stream is free and its dependencies have ended, on the
/// slowest worker. Collectives of several queues that share links run at equal shares of their rates while
/// they run at once.
///
/// @param pace   of a traced step without `slowdown`
/// @param times  overwritten but for `margin`; kept by the caller to save allocations
/// @returns nothing, or the Error of a collective that could not be evaluated
/// Leaves out: workers that enter a collective at different times; several collectives at once on one stream;
///             stragglers that compress slowly.
/// Source: gradient buckets overlapped with the backward pass as in Li et al., "PyTorch Distributed:
///         Experiences on Accelerating Data Parallel Training", PVLDB 13(12), 2020; the sum of parts as in
///         Tyagi & Swany, IEEE BigData 2023, equation (3).
Result<void> run_step(const StepGraph& graph, const StepPace& pace, CollectiveEvaluator& evaluator,
                      StepTimes& times);

}  // namespace netmodels
