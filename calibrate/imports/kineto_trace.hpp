// A trace of PyTorch's profiler (Kineto), and how it is read event by event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

// What is kept of a PyTorch profiler trace: a few dozen bytes for each event that a step's times follow from.

/// Begin and end, counted from the first event of the trace.
struct TracedSpan {
  netmodels::Seconds begin;
  netmodels::Seconds end;

  [[nodiscard]] netmodels::Seconds duration() const { return end - begin; }
  [[nodiscard]] bool holds(netmodels::Seconds moment) const { return begin <= moment && moment < end; }
};

/// One call of `profiler.step()` to the next: the annotation `ProfilerStep#N`.
struct KinetoStep {
  std::string name;
  std::int64_t thread = 0;
  TracedSpan span;
};

/// An operator that autograd knows: it bears a sequence number.
struct KinetoOperator {
  TracedSpan span;
  std::int64_t thread = 0;
  std::int64_t sequence = 0;
  std::uint32_t name = 0;       ///< index into `KinetoTrace::names`
  bool backward = false;        ///< runs for an operator of the forward pass
  std::int64_t parameters = 0;  ///< number of its weights, where the trace shows their shapes
  std::int64_t batch = 0;       ///< first dimension of its first input; 0 where the trace does not show it
};

/// Stride of a group whose ranks are not evenly spaced.
inline constexpr std::int64_t uneven_stride = -1;

/// A collective as the host called it.
struct KinetoCollective {
  std::string name;  ///< as the trace spells it: `allreduce`, `broadcast`, `all_to_all`, ...
  TracedSpan span;   ///< span of the call, not of the exchange
  std::int64_t elements = 0;
  std::string type;          ///< type of an element, as the trace spells it: `Float`, `float`, ...
  int ranks = 0;             ///< ranks of its group; 0 where the trace does not say
  std::int64_t results = 0;  ///< elements of its output; 0 where the trace does not say
  std::int64_t stride = 0;   ///< distance between the ranks of its group; 0 where the trace does not say, or
                             ///< `uneven_stride`
  std::int64_t first = 0;    ///< smallest rank of its group
};

/// A kernel, copy or fill on the device.
struct KinetoWork {
  TracedSpan span;
  netmodels::Seconds launched;  ///< when the host called for it; its own begin where no call is known
  bool collective = false;      ///< a kernel of NCCL or RCCL
  bool all_reduce = false;
  std::int64_t stream = 0;
  std::optional<std::uint32_t> kernel = {};  ///< index into `KinetoTrace::kernels`, of collectives
};

/// Findings that cannot be used.
struct KinetoCounts {
  std::int64_t events = 0;
  std::int64_t without_time = 0;      ///< complete events whose `ts` or `dur` is missing or no number
  std::int64_t without_launch = 0;    ///< device events whose correlation leads to no call of the host
  std::int64_t without_duration = 0;  ///< device events of duration 0
  std::int64_t collective_kernels = 0;
  std::int64_t launches = 0;            ///< calls of the host that bear a correlation
  std::int64_t computing_launched = 0;  ///< device events other than collectives, with their call
  std::int64_t computing_alone = 0;     ///< and without
};

/// A whole trace, its events in order of their begin.
struct KinetoTrace {
  std::vector<std::string> names;
  std::vector<KinetoStep> steps;
  std::vector<TracedSpan> optimizers;  ///< the annotations `Optimizer.step#...`
  std::vector<KinetoOperator> operators;
  std::vector<KinetoCollective> collectives;
  std::vector<KinetoWork> work;
  std::vector<KinetoCollective> kernels;   ///< kernels of collectives, in the order of the file
  std::vector<netmodels::Seconds> awaits;  ///< when the host made a stream wait for another one, in order
  int streams = 0;                         ///< streams of the device on which anything ran
  KinetoCounts counts;
  std::optional<std::string> device;
  int devices = 0;  ///< devices of the host, as far as the trace lists them
  std::optional<int> world_size;
  std::optional<std::string> nccl_version;
  std::vector<std::string> versions;  ///< `cuda_runtime_version 12040`, ... as far as the trace states them
};

// How far a profiled run had come at a moment, on the host and on the device.

/// The later of two clocks: the host's, and the device's for all that the host had launched by then. A layer
/// takes from the moment at which its predecessors are done on both to the moment at which it is, so that
/// times add up to the step whether the host or the device is the slower one, and the host's gaps are kept.
///
/// Waiting for a gradient all-reduce is taken out of the device's clock, because a simulator adds its own:
/// the time in which the device had work queued and ran nothing but all-reduces. That shift lasts until the
/// device again waits for the host.
///
/// Leaves out: a host that blocks until an exchange is done (its waiting stays in the step); that streams of
/// the device share it.
class KinetoProgress {
 public:
  explicit KinetoProgress(const std::vector<KinetoWork>& work);

  /// When all that was launched before `moment` is done, at least `moment`.
  [[nodiscard]] netmodels::Seconds at(netmodels::Seconds moment) const;

 private:
  struct Point {
    netmodels::Seconds launched;
    netmodels::Seconds done;  ///< end of this and all launched before it
  };

  std::vector<Point> points_;
};

// Sorts the events of a PyTorch profiler trace into what is kept of them.

/// One event of the file, with only the members used here.
struct KinetoEvent {
  std::string phase;
  std::string category;
  std::string name;
  std::optional<double> begin_us;
  std::optional<double> duration_us;
  std::int64_t thread = 0;
  std::optional<std::int64_t> correlation;
  std::optional<std::int64_t> sequence;
  std::int64_t forward_thread = 0;
  std::optional<std::int64_t> stream;
  std::string collective;
  std::optional<std::int64_t> elements;
  std::string type;  ///< type of elements
  int ranks = 0;
  std::int64_t results = 0;                       ///< elements that a collective leaves
  std::int64_t stride = 0;                        ///< distance between ranks of its group
  std::int64_t first = 0;                         ///< smallest rank of its group
  std::vector<std::vector<std::int64_t>> shapes;  ///< shapes of the inputs
  std::string input_type;                         ///< type of the first input
};

/// The number of events kept, 80 bytes each at most: some hundred MB, and far above what a few steps
/// of a training leave.
inline constexpr std::size_t most_kept_events = std::size_t{1} << 22U;

/// Bytes of the names that are kept with them.
inline constexpr std::size_t most_kept_text = 256'000'000;

/// Takes events in any order.
class KinetoCollector {
 public:
  /// @returns false where the event, or its name, is one too many to be kept
  bool take(const KinetoEvent& event);

  /// Ties device events to the calls that launched them, and brings all into order. Of the three places in
  /// which a collective may appear, the first with its size is taken: the host's `record_param_comms`,
  /// the annotation `nccl:...`, the kernel.
  KinetoTrace finish();

 private:
  struct Launch {
    std::int64_t correlation = 0;
    netmodels::Seconds begin;
  };

  bool take_timed(const KinetoEvent& event, const std::string& category);
  void take_annotation(const KinetoEvent& event, const TracedSpan& span);
  bool take_operator(const KinetoEvent& event, const TracedSpan& span);
  void take_work(const KinetoEvent& event, const TracedSpan& span, bool kernel);
  TracedSpan span_of(const KinetoEvent& event);
  std::uint32_t index_of(const std::string& name);
  void store(std::vector<KinetoCollective>& list, KinetoCollective one);
  bool count_kept();
  void tie_launches();
  void size_kernels();

  std::optional<double> first_us_;
  std::size_t kept_ = 0;
  std::size_t kept_text_ = 0;
  KinetoTrace trace_;
  std::unordered_map<std::string, std::uint32_t> indices_;
  std::vector<Launch> launches_;
  std::vector<std::optional<std::int64_t>> correlations_;  ///< correlation of each device event
  std::set<std::int64_t> streams_;
  std::vector<KinetoCollective> called_;
  std::vector<KinetoCollective> annotated_;
  std::vector<KinetoCollective> kernels_;
};

// Reads the JSON of a PyTorch profiler trace event by event.

/// Reads a Chrome trace as Kineto writes it, of any size: no more of it is held than one event and what
/// `KinetoTrace` keeps.
/// @param stream  the JSON, unpacked
/// @param source  named in errors
/// @returns an Error for text that is not complete JSON or not UTF-8 (with its byte), a document without
/// `traceEvents`, more than `most_kept_events` or `most_kept_text` that would be kept, a text of more than 16
/// MB, more than 100 arrays and objects inside each other, and a list in `Input Dims` of more than 100,000
/// numbers
///
/// Leaves out: flows, instants, counters, stacks; operators without a sequence number.
/// Source: PyTorch profiler (Kineto) Chrome trace, schemaVersion 1; spellings of 2021 (`Operator`, `Kernel`)
/// are known too.
netmodels::Result<KinetoTrace> read_kineto(std::istream& stream, const std::string& source);

}  // namespace calibrate::imports
