// Traced operations as a step graph, with the schedules of their collectives.
#include "netmodels/traced_step.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "netmodels/node_collectives.hpp"

namespace netmodels {
namespace {

/// Takes no time for any collective.
class FreeNetwork final : public CollectiveEvaluator {
 public:
  Result<Seconds> duration(std::size_t, Seconds) override { return Seconds{}; }
};

/// One or two rows that carry a collective one after the other.
struct Carriers {
  const Collective* first = nullptr;
  const Collective* second = nullptr;
};

Carriers carriers_of(const TracedCollective& collective, const TracedRows& rows) {
  const bool within = collective.reach == CollectiveReach::within_node;
  if (collective.all_to_all) return {within ? &node_exchange : &exchange_of_all};
  if (collective.reach == CollectiveReach::between_nodes) return {&node_replicas};
  switch (collective.kind) {
    case CollectiveKind::all_reduce:
      return within ? Carriers{&node_scatter, &node_gather} : Carriers{rows.all_reduce};
    case CollectiveKind::all_gather: return {within ? &node_gather : rows.all_gather};
    case CollectiveKind::reduce_scatter: return {within ? &node_scatter : rows.reduce_scatter};
    default: return {rows.broadcast};
  }
}

class TracedBuilder {
 public:
  TracedBuilder(const TracedStep& step, std::uint32_t ranks, std::uint32_t group, const TracedRows& rows)
      : step_(step), ranks_(ranks), group_(group), rows_(rows) {}

  StepGraph build() {
    graph_.traced = true;
    for (const TracedOperation& operation : step_.operations) {
      StepOperation next{.stream = operation.stream, .name = operation.name, .duration = operation.duration};
      for (const std::uint32_t before : operation.after) next.after.push_back(last_[before]);
      last_.push_back(operation.collective ? add_collective(*operation.collective, std::move(next))
                                           : graph_.add(std::move(next)));
    }
    return std::move(graph_);
  }

 private:
  [[nodiscard]] bool is_alone(CollectiveReach reach) const {
    if (reach == CollectiveReach::within_node) return group_ == 1;
    return reach == CollectiveReach::between_nodes ? ranks_ == group_ : ranks_ == 1;
  }

  std::uint32_t add_collective(const TracedCollective& collective, StepOperation operation) {
    operation.stream = StepStream::communication;
    operation.duration = {};
    if (is_alone(collective.reach)) {
      operation.work = StepWork::memory;
      return graph_.add(std::move(operation));
    }
    const Carriers carriers = carriers_of(collective, rows_);
    const bool everywhere = collective.all_to_all && collective.reach == CollectiveReach::all;
    operation.work = StepWork::collective;
    operation.bucket = number_++;
    // Rows between nodes count what the ranks of a node hold together.
    const double holders = collective.reach == CollectiveReach::between_nodes ? group_ : 1;
    operation.operation = {
        .ranks = ranks_, .size = collective.size * holders, .group = everywhere ? ranks_ : group_};
    operation.row = carriers.first;
    const std::uint32_t first = graph_.add(operation);
    if (carriers.second == nullptr) return first;
    operation.row = carriers.second;
    operation.after = {first};
    return graph_.add(std::move(operation));
  }

  const TracedStep& step_;
  std::uint32_t ranks_;
  std::uint32_t group_;
  const TracedRows& rows_;
  std::uint32_t number_ = 0;         ///< number of the next collective
  std::vector<std::uint32_t> last_;  ///< index of the last operation in the graph, by operation of the step
  StepGraph graph_;
};

}  // namespace

bool has_schedule(const TracedCollective& collective) {
  if (collective.reach == CollectiveReach::between_nodes)
    return !collective.all_to_all && collective.kind == CollectiveKind::all_reduce;
  if (collective.all_to_all) return true;
  switch (collective.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter: return true;
    case CollectiveKind::broadcast: return collective.reach == CollectiveReach::all;
    default: return false;
  }
}

bool sums(const TracedCollective& collective) {
  return !collective.all_to_all &&
         (collective.kind == CollectiveKind::all_reduce || collective.kind == CollectiveKind::reduce_scatter);
}

StepGraph traced_graph(const TracedStep& step, std::uint32_t ranks, std::uint32_t group,
                       const TracedRows& rows) {
  assert(ranks >= 1 && group >= 1 && ranks % group == 0);
  return TracedBuilder(step, ranks, group, rows).build();
}

Seconds undisturbed(const TracedStep& step) {
  FreeNetwork network;
  StepTimes times;
  const auto simulated = run_step(traced_graph(step, 1, 1, {}), {}, network, times);
  assert(simulated.has_value());
  return times.duration;
}

Bytes summed_bytes(const TracedStep& step) {
  Bytes sum;
  for (const TracedOperation& operation : step.operations) {
    if (!operation.collective || !sums(*operation.collective)) continue;
    if (operation.collective->reach != CollectiveReach::between_nodes) sum += operation.collective->size;
  }
  return sum;
}

bool TracedStep::has_groups() const {
  return std::ranges::any_of(operations, [](const TracedOperation& one) {
    return one.collective && one.collective->reach != CollectiveReach::all;
  });
}

}  // namespace netmodels
