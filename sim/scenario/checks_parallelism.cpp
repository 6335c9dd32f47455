// Conditions on sharding, accumulation, and the memory of a worker.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

Result<void> check_shards(const Parallelism& stated, const Cluster& cluster,
                          const netmodels::Workload& workload, const language::Value& tree) {
  const std::string_view name = stated.data->name;
  if (cluster.workers == 1) {
    return language::refuse_at(
        tree, "parallelism.data", fmt::format("`{}` shares states among workers, and there is one", name),
        "write `cluster.workers` of at least 2, or leave out `parallelism`", {{"cluster.workers", "2"}});
  }
  const bool one_in_node = stated.sharding().within_node && cluster.workers_per_node == 1;
  if (one_in_node && workload.replica) {
    return language::refuse_at(
        tree, "parallelism",
        "states are shared within a node, and each stage of a replica takes a whole node",
        "write `data: fsdp`, or a smaller `tensor`", {{"parallelism.data", "fsdp"}});
  }
  if (one_in_node) {
    return language::refuse_at(
        tree, "parallelism", "states are shared within a node, and nodes have 1 worker",
        "write `cluster.workers_per_node` of at least 2, or `data: fsdp`", {{"parallelism.data", "fsdp"}});
  }
  if (workload.layers.back().block > 0) return {};
  return language::refuse_at(
      tree, "parallelism.data",
      fmt::format("the workload `{}` has no blocks that could be gathered", workload.name),
      "describe the model by `transformer`, `config` or `model`, or leave out `parallelism`",
      {{"parallelism", {}}});
}

Result<void> check_accumulation(const Training& training, const language::Value& tree) {
  if (training.accumulation == 1) return {};
  const auto refused = [&](int batch) {
    return language::refuse_at(
        tree, "training.accumulation",
        fmt::format("{} micro-batches do not divide a batch of {}", training.accumulation, batch),
        "write a divisor of `batch`, which counts the samples of all micro-batches",
        {{"training.accumulation", "1"}});
  };
  if (training.batches.empty() && training.batch % training.accumulation != 0) return refused(training.batch);
  for (const int batch : training.batches) {
    if (batch % training.accumulation != 0) return refused(batch);
  }
  return {};
}

/// A hint, and the change that it names first.
struct MemoryHint {
  std::string text;
  std::vector<netmodels::Change> remedy;
};

/// A training whose memory is asked for, as stated or with another setting.
struct Held {
  Work work;
  Cluster cluster;
  const Exchange& exchange;

  /// Never nothing where the workload states its activations.
  [[nodiscard]] std::optional<netmodels::WorkerMemory> memory() const {
    return needed_memory(work, cluster, exchange);
  }
};

/// With how many workers the states would fit. What is gathered does not shrink with their number.
/// @param sharded  with `fsdp` among all workers
MemoryHint fitting_workers(const Held& held, Bytes limit) {
  const netmodels::WorkerMemory memory = *held.memory();
  if (memory.gathered >= limit)
    return {fmt::format("a gathered block alone takes {}: name a device with more memory",
                        netmodels::print(memory.gathered, 3)),
            {}};
  const Bytes shared = (memory.states() - memory.gathered) * held.cluster.workers;
  const double workers = std::ceil(shared / (limit - memory.gathered));
  const double per_node = held.cluster.workers_per_node;
  const double whole_nodes = std::ceil(workers / per_node) * per_node;
  return {fmt::format("fits with `data: fsdp` on {:.0f} workers or more", workers),
          {{"cluster.workers", fmt::format("{:.0f}", whole_nodes)}, {"parallelism.data", "fsdp"}}};
}

/// Kinds of sharding that send values as they are: those of most copies of a state first.
std::vector<const netmodels::ShardingKind*> kinds_by_copies() {
  std::vector<const netmodels::ShardingKind*> kinds;
  for (const netmodels::ShardingKind& kind : netmodels::sharding_kinds) {
    if (kind.shares.any() && kind.sending.empty()) kinds.push_back(&kind);
  }
  std::stable_partition(kinds.begin(), kinds.end(), [](const auto* kind) {
    return !kind->shares.parameters || kind->shares.within_node;
  });
  return kinds;
}

/// Kinds of sharding whose states fit.
MemoryHint fitting_ways(const Held& held, Bytes limit) {
  std::string text, first;
  Held other = held;
  other.work.parallelism.compress.clear();
  other.work.parallelism.accumulate = Accumulation::shards;
  for (const netmodels::ShardingKind* const way : kinds_by_copies()) {
    const bool inside = way->shares.within_node;
    if (other.cluster.workers == 1 || (inside && other.cluster.workers_per_node == 1)) continue;
    if (other.work.parallelism.site == SiteKind::node && way != &netmodels::fully_sharded()) continue;
    other.work.parallelism.data = way;
    other.work.parallelism.shard_within.reset();
    const Bytes states = other.memory()->states();
    if (states > limit) continue;
    if (first.empty()) first = way->name;
    text += fmt::format("{}`{}` ({})", text.empty() ? "" : ", ", way->name, netmodels::print(states, 3));
  }
  if (!text.empty()) return {"fits with `parallelism.data`: " + text, {{"parallelism.data", first}}};
  other.work.parallelism.data = &netmodels::fully_sharded();
  other.work.parallelism.shard_within.reset();
  return fitting_workers(other, limit);
}

/// A setting without which the states fit, with a semicolon behind it.
std::string_view fitting_without(const Held& held, const netmodels::WorkerMemory& memory, Bytes limit) {
  const Bytes copy = memory.second_copy;
  if (copy > Bytes{} && memory.states() - copy <= limit) return "fits without `hpz`; ";
  if (held.work.parallelism.accumulate == Accumulation::shards) return "";
  Held other = held;
  other.work.parallelism.accumulate = Accumulation::shards;
  return other.memory()->states() <= limit ? "fits with `accumulate: shards`; " : "";
}

// Single settings with which a training fits, the framework's share included; nothing where it does not.

/// A setting that the file does not have, and what to say of it.
struct MemorySetting {
  netmodels::Change change;
  std::string note = {};

  [[nodiscard]] std::string text() const { return fmt::format("`{}: {}`{}", change.key, change.value, note); }
};

bool fits(const Held& held, Bytes limit) { return held.memory()->total() <= limit; }

std::optional<MemorySetting> with_smaller_batches(Held other, Bytes limit) {
  const int batch = other.work.training.batch;
  if (!other.work.training.batches.empty()) return std::nullopt;
  for (int count = other.work.training.accumulation + 1; count <= batch; ++count) {
    if (batch % count != 0) continue;
    other.work.training.accumulation = count;
    if (fits(other, limit))
      return MemorySetting{{"training.accumulation", std::to_string(count)},
                           fmt::format(" (micro-batches of {})", batch / count)};
  }
  return std::nullopt;
}

std::optional<MemorySetting> with_recomputation(Held other, Bytes limit) {
  netmodels::Workload& workload = other.work.workload;
  if (workload.replica || !workload.token_work) return std::nullopt;
  netmodels::BlockMemory& memory = *workload.memory;
  if (memory.kept <= workload.token_work->hidden) return std::nullopt;  // as it is
  memory.working = std::max(memory.working, memory.kept);
  memory.kept = workload.token_work->hidden;
  if (!fits(other, limit)) return std::nullopt;
  return MemorySetting{{"workload.recomputation", "full"}};
}

std::optional<MemorySetting> with_shards(Held other, Bytes limit) {
  Parallelism& stated = other.work.parallelism;
  if (other.cluster.workers == 1 || stated.site != SiteKind::none ||
      stated.sharding() == netmodels::fully_sharded().shares)
    return std::nullopt;
  stated.data = &netmodels::fully_sharded();
  stated.shard_within.reset();
  stated.compress.clear();
  if (!fits(other, limit)) return std::nullopt;
  return MemorySetting{{"parallelism.data", "fsdp"}};
}

/// All GPUs of a node share each layer.
std::optional<MemorySetting> with_tensor_groups(Held other, Bytes limit) {
  const int group = other.cluster.workers_per_node;
  const auto& work = other.work.workload.token_work;
  if (other.work.workload.replica || !work || group == 1 || work->heads % group != 0) return std::nullopt;
  other.cluster.workers /= group;
  other.cluster.workers_per_node = 1;
  if (other.cluster.workers == 1 && other.work.parallelism.is_sharded()) return std::nullopt;
  other.work.workload = replica_share(other.work.workload, {.tensor = static_cast<std::uint32_t>(group)}, {},
                                      static_cast<std::uint32_t>(other.work.training.accumulation));
  if (!fits(other, limit)) return std::nullopt;
  return MemorySetting{{"parallelism.tensor", std::to_string(group)}};
}

/// "write `training.accumulation: 4` (micro-batches of 16) or `workload.recomputation: full`".
MemoryHint memory_remedy(const Held& held, Bytes limit) {
  MemoryHint hint;
  for (const auto remedy : {with_smaller_batches, with_recomputation, with_shards, with_tensor_groups}) {
    const std::optional<MemorySetting> setting = remedy(held, limit);
    if (!setting) continue;
    if (hint.remedy.empty()) hint.remedy = {setting->change};
    hint.text += (hint.text.empty() ? "write " : " or ") + setting->text();
  }
  if (hint.text.empty())
    hint.text =
        "combine more sharding (`parallelism`), `workload.recomputation: full` and smaller micro-batches "
        "(`training.accumulation`), shorten `workload.sequence`, or name a device with more memory";
  return hint;
}

/// Activations are estimated, so that only a training is refused that does not fit with a quarter of them
/// less.
Result<void> check_activations(const Held& held, const language::Value& tree,
                               const netmodels::WorkerMemory& memory, Bytes limit) {
  constexpr double surely_kept = 0.75;  // 19 allocated peaks were 5 % below to 23 % above the whole estimate
  const Bytes kept = memory.activations + memory.outside;
  const Bytes states = memory.states();
  if (states + surely_kept * kept <= limit) return {};
  const int batch = batch_of(held.work.training, 0) / held.work.training.accumulation;
  MemoryHint hint = memory_remedy(held, limit);
  return language::refuse_at(
      tree, "training.batch",
      fmt::format("a micro-batch of {} keeps {} of activations beside {} of states, and {} has {}", batch,
                  netmodels::print(kept, 3), netmodels::print(states, 3), held.work.device->name,
                  netmodels::print(limit, 3)),
      std::move(hint.text), std::move(hint.remedy));
}

Result<void> check_states(const Held& held, const language::Value& tree) {
  const auto memory = held.memory();
  if (!memory || !held.work.device || !held.work.device->memory_size) return {};
  const Bytes limit = *held.work.device->memory_size;
  if (memory->states() <= limit) return check_activations(held, tree, *memory, limit);
  const std::string path = held.work.parallelism.is_sharded() ? "parallelism.data" : "workload";
  MemoryHint ways = fitting_ways(held, limit);
  const Bytes copy = memory->second_copy;
  const std::string of_it =
      copy > Bytes{} ? fmt::format(" ({} of it in second copies)", netmodels::print(copy, 3)) : "";
  return language::refuse_at(
      tree, path,
      fmt::format("parameters, gradients and optimizer states take {}{} on each worker, and {} has {}",
                  netmodels::print(memory->states(), 3), of_it, held.work.device->name,
                  netmodels::print(limit, 3)),
      std::string(fitting_without(held, *memory, limit)) + ways.text, std::move(ways.remedy));
}

/// What a method sends has a width of its own.
/// @param exchanges_momenta  whether momenta are exchanged
std::vector<std::string> width_warnings(const Compression& compression, const Parallelism& parallelism,
                                        bool exchanges_momenta, const language::Value& tree) {
  const bool always = !compression.compresses() && !compression.policy->traits.decides;
  const bool dense = always || compression.warm_up.is_dense() || exchanges_momenta;
  if (parallelism.is_sharded() || !parallelism.gradient_bytes || dense) return {};
  return {
      fmt::format("{}: it is the width of gradients that are sent as they are, and `{}` sends its own form",
                  place_of(tree, "parallelism.gradient_bytes"), compression.method)};
}

}  // namespace

Result<void> check_parallelism(const Work& work, const Cluster& cluster, const Exchange& exchange,
                               const language::Value& tree) {
  const Parallelism& stated = work.parallelism;
  if (stated.is_sharded()) {
    if (auto checked = check_shards(stated, cluster, work.workload, tree); !checked) return checked;
  }
  if (auto checked = check_sending(stated, cluster, exchange.compression, work.device, tree); !checked)
    return checked;
  if (auto checked = check_accumulation(work.training, tree); !checked) return checked;
  return check_states({work, cluster, exchange}, tree);
}

std::vector<std::string> parallelism_warnings(const Work& work, const Cluster& cluster, const Stated& stated,
                                              const Exchange& exchange, const language::Value& tree) {
  std::vector<std::string> warnings = width_warnings(
      exchange.compression, work.parallelism, exchange.synchronisation->traits.exchanges_momenta, tree);
  if (auto warning = pipeline_warning(work, cluster, stated, tree)) warnings.push_back(std::move(*warning));
  const auto memory = needed_memory(work, cluster, exchange);
  if (!memory || !work.device || !work.device->memory_size) return warnings;
  const Bytes limit = *work.device->memory_size;
  if (memory->total() <= limit) return warnings;
  const std::string sharding =
      work.parallelism.is_sharded() ? fmt::format(" with `{}`", work.parallelism.data->name) : "";
  warnings.push_back(fmt::format("{}: the training{} may not fit into memory: {}; for a predicted fit, {}",
                                 place_of(tree, "training.batch"), sharding,
                                 describe_memory(work, cluster, exchange),
                                 memory_remedy({work, cluster, exchange}, limit).text));
  return warnings;
}

}  // namespace sim::scenario
