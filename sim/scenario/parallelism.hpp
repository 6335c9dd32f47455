// How the states of a model are shared among workers: `parallelism`, and the memory that a worker needs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "netmodels/model_parallel.hpp"
#include "netmodels/result.hpp"
#include "netmodels/sharded_step.hpp"
#include "netmodels/sharding.hpp"
#include "netmodels/training_memory.hpp"
#include "settings/fields.hpp"
#include "sim/language/value.hpp"

namespace netmodels {

/// Exchanges among all workers: none has them where states are shared inside nodes.
inline constexpr settings::Capabilities exchanges_among_all{settings::Capability::second_gathers,
                                                            settings::Capability::sums_among_all,
                                                            settings::Capability::whole_collectives};

/// Needs, offers and denials of a kind of sharding, from the states that it shares.
constexpr settings::Demands demands_of(const ShardingKind& kind) {
  using enum settings::Capability;
  settings::Demands demands;
  if (!kind.shares.any()) return demands;
  demands = {
      .needs = {composed_step}, .denies = {gradient_buckets, free_collective}, .offers = {shared_states}};
  if (kind.shares.gradients) demands.offers |= {gradient_shards};
  if (!kind.shares.parameters) {
    demands.needs |= {one_level};
    demands.offers |= {kept_parameters, sums_among_all};
  } else if (kind.shares.within_node) {
    demands.denies |= exchanges_among_all;
    demands.offers |= {gathered_parameters, node_copies};
  } else {
    demands.offers |= {gathered_parameters, second_gathers, sums_among_all};
  }
  if (kind.sending.empty()) return demands;
  demands.needs |= {second_gathers, sums_among_all, rounding_effects};
  demands.denies |= {plain_gradients, free_sending, whole_collectives};
  demands.offers |= {compressing, unsent_values};
  return demands;
}

constexpr auto names_of(const ShardingKind* /*kind*/) {
  constexpr auto others = std::ranges::count_if(
      sharding_kinds, [](const ShardingKind& kind) { return !kind.other_name.empty(); });
  std::array<settings::Named<const ShardingKind*>, sharding_kinds.size() + others> names{};
  auto next = names.begin();
  for (const ShardingKind& kind : sharding_kinds) *next++ = {kind.name, &kind, demands_of(kind)};
  for (const ShardingKind& kind : sharding_kinds) {
    if (!kind.other_name.empty()) *next++ = {kind.other_name, &kind, demands_of(kind)};
  }
  return names;
}

constexpr auto names_of(ShardGrouping) {
  return std::to_array<settings::Named<ShardGrouping>>(
      {{"block", ShardGrouping::outer_units}, {"root", ShardGrouping::root}});
}

}  // namespace netmodels

namespace sim::scenario {

struct Cluster;
struct Exchange;
struct Scenario;
struct Stated;
struct Work;

/// The workers that hold one copy of the states together.
enum class ShardWithin : std::uint8_t { all, node };

constexpr auto names_of(ShardWithin) {
  return std::to_array<settings::Named<ShardWithin>>(
      {{"all", ShardWithin::all}, {"node", ShardWithin::node}});
}

/// What micro-batches add their gradients up in.
enum class Accumulation : std::uint8_t {
  shards,       ///< exchanged in each
  node_shards,  ///< of hsdp: exchanged inside nodes in each, between nodes in the last
  whole         ///< exchanged in the last
};

constexpr auto names_of(Accumulation) {
  return std::to_array<settings::Named<Accumulation>>({{"shards", Accumulation::shards},
                                                       {"node_shards", Accumulation::node_shards},
                                                       {"whole", Accumulation::whole}});
}

/// Workers that take every step together, and are one to the synchronisation policy.
enum class SiteKind : std::uint8_t { none, node };

constexpr auto names_of(SiteKind) {
  using enum settings::Capability;
  settings::Demands node{.needs = {model_exchange, one_gpu_workers},
                         .denies = {one_level, node_copies},
                         .offers = {some_collectives, bucketed_gradients}};
  node.denies |= netmodels::exchanges_among_all;
  return std::to_array<settings::Named<SiteKind>>({{"none", SiteKind::none}, {"node", SiteKind::node, node}});
}

/// The settings of `parallelism`.
struct Parallelism {
  const netmodels::ShardingKind* data = &netmodels::sharding_kinds.front();
  std::optional<ShardWithin> shard_within;  ///< nothing: a node for hsdp, else all workers
  int prefetch = 1;
  bool reshard_after_forward = true;
  netmodels::ShardGrouping unit = netmodels::ShardGrouping::outer_units;
  Accumulation accumulate = Accumulation::shards;
  std::vector<std::string> compress;  ///< rows of `netmodels::shard_sendings`
  netmodels::StateBytes states;
  SiteKind site = SiteKind::none;
  std::optional<double>
      gradient_bytes;  ///< as stated, for `states` too; nothing: as the stack, or the library, sends them
  int tensor = 1;
  int pipeline = 1;
  int interleave = 1;
  bool sequence_parallel = true;
  bool split_embedding = true;
  bool shared_inputs = true;

  [[nodiscard]] bool is_sharded() const { return data->shares.any(); }
  /// The states that workers share: within a node, too, where `shard_within` or `site` says so.
  [[nodiscard]] netmodels::Sharding sharding() const;
  /// The first kind that shares these states: "hsdp" for `fsdp` within nodes, "fsdp" for `zero++`.
  [[nodiscard]] std::string_view sharding_name() const;
  /// The degrees inside a replica.
  [[nodiscard]] netmodels::ModelParallel inside() const;
};

void describe(settings::Fields& fields, Parallelism& value);
std::span<const settings::Condition> conditions_of(std::type_identity<Parallelism>);

/// Workers that are one to the synchronisation policy and to a learner, at least 1.
int workers_of_site(const Parallelism& parallelism, const Cluster& cluster);

/// What takes part in a training: "worker", or "node" where nodes are sites.
std::string_view member_name(const Parallelism& parallelism);

/// Slows the passes of a workload whose stack loses time where many GPUs wait for each other in each step:
/// all of them, of policies that exchange in each one, else those of a site or of a replica. The provenance
/// says by how much at first. May be called again where the workers have changed, before replicas are
/// settled. Leaves out: steps before `local_from` of policies that are local later; workers that leave.
void settle_waiting(Scenario& scenario);

/// @param workers  that take part
netmodels::ShardedExchange sharded_exchange(const Work& work, const Cluster& cluster,
                                            const Exchange& exchange, std::uint32_t workers);

/// Of each worker; nothing where the workload does not state its activations.
std::optional<netmodels::WorkerMemory> needed_memory(const Work& work, const Cluster& cluster,
                                                     const Exchange& exchange);

/// "fsdp over 16 workers by blocks, 1 gathered ahead, gathered again for the backward pass".
std::string describe_sharding(const Work& work, const Cluster& cluster, const Exchange& exchange);

/// "41.2 GB of 80 GB: 1.95 GB of parameters, ..."; empty where unknown.
std::string describe_memory(const Work& work, const Cluster& cluster, const Exchange& exchange);

/// Refuses what sharding cannot be combined with, micro-batches that do not divide a batch, and states that
/// exceed the memory of the device, with what would fit.
/// @param tree  what the scenario was read from, for the places in messages
netmodels::Result<void> check_parallelism(const Work& work, const Cluster& cluster, const Exchange& exchange,
                                          const language::Value& tree);

/// Warnings where states and activations together exceed the memory of the device, and where bytes of a
/// gradient are stated that nothing sends.
std::vector<std::string> parallelism_warnings(const Work& work, const Cluster& cluster, const Stated& stated,
                                              const Exchange& exchange, const language::Value& tree);

}  // namespace sim::scenario
