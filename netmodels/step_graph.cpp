// Walking through the operations of a step, and adding up where its time went.
#include "netmodels/step_graph.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "netmodels/step_queues.hpp"

namespace netmodels {
namespace {

std::size_t index_of(StepStream stream) { return static_cast<std::size_t>(stream); }

/// The compute stream of the slowest worker, which runs at a reduced rate while a collective runs.
class ComputeStream {
 public:
  ComputeStream(const StepGraph& graph, const StepPace& pace, const std::vector<OperationTimes>& known)
      : graph_(graph), pace_(pace), known_(known) {}

  /// When an operation ends, with all earlier operations known.
  Seconds end(std::size_t operation, Seconds start) {
    const Seconds work = graph_.operations[operation].duration;
    if (pace_.slowdown > 0) return slowed_end(operation, start, work * pace_.slowest);
    if (start > end_) {
      begin_ = start;
      done_ = {};
    }
    done_ += work;
    end_ = begin_ + done_ * pace_.slowest;  // one beginning for all, so that no rounding adds up
    return end_;
  }

 private:
  /// @param work  left at full rate
  Seconds slowed_end(std::size_t operation, Seconds now, Seconds work) {
    Seconds done;
    while (done < work) {
      while (is_known(operation) && of_next().end <= now) ++next_;
      const bool another = is_known(operation);
      const bool busy = another && of_next().start <= now;
      const double rate = busy ? 1 / (1 + pace_.slowdown) : 1;
      Seconds step = (work - done) / rate;
      if (another) step = std::min(step, (busy ? of_next().end : of_next().start) - now);
      const bool last = step * rate >= work - done;
      now += step;
      done = last ? work : done + step * rate;
    }
    return now;
  }
  [[nodiscard]] bool is_known(std::size_t operation) const {
    return next_ < graph_.collectives.size() && graph_.collectives[next_] < operation;
  }
  [[nodiscard]] const OperationTimes& of_next() const { return known_[graph_.collectives[next_]]; }

  const StepGraph& graph_;
  const StepPace& pace_;
  const std::vector<OperationTimes>& known_;
  std::size_t next_ = 0;  ///< collective that is not over yet
  Seconds begin_;         ///< begin of the operations that follow each other without a gap
  Seconds done_;          ///< total duration of these, at nominal speed
  Seconds end_;
};

/// When the compute stream is idle, from the beginning of the step on; the last time has no end.
void find_gaps(const StepGraph& graph, const std::vector<OperationTimes>& times,
               std::vector<OperationTimes>& gaps) {
  gaps.clear();
  Seconds idle_since;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (graph.operations[i].stream != StepStream::compute) continue;
    if (times[i].start > idle_since) gaps.push_back({idle_since, times[i].start});
    idle_since = times[i].end;
  }
  gaps.push_back({idle_since, Seconds{std::numeric_limits<double>::infinity()}});
}

/// The part of an interval that lies in gaps.
Seconds exposed(const std::vector<OperationTimes>& gaps, Seconds begin, Seconds end) {
  Seconds sum;
  for (const OperationTimes& gap : gaps)
    sum += std::max(Seconds{}, std::min(end, gap.end) - std::max(begin, gap.start));
  return sum;
}

/// Each moment counts once, for the first operation in the list.
void add_up(const StepGraph& graph, const StepPace& pace, StepTimes& times) {
  Seconds busy;
  Seconds counted;
  times.parts = {};
  find_gaps(graph, times.operations, times.gaps);
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const StepOperation& operation = graph.operations[i];
    const OperationTimes& at = times.operations[i];
    if (operation.stream == StepStream::compute) {
      busy += at.end - at.start;
      continue;
    }
    if (at.end <= times.gaps.front().start) continue;  // hidden
    const bool exchanges = operation.work == StepWork::collective || operation.work == StepWork::delay;
    Seconds& part = exchanges ? times.parts.exchange : times.parts.compress;
    part += exposed(times.gaps, std::max(at.start, counted), at.end);
    counted = std::max(counted, at.end);
  }
  const Seconds undisturbed = graph.computing * pace.slowest;
  const Seconds stretch = pace.slowdown > 0 ? busy - undisturbed : Seconds{};
  times.parts.compute = graph.computing * pace.mean + stretch;
  times.parts.wait = undisturbed + stretch - times.parts.compute;
  times.duration = times.parts.total();
}

/// Operations in the order in which they start where queues run side by side, else in their own.
std::vector<std::size_t> by_start(const StepGraph& graph, const std::vector<OperationTimes>& times) {
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (graph.queued)
    std::ranges::stable_sort(order, {}, [&](std::size_t operation) { return times[operation].start; });
  return order;
}

/// Adds up a traced step: time that is neither the compute stream's, nor that of an exposed collective or
/// compression, is the host's or a copy's, because something runs at every moment of a step.
void add_up_traced(const StepGraph& graph, const StepPace& pace, StepTimes& times) {
  Seconds busy;
  Seconds end;
  Seconds counted;  // end of what was counted: queues that run side by side count once
  times.parts = {};
  find_gaps(graph, times.operations, times.gaps);
  for (const std::size_t i : by_start(graph, times.operations)) {
    const OperationTimes& at = times.operations[i];
    end = std::max(end, at.end);
    if (graph.operations[i].stream == StepStream::compute) busy += at.end - at.start;
    const StepWork work = graph.operations[i].work;
    if (work != StepWork::collective && work != StepWork::compress && work != StepWork::restore) continue;
    Seconds& part = work == StepWork::collective ? times.parts.exchange : times.parts.compress;
    part += exposed(times.gaps, graph.queued ? std::max(counted, at.start) : at.start, at.end);
    counted = std::max(counted, at.end);
  }
  const Seconds host = std::max(Seconds{}, end - busy - times.parts.exchange - times.parts.compress);
  times.parts.compute = graph.computing * pace.mean + host;
  times.parts.wait = graph.computing * (pace.slowest - pace.mean);
  times.duration = times.parts.total();
}

}  // namespace

std::uint32_t StepGraph::add(StepOperation operation) {
  const auto index = static_cast<std::uint32_t>(operations.size());
  if (operation.work == StepWork::collective) collectives.push_back(index);
  queued |= operation.queue != 0;
  if (operation.stream == StepStream::compute) computing += operation.duration;
  operations.push_back(std::move(operation));
  return index;
}

Seconds StepGraph::total(std::string_view name) const {
  Seconds sum;
  for (const StepOperation& operation : operations) {
    if (operation.name == name) sum += operation.duration;
  }
  return sum;
}

Parts& Parts::operator+=(const Parts& other) {
  compute += other.compute;
  wait += other.wait;
  compress += other.compress;
  exchange += other.exchange;
  stream_wait += other.stream_wait;
  return *this;
}

Parts operator/(const Parts& parts, double divisor) {
  return {parts.compute / divisor, parts.wait / divisor, parts.compress / divisor, parts.exchange / divisor,
          parts.stream_wait / divisor};
}

Result<void> run_step(const StepGraph& graph, const StepPace& pace, CollectiveEvaluator& evaluator,
                      StepTimes& times) {
  times.operations.resize(graph.operations.size());
  times.exchange_busy = {};
  if (graph.queued) {
    GRADSIM_TRY(ran, run_queues(graph, pace, evaluator, times));
    add_up_traced(graph, pace, times);
    return {};
  }
  ComputeStream computing(graph, pace, times.operations);
  std::array<Seconds, step_streams> free{};
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const StepOperation& operation = graph.operations[i];
    Seconds& stream_free = free[index_of(operation.stream)];
    const bool occupies = operation.work != StepWork::delay;  // several delays pass at once
    Seconds start = occupies ? stream_free : Seconds{};
    for (const std::uint32_t before : operation.after) start = std::max(start, times.operations[before].end);
    Seconds end = start;
    if (operation.work == StepWork::collective) {
      GRADSIM_TRY(duration, evaluator.duration(i, start));
      end += *duration;
      times.exchange_busy += *duration;
    } else if (operation.stream == StepStream::compute) {
      end = computing.end(i, start);
    } else {
      end += operation.duration;
    }
    times.operations[i] = {start, end};
    if (occupies) stream_free = end;
  }
  graph.traced ? add_up_traced(graph, pace, times) : add_up(graph, pace, times);
  return {};
}

}  // namespace netmodels
