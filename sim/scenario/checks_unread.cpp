// Keys that an arm states and never reads.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "sim/language/place.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/features.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/measured_defaults.hpp"
#include "sim/scenario/nccl_keys.hpp"

namespace sim::scenario {
namespace {

/// Whether steps have collectives, at least inside a site.
bool has_collectives(const Scenario& scenario) {
  return !is_asynchronous(scenario.synchronisation) || workers_of_site(scenario) > 1;
}

bool has_gradients(const Scenario& scenario) {
  return exchanges_gradients(scenario.synchronisation, workers_of_site(scenario));
}

bool gathers_parameters(const Scenario& scenario) { return scenario.parallelism.sharding().parameters; }

bool adds_shards_up(const Scenario& scenario) { return scenario.parallelism.sharding().gradients; }

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

/// Expected failures have no workers that remain.
bool has_failures(const Scenario& scenario, std::string_view path) {
  const bool expected = scenario.availability.has_value() && path == "cluster.recovery";
  return !scenario.cluster.failures.empty() || expected;
}

Unread no_failures_stated(const Scenario&, std::string_view path) {
  if (path == "cluster.recovery")
    return {"nothing fails", "write `cluster.failures` or `availability`, or leave it out"};
  return {"nothing fails", "write `cluster.failures`, or leave it out"};
}

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
         !methods_from_stack(scenario.compression, scenario.parallelism).empty();
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

bool has_factors(const Scenario& scenario) { return scenario.compression.method == "powersgd"; }

Unread no_factors(const Scenario& scenario) {
  return {
      fmt::format("ranks are those of `powersgd`'s factors, and `{}` has none", scenario.compression.method),
      "leave it out, or write `compression.method: powersgd`"};
}

/// Whether computing and exchanges may run at the same time.
bool overlaps(const Scenario& scenario) {
  return is_sharded(scenario) || workers_of_site(scenario) > 1 || scenario.workload.traced != nullptr ||
         decided_by_step(scenario.compression) || execution_of(scenario.exchange, scenario.compression).overlap;
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
  const Execution execution = execution_of(scenario.exchange, scenario.compression);
  const bool buffers = broadcasts_buffers(execution, scenario.synchronisation, scenario.workload,
                                          scenario.cluster.workers);
  return several || is_sharded(scenario) || buffers || scenario.workload.traced;
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
  return compresses(scenario) || records(scenario.learner.kind) || !scenario.parallelism.compress.empty();
}

/// The fabric that a key is of.
const std::optional<Fabric>& fabric_at(const Scenario& scenario, std::string_view path) {
  return path.starts_with("cluster.inner_fabric") ? scenario.cluster.inner_fabric : scenario.cluster.fabric;
}

/// Whether a cap of flows counts, which `connections` multiplies.
bool caps_flows(const Scenario& scenario, std::string_view path) {
  const std::optional<Fabric>& stated = fabric_at(scenario, path);
  return !stated || stated->caps.anywhere;
}

bool knows_placement_groups(const Scenario& scenario, std::string_view path) {
  const std::optional<Fabric>& stated = fabric_at(scenario, path);
  return !stated || stated->caps.in_placement_group;
}

Unread no_cap(const Scenario& scenario, std::string_view path) {
  return {fmt::format("the transport `{}` has no cap for each flow that it would change",
                      fabric_at(scenario, path)->transport),
          "leave it out, or name a transport that has one, such as `nccl_tcp_aws`"};
}

constexpr std::array<std::string_view, 4> method_keys{"synchronisation", "synchronisation.method",
                                                      "parallelism", "parallelism.site"};
constexpr std::array<std::string_view, 4> sharding_keys{"parallelism", "parallelism.data",
                                                        "parallelism.shard_within", "parallelism.site"};
constexpr std::array<std::string_view, 1> workload_keys{"workload"};
constexpr std::array<std::string_view, 1> cluster_keys{"cluster"};
constexpr std::array<std::string_view, 5> fabric_keys{"cluster", "cluster.fabric", "cluster.fabric.transport",
                                                      "cluster.inner_fabric",
                                                      "cluster.inner_fabric.transport"};
constexpr std::array<std::string_view, 3> batching_keys{"batching", "batching.policy", "training.batches"};
constexpr std::array<std::string_view, 1> length_keys{"training.steps"};
constexpr std::array<std::string_view, 3> compression_keys{"compression", "compression.method",
                                                           "compression.policy"};
constexpr std::array<std::string_view, 5> execution_keys{
    "exchange.execution", "exchange.overlap", "exchange.bucket", "compression", "compression.method"};
constexpr std::array<std::string_view, 2> collective_keys{"exchange.collective", "compression.policy"};
constexpr std::array<std::string_view, 2> degree_keys{"parallelism", "parallelism.tensor"};

using enum settings::Capability;

/// A capability that follows from several keys, or from files that they name.
struct DerivedCapability {
  settings::Capability capability;
  bool (*is_given)(const Scenario&, std::string_view path);
  Unread (*why_not)(const Scenario&, std::string_view path);
  std::span<const std::string_view> decisive;  ///< keys that decide whether a run has it
};

template <bool (*is_given)(const Scenario&), Unread (*why_not)(const Scenario&)>
constexpr DerivedCapability derived(settings::Capability capability,
                                    std::span<const std::string_view> decisive) {
  return {capability, [](const Scenario& scenario, std::string_view) { return is_given(scenario); },
          [](const Scenario& scenario, std::string_view) { return why_not(scenario); }, decisive};
}

constexpr std::array derived_capabilities{
    derived<has_collectives, no_collectives>(some_collectives, method_keys),
    derived<has_gradients, no_gradients>(bucketed_gradients, method_keys),
    derived<gathers_parameters, nothing_gathered>(gathers, sharding_keys),
    derived<may_have_root_unit, no_root_unit>(root_unit, workload_keys),
    derived<adds_shards_up, no_shards>(gradient_shards, sharding_keys),
    derived<has_tensor_groups, no_tensor_groups>(tensor_groups, degree_keys),
    derived<has_shards, no_sharding>(shared_states, sharding_keys),
    derived<counts_states, no_states>(counted_states, sharding_keys),
    derived<has_buffers, no_buffers>(model_buffers, workload_keys),
    DerivedCapability{flow_cap, caps_flows, no_cap, fabric_keys},
    DerivedCapability{placement_cap, knows_placement_groups, no_cap, fabric_keys},
    derived<has_cores, no_cores>(stated_cores, cluster_keys),
    derived<has_tables, no_tables>(measured_tables, cluster_keys),
    DerivedCapability{stated_failures, has_failures, no_failures_stated, cluster_keys},
    derived<has_batches, equal_batches>(unequal_batches, batching_keys),
    derived<counts_epochs, counts_steps>(counted_epochs, length_keys),
    derived<compresses, nothing_compressed>(compressing, compression_keys),
    derived<selects, selects_nothing>(selected_worker, compression_keys),
    derived<has_tiles, no_tiles>(coefficient_tiles, compression_keys),
    derived<has_factors, no_factors>(low_rank, compression_keys),
    derived<warms_up, no_warm_up>(warm_up_length, compression_keys),
    derived<leaves_unsent, nothing_compressed>(unsent_values, compression_keys),
    derived<overlaps, nothing_overlaps>(overlapping, execution_keys),
    derived<takes_a_library, takes_no_library>(library_choice, collective_keys),
    derived<has_among, has_none_among>(carried_choice, compression_keys),
    derived<chooses, chooses_nothing>(collective_choices, collective_keys),
    derived<has_chunks, no_chunks>(chunked, collective_keys),
};

/// The capabilities that a setting uses and an arm lacks.
std::vector<const DerivedCapability*> find_lacking(const Feature& feature, const Scenario& arm) {
  std::vector<const DerivedCapability*> lacking;
  for (const DerivedCapability& row : derived_capabilities)
    if (feature.demands.uses.contains(row.capability) && !row.is_given(arm, feature.path))
      lacking.push_back(&row);
  return lacking;
}

/// Whether an arm that reads the key has it from the same place: the top of the file, a base, an axis.
bool is_shared(const Feature& feature, const language::Value& tree, const std::vector<Scenario>& arms,
               const std::vector<language::Value>& trees) {
  const std::string origin = language::find_path(tree, feature.path)->origin().text();
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (!find_lacking(feature, arms[i]).empty()) continue;
    const language::Value* other = language::find_path(trees[i], feature.path);
    if (other != nullptr && other->origin().text() == origin) return true;
  }
  return false;
}

bool is_set(const language::Value* value) {
  return value != nullptr && value->origin().source().starts_with("--set");
}

/// Whether the command line chose what decides, perhaps for one of several points of a sweep, for a file
/// whose keys are about something else. A key that is set as well is no such key.
bool is_decided_beside(const DerivedCapability& lacking, const std::string& path,
                       const language::Value& tree) {
  if (is_set(language::find_path(tree, path))) return false;
  return std::ranges::any_of(lacking.decisive, [&](std::string_view decisive) {
    return is_set(language::find_path(tree, decisive));
  });
}

}  // namespace

netmodels::Result<void> check_unread(std::size_t number, const std::vector<Scenario>& arms,
                                     const std::vector<std::vector<Feature>>& features,
                                     const std::vector<language::Value>& trees) {
  const Scenario& arm = arms[number];
  const language::Value& tree = trees[number];
  std::vector<netmodels::Error> errors;
  for (const Feature& feature : features[number]) {
    if (feature.demands.uses.empty() || language::find_path(tree, feature.path) == nullptr) continue;
    for (const DerivedCapability* lacking : find_lacking(feature, arm)) {
      if (is_decided_beside(*lacking, feature.path, tree) || is_shared(feature, tree, arms, trees)) continue;
      const Unread unread = lacking->why_not(arm, feature.path);
      errors.push_back(
          language::refuse_at(tree, feature.path, unread.why, std::string(unread.hint), {{feature.path, {}}})
              .value());
      break;
    }
  }
  if (errors.empty()) return {};
  return tl::unexpected(netmodels::merge_errors(std::move(errors)));
}

}  // namespace sim::scenario
