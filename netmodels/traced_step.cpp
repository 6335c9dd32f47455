// Traced operations as a step graph, with the schedules of their collectives.
#include "netmodels/traced_step.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "netmodels/group_collectives.hpp"
#include "netmodels/node_collectives.hpp"
#include "netmodels/traced_messages.hpp"

namespace netmodels {
namespace {

/// Takes no time for any collective.
class FreeNetwork final : public CollectiveEvaluator {
 public:
  Result<Seconds> duration(std::size_t, Seconds) override { return Seconds{}; }
};

const Collective* group_carrier(const TracedCollective& collective) {
  if (collective.message) return &group_shift;
  if (collective.all_to_all) return &group_exchange;
  switch (collective.kind) {
    case CollectiveKind::all_reduce: return &group_all_reduce;
    case CollectiveKind::all_gather: return &group_all_gather;
    case CollectiveKind::reduce_scatter: return &group_reduce_scatter;
    default: return &group_broadcast;
  }
}

/// The row that carries a collective; null: an exchange policy chooses.
const Collective* carrier_of(const TracedCollective& collective, const TracedRows& rows) {
  if (collective.reach == CollectiveReach::groups) return group_carrier(collective);
  const bool within = collective.reach == CollectiveReach::within_node;
  if (collective.all_to_all) return within ? &node_exchange : &exchange_of_all;
  if (collective.reach == CollectiveReach::between_nodes) return &node_replicas;
  switch (collective.kind) {
    case CollectiveKind::all_reduce: return within ? &node_sum : rows.all_reduce;
    case CollectiveKind::all_gather: return within ? &node_gather : rows.all_gather;
    case CollectiveKind::reduce_scatter: return within ? &node_scatter : rows.reduce_scatter;
    default: return rows.broadcast;
  }
}

class TracedBuilder {
 public:
  TracedBuilder(const TracedStep& step, const TracedWorkers& workers, const TracedRows& rows,
                std::span<const BucketExchange> gradients)
      : step_(step), workers_(workers), rows_(rows), gradients_(gradients) {
    if (!gradients.empty()) summed_ = step.gradients();
    if (step.has_messages()) other_end_ = match_messages(step, workers).other;
  }

  StepGraph build() {
    graph_.traced = true;
    for (std::uint32_t index = 0; index < step_.operations.size(); ++index) {
      const TracedOperation& operation = step_.operations[index];
      StepOperation next{.stream = operation.stream,
                         .name = operation.name,
                         .duration = operation.duration,
                         .queue = operation.queue};
      for (const std::uint32_t before : operation.after) next.after.push_back(last_[before]);
      if (operation.collective) wait_for_message(next);
      last_.push_back(add_row(index, std::move(next)));
    }
    return std::move(graph_);
  }

 private:
  /// Lets a collective follow the message whose first end was the last in its queue.
  void wait_for_message(StepOperation& operation) {
    const auto message = behind_.find(operation.queue);
    if (message == behind_.end()) return;
    operation.after.push_back(message->second);
    behind_.erase(message);
  }

  /// Adds an operation, or of a message its second end, which waits for what both wait for.
  std::uint32_t add_row(std::uint32_t index, StepOperation operation) {
    const std::uint32_t other = other_end_.empty() ? index : other_end_[index];
    if (other == index) return add(index, std::move(operation));
    if (other > index) {
      first_ends_[other] = std::move(operation.after);
      return 0;  // until the second end is added; nothing asks before
    }
    const std::vector<std::uint32_t>& more = first_ends_[index];
    operation.after.insert(operation.after.end(), more.begin(), more.end());
    const std::uint8_t queue = operation.queue;
    last_[other] = add(index, std::move(operation));
    const std::uint8_t first_queue = step_.operations[other].queue;
    if (first_queue != queue) behind_[first_queue] = last_[other];
    return last_[other];
  }

  std::uint32_t add(std::uint32_t index, StepOperation operation) {
    const auto& collective = step_.operations[index].collective;
    if (!collective) return graph_.add(std::move(operation));
    const bool replaced = replaced_ < summed_.size() && summed_[replaced_] == index;
    if (!replaced) return add_collective(with_known_reach(*collective, workers_), std::move(operation));
    const std::uint32_t bucket = replaced_++;
    const std::size_t first = graph_.operations.size();
    const std::uint32_t last = add_exchange(graph_, gradients_[bucket], bucket, std::move(operation.after));
    for (std::size_t part = first; part < graph_.operations.size(); ++part)
      graph_.operations[part].queue = operation.queue;
    graph_.queued |= operation.queue != 0;
    return last;
  }

  [[nodiscard]] bool is_alone(const TracedCollective& collective) const {
    switch (collective.reach) {
      case CollectiveReach::within_node: return workers_.group == 1;
      case CollectiveReach::between_nodes: return workers_.ranks == workers_.group;
      case CollectiveReach::groups: return collective.group.count == 1 || workers_.ranks == 1;
      case CollectiveReach::all: break;
    }
    return workers_.ranks == 1;
  }

  [[nodiscard]] Operation operation_of(const TracedCollective& collective) const {
    Operation operation{.ranks = workers_.ranks, .size = collective.size, .group = workers_.group};
    if (collective.all_to_all && collective.reach == CollectiveReach::all) operation.group = workers_.ranks;
    // Rows between nodes count what the ranks of a node hold together.
    if (collective.reach == CollectiveReach::between_nodes) operation.size *= workers_.group;
    if (collective.reach == CollectiveReach::groups) {
      operation.group = collective.group.stride;
      operation.members = collective.group.count;
      if (collective.message) operation.shift = distance_of(*collective.message, operation.members);
    }
    return operation;
  }

  std::uint32_t add_collective(const TracedCollective& collective, StepOperation operation) {
    operation.stream = StepStream::communication;
    operation.duration = {};
    if (is_alone(collective)) {
      operation.work = StepWork::memory;
      return graph_.add(std::move(operation));
    }
    operation.work = StepWork::collective;
    operation.bucket = number_++;
    operation.operation = operation_of(collective);
    operation.row = carrier_of(collective, rows_);
    return graph_.add(std::move(operation));
  }

  const TracedStep& step_;
  TracedWorkers workers_;
  const TracedRows& rows_;
  std::span<const BucketExchange> gradients_;
  std::vector<std::uint32_t> summed_;     ///< operations that `gradients_` replaces
  std::uint32_t replaced_ = 0;            ///< number of those that were met
  std::uint32_t number_ = 0;              ///< number of the next collective
  std::vector<std::uint32_t> other_end_;  ///< other end of each message, by operation; empty: no messages
  std::map<std::uint32_t, std::vector<std::uint32_t>>
      first_ends_;                                ///< predecessors of first ends, by second end
  std::map<std::uint8_t, std::uint32_t> behind_;  ///< message to follow, by the queue of its first end
  std::vector<std::uint32_t> last_;  ///< index of the last operation in the graph, by operation of the step
  StepGraph graph_;
};

}  // namespace

TracedCollective with_known_reach(TracedCollective collective, const TracedWorkers& workers) {
  if (collective.message) {
    collective.group = members_of(collective, workers);
    collective.reach = CollectiveReach::groups;
    return collective;
  }
  if (collective.reach != CollectiveReach::groups) return collective;
  const RankGroup& group = collective.group;
  TracedCollective named = collective;
  if (group.stride == 1 && group.count == workers.ranks)
    named.reach = CollectiveReach::all;
  else if (group.stride == 1 && group.count == workers.group)
    named.reach = CollectiveReach::within_node;
  else if (group.stride == workers.group && group.block() == workers.ranks)
    named.reach = CollectiveReach::between_nodes;
  return has_schedule(named) ? named : collective;
}

RankGroup members_of(const TracedCollective& collective, const TracedWorkers& workers) {
  switch (collective.reach) {
    case CollectiveReach::within_node: return {0, 1, workers.group};
    case CollectiveReach::between_nodes: return {0, workers.group, workers.ranks / workers.group};
    case CollectiveReach::groups: return collective.group;
    case CollectiveReach::all: break;
  }
  return {0, 1, workers.ranks};
}

bool has_schedule(const TracedCollective& collective) {
  if (collective.message) return true;
  if (collective.reach == CollectiveReach::between_nodes)
    return !collective.all_to_all && collective.kind == CollectiveKind::all_reduce;
  if (collective.all_to_all) return true;
  switch (collective.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter: return true;
    case CollectiveKind::broadcast: return collective.reach != CollectiveReach::within_node;
    default: return false;
  }
}

bool sums(const TracedCollective& collective) {
  return !collective.all_to_all && !collective.message &&
         (collective.kind == CollectiveKind::all_reduce || collective.kind == CollectiveKind::reduce_scatter);
}

StepGraph traced_graph(const TracedStep& step, const TracedWorkers& workers, const TracedRows& rows,
                       std::span<const BucketExchange> gradients) {
  assert(workers.ranks >= 1 && workers.group >= 1 && workers.ranks % workers.group == 0);
  return TracedBuilder(step, workers, rows, gradients).build();
}

Seconds undisturbed(const TracedStep& step) {
  FreeNetwork network;
  StepTimes times;
  const auto simulated = run_step(traced_graph(step, {}, {}), {}, network, times);
  assert(simulated.has_value());
  return times.duration;
}

Bytes summed_bytes(const TracedStep& step) {
  Bytes sum;
  for (const std::uint32_t index : step.gradients()) sum += step.operations[index].collective->size;
  return sum;
}

bool TracedStep::has_groups() const {
  return scaled || std::ranges::any_of(operations, [](const TracedOperation& one) {
           return one.collective &&
                  (one.collective->reach != CollectiveReach::all || one.collective->message);
         });
}

bool TracedStep::has_node_groups() const {
  return std::ranges::any_of(operations, [](const TracedOperation& one) {
    return one.collective && (one.collective->reach == CollectiveReach::within_node ||
                              one.collective->reach == CollectiveReach::between_nodes);
  });
}

bool TracedStep::has_messages() const {
  return std::ranges::any_of(
      operations, [](const TracedOperation& one) { return one.collective && one.collective->message; });
}

bool TracedStep::is_predicted() const {
  return std::ranges::any_of(operations, [](const TracedOperation& one) { return one.work.has_value(); });
}

std::vector<std::uint32_t> TracedStep::gradients() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t index = 0; index < operations.size(); ++index) {
    const auto& collective = operations[index].collective;
    if (!collective) continue;
    const bool assumed = sums(*collective) && collective->reach != CollectiveReach::between_nodes;
    if (marked ? collective->gradient : assumed) found.push_back(index);
  }
  return found;
}

bool TracedStep::sums_whole_gradients() const {
  const std::vector<std::uint32_t> summed = gradients();
  return !summed.empty() && std::ranges::all_of(summed, [this](std::uint32_t index) {
    const TracedCollective& one = *operations[index].collective;
    return one.kind == CollectiveKind::all_reduce && one.reach == CollectiveReach::all;
  });
}

}  // namespace netmodels
