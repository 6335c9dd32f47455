// Units in order, their collectives, and how far gathers run ahead.
#include "netmodels/sharded_step.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "netmodels/node_collectives.hpp"

namespace netmodels {
namespace {

/// Layers of a unit that compute one after the other.
struct Part {
  std::uint32_t unit = 0;
  ShardUnit layers = {};
};

/// One part's turn to compute.
struct Turn {
  Part part = {};
  bool forward = true;
  bool gathers = false;  ///< the parameters of its unit before it
  bool scatters = false;
  bool replicates = false;
};

class ShardedBuilder {
 public:
  ShardedBuilder(const Workload& workload, double batch, const ShardedExchange& exchange,
                 const QuantizationTimes* times)
      : workload_(workload),
        batch_(batch),
        exchange_(exchange),
        times_(times),
        units_(shard_units(workload.layers)) {
    for (std::uint32_t unit = 0; unit < units_.size(); ++unit) parts_.push_back({unit, units_[unit]});
    if (exchange.grouping == ShardGrouping::root) join_outer_units();
  }

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
  [[nodiscard]] bool keeps_parameters() const { return !exchange_.sharding.parameters; }

  /// What lies before the blocks and behind them becomes one unit, which computes at both ends of a pass.
  void join_outer_units() {
    if (!has_root_unit(workload_.layers)) return;
    units_.front().parameters += units_.back().parameters;
    units_.front().trained += units_.back().trained;
    units_.pop_back();
    parts_.back().unit = 0;
    staying_ = 0;
  }

  /// Whether no part before this one is of the same unit.
  [[nodiscard]] bool begins_unit(std::size_t part) const {
    return std::ranges::find(parts_, parts_[part].unit, &Part::unit) ==
           parts_.begin() + static_cast<std::ptrdiff_t>(part);
  }

  void plan_turns() {
    for (std::uint32_t micro = 0; micro < workload_.micro_batches; ++micro) {
      const bool last = micro + 1 == workload_.micro_batches;
      const bool whole = !exchange_.sharding.gradients || exchange_.whole_gradients;
      const bool replicates = exchange_.sharding.within_node && exchange_.nodes_together &&
                              (last || (exchange_.replicas_in_each && !whole));
      for (std::size_t part = 0; part < parts_.size(); ++part)
        turns_.push_back(
            {.part = parts_[part], .gathers = begins_unit(part) && (!keeps_parameters() || micro == 0)});
      for (std::size_t part = parts_.size(); part-- > 0;) {
        const bool again = !keeps_parameters() && exchange_.reshard_after_forward;
        turns_.push_back({.part = parts_[part],
                          .forward = false,
                          .gathers = again && parts_[part].unit != staying_,
                          .scatters = begins_unit(part) && (!whole || last),
                          .replicates = replicates});
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
    for (std::size_t layer = turn.part.layers.first; layer < turn.part.layers.end; ++layer) {
      const Layer& row = workload_.layers[layer];
      sum += (turn.forward ? row.forward : row.backward).at(batch_);
    }
    return sum / static_cast<double>(workload_.micro_batches);
  }

  std::uint32_t add_compute(std::string_view name, Seconds duration, std::vector<std::uint32_t> after) {
    return graph_.add({.name = name, .duration = duration, .after = std::move(after)});
  }

  /// Values whose gradients are exchanged.
  [[nodiscard]] double trained_of(std::uint32_t unit) const {
    return static_cast<double>(units_[unit].trained);
  }

  /// Values that are gathered; only the trained ones change where all keep parameters.
  [[nodiscard]] double gathered_of(std::uint32_t unit) const {
    return keeps_parameters() ? trained_of(unit) : static_cast<double>(units_[unit].parameters);
  }

  /// @param size  as `row` counts it
  std::uint32_t add_collective(std::string_view name, const Collective& row, Bytes size, std::uint32_t unit,
                               std::uint32_t after) {
    return graph_.add({.work = StepWork::collective,
                       .stream = StepStream::communication,
                       .name = name,
                       .after = {after},
                       .bucket = unit,
                       .row = &row,
                       .operation = {.ranks = exchange_.ranks, .size = size, .group = exchange_.group}});
  }

  std::uint32_t add_quantizing(StepWork work, Seconds duration, std::uint32_t unit, std::uint32_t after) {
    return graph_.add({.work = work,
                       .stream = StepStream::communication,
                       .name = work == StepWork::compress ? quantize_name : "restore",
                       .duration = duration,
                       .after = {after},
                       .bucket = unit});
  }

  std::uint32_t quantize(const QuantizedForm& form, double values, double held, std::uint32_t unit,
                         std::uint32_t after) {
    const Seconds time = times_ == nullptr ? Seconds{} : times_->quantize(form, values, held);
    return add_quantizing(StepWork::compress, time, unit, after);
  }

  std::uint32_t restore(const QuantizedForm& form, double values, double results, double held,
                        std::uint32_t unit, std::uint32_t after) {
    const Seconds time = times_ == nullptr ? Seconds{} : times_->restore(form, values, results, held);
    return add_quantizing(StepWork::restore, time, unit, after);
  }

  void add_gather(std::size_t turn, std::uint32_t after) {
    gathers_.resize(turns_.size());
    const std::uint32_t unit = turns_[turn].part.unit;
    const bool second_copy = exchange_.sending.secondary && !turns_[turn].forward;
    const bool inside = exchange_.sharding.within_node || second_copy;
    const Collective& all =
        exchange_.gather != nullptr ? *exchange_.gather : collective_row("ring_allgather");
    const Collective& row = inside ? node_gather : all;
    const double values = gathered_of(unit);
    const double held = exchange_.parameter_bytes;
    const auto& form = exchange_.sending.parameters;
    if (!form) {
      gathers_[turn] = add_collective(gather_name, row, Bytes{held * values}, unit, after);
      return;
    }
    const double share = values / (inside ? exchange_.group : exchange_.ranks);
    const std::uint32_t ready = quantize(*form, share, held, unit, after);
    const std::uint32_t brought = add_collective(gather_name, row, form->bytes(values), unit, ready);
    gathers_[turn] = restore(*form, values, values, held, unit, brought);
  }

  /// One of the two exchanges of quantised gradients. @param results  values that are left after it
  std::uint32_t add_all_to_all(const Collective& row, const QuantizedForm& form, double values,
                               double results, std::uint32_t unit, std::uint32_t after) {
    const bool within = row.reach == CollectiveReach::within_node;
    const double held = exchange_.gradient_bytes;
    const std::uint32_t ready = quantize(form, values, held, unit, after);
    const Bytes size = form.bytes(values) * (within ? 1.0 : exchange_.group);
    const std::string_view name = within ? exchange_within_name : exchange_between_name;
    const std::uint32_t brought = add_collective(name, row, size, unit, ready);
    return restore(form, values, results, held, unit, brought);
  }

  std::uint32_t add_quantized_gradients(std::uint32_t unit, std::uint32_t computed) {
    const double group = exchange_.group;
    const double ranks = exchange_.ranks;
    double values = trained_of(unit);
    std::uint32_t last = computed;
    if (group > 1) {
      last = add_all_to_all(node_exchange, *exchange_.sending.gradients_within, values, values / group, unit,
                            last);
      values /= group;
    }
    if (ranks == group) return last;
    return add_all_to_all(exchange_of_nodes, *exchange_.sending.gradients_between, values,
                          values * group / ranks, unit, last);
  }

  void add_gradients(const Turn& turn, std::uint32_t computed) {
    if (units_[turn.part.unit].trained == 0) {  // all of it frozen
      scattered_.push_back(computed);
      return;
    }
    if (exchange_.sending.gradients_within) {
      scattered_.push_back(add_quantized_gradients(turn.part.unit, computed));
      return;
    }
    const bool inside = exchange_.sharding.within_node;
    const Collective& row = inside ? node_scatter : collective_row("ring_reduce_scatter");
    const Bytes size{exchange_.gradient_bytes * trained_of(turn.part.unit)};
    std::uint32_t last = add_collective(scatter_name, row, size, turn.part.unit, computed);
    if (turn.replicates && exchange_.ranks > exchange_.group) last = add_replicas(turn.part.unit, size, last);
    scattered_.push_back(last);
  }

  /// Between nodes, of what the workers of each have summed.
  std::uint32_t add_replicas(std::uint32_t unit, Bytes size, std::uint32_t after) {
    const auto& form = exchange_.sending.replicas;
    if (!form) return add_collective(replicas_name, node_replicas, size, unit, after);
    const double held = exchange_.gradient_bytes;
    const double share = trained_of(unit) / exchange_.group;
    const double messages = static_cast<double>(exchange_.ranks) / exchange_.group;
    const std::uint32_t ready = quantize(*form, share, held, unit, after);
    const std::uint32_t brought = add_collective(
        replicas_name, node_shares, form->bytes(share) * static_cast<double>(exchange_.ranks), unit, ready);
    return restore(*form, share * messages, share, held, unit, brought);
  }

  const Workload& workload_;
  double batch_;
  const ShardedExchange& exchange_;
  const QuantizationTimes* times_;
  std::vector<ShardUnit> units_;
  std::vector<Part> parts_ = {};                                           ///< in forward order
  std::uint32_t staying_ = static_cast<std::uint32_t>(units_.size() - 1);  ///< kept for the backward pass
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
    if (units.empty() || (is_new && units.back().parameters > 0)) units.push_back({index, index});
    units.back().end = index + 1;
    units.back().parameters += layers[index].values();
    units.back().trained += layers[index].parameters;
  }
  if (units.size() > 1 && units.back().parameters == 0) join_last();
  return units;
}

bool has_root_unit(std::span<const Layer> layers) {
  constexpr std::size_t before_blocks_and_behind = 3;
  return shard_units(layers).size() >= before_blocks_and_behind && layers.front().block == 0;
}

std::uint32_t shards(const ShardedExchange& exchange) {
  return exchange.sharding.within_node ? exchange.group : exchange.ranks;
}

StepGraph sharded_step(const Workload& workload, double batch, const ShardedExchange& exchange,
                       const QuantizationTimes* times) {
  assert(exchange.sharding.any());
  assert(exchange.ranks >= 1);
  return ShardedBuilder(workload, batch, exchange, times).build();
}

}  // namespace netmodels
