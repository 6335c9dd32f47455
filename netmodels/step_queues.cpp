// Events of a step with several queues: the next operation that ends decides what may start.
#include "netmodels/step_queues.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>

namespace netmodels {
namespace {

/// Operations of one stream, or of one queue of the communication stream, in their order.
struct StepLane {
  std::vector<std::uint32_t> operations = {};
  std::size_t next = 0;  ///< first that has not started
  bool busy = false;
};

/// An operation that runs.
struct RunningOperation {
  std::uint32_t operation = 0;
  StepLane* lane = nullptr;
  Seconds left;  ///< time left at its full rate
};

class QueuedStep {
 public:
  QueuedStep(const StepGraph& graph, const StepPace& pace, CollectiveEvaluator& evaluator, StepTimes& times)
      : graph_(graph), pace_(pace), evaluator_(evaluator), times_(times), ended_(graph.operations.size()) {
    for (std::uint32_t index = 0; index < graph.operations.size(); ++index) {
      const StepOperation& operation = graph.operations[index];
      lanes_[{operation.stream, operation.queue}].operations.push_back(index);
    }
  }

  Result<void> run() {
    for (;;) {
      for (auto& [key, lane] : lanes_) {
        GRADSIM_TRY(started, start_next(lane));
      }
      if (running_.empty()) return {};
      advance();
    }
  }

 private:
  [[nodiscard]] bool is_ready(std::uint32_t index) const {
    return std::ranges::all_of(graph_.operations[index].after,
                               [this](std::uint32_t before) { return ended_[before]; });
  }

  Result<void> start_next(StepLane& lane) {
    if (lane.busy || lane.next == lane.operations.size()) return {};
    const std::uint32_t index = lane.operations[lane.next];
    if (!is_ready(index)) return {};
    const StepOperation& operation = graph_.operations[index];
    Seconds left = operation.duration;
    if (operation.work == StepWork::collective) {
      GRADSIM_TRY(duration, evaluator_.duration(index, now_));
      left = *duration;
    } else if (operation.stream == StepStream::compute) {
      left = left * pace_.slowest;
    }
    ++lane.next;
    lane.busy = true;
    times_.operations[index].start = now_;
    running_.push_back({index, &lane, left});
    return {};
  }

  /// Number of collectives that an operation shares links with, itself included.
  [[nodiscard]] double sharers_of(std::uint32_t index) const {
    if (graph_.operations[index].work != StepWork::collective) return 1;
    double count = 1;
    for (const RunningOperation& other : running_) {
      if (other.operation == index || graph_.operations[other.operation].work != StepWork::collective)
        continue;
      count += evaluator_.share_links(index, other.operation) ? 1 : 0;
    }
    return count;
  }

  /// Runs until the next operation ends.
  void advance() {
    std::vector<double> sharers;
    Seconds step{std::numeric_limits<double>::infinity()};
    for (const RunningOperation& one : running_) {
      sharers.push_back(sharers_of(one.operation));
      step = std::min(step, one.left * sharers.back());
    }
    now_ += step;
    if (std::ranges::any_of(running_, [this](const RunningOperation& one) { return is_collective(one); }))
      times_.exchange_busy += step;
    for (std::size_t i = 0; i < running_.size(); ++i) {
      RunningOperation& one = running_[i];
      if (one.left * sharers[i] <= step)
        end(one);
      else
        one.left -= step / sharers[i];
    }
    std::erase_if(running_, [this](const RunningOperation& one) { return ended_[one.operation]; });
  }

  void end(const RunningOperation& one) {
    OperationTimes& at = times_.operations[one.operation];
    at.end = now_;
    ended_[one.operation] = true;
    one.lane->busy = false;
  }

  [[nodiscard]] bool is_collective(const RunningOperation& one) const {
    return graph_.operations[one.operation].work == StepWork::collective;
  }

  const StepGraph& graph_;
  const StepPace& pace_;
  CollectiveEvaluator& evaluator_;
  StepTimes& times_;
  std::map<std::pair<StepStream, std::uint8_t>, StepLane> lanes_;
  std::vector<RunningOperation> running_;
  std::vector<bool> ended_;
  Seconds now_;
};

}  // namespace

Result<void> run_queues(const StepGraph& graph, const StepPace& pace, CollectiveEvaluator& evaluator,
                        StepTimes& times) {
  assert(graph.traced && pace.slowdown == 0);
  return QueuedStep(graph, pace, evaluator, times).run();
}

}  // namespace netmodels
