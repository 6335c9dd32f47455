// Units in order, their collectives, and how far gathers run ahead.
#include "netmodels/sharded_step.hpp"

#include <cassert>
#include <utility>

#include "netmodels/ring.hpp"
#include "netmodels/two_level.hpp"

namespace netmodels {
namespace {

/// Collectives of the ranks of each node among themselves, and of those of equal index on all nodes; no rows
/// of the table, because they bring nothing to all ranks.
constexpr Collective node_gather{"ring_allgather within nodes",
                                 "contributions travel around a ring in each node",
                                 "(g-1) (L + M/(g B))",
                                 "Patarasuk & Yuan 2009",
                                 CollectiveKind::all_gather,
                                 SizeMeaning::total,
                                 node_allgather_time,
                                 node_allgather,
                                 true,
                                 {},
                                 true,
                                 CollectiveReach::within_node};
constexpr Collective node_scatter{"ring_reduce_scatter within nodes",
                                  "sums travel around a ring in each node",
                                  "(g-1) (L + M/(g B))",
                                  "Patarasuk & Yuan 2009",
                                  CollectiveKind::reduce_scatter,
                                  SizeMeaning::total,
                                  node_allgather_time,
                                  node_allgather,
                                  true,
                                  {},
                                  true,
                                  CollectiveReach::within_node};
constexpr Collective node_replicas{"ring_allreduce between nodes",
                                   "a ring for each rank of a node",
                                   "2(n-1) (L + M/(N B))",
                                   "Patarasuk & Yuan 2009",
                                   CollectiveKind::all_reduce,
                                   SizeMeaning::buffer,
                                   between_nodes_allreduce_time,
                                   between_nodes_allreduce,
                                   true,
                                   {},
                                   true,
                                   CollectiveReach::between_nodes};

/// One unit's turn to compute.
struct Turn {
  std::uint32_t unit = 0;
  bool forward = true;
  bool gathers = false;  ///< its parameters before it
  bool scatters = false;
  bool replicates = false;
};

class ShardedBuilder {
 public:
  ShardedBuilder(const Workload& workload, double batch, const ShardedExchange& exchange)
      : workload_(workload), batch_(batch), exchange_(exchange), units_(shard_units(workload.layers)) {}

  StepGraph build() {
    plan_turns();
    const std::uint32_t host = add_compute("host overhead", workload_.host_overhead.at(batch_), {});
    for (std::size_t turn = 0; turn < turns_.size(); ++turn) add_turn(turn, host);
    std::vector<std::uint32_t> before = std::move(scattered_);
    before.push_back(computed_.back());
    add_compute("optimizer", workload_.optimizer / static_cast<double>(shards(exchange_)), std::move(before));
    return std::move(graph_);
  }

 private:
  [[nodiscard]] bool keeps_parameters() const {
    return exchange_.sharding == Sharding::zero1 || exchange_.sharding == Sharding::zero2;
  }

  void plan_turns() {
    const auto count = static_cast<std::uint32_t>(units_.size());
    for (std::uint32_t micro = 0; micro < workload_.micro_batches; ++micro) {
      const bool last = micro + 1 == workload_.micro_batches;
      for (std::uint32_t unit = 0; unit < count; ++unit)
        turns_.push_back({unit, true, keeps_parameters() ? micro == 0 : true});
      for (std::uint32_t unit = count; unit-- > 0;) {
        const bool again = !keeps_parameters() && exchange_.reshard_after_forward && unit + 1 < count;
        const bool scatters = exchange_.sharding != Sharding::zero1 || last;
        turns_.push_back({unit, false, again, scatters, exchange_.sharding == Sharding::hsdp && last});
      }
    }
  }

  /// Gathers that may begin before this turn computes, then the turn, then its gradients.
  void add_turn(std::size_t turn, std::uint32_t host) {
    const std::size_t ahead = keeps_parameters() ? turns_.size() : exchange_.prefetch;
    for (; next_gather_ < turns_.size() && next_gather_ <= turn + ahead; ++next_gather_) {
      if (turns_[next_gather_].gathers) add_gather(next_gather_, turn == 0 ? host : computed_[turn - 1]);
    }
    const Turn& at = turns_[turn];
    std::vector<std::uint32_t> after;
    if (at.gathers) after.push_back(gathers_[turn]);
    computed_.push_back(add_compute(at.forward ? "forward" : "backward", time_of(at), std::move(after)));
    if (at.scatters) add_gradients(at, computed_.back());
  }

  [[nodiscard]] Seconds time_of(const Turn& turn) const {
    Seconds sum;
    const ShardUnit& unit = units_[turn.unit];
    for (std::size_t layer = unit.first; layer < unit.end; ++layer) {
      const Layer& row = workload_.layers[layer];
      sum += (turn.forward ? row.forward : row.backward).at(batch_);
    }
    return sum / static_cast<double>(workload_.micro_batches);
  }

  std::uint32_t add_compute(std::string_view name, Seconds duration, std::vector<std::uint32_t> after) {
    return graph_.add({.name = name, .duration = duration, .after = std::move(after)});
  }

  std::uint32_t add_collective(std::string_view name, const Collective& row, double value_bytes,
                               std::uint32_t unit, std::uint32_t after) {
    const Bytes size{value_bytes * static_cast<double>(units_[unit].parameters)};
    return graph_.add({.work = StepWork::collective,
                       .stream = StepStream::communication,
                       .name = name,
                       .after = {after},
                       .bucket = unit,
                       .row = &row,
                       .operation = {.ranks = exchange_.ranks, .size = size, .group = exchange_.group}});
  }

  void add_gather(std::size_t turn, std::uint32_t after) {
    gathers_.resize(turns_.size());
    const bool inside = exchange_.sharding == Sharding::hsdp;
    const Collective& all =
        exchange_.gather != nullptr ? *exchange_.gather : **find_collective("ring_allgather");
    gathers_[turn] = add_collective(gather_name, inside ? node_gather : all, exchange_.parameter_bytes,
                                    turns_[turn].unit, after);
  }

  void add_gradients(const Turn& turn, std::uint32_t computed) {
    const bool inside = exchange_.sharding == Sharding::hsdp;
    const Collective& row = inside ? node_scatter : **find_collective("ring_reduce_scatter");
    std::uint32_t last = add_collective(scatter_name, row, exchange_.gradient_bytes, turn.unit, computed);
    if (turn.replicates && exchange_.ranks > exchange_.group)
      last = add_collective(replicas_name, node_replicas, exchange_.gradient_bytes, turn.unit, last);
    scattered_.push_back(last);
  }

  const Workload& workload_;
  double batch_;
  const ShardedExchange& exchange_;
  std::vector<ShardUnit> units_;
  std::vector<Turn> turns_;
  std::size_t next_gather_ = 0;                ///< turn whose gather was not added yet
  std::vector<std::uint32_t> gathers_ = {};    ///< by turn
  std::vector<std::uint32_t> computed_ = {};   ///< by turn
  std::vector<std::uint32_t> scattered_ = {};  ///< that the optimizer waits for
  StepGraph graph_;
};

}  // namespace

std::vector<ShardUnit> shard_units(std::span<const Layer> layers) {
  std::vector<ShardUnit> units;
  const auto join_last = [&units] {  // to the unit before it
    units[units.size() - 2].end = units.back().end;
    units.pop_back();
  };
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const bool is_new = index == 0 || layers[index].block != layers[index - 1].block;
    if (is_new && units.size() > 1 && units.back().parameters == 0) join_last();
    if (units.empty() || (is_new && units.back().parameters > 0)) units.push_back({index, index, 0});
    units.back().end = index + 1;
    units.back().parameters += layers[index].parameters;
  }
  if (units.size() > 1 && units.back().parameters == 0) join_last();
  return units;
}

std::uint32_t shards(const ShardedExchange& exchange) {
  return exchange.sharding == Sharding::hsdp ? exchange.group : exchange.ranks;
}

StepGraph sharded_step(const Workload& workload, double batch, const ShardedExchange& exchange) {
  assert(exchange.sharding != Sharding::none && exchange.ranks >= 1);
  return ShardedBuilder(workload, batch, exchange).build();
}

}  // namespace netmodels
