// Keys that an arm states and never reads.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/measured_defaults.hpp"
#include "sim/scenario/nccl_keys.hpp"

namespace sim::scenario {
namespace {

/// Whether steps have collectives, at least inside a site.
bool has_collectives(const Scenario& scenario) {
  return !is_asynchronous(scenario.synchronisation) || workers_of_site(scenario) > 1;
}

bool gathers_parameters(const Scenario& scenario) {
  using enum netmodels::Sharding;
  const netmodels::Sharding sharding = scenario.parallelism.sharding();
  return sharding == fsdp || sharding == hsdp;
}

bool adds_shards_up(const Scenario& scenario) {
  return gathers_parameters(scenario) || scenario.parallelism.data == netmodels::Sharding::zero2;
}

/// Why a key is not read, and what to do.
struct Unread {
  std::string why;
  std::string_view hint;
};

Unread no_collectives(const Scenario& scenario) {
  return {
      fmt::format("it is about collectives, and `{}` has none: each worker exchanges with a server by "
                  "itself, at its own pace",
                  scenario.synchronisation.name()),
      "leave it out, or write a method whose workers wait for each other, such as `synchronisation: bsp`"};
}

Unread no_gradients(const Scenario& scenario) {
  if (!has_collectives(scenario)) return no_collectives(scenario);
  return {fmt::format(
              "it is about gradients and the backward pass, and `{}` exchanges models after the optimizer",
              scenario.synchronisation.name()),
          "leave it out, or write a method that exchanges gradients, such as `synchronisation: bsp`"};
}

Unread nothing_gathered(const Scenario&) {
  return {"it is about parameters that are gathered, and each worker holds all of them",
          "leave it out, or write `data: fsdp` or `data: hsdp`"};
}

Unread no_shards(const Scenario&) {
  return {"it is about shards of gradients, and there are none",
          "leave it out, or write `data: zero2`, `data: fsdp` or `data: hsdp`"};
}

/// Where every unit is a block, a root unit is none.
bool may_have_root_unit(const Scenario& scenario) {
  return scenario.parallelism.unit != netmodels::ShardGrouping::root ||
         netmodels::has_root_unit(scenario.workload.layers);
}

Unread no_root_unit(const Scenario&) {
  return {
      "no layers lie before the blocks, or before those of the last stage of a pipeline, which a root unit "
      "would hold",
      "leave it out"};
}

bool has_tensor_groups(const Scenario& scenario) { return scenario.parallelism.tensor > 1; }

Unread no_tensor_groups(const Scenario&) {
  return {"no GPUs share a layer", "write `parallelism.tensor` of at least 2, or leave it out"};
}

bool has_cores(const Scenario& scenario) { return !scenario.cluster.cores.empty(); }

Unread no_cores(const Scenario&) {
  return {"it says how speed grows with cores, and none are stated",
          "write `cluster.cores`, or leave it out"};
}

bool has_tables(const Scenario& scenario) { return !scenario.cluster.measured.empty(); }

Unread no_tables(const Scenario&) {
  return {"it is about measured times of collectives, and there are none",
          "write `cluster.collective_times`, or leave it out"};
}

bool has_failures(const Scenario& scenario) { return !scenario.cluster.failures.empty(); }

Unread no_failures(const Scenario&) { return {"nothing fails", "write `cluster.failures`, or leave it out"}; }

/// Whether workers may have batches of different sizes.
bool has_batches(const Scenario& scenario) {
  return !scenario.training.batches.empty() || scenario.batching.name() != "uniform" || scenario.streams;
}

Unread equal_batches(const Scenario&) {
  return {"all workers have batches of one size, so that both weights are equal",
          "write `training.batches` or a policy of `batching`, or leave it out"};
}

bool counts_epochs(const Scenario& scenario) { return !scenario.training.steps; }

Unread counts_steps(const Scenario&) {
  return {"`training.steps` says how long training is", "leave one of them out"};
}

/// Whether something is sent in place of a gradient or of a shard.
bool compresses(const Scenario& scenario) {
  return scenario.compression.method != "none" || decided_by_step(scenario.compression) ||
         !methods_from_stack(scenario).empty();
}

Unread nothing_compressed(const Scenario&) {
  return {"nothing is compressed", "write `compression.method`, or leave it out"};
}

/// Which values are kept is chosen by staleness or variance among those that all workers send alike.
bool selects(const Scenario& scenario) {
  return scenario.compression.method == "ar_topk" || decided_by_step(scenario.compression);
}

Unread selects_nothing(const Scenario& scenario) {
  return {fmt::format("it is about the worker whose largest values are sent, and `{}` has no such worker",
                      scenario.compression.method),
          "leave it out, or write `compression.method: ar_topk`"};
}

bool has_tiles(const Scenario& scenario) { return scenario.compression.method == "dct_topk"; }

Unread no_tiles(const Scenario& scenario) {
  return {fmt::format("tiles are those of `dct_topk`, and `{}` has none", scenario.compression.method),
          "leave it out, or write `compression.method: dct_topk`"};
}

/// Whether computing and exchanges may run at the same time.
bool overlaps(const Scenario& scenario) {
  return is_sharded(scenario) || workers_of_site(scenario) > 1 || scenario.workload.traced != nullptr ||
         decided_by_step(scenario.compression) || execution_of(scenario).overlap;
}

Unread nothing_overlaps(const Scenario& scenario) {
  return {fmt::format("exchanges begin after the backward pass ({})", describe_execution(scenario)),
          "leave it out, or write `exchange: {overlap: true}`"};
}

/// Whether a library runs one algorithm of its own for each exchange.
bool has_library(const Scenario& scenario) {
  return nccl_of(scenario) != nullptr || !library_of(scenario).empty();
}

/// Whether collectives are chosen while training runs.
bool chooses(const Scenario& scenario) {
  const bool open = scenario.exchange.collective == "auto" && !has_library(scenario);
  return open || decided_by_step(scenario.compression);
}

Unread chooses_nothing(const Scenario& scenario) {
  if (scenario.exchange.collective == "auto")
    return {fmt::format("it is about choices, and collectives are those of {}", describe_library(scenario)),
            "leave it out, or write `exchange.library: none`"};
  return {fmt::format("it is about choices, and `exchange.collective: {}` is fixed",
                      scenario.exchange.collective),
          "leave it out, or write `exchange.collective: auto`"};
}

/// Whether an exchange has stages beside the collective that `exchange.collective` names.
bool has_other_stages(const Scenario& scenario) {
  const auto format = kernels::find_wire_format(scenario.compression.method);
  const bool several = format && (*format)->stages({.elements = 1000, .ratio = 0.1}).size() > 1;
  return several || is_sharded(scenario) || broadcasts_buffers(scenario) || scenario.workload.traced;
}

/// Whether models or gradients go from worker to worker, and not all of it by a collective that a key names.
bool takes_a_library(const Scenario& scenario) {
  const bool named = scenario.exchange.collective != "auto" && !decided_by_step(scenario.compression);
  return !scenario.exchange.through && (!named || has_other_stages(scenario));
}

Unread takes_no_library(const Scenario& scenario) {
  const std::string why = scenario.exchange.through ? "exchanges go through another host"
                                                    : fmt::format("`exchange.collective: {}` is fixed",
                                                                  scenario.exchange.collective);
  return {why, "leave it out, or write `exchange.collective: auto`"};
}

/// Whether one of the collectives to choose from can carry what is sent.
bool has_among(const Scenario& scenario) {
  if (scenario.exchange.through) return false;
  if (decided_by_step(scenario.compression) || is_sharded(scenario)) return true;
  const auto format = kernels::find_wire_format(scenario.compression.method);
  return !format || std::ranges::any_of(scenario.exchange.among, [&](const std::string& name) {
    const auto collective = netmodels::find_collective(name);
    return !collective || carries((*collective)->kind, (*format)->exchange);
  });
}

Unread has_none_among(const Scenario& scenario) {
  if (scenario.exchange.through) return takes_no_library(scenario);
  return {fmt::format("none of them can carry what the method `{}` sends", scenario.compression.method),
          "name one that can, or leave it out"};
}

/// Whether a collective may be one that is cut into a stated number of pieces.
bool has_chunks(const Scenario& scenario) {
  if (chooses(scenario) || is_sharded(scenario)) return true;
  const auto row = netmodels::find_collective(scenario.exchange.collective);
  return row && netmodels::depends_on_chunks(**row);
}

Unread no_chunks(const Scenario& scenario) {
  if (scenario.exchange.collective == "auto")
    return {fmt::format("collectives are those of {}, which cuts them by rules of its own",
                        describe_library(scenario)),
            "leave it out, or write `exchange.library: none`"};
  return {fmt::format("`{}` is not cut into a stated number of pieces", scenario.exchange.collective),
          "leave it out, or write a collective such as `pipelined_binary_tree_allreduce`"};
}

bool has_shards(const Scenario& scenario) { return is_sharded(scenario); }

bool counts_states(const Scenario& scenario) {
  return is_sharded(scenario) || scenario.workload.memory.has_value();
}

Unread no_states(const Scenario& scenario) {
  return {fmt::format("nothing is shared among workers, and the memory that `{}` keeps is unknown",
                      scenario.workload.name),
          "write `parallelism.data`, describe the model by `transformer`, or leave it out"};
}

Unread no_sharding(const Scenario&) {
  return {"no states are shared among workers", "write `parallelism.data`, or leave it out"};
}

bool has_buffers(const Scenario& scenario) { return scenario.workload.buffers > netmodels::Bytes{}; }

Unread no_buffers(const Scenario& scenario) {
  return {fmt::format("`{}` has no buffers", scenario.workload.name),
          "write `workload.buffers`, or leave it out"};
}

bool warms_up(const Scenario& scenario) { return scenario.compression.warm_up.any(); }

Unread no_warm_up(const Scenario&) {
  return {"the warm-up has no length", "write `epochs`, or `steps`, or leave it out"};
}

/// Whether what is not sent may be added to what is sent later, in a run or in its record; or nothing else
/// than the defaults of both keys is stated.
bool leaves_unsent(const Scenario& scenario) {
  if (scenario.learner.error_feedback && scenario.learner.residual_decay == 1) return true;
  const learning::learners::LearnerChoice& learner = scenario.learner.kind;
  const bool records = learner->records != nullptr && learner->records(learner.settings());
  return compresses(scenario) || records || !scenario.parallelism.compress.empty();
}

/// The reason that `connections` of a fabric counts: how many flows share a cap.
template <std::optional<Fabric> Cluster::*fabric>
bool caps_flows(const Scenario& scenario) {
  const auto& stated = scenario.cluster.*fabric;
  return !stated || stated->caps.anywhere;
}

template <std::optional<Fabric> Cluster::*fabric>
bool knows_placement_groups(const Scenario& scenario) {
  const auto& stated = scenario.cluster.*fabric;
  return !stated || stated->caps.in_placement_group;
}

template <std::optional<Fabric> Cluster::*fabric>
Unread no_cap(const Scenario& scenario) {
  return {fmt::format("the transport `{}` has no cap for each flow that it would change",
                      (scenario.cluster.*fabric)->transport),
          "leave it out, or name a transport that has one, such as `nccl_tcp_aws`"};
}

/// Keys that only some arms read.
struct KeyGroup {
  std::string_view map;                    ///< path of the map that the keys are in
  std::span<const std::string_view> keys;  ///< empty: all of them
  bool (*is_read)(const Scenario&);
  Unread (*why_not)(const Scenario&);
  std::span<const std::string_view> decisive;  ///< keys that decide whether they are read
};

constexpr std::array<std::string_view, 1> of_times{"collective_times"};
constexpr std::array<std::string_view, 6> of_gradients{"overlap", "overlap_slowdown", "execution",
                                                       "bucket",  "first_bucket",     "broadcast_buffers"};
constexpr std::array<std::string_view, 3> of_gathering{"prefetch", "reshard_after_forward", "unit"};
constexpr std::array<std::string_view, 1> of_units{"unit"};
constexpr std::array<std::string_view, 1> of_micro_batches{"accumulate"};
constexpr std::array<std::string_view, 3> of_tensor_groups{"sequence_parallel", "split_embedding",
                                                           "shared_inputs"};

constexpr std::array<std::string_view, 4> methods{"synchronisation", "synchronisation.method", "parallelism",
                                                  "parallelism.site"};
constexpr std::array<std::string_view, 4> shardings{"parallelism", "parallelism.data",
                                                    "parallelism.shard_within", "parallelism.site"};

constexpr std::array<std::string_view, 1> of_connections{"connections"};
constexpr std::array<std::string_view, 1> of_placement{"placement_group"};
constexpr std::array<std::string_view, 1> of_buffers{"broadcast_buffers"};
constexpr std::array<std::string_view, 1> of_gradient_width{"gradient_bytes"};
constexpr std::array<std::string_view, 1> of_warm_up{"shape"};
constexpr std::array<std::string_view, 2> of_residuals{"error_feedback", "residual_decay"};
constexpr std::array<std::string_view, 1> of_library{"library"};
constexpr std::array<std::string_view, 1> of_among{"among"};
constexpr std::array<std::string_view, 1> of_cores{"core_exponent"};
constexpr std::array<std::string_view, 1> of_extrapolation{"extrapolate"};
constexpr std::array<std::string_view, 2> of_failures{"on_failure", "recovery"};
constexpr std::array<std::string_view, 1> of_weights{"weights"};
constexpr std::array<std::string_view, 1> of_epochs{"epochs"};
constexpr std::array<std::string_view, 8> of_compression{"index_bytes", "time", "times", "kernel_times",
                                                         "measured",    "cost", "stack", "ratio"};
constexpr std::array<std::string_view, 1> of_selection{"selection"};
constexpr std::array<std::string_view, 1> of_tiles{"topk_per_tile"};
constexpr std::array<std::string_view, 1> of_overlap{"overlap_slowdown"};
constexpr std::array<std::string_view, 2> of_choices{"hysteresis", "switch_cost"};
constexpr std::array<std::string_view, 1> of_chunks{"chunks"};
constexpr std::array<std::string_view, 1> of_shards{"shard_within"};
constexpr std::array<std::string_view, 2> of_states{"parameter_bytes", "optimizer_bytes"};

constexpr std::array<std::string_view, 1> workloads{"workload"};
constexpr std::array<std::string_view, 1> clusters{"cluster"};
constexpr std::array<std::string_view, 3> fabrics{"cluster", "cluster.fabric", "cluster.fabric.transport"};
constexpr std::array<std::string_view, 3> inner_fabrics{"cluster", "cluster.inner_fabric",
                                                        "cluster.inner_fabric.transport"};
constexpr std::array<std::string_view, 3> batchings{"batching", "batching.policy", "training.batches"};
constexpr std::array<std::string_view, 1> lengths{"training.steps"};
constexpr std::array<std::string_view, 3> compressions{"compression", "compression.method",
                                                       "compression.policy"};
constexpr std::array<std::string_view, 5> executions{"exchange.execution", "exchange.overlap",
                                                     "exchange.bucket", "compression", "compression.method"};
constexpr std::array<std::string_view, 2> collectives{"exchange.collective", "compression.policy"};
constexpr std::array<std::string_view, 2> degrees{"parallelism", "parallelism.tensor"};

/// In the order in which they are refused.
constexpr std::array groups{
    KeyGroup{"exchange", {}, has_collectives, no_collectives, methods},
    KeyGroup{"probe", {}, has_collectives, no_collectives, methods},
    KeyGroup{"cluster", of_times, has_collectives, no_collectives, methods},
    KeyGroup{"exchange", of_gradients, exchanges_gradients, no_gradients, methods},
    KeyGroup{"parallelism", of_gathering, gathers_parameters, nothing_gathered, shardings},
    KeyGroup{"parallelism", of_units, may_have_root_unit, no_root_unit, workloads},
    KeyGroup{"parallelism", of_micro_batches, adds_shards_up, no_shards, shardings},
    KeyGroup{"parallelism", of_tensor_groups, has_tensor_groups, no_tensor_groups, degrees},
    KeyGroup{"parallelism", of_shards, has_shards, no_sharding, shardings},
    KeyGroup{"parallelism", of_states, counts_states, no_states, shardings},
    KeyGroup{"parallelism", of_gradient_width, exchanges_gradients, no_gradients, methods},
    KeyGroup{"exchange", of_buffers, has_buffers, no_buffers, workloads},
    KeyGroup{"cluster.fabric", of_connections, caps_flows<&Cluster::fabric>, no_cap<&Cluster::fabric>,
             fabrics},
    KeyGroup{"cluster.fabric", of_placement, knows_placement_groups<&Cluster::fabric>,
             no_cap<&Cluster::fabric>, fabrics},
    KeyGroup{"cluster.inner_fabric", of_connections, caps_flows<&Cluster::inner_fabric>,
             no_cap<&Cluster::inner_fabric>, inner_fabrics},
    KeyGroup{"cluster.inner_fabric", of_placement, knows_placement_groups<&Cluster::inner_fabric>,
             no_cap<&Cluster::inner_fabric>, inner_fabrics},
    KeyGroup{"cluster", of_cores, has_cores, no_cores, clusters},
    KeyGroup{"cluster", of_extrapolation, has_tables, no_tables, clusters},
    KeyGroup{"cluster", of_failures, has_failures, no_failures, clusters},
    KeyGroup{"training", of_weights, has_batches, equal_batches, batchings},
    KeyGroup{"training", of_epochs, counts_epochs, counts_steps, lengths},
    KeyGroup{"compression", of_compression, compresses, nothing_compressed, compressions},
    KeyGroup{"compression", of_selection, selects, selects_nothing, compressions},
    KeyGroup{"compression", of_tiles, has_tiles, no_tiles, compressions},
    KeyGroup{"compression.warm_up", of_warm_up, warms_up, no_warm_up, compressions},
    KeyGroup{"learner", of_residuals, leaves_unsent, nothing_compressed, compressions},
    KeyGroup{"exchange", of_overlap, overlaps, nothing_overlaps, executions},
    KeyGroup{"exchange", of_library, takes_a_library, takes_no_library, collectives},
    KeyGroup{"exchange", of_among, has_among, has_none_among, compressions},
    KeyGroup{"exchange", of_choices, chooses, chooses_nothing, collectives},
    KeyGroup{"exchange", of_chunks, has_chunks, no_chunks, collectives},
    KeyGroup{"probe", {}, chooses, chooses_nothing, collectives},
};

/// Keys of a group that the arm states otherwise than they are by default.
std::vector<std::string> stated_of(const KeyGroup& group, const language::Value& tree,
                                   const language::Value& defaults) {
  std::vector<std::string> found;
  const language::Value* stated = language::find_path(tree, group.map);
  if (stated == nullptr || !stated->is_map()) return found;
  for (const language::Member& member : stated->members()) {
    if (!group.keys.empty() && std::ranges::find(group.keys, member.key) == group.keys.end()) continue;
    const std::string path = fmt::format("{}.{}", group.map, member.key);
    if (member.value.kind() == language::Value::Kind::nothing) continue;
    if (!is_default(member.value, language::find_path(defaults, path))) found.push_back(path);
  }
  return found;
}

/// Whether an arm that reads the key has it from the same place: the top of the file, a base, an axis.
bool is_shared(const KeyGroup& group, const std::string& path, const language::Value& tree,
               const std::vector<Scenario>& arms, const std::vector<language::Value>& trees) {
  const std::string origin = language::find_path(tree, path)->origin().text();
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (!group.is_read(arms[i])) continue;
    const language::Value* other = language::find_path(trees[i], path);
    if (other != nullptr && other->origin().text() == origin) return true;
  }
  return false;
}

bool is_set(const language::Value* value) {
  return value != nullptr && value->origin().source().starts_with("--set");
}

/// Whether the command line chose what decides, perhaps for one of several points of a sweep, for a file
/// whose keys are about something else. A key that is set as well is no such key.
/// @param path  of a key that is not read
bool is_decided_beside(const KeyGroup& group, const std::string& path, const language::Value& tree) {
  if (is_set(language::find_path(tree, path))) return false;
  return std::ranges::any_of(
      group.decisive, [&](std::string_view decisive) { return is_set(language::find_path(tree, decisive)); });
}

}  // namespace

netmodels::Result<void> check_unread(std::size_t number, const std::vector<Scenario>& arms,
                                     const std::vector<language::Value>& trees) {
  const Scenario& arm = arms[number];
  const language::Value& tree = trees[number];
  std::vector<std::string_view> maps;
  for (const KeyGroup& group : groups) maps.push_back(group.map);
  const language::Value defaults = defaults_of(maps);
  for (const KeyGroup& group : groups) {
    if (group.is_read(arm)) continue;
    for (const std::string& path : stated_of(group, tree, defaults)) {
      if (is_decided_beside(group, path, tree) || is_shared(group, path, tree, arms, trees)) continue;
      const Unread unread = group.why_not(arm);
      return language::refuse_at(tree, path, unread.why, std::string(unread.hint));
    }
  }
  return {};
}

}  // namespace sim::scenario
