// Conditions on sharding, accumulation, and the memory of a worker.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "netmodels/buckets.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/replicas.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/sharded_sending.hpp"

namespace sim::scenario {
namespace {

using netmodels::Bytes;
using netmodels::Result;
using netmodels::Sharding;

/// A stated key that is about gradients in buckets; empty: none is.
std::string bucket_key(const Scenario& scenario) {
  const Exchange& exchange = scenario.exchange;
  if (exchange.execution) return "exchange.execution";
  if (exchange.overlap) return "exchange.overlap";
  if (exchange.first_bucket) return "exchange.first_bucket";
  if (exchange.bucket) return "exchange.bucket";
  if (!exchange.among.empty()) return "exchange.among";
  return scenario.compression.policy->traits.decides ? "compression.policy" : "";
}

Result<void> check_shards(const Scenario& scenario, const language::Value& tree) {
  const Cluster& cluster = scenario.cluster;
  const Parallelism& stated = scenario.parallelism;
  const std::string_view name = settings::name_of(stated.data);
  if (cluster.workers == 1) {
    return language::refuse_at(tree, "parallelism.data",
                               fmt::format("`{}` shares states among workers, and there is one", name),
                               "write `cluster.workers` of at least 2, or leave out `parallelism`");
  }
  const bool within = stated.shard_within == ShardWithin::node;
  if (within && stated.data != Sharding::fsdp && stated.data != Sharding::hsdp) {
    return language::refuse_at(tree, "parallelism.shard_within",
                               fmt::format("`{}` shares states among all workers", name),
                               "write `data: fsdp`, or leave out `shard_within`");
  }
  if (stated.data == Sharding::hsdp && stated.shard_within == ShardWithin::all) {
    return language::refuse_at(tree, "parallelism.shard_within", "`hsdp` shares states within a node",
                               "write `data: fsdp`, or `shard_within: node`");
  }
  const bool one_in_node = stated.sharding() == Sharding::hsdp && cluster.workers_per_node == 1;
  if (one_in_node && scenario.workload.replica) {
    return language::refuse_at(
        tree, "parallelism",
        "states are shared within a node, and each stage of a replica takes a whole node",
        "write `data: fsdp`, or a smaller `tensor`");
  }
  if (one_in_node) {
    return language::refuse_at(tree, "parallelism",
                               "states are shared within a node, and nodes have 1 worker",
                               "write `cluster.workers_per_node` of at least 2, or `data: fsdp`");
  }
  if (scenario.workload.layers.back().block > 0) return {};
  return language::refuse_at(
      tree, "parallelism.data",
      fmt::format("the workload `{}` has no blocks that could be gathered", scenario.workload.name),
      "describe the model by `transformer`, `config` or `model`, or leave out `parallelism`");
}

Result<void> check_combination(const Scenario& scenario, const language::Value& tree) {
  if (const std::string key = bucket_key(scenario); !key.empty()) {
    return language::refuse_at(tree, key,
                               "it is about gradients in buckets, and sharded steps exchange blocks",
                               "leave it out, or leave out `parallelism`");
  }
  const bool of_sites = scenario.parallelism.site == SiteKind::node;
  if (scenario.compression.method != "none" && !of_sites) {
    return language::refuse_at(
        tree, "compression.method",
        fmt::format("`{}` compresses gradients that are summed whole, not by shards",
                    scenario.compression.method),
        "write `method: none`, leave out `parallelism`, or send changes between nodes by "
        "`parallelism.site: node` and for example `synchronisation: {method: diloco, every: 20}`");
  }
  if (scenario.exchange.collective != "auto") {
    return language::refuse_at(tree, "exchange.collective",
                               "sharded steps run all-gathers and reduce-scatters by rings",
                               "leave it out, or name a `library`");
  }
  if (!scenario.synchronisation->traits.every_step && !of_sites) {
    return language::refuse_at(
        tree, "synchronisation", "shards are of one model, which workers exchange in every step",
        "write `synchronisation: bsp`, leave out `parallelism`, or let nodes train apart by "
        "`parallelism.site: node`");
  }
  if (std::ranges::any_of(scenario.cluster.failures,
                          [](const Failure& failure) { return failure.worker.has_value(); })) {
    return language::refuse_at(tree, "cluster.failures", "a lost worker takes its shards along",
                               "leave out `failures`, or `parallelism`");
  }
  if (scenario.parallelism.sharding() == Sharding::hsdp && !scenario.cluster.collective_times.empty()) {
    return language::refuse_at(tree, "cluster.collective_times", "collectives within nodes were not measured",
                               "leave it out, or write `data: fsdp`");
  }
  return {};
}

Result<void> check_accumulation(const Scenario& scenario, const language::Value& tree) {
  const Training& training = scenario.training;
  if (training.accumulation == 1) return {};
  const auto refused = [&](int batch) {
    return language::refuse_at(
        tree, "training.accumulation",
        fmt::format("{} micro-batches do not divide a batch of {}", training.accumulation, batch),
        "write a divisor of `batch`, which counts the samples of all micro-batches");
  };
  if (training.batches.empty() && training.batch % training.accumulation != 0) return refused(training.batch);
  for (const int batch : training.batches) {
    if (batch % training.accumulation != 0) return refused(batch);
  }
  if (execution_of(scenario).parts.cycle > netmodels::Seconds{}) {
    return language::refuse_at(tree, "training.accumulation",
                               "cycles of an exchange are timed for whole batches",
                               "leave it out, or write another `exchange.execution`");
  }
  return {};
}

/// The scenario with other settings, and what they are called.
struct MemoryWay {
  std::string text;
  Sharding data;
};

/// With how many workers the states would fit. What is gathered does not shrink with their number.
/// @param sharded  with `fsdp` among all workers
std::string fitting_workers(const Scenario& sharded, Bytes limit) {
  const netmodels::WorkerMemory memory = *needed_memory(sharded);
  if (memory.gathered >= limit)
    return fmt::format("a gathered block alone takes {}: name a device with more memory",
                       netmodels::print(memory.gathered, 3));
  const Bytes shared = (memory.states() - memory.gathered) * sharded.cluster.workers;
  return fmt::format("fits with `data: fsdp` on {:.0f} workers or more",
                     std::ceil(shared / (limit - memory.gathered)));
}

/// Ways of sharding whose states fit.
std::string fitting_ways(const Scenario& scenario, Bytes limit) {
  static const std::array ways{MemoryWay{"zero1", Sharding::zero1}, MemoryWay{"zero2", Sharding::zero2},
                               MemoryWay{"hsdp", Sharding::hsdp}, MemoryWay{"fsdp", Sharding::fsdp}};
  std::string text;
  Scenario other = scenario;
  other.parallelism.compress.clear();
  other.parallelism.accumulate = Accumulation::shards;
  for (const MemoryWay& way : ways) {
    const bool inside = way.data == Sharding::hsdp;
    if (other.cluster.workers == 1 || (inside && other.cluster.workers_per_node == 1)) continue;
    if (other.parallelism.site == SiteKind::node && way.data != Sharding::fsdp) continue;
    other.parallelism.data = way.data;
    other.parallelism.shard_within.reset();
    const Bytes states = needed_memory(other)->states();
    if (states <= limit)
      text += fmt::format("{}`{}` ({})", text.empty() ? "" : ", ", way.text, netmodels::print(states, 3));
  }
  if (!text.empty()) return "fits with `parallelism.data`: " + text;
  other.parallelism.data = Sharding::fsdp;
  other.parallelism.shard_within.reset();
  return fitting_workers(other, limit);
}

/// A setting without which the states fit, with a semicolon behind it.
std::string_view fitting_without(const Scenario& scenario, const netmodels::WorkerMemory& memory,
                                 Bytes limit) {
  const Bytes copy = memory.second_copy;
  if (copy > Bytes{} && memory.states() - copy <= limit) return "fits without `hpz`; ";
  if (scenario.parallelism.accumulate == Accumulation::shards) return "";
  Scenario other = scenario;
  other.parallelism.accumulate = Accumulation::shards;
  return needed_memory(other)->states() <= limit ? "fits with `accumulate: shards`; " : "";
}

/// Activations are estimated, so that only a training is refused that does not fit with a quarter of them
/// less.
Result<void> check_activations(const Scenario& scenario, const language::Value& tree,
                               const netmodels::WorkerMemory& memory, Bytes limit) {
  constexpr double surely_kept = 0.75;  // 19 allocated peaks were 5 % below to 23 % above the whole estimate
  const Bytes kept = memory.activations + memory.outside;
  const Bytes states = memory.states();
  if (states + surely_kept * kept <= limit) return {};
  const int batch = batch_of(scenario.training, 0) / scenario.training.accumulation;
  const double fits = batch * std::max(0.0, (limit - states) / kept);
  const std::string smaller =
      fits >= 1
          ? fmt::format("a micro-batch of {:.0f} fits (`training.accumulation` cuts a batch)",
                        std::floor(fits))
          : "more sharding (`parallelism.data: fsdp`), a shorter `sequence` or `recomputation: full` may fit";
  return language::refuse_at(
      tree, "training.batch",
      fmt::format("a micro-batch of {} keeps {} of activations beside {} of states, and {} has {}", batch,
                  netmodels::print(kept, 3), netmodels::print(states, 3), scenario.device->name,
                  netmodels::print(limit, 3)),
      smaller + "; `recomputation: full` keeps fewer activations");
}

Result<void> check_states(const Scenario& scenario, const language::Value& tree) {
  const auto memory = needed_memory(scenario);
  if (!memory || !scenario.device || !scenario.device->memory_size) return {};
  const Bytes limit = *scenario.device->memory_size;
  if (memory->states() <= limit) return check_activations(scenario, tree, *memory, limit);
  const std::string path = is_sharded(scenario) ? "parallelism.data" : "workload";
  const Bytes copy = memory->second_copy;
  const std::string of_it =
      copy > Bytes{} ? fmt::format(" ({} of it in second copies)", netmodels::print(copy, 3)) : "";
  return language::refuse_at(
      tree, path,
      fmt::format("parameters, gradients and optimizer states take {}{} on each worker, and {} has {}",
                  netmodels::print(memory->states(), 3), of_it, scenario.device->name,
                  netmodels::print(limit, 3)),
      std::string(fitting_without(scenario, *memory, limit)) + fitting_ways(scenario, limit));
}

/// What a method sends has a width of its own.
std::vector<std::string> width_warnings(const Scenario& scenario, const language::Value& tree) {
  const Compression& compression = scenario.compression;
  const bool always = compression.method == "none" && !compression.policy->traits.decides;
  const bool dense = always || compression.warm_up.is_dense() || scenario.synchronisation->traits.of_momenta;
  if (is_sharded(scenario) || !scenario.parallelism.gradient_bytes || dense) return {};
  return {
      fmt::format("{}: it is the width of gradients that are sent as they are, and `{}` sends its own form",
                  place_of(tree, "parallelism.gradient_bytes"), scenario.compression.method)};
}

Result<void> check_node_shards(const Scenario& scenario, const language::Value& tree) {
  const Parallelism& parallelism = scenario.parallelism;
  if (parallelism.accumulate != Accumulation::node_shards || parallelism.sharding() == Sharding::hsdp)
    return {};
  return language::refuse_at(tree, "parallelism.accumulate",
                             "`node_shards` is about sums between nodes that hold copies, as hsdp has them",
                             "write `shards`, or `data: hsdp`");
}

}  // namespace

Result<void> check_parallelism(const Scenario& scenario, const language::Value& tree) {
  if (is_sharded(scenario)) {
    if (auto checked = check_shards(scenario, tree); !checked) return checked;
    if (auto checked = check_node_shards(scenario, tree); !checked) return checked;
    if (auto checked = check_combination(scenario, tree); !checked) return checked;
  }
  if (auto checked = check_sending(scenario, tree); !checked) return checked;
  if (auto checked = check_accumulation(scenario, tree); !checked) return checked;
  return check_states(scenario, tree);
}

std::vector<std::string> parallelism_warnings(const Scenario& scenario, const language::Value& tree) {
  std::vector<std::string> warnings = width_warnings(scenario, tree);
  if (auto warning = pipeline_warning(scenario, tree)) warnings.push_back(std::move(*warning));
  const auto memory = needed_memory(scenario);
  if (!memory || !scenario.device || !scenario.device->memory_size) return warnings;
  if (memory->total() <= *scenario.device->memory_size) return warnings;
  warnings.push_back(
      fmt::format("{}: the training may not fit into memory: {}; a smaller `training.batch`, more "
                  "`training.accumulation` or `recomputation: full` keeps fewer activations",
                  place_of(tree, "training.batch"), describe_memory(scenario)));
  return warnings;
}

}  // namespace sim::scenario
