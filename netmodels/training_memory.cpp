// States by shards, and what the passes keep.
#include "netmodels/training_memory.hpp"

#include <algorithm>
#include <cassert>

namespace netmodels {
namespace {

/// The part of each state that a worker holds.
struct HeldShares {
  double parameters = 1;
  double gradients = 1;
  double optimizer = 1;
};

HeldShares held_shares(const ShardedExchange& exchange) {
  const double shard = 1.0 / shards(exchange);
  const Sharding& shared = exchange.sharding;
  return {.parameters = shared.parameters ? shard : 1,
          .gradients = shared.gradients && !exchange.whole_gradients ? shard : 1,
          .optimizer = shared.optimizer ? shard : 1};
}

Bytes gathered_units(const Workload& workload, const ShardedExchange& exchange, double gradient_bytes) {
  if (!exchange.sharding.parameters) return {};
  std::vector<ShardUnit> units = shard_units(workload.layers);
  double kept = 0;
  double kept_trained = 0;
  if (exchange.grouping == ShardGrouping::root && units.size() > 2 && workload.layers.front().block == 0) {
    kept = static_cast<double>(units.front().parameters + units.back().parameters);
    kept_trained = static_cast<double>(units.front().trained + units.back().trained);
    units.pop_back();
    units.erase(units.begin());
  }
  double largest = 0;
  double trained = 0;
  for (const ShardUnit& unit : units) {
    largest = std::max(largest, static_cast<double>(unit.parameters));
    trained = std::max(trained, static_cast<double>(unit.trained));
  }
  const auto all = static_cast<double>(workload.parameters() + workload.frozen());
  const double whole =
      exchange.reshard_after_forward ? std::min(all, kept + largest * (1.0 + exchange.prefetch)) : all;
  return Bytes{exchange.parameter_bytes * whole + gradient_bytes * std::max(trained, kept_trained)};
}

}  // namespace

WorkerMemory worker_memory(const Workload& workload, double samples, const ShardedExchange& exchange,
                           const StateBytes& states) {
  assert(workload.memory && samples > 0);
  const auto parameters = static_cast<double>(workload.parameters());
  const double values = parameters + static_cast<double>(workload.frozen());
  const HeldShares held = held_shares(exchange);
  const BlockMemory& block = *workload.memory;
  return {.parameters = Bytes{values * states.parameter * held.parameters},
          .gradients = Bytes{parameters * states.gradient * held.gradients},
          .optimizer = Bytes{parameters * states.optimizer * held.optimizer},
          .gathered = gathered_units(workload, exchange, states.gradient),
          .activations = (block.kept * static_cast<double>(block.blocks) + block.working) * samples,
          .outside = block.outside * samples,
          .second_copy = exchange.sending.secondary
                             ? Bytes{values * exchange.parameter_bytes / exchange.group}
                             : Bytes{},
          .errors = Bytes{parameters * exchange.sending.error_bytes}};
}

}  // namespace netmodels
