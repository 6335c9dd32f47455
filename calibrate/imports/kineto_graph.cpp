// Import of PyTorch profiler traces (Kineto) as the graphs they are.
#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>

#include "calibrate/imports/kineto.hpp"
#include "files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::Bytes;
using netmodels::CollectiveKind;
using netmodels::CollectiveReach;
using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;
using netmodels::StepStream;
using netmodels::TracedCollective;
using netmodels::TracedOperation;

/// A kernel of the main stream.
struct MainKernel {
  const KinetoWork* work = nullptr;
  Seconds duration;  ///< including the time that the host let the device wait before it, without waiting for
                     ///< collectives
  std::string_view phase;
  bool begins = false;  ///< an operation of the step, because something is awaited or ends here
  std::vector<std::size_t> awaited = {};  ///< collectives
};

/// A collective of the step.
struct TracedExchange {
  const KinetoWork* work = nullptr;
  TracedCollective what;
  std::optional<std::size_t> after;  ///< kernel; nothing: from the beginning
};

Seconds common_time(const TracedSpan& one, Seconds begin, Seconds end) {
  return std::max(Seconds{}, std::min(one.end, end) - std::max(one.begin, begin));
}

/// The kind behind a name such as `_allgather_base`, `reduce_scatter_tensor_coalesced`, `ALLREDUCE`.
std::optional<TracedCollective> collective_kind(std::string name) {
  std::erase(name, '_');
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto holds = [&name](std::string_view part) { return name.find(part) != std::string::npos; };
  if (holds("alltoall"))
    return TracedCollective{.kind = CollectiveKind::reduce_scatter, .all_to_all = true, .size = {}};
  if (holds("allreduce")) return TracedCollective{.kind = CollectiveKind::all_reduce, .size = {}};
  if (holds("allgather")) return TracedCollective{.kind = CollectiveKind::all_gather, .size = {}};
  if (holds("reducescatter")) return TracedCollective{.kind = CollectiveKind::reduce_scatter, .size = {}};
  if (holds("broadcast")) return TracedCollective{.kind = CollectiveKind::broadcast, .size = {}};
  return std::nullopt;
}

/// Builds the graph of one step.
class KinetoGrapher {
 public:
  KinetoGrapher(const KinetoTrace& trace, const std::string& source, const KinetoStep& step, int ranks)
      : trace_(trace), source_(source), step_(step), ranks_(ranks) {
    const auto first = std::ranges::find_if(trace.operators, [&step](const KinetoOperator& one) {
      return one.backward && step.span.holds(one.span.begin);
    });
    if (first != trace.operators.end()) backward_ = first->span.begin;
  }

  Result<TracedGraph> build() {
    if (auto taken = take_work(); !taken) return tl::unexpected(taken.error());
    if (kernels_.empty())
      return refuse(source_, fmt::format("{} launches nothing on the device", step_.name),
                    "profile the device, too");
    if (exchanges_.empty())
      return refuse(source_, fmt::format("{} has no collective", step_.name),
                    "give a trace of distributed training");
    name_groups();
    time_kernels();
    tie();
    print();
    drop_implied(graph_.step);
    return std::move(graph_);
  }

 private:
  [[nodiscard]] bool in_step(const KinetoWork& work) const { return step_.span.holds(work.launched); }

  /// The stream without collectives that computes longest.
  [[nodiscard]] std::int64_t main_stream() const {
    std::map<std::int64_t, Seconds> busy;
    for (const KinetoWork& work : trace_.work)
      if (!work.collective) busy[work.stream] += work.span.duration();
    const auto most = std::ranges::max_element(busy, {}, [](const auto& one) { return one.second; });
    return most == busy.end() ? 0 : most->first;
  }

  Result<void> take_work() {
    const std::int64_t main = main_stream();
    for (const KinetoWork& work : trace_.work) {
      if (!in_step(work)) {
        if (work.launched < step_.span.begin && work.stream == main)
          before_ = std::max(before_.value_or(work.span.end), work.span.end);
        continue;
      }
      if (work.kernel) {
        GRADSIM_TRY(what, collective_of(trace_.kernels[*work.kernel]));
        exchanges_.push_back({&work, *what, std::nullopt});
      } else if (work.stream == main) {
        kernels_.push_back({&work, {}, phase_of(work), false});
      } else {
        beside_.push_back(&work);
      }
    }
    return {};
  }

  [[nodiscard]] std::string_view phase_of(const KinetoWork& work) const {
    for (const TracedSpan& span : trace_.optimizers)
      if (span.holds(work.launched)) return "optimizer";
    if (!backward_) return "compute";
    return *backward_ <= work.launched ? "backward" : "forward";
  }

  /// Sets who takes part in a collective: all ranks, or a group of them.
  Result<void> take_ranks(const KinetoCollective& one, TracedCollective& what) const {
    if (one.ranks == 0 || one.ranks == ranks_) return {};
    if (one.stride == 0) {
      return refuse(source_,
                    fmt::format("a `{}` among {} of {} ranks, and the trace does not say which", one.name,
                                one.ranks, ranks_),
                    "trace with a release of PyTorch that writes `Process Group Ranks` (2.2 or later)");
    }
    if (one.stride == uneven_stride) return uneven_group(one, fmt::format("{} of {}", one.ranks, ranks_));
    what.reach = CollectiveReach::groups;
    what.group = {static_cast<std::uint32_t>(one.first), static_cast<std::uint32_t>(one.stride),
                  static_cast<std::uint32_t>(one.ranks)};
    const auto ranks = static_cast<std::uint64_t>(ranks_);
    if (ranks % what.group.block() == 0 && what.group.start % what.group.block() < what.group.stride)
      return {};
    return uneven_group(one, fmt::format("{}:{}:{} of {}", one.first, one.stride, one.ranks, ranks_));
  }

  [[nodiscard]] Result<void> uneven_group(const KinetoCollective& one, std::string_view group) const {
    return refuse(source_,
                  fmt::format("a `{}` among ranks {}, whose groups are not evenly spaced", one.name, group),
                  "give --ranks N, the ranks of the job");
  }

  [[nodiscard]] Result<TracedCollective> collective_of(const KinetoCollective& one) const {
    auto what = collective_kind(one.name);
    if (!what)
      return refuse(source_, fmt::format("`{}` cannot be evaluated as one worker's step", one.name),
                    "accepted: all-reduce, all-gather, reduce-scatter, broadcast, all-to-all; of messages "
                    "between two ranks, `gradsim capture` records both ends");
    const auto bytes = bytes_of_type(one.type);
    if (one.elements <= 0 || !bytes)
      return refuse(
          source_,
          fmt::format("a `{}` of {}", one.name,
                      one.elements <= 0 ? "unknown size" : fmt::format("unknown type `{}`", one.type)),
          "profile with record_shapes=True");
    GRADSIM_TRY(ranks, take_ranks(one, *what));
    double values = static_cast<double>(std::max(one.elements, one.results));
    const bool gathers = what->kind == CollectiveKind::all_gather && !what->all_to_all;
    if (gathers && one.results <= one.elements)
      values = static_cast<double>(one.elements) * std::max(1, one.ranks);
    what->size = Bytes{values * *bytes};
    return *what;
  }

  /// Ranks of a node, where groups of neighbours are nodes and all others join one rank of each.
  [[nodiscard]] std::optional<std::uint32_t> node_size() const {
    std::optional<std::uint32_t> size;
    for (const TracedExchange& exchange : exchanges_) {
      if (exchange.what.reach != CollectiveReach::groups) continue;
      const netmodels::RankGroup& group = exchange.what.group;
      const bool neighbours = group.stride == 1;
      if (!neighbours && group.block() != static_cast<std::uint64_t>(ranks_)) return std::nullopt;
      const std::uint32_t found = neighbours ? group.count : group.stride;
      if (size.value_or(found) != found) return std::nullopt;
      size = found;
    }
    return size;
  }

  /// Names groups by nodes where they have as many ranks as the host has devices, so that the step runs on
  /// other numbers of workers, too.
  void name_groups() {
    if (node_size() != static_cast<std::uint32_t>(trace_.devices)) return;
    for (TracedExchange& exchange : exchanges_) {
      if (exchange.what.reach != CollectiveReach::groups) continue;
      TracedCollective named = exchange.what;
      named.reach = named.group.stride == 1 ? CollectiveReach::within_node : CollectiveReach::between_nodes;
      named.group = {};
      if (has_schedule(named)) exchange.what = named;
    }
  }

  void time_kernels() {
    Seconds free = std::max(before_.value_or(step_.span.begin), step_.span.begin);
    for (MainKernel& kernel : kernels_) {
      const TracedSpan& span = kernel.work->span;
      Seconds waits;
      for (const TracedExchange& exchange : exchanges_)
        waits += common_time(exchange.work->span, std::max(free, kernel.work->launched), span.begin);
      const Seconds begin = std::min(free + waits, span.begin);
      kernel.duration = span.end - std::min(std::max(begin, free), span.end);
      if (span.end <= free) kernel.duration = {};
      free = std::max(free, span.end);
    }
    tail_ = std::max(Seconds{}, step_.span.end - free);
  }

  /// The last kernel for which a condition holds, if it holds for a beginning of the list.
  template <class Holds>
  [[nodiscard]] std::optional<std::size_t> last_kernel(Holds holds) const {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < kernels_.size(); ++i)
      if (holds(*kernels_[i].work)) last = i;
    return last;
  }

  template <class Holds>
  [[nodiscard]] std::optional<std::size_t> first_kernel(Holds holds) const {
    for (std::size_t i = 0; i < kernels_.size(); ++i)
      if (holds(*kernels_[i].work)) return i;
    return std::nullopt;
  }

  /// Nothing computed while it ran, and what followed was queued.
  [[nodiscard]] bool stalls(const TracedExchange& exchange, const KinetoWork& next) const {
    const TracedSpan& span = exchange.work->span;
    return next.launched < span.end && std::ranges::none_of(kernels_, [&span](const MainKernel& kernel) {
             return common_time(kernel.work->span, span.begin, span.end) > Seconds{};
           });
  }

  /// The kernel that waits for a collective.
  [[nodiscard]] std::optional<std::size_t> waiting(const TracedExchange& exchange) const {
    const KinetoWork& work = *exchange.work;
    Seconds called = work.launched;
    if (sums(exchange.what)) {
      const auto next = first_kernel([&](const KinetoWork& one) { return one.span.begin >= work.span.end; });
      if (next && stalls(exchange, *kernels_[*next].work)) return next;
      const auto optimizer = std::ranges::find_if(trace_.optimizers, [&](const TracedSpan& span) {
        return span.begin >= work.launched && span.begin < step_.span.end;
      });
      called = optimizer != trace_.optimizers.end() ? optimizer->begin : last_sum();
    } else if (const auto wait = std::ranges::upper_bound(trace_.awaits, work.launched);
               wait != trace_.awaits.end() && *wait < step_.span.end) {
      called = *wait;
    }
    return first_kernel(
        [&](const KinetoWork& one) { return one.launched > called && one.span.begin >= work.span.end; });
  }

  [[nodiscard]] Seconds last_sum() const {
    Seconds last = step_.span.begin;
    for (const TracedExchange& exchange : exchanges_)
      if (sums(exchange.what)) last = std::max(last, exchange.work->launched);
    return last;
  }

  void tie() {
    for (std::size_t number = 0; number < exchanges_.size(); ++number) {
      TracedExchange& exchange = exchanges_[number];
      const KinetoWork& work = *exchange.work;
      const bool gathers = exchange.what.kind == CollectiveKind::all_gather && !exchange.what.all_to_all;
      exchange.after = last_kernel([&](const KinetoWork& one) {
        if (gathers) return one.span.end <= work.launched;
        return one.launched < work.launched && one.span.end <= work.span.begin;
      });
      if (exchange.after && *exchange.after + 1 < kernels_.size())
        kernels_[*exchange.after + 1].begins = true;
      if (const auto next = waiting(exchange)) {
        kernels_[*next].begins = true;
        kernels_[*next].awaited.push_back(number);
      }
    }
  }

  /// Operations in the order in which they began.
  void print() {
    of_exchange_.resize(exchanges_.size());
    of_kernel_.resize(kernels_.size());
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const MainKernel& kernel = kernels_[i];
      add_exchanges(i, kernel.work->span.begin);
      if (i == 0 || kernel.begins || kernel.phase != kernels_[i - 1].phase) {
        add_beside(kernel.work->span.begin);
        begin_compute(kernel);
      }
      of_kernel_[i] = compute_;
      graph_.step.operations[compute_].duration += kernel.duration;
    }
    const Seconds forever{1e300};
    add_exchanges(kernels_.size(), forever);
    add_beside(forever);
    if (tail_ > Seconds{})
      graph_.step.operations.push_back({"host", StepStream::host, tail_, {compute_}, {}});
  }

  void begin_compute(const MainKernel& kernel) {
    TracedOperation operation{std::string(kernel.phase), StepStream::compute, {}, {}, {}};
    for (const std::size_t exchange : kernel.awaited) operation.after.push_back(of_exchange_[exchange]);
    compute_ = static_cast<std::uint32_t>(graph_.step.operations.size());
    graph_.step.operations.push_back(std::move(operation));
  }

  /// Work on other streams that begins before this moment.
  void add_beside(Seconds until) {
    for (; next_beside_ < beside_.size() && beside_[next_beside_]->span.begin < until; ++next_beside_) {
      const TracedSpan& span = beside_[next_beside_]->span;
      TracedOperation copy{"beside", StepStream::copy, span.duration(), {}, {}};
      if (const auto last = last_kernel([&](const KinetoWork& one) { return one.span.end <= span.begin; }))
        copy.after.push_back(of_kernel_[*last]);
      graph_.step.operations.push_back(std::move(copy));
    }
  }

  /// Exchanges that begin before this moment, and wait for no kernel from this one on.
  void add_exchanges(std::size_t kernel, Seconds until) {
    for (; next_exchange_ < exchanges_.size(); ++next_exchange_) {
      const TracedExchange& exchange = exchanges_[next_exchange_];
      const bool ready = !exchange.after || *exchange.after < kernel;
      if (!ready || exchange.work->span.begin >= until) return;
      of_exchange_[next_exchange_] = static_cast<std::uint32_t>(graph_.step.operations.size());
      TracedOperation operation{
          trace_.kernels[*exchange.work->kernel].name, StepStream::communication, {}, {}, exchange.what};
      if (exchange.after) operation.after.push_back(of_kernel_[*exchange.after]);
      graph_.step.operations.push_back(std::move(operation));
    }
  }

  const KinetoTrace& trace_;
  const std::string& source_;
  const KinetoStep& step_;
  int ranks_;
  std::optional<Seconds> backward_;  ///< when the host begins it
  std::optional<Seconds> before_;    ///< when the device had done what was launched before the step
  Seconds tail_;                     ///< time of the host, after the device is done
  std::vector<MainKernel> kernels_;
  std::vector<TracedExchange> exchanges_;
  std::vector<const KinetoWork*> beside_;  ///< work on other streams
  std::size_t next_beside_ = 0;
  std::size_t next_exchange_ = 0;
  std::vector<std::uint32_t> of_exchange_;  ///< operation of each
  std::vector<std::uint32_t> of_kernel_;    ///< operation of each
  std::uint32_t compute_ = 0;               ///< operation of the last kernel
  TracedGraph graph_;
};

/// The step of median duration among those whose device is done within the trace.
const KinetoStep& middle_step(const KinetoTrace& trace) {
  std::vector<const KinetoStep*> steps;
  for (const KinetoStep& step : trace.steps) steps.push_back(&step);
  const auto duration = [](const KinetoStep* step) { return step->span.duration(); };
  std::ranges::stable_sort(steps, {}, duration);
  return *steps[(steps.size() - 1) / 2];
}

std::optional<int> batch_in(const KinetoTrace& trace) {
  for (const KinetoOperator& one : trace.operators)
    if (one.batch > 0 && one.batch <= 1'000'000'000) return static_cast<int>(one.batch);
  return std::nullopt;
}

/// Values of the sums of a step, those between nodes apart.
std::int64_t summed_values(const KinetoTrace& trace, const KinetoStep& step, int ranks) {
  std::int64_t sum = 0;
  for (const KinetoWork& work : trace.work) {
    if (!work.kernel || !step.span.holds(work.launched)) continue;
    const KinetoCollective& one = trace.kernels[*work.kernel];
    const auto what = collective_kind(one.name);
    const bool shards = one.ranks < ranks && one.stride > 1;
    if (what && sums(*what) && !shards) sum += one.elements;
  }
  return sum;
}

}  // namespace

Result<TracedGraph> graph_kineto(std::istream& stream, const std::string& source, const TraceHints& hints) {
  GRADSIM_TRY(trace, read_kineto(stream, source));
  if (trace->steps.empty()) {
    return refuse(source, "no step found: no annotation `ProfilerStep#N`",
                  "call the profiler's step() after each step of the training");
  }
  int ranks = hints.ranks.value_or(trace->world_size.value_or(1));
  if (!hints.ranks && !trace->world_size) {
    for (const KinetoCollective& one : trace->kernels) ranks = std::max(ranks, one.ranks);
  }
  const KinetoStep& step = middle_step(*trace);
  GRADSIM_TRY(graph, KinetoGrapher(*trace, source, step, ranks).build());
  graph->source = "PyTorch profiler trace " + files::file_name(source);
  graph->device = trace->device.value_or("");
  graph->ranks = ranks;
  graph->batch = hints.batch ? hints.batch : batch_in(*trace);
  const std::int64_t values = summed_values(*trace, step, ranks);
  graph->parameters = values > 0 ? values : exchanged_values(graph->step, 2);
  graph->facts.push_back(fmt::format("{} of {} steps, {} on the host, {} ranks: {}.", step.name,
                                     trace->steps.size(), netmodels::print(step.span.duration(), 4), ranks,
                                     contents(graph->step)));
  graph->facts.push_back(
      fmt::format("Kernels between two exchanges are one operation; gathers are awaited {}.",
                  trace->awaits.empty() ? "by the first kernel launched after them"
                                        : "where the host next makes a stream wait"));
  return graph;
}

}  // namespace calibrate::imports
