// The keys of `parallelism`, what they mean for a step, and a worker's memory in words.
#include "sim/scenario/parallelism.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "kernels/catalogue.hpp"
#include "netmodels/buckets.hpp"
#include "netmodels/utilisation.hpp"
#include "settings/type.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/sharded_sending.hpp"

namespace sim::scenario {

using namespace settings;
using netmodels::Bytes;
using netmodels::Sharding;

Sharding Parallelism::sharding() const {
  Sharding shares = data->shares;
  const bool within_node = shard_within == ShardWithin::node || site == SiteKind::node;
  shares.within_node = shares.within_node || (shares.parameters && within_node);
  return shares;
}

std::string_view Parallelism::sharding_name() const {
  const netmodels::ShardingKind* kind = netmodels::find_sharding(sharding());
  return kind != nullptr ? kind->name : data->name;
}

netmodels::ModelParallel Parallelism::inside() const {
  return {static_cast<std::uint32_t>(tensor),
          static_cast<std::uint32_t>(pipeline),
          static_cast<std::uint32_t>(interleave),
          sequence_parallel,
          split_embedding,
          shared_inputs};
}

namespace {

using enum Capability;

/// What a row needs of the kind of sharding, from what it sends.
Demands demands_of(const netmodels::ShardSending& sending) {
  Demands demands{.needs = {free_sending}, .offers = {unsent_values}};
  const auto is_coded = [](const auto& form) { return form && !kernel_of(*form).empty(); };
  if (std::ranges::any_of(sending.forms(), is_coded)) demands.offers |= {compressing};
  if (sending.differences) demands.needs |= {kept_parameters};
  if (sending.parameters && !sending.differences) demands.needs |= {gathered_parameters};
  if (sending.secondary) demands.needs |= {second_gathers};
  if (sending.replicas) demands.needs |= {node_copies};
  if (sending.gradients_within) demands.needs |= {sums_among_all};
  if (sending.secondary || sending.gradients_within) demands.denies |= {whole_collectives};
  if (!sending.changes_values()) return demands;
  demands.needs |= {rounding_effects};
  demands.denies |= {plain_gradients};
  return demands;
}

std::span<const TableWord> shard_sending_words() {
  static const std::vector<TableWord> words = [] {
    std::vector<TableWord> made;
    for (const netmodels::ShardSendingRow& row : netmodels::shard_sendings())
      made.push_back({row.name, {}, demands_of(row.sending)});
    return made;
  }();
  return words;
}

/// Whether no worker has all states, of a group that exchanges in every step.
bool shares_states(const Parallelism& stated) { return stated.is_sharded() && stated.site == SiteKind::none; }

/// Whether states are shared, and where they are is stated.
bool shares_among_all(const Parallelism& stated) {
  return stated.is_sharded() && stated.shard_within == ShardWithin::all;
}

bool shares_inside_nodes(const Parallelism& stated) {
  return stated.is_sharded() && stated.shard_within == ShardWithin::node;
}

bool adds_up_inside_nodes(const Parallelism& stated) {
  return stated.is_sharded() && stated.accumulate == Accumulation::node_shards;
}

constexpr std::array parallelism_conditions{
    condition<Parallelism, shares_states>("data", "without `site`", {.denies = {whole_states}}),
    condition<Parallelism, shares_among_all>("shard_within", "of all workers", {.needs = {sums_among_all}}),
    condition<Parallelism, shares_inside_nodes>(
        "shard_within", "of nodes",
        {.needs = {gathered_parameters}, .denies = netmodels::exchanges_among_all, .offers = {node_copies}},
        "node"),
    condition<Parallelism, adds_up_inside_nodes>("accumulate", "of `node_shards`", {.needs = {node_copies}})};

void describe_inside(Fields& fields, Parallelism& parallelism) {
  constexpr double most = 4096;
  fields.field(
      {.name = "tensor",
       .doc = "GPUs of a node that share each layer. `cluster.workers` counts all GPUs, "
              "`training.batch` the samples of a replica.",
       .fallback = "1",
       .bounds = between(1, most),
       .demands = {.needs = {composed_step}, .denies = {one_gpu_workers}, .offers = {tensor_groups}}},
      parallelism.tensor);
  fields.field({.name = "pipeline",
                .doc = "Stages of a replica, each with as many blocks (1F1B); the micro-batches are those of "
                       "`training.accumulation`.",
                .fallback = "1",
                .bounds = between(1, most),
                .demands = {.needs = {composed_step}, .denies = {one_gpu_workers}}},
               parallelism.pipeline);
  fields.field({.name = "interleave",
                .doc = "Chunks of blocks that a stage computes in turn.",
                .fallback = "1",
                .bounds = between(1, most)},
               parallelism.interleave);
  fields.field(
      {.name = "sequence_parallel",
       .doc = "Whether a tensor group shares what lies between the matrix products: memory, and messages "
              "between stages.",
       .fallback = "true",
       .demands = {.uses = {tensor_groups}}},
      parallelism.sequence_parallel);
  fields.field(
      {.name = "split_embedding",
       .doc = "Whether a tensor group splits the token embedding by its rows, as Megatron-LM and "
              "torchtitan do; else each of its GPUs holds all of it, and of a head that is tied to it.",
       .fallback = "true",
       .demands = {.uses = {tensor_groups}}},
      parallelism.split_embedding);
  fields.field(
      {.name = "shared_inputs",
       .doc = "Whether the gradient of an input that several matrix products read (queries, keys and values; "
              "both of a gate) is added up among a tensor group once, as Megatron-LM, torchtitan and "
              "`PrepareModuleInput` do: 2 all-reduces of a block in the backward pass. PyTorch's "
              "`ColwiseParallel` by itself takes one for each of them: 5 with a gate, else 4.",
       .fallback = "true",
       .demands = {.uses = {tensor_groups}}},
      parallelism.shared_inputs);
}

/// Whether no worker takes a step that others have not ended.
bool waits_in_each_step(const policies::SynchronisationChoice& choice) {
  if (choice->traits.every_step || choice->traits.flags) return true;
  const bool fixed = choice->period != nullptr && choice->period(choice.settings()).has_value();
  return fixed && period_of(choice) == 1 && !is_asynchronous(choice);
}

}  // namespace

void describe(Fields& fields, Parallelism& parallelism) {
  fields.field(
      {.name = "data",
       .doc = "What each worker holds only a share of: nothing, optimizer states (zero1), gradients too "
              "(zero2), parameters too (fsdp), or all of them within a node (hsdp); zero++ is fsdp with "
              "`compress: "
              "[qwz, hpz, qgz]`.",
       .fallback = "none"},
      parallelism.data);
  fields.field({.name = "shard_within",
                .doc = "Workers that hold one copy together. Default: a node for hsdp, else all.",
                .example = "node",
                .demands = {.uses = {shared_states}}},
               parallelism.shard_within);
  fields.field(
      {.name = "prefetch",
       .doc = "Units whose parameters are gathered ahead of the one that computes, with fsdp and hsdp.",
       .fallback = "1",
       .bounds = between(0, 1000),
       .demands = {.uses = {gathered_parameters}}},
      parallelism.prefetch);
  fields.field(
      {.name = "reshard_after_forward",
       .doc = "Whether parameters are dropped after the forward pass and gathered again, with fsdp and "
              "hsdp.",
       .fallback = "true",
       .demands = {.uses = {gathered_parameters}, .denies = {second_gathers}}},
      parallelism.reshard_after_forward);
  fields.field(
      {.name = "unit",
       .doc = "What is gathered at a time. `block`: a block; the embedding is a unit, too, and so is what "
              "follows the blocks, which stays for the backward pass, as in torchtitan. `root`: a block; "
              "embedding, last norm and head are one unit, gathered before anything computes and reduced "
              "after everything, as where FSDP2 wraps blocks alone.",
       .fallback = "block",
       .demands = {.uses = {gathered_parameters, root_unit}}},
      parallelism.unit);
  fields.field(
      {.name = "accumulate",
       .doc =
           "What micro-batches add gradients up in, with zero2, fsdp and hsdp. `shards`: exchanged in each, "
           "with hsdp also between nodes, as PyTorch does by default. `node_shards`: with hsdp, inside nodes "
           "in each and between nodes after the last (`set_requires_all_reduce(False)`). `whole`: whole "
           "gradients, exchanged after the last (`set_requires_gradient_sync(False)`, `no_sync`).",
       .fallback = "shards",
       .demands = {.uses = {gradient_shards}}},
      parallelism.accumulate);
  fields.field(
      {.name = "compress",
       .doc =
           "What is sent in fewer bytes: parameters in 8 bits (qwz), none between nodes for the backward "
           "pass (hpz), gradients in 4 bits (qgz), all three (zero++); parameters as 8-bit floats (fp8); "
           "gradients in 4 bits with error feedback (loco); with zero1 and zero2 differences of parameters "
           "in 4 bits and gradients in 8 and 4 (sdp4bit).",
       .example = "[qwz, hpz]",
       .words = shard_sending_words},
      parallelism.compress);
  const auto bytes = [&](std::string_view name, std::string_view doc, std::string_view fallback,
                         double& target) {
    fields.field({.name = name,
                  .doc = doc,
                  .fallback = fallback,
                  .bounds = between(0, 64),
                  .demands = {.uses = {counted_states}}},
                 target);
  };
  bytes("parameter_bytes", "Bytes of a parameter as it is gathered and held.", "2",
        parallelism.states.parameter);
  fields.field(
      {.name = "gradient_bytes",
       .doc = "Bytes of a gradient as it is sent and held. Default: 4 with fsdp and hsdp, as FSDP2 reduces "
              "in fp32 unless told otherwise, or as the stack of the workload did; 2 with zero1, zero2 and "
              "zero++, as DeepSpeed sends in 16 bits; without `data` 4, as DDP does for fp32 parameters "
              "under autocast (2 for parameters in bf16).",
       .bounds = between(0, 64),
       .example = "2",
       .demands = {.needs = {composed_step}, .uses = {bucketed_gradients}}},
      parallelism.gradient_bytes);
  bytes("optimizer_bytes",
        "Bytes of the optimizer for each parameter: 12 for Adam with an fp32 copy, 4 where all are bf16.",
        "12", parallelism.states.optimizer);
  fields.field({.name = "site",
                .doc = "`node`: the workers of a node take every step together, by `data` or with whole "
                       "gradients, and are one worker to `synchronisation` and `compression`, which act "
                       "between nodes; `learner` then trains a model for each node.",
                .fallback = "none"},
               parallelism.site);
  describe_inside(fields, parallelism);
}

int workers_of_site(const Parallelism& parallelism, const Cluster& cluster) {
  return parallelism.site == SiteKind::node ? cluster.workers_per_node : 1;
}

std::string_view member_name(const Parallelism& parallelism) {
  return parallelism.site == SiteKind::node ? "node" : "worker";
}

void settle_waiting(Scenario& scenario) {
  netmodels::Workload& workload = scenario.work.workload;
  if (!workload.token_work) return;
  if (auto& range = workload.utilisation_range; range && range->runs)
    range->devices = outside_devices(*range->runs, static_cast<std::uint32_t>(scenario.cluster.workers));
  const bool all = waits_in_each_step(scenario.exchange.synchronisation);
  const auto apart =
      static_cast<std::uint32_t>(workers_of_site(scenario.work.parallelism, scenario.cluster)) *
      scenario.work.parallelism.inside().devices();
  const std::uint32_t waiting = all ? static_cast<std::uint32_t>(scenario.cluster.workers) : apart;
  netmodels::TokenWork& work = *workload.token_work;
  const double before =
      std::exchange(work.waited, netmodels::waiting_factor(work.lost_per_doubling, waiting));
  if (work.waited == before) return;
  const double factor = work.waited / before;
  for (netmodels::Layer& layer : workload.layers) {
    for (netmodels::LinearTime* time : {&layer.forward, &layer.backward})
      *time = {time->fixed * factor, time->per_sample * factor};
  }
  if (before > 1) return;
  workload.provenance += fmt::format(", {:.1f} % slower where {} GPUs wait for each other in each step",
                                     100 * (work.waited - 1), waiting);
}

namespace {

/// Of a sharded step.
double sent_gradient_bytes(const Parallelism& stated, const netmodels::Workload& workload) {
  if (stated.gradient_bytes) return *stated.gradient_bytes;
  const auto& work = workload.token_work;
  if (work && work->gradient_bytes) return *work->gradient_bytes;
  return stated.data->gradient_bytes.value_or(stated.states.gradient);
}

}  // namespace

netmodels::ShardedExchange sharded_exchange(const Work& work, const Cluster& cluster,
                                            const Exchange& exchange, std::uint32_t workers) {
  const Parallelism& stated = work.parallelism;
  const auto per_node = static_cast<std::uint32_t>(cluster.workers_per_node);
  return {
      .sharding = stated.sharding(),
      .ranks = workers,
      .group = workers % per_node == 0 ? per_node : 1,
      .prefetch = static_cast<std::uint32_t>(stated.prefetch),
      .grouping = stated.unit,
      .reshard_after_forward = stated.reshard_after_forward,
      .parameter_bytes = stated.states.parameter,
      .gradient_bytes = sent_gradient_bytes(stated, work.workload),
      .whole_gradients = stated.accumulate == Accumulation::whole && work.training.accumulation > 1,
      .replicas_in_each = stated.accumulate == Accumulation::shards,
      .gather = netmodels::find_default(library_of(exchange, cluster), netmodels::CollectiveKind::all_gather),
      .sending = sending_of(stated)};
}

namespace {

/// What error feedback keeps of whole gradients: an fp32 value for each parameter, and one for each parameter
/// of the part that a worker sums and codes again.
/// @param site  workers of a site, which code a share each
Bytes kept_errors(const std::string& method, int workers, int site, std::int64_t parameters) {
  const auto format = kernels::find_wire_format(method);
  if (!format || !(*format)->error_feedback || workers == 1) return {};
  const double share = site;
  const double parts = (1.0 + ((*format)->recoded ? share / workers : 0.0)) / share;
  return Bytes{netmodels::gradient_value_bytes * parts * static_cast<double>(parameters)};
}

/// What a worker that accumulates momenta keeps of its own steps: an fp32 value for each parameter.
Bytes accumulated_change(const policies::SynchronisationChoice& method, int workers,
                         std::int64_t parameters) {
  if (!method->traits.exchanges_momenta || workers == 1) return {};
  return Bytes{netmodels::gradient_value_bytes * static_cast<double>(parameters)};
}

}  // namespace

/// The workload, with what the stage that holds most has besides.
netmodels::Workload with_most_parameters(const netmodels::Workload& workload) {
  netmodels::Workload holding = workload;
  if (!workload.replica || workload.replica->first_holds_more == 0) return holding;
  netmodels::Layer more;
  more.kind = "embedding";
  const auto held = static_cast<double>(workload.replica->first_holds_more);
  const auto trained = static_cast<double>(workload.parameters());
  more.parameters = std::llround(held * trained / (trained + static_cast<double>(workload.frozen())));
  more.frozen = workload.replica->first_holds_more - more.parameters;
  holding.layers.insert(holding.layers.begin(), more);
  return holding;
}

std::optional<netmodels::WorkerMemory> needed_memory(const Work& work, const Cluster& cluster,
                                                     const Exchange& exchange) {
  if (!work.workload.memory) return std::nullopt;
  const Training& training = work.training;
  const int batch = training.batches.empty() ? training.batch : std::ranges::max(training.batches);
  const netmodels::ShardedExchange sharded =
      sharded_exchange(work, cluster, exchange, static_cast<std::uint32_t>(cluster.workers));
  netmodels::StateBytes states = work.parallelism.states;
  if (sharded.whole_gradients) states.gradient = sharded.gradient_bytes;  // as they are reduced
  netmodels::WorkerMemory memory =
      worker_memory(with_most_parameters(work.workload), static_cast<double>(batch) / training.accumulation,
                    sharded, states);
  const std::int64_t parameters = work.workload.parameters();
  memory.errors += kept_errors(exchange.compression.method, cluster.workers,
                               workers_of_site(work.parallelism, cluster), parameters);
  memory.optimizer += accumulated_change(exchange.synchronisation, cluster.workers, parameters);
  memory.framework = memory.allocated() * netmodels::framework_share;
  return memory;
}

std::string describe_sharding(const Work& work, const Cluster& cluster, const Exchange& exchange) {
  const netmodels::ShardedExchange sharded =
      sharded_exchange(work, cluster, exchange, static_cast<std::uint32_t>(cluster.workers));
  std::string text =
      fmt::format("{} over {} workers{} by blocks{}", work.parallelism.sharding_name(),
                  netmodels::shards(sharded), sharded.sharding.within_node ? " of a node" : "",
                  sharded.grouping == netmodels::ShardGrouping::root ? " and a root unit" : "");
  if (sharded.sharding.parameters) {
    text += fmt::format(", {} gathered ahead, {}", sharded.prefetch,
                        sharded.reshard_after_forward ? "gathered again for the backward pass"
                                                      : "kept for the backward pass");
  }
  const netmodels::StateBytes& bytes = work.parallelism.states;
  return text +
         fmt::format(", parameters in {:g} bytes, gradients in {:g}", bytes.parameter,
                     sharded.gradient_bytes) +
         (sharded.whole_gradients ? ", added up whole" : "") + describe_sending(sharded.sending);
}

std::string describe_memory(const Work& work, const Cluster& cluster, const Exchange& exchange) {
  const auto memory = needed_memory(work, cluster, exchange);
  if (!memory) return "";
  constexpr int digits = 3;
  const auto part = [](Bytes size, std::string_view name) {
    return fmt::format("{} of {}", netmodels::print(size, digits), name);
  };
  std::string text = netmodels::print(memory->total(), digits);
  if (work.device && work.device->memory_size)
    text += " of " + netmodels::print(*work.device->memory_size, digits);
  std::string more;
  if (memory->second_copy > Bytes{}) more += ", " + part(memory->second_copy, "second copies");
  if (memory->errors > Bytes{}) more += ", " + part(memory->errors, "error feedback");
  more += ", " + part(memory->framework, "the framework");
  return fmt::format("{}: {}, {}, {}, {}, {}, {}{}", text, part(memory->parameters, "parameters"),
                     part(memory->gradients, "gradients"), part(memory->optimizer, "optimizer states"),
                     part(memory->gathered, "gathered blocks"), part(memory->activations, "activations"),
                     part(memory->outside, "logits"), more);
}

std::span<const settings::Condition> conditions_of(std::type_identity<Parallelism>) {
  return parallelism_conditions;
}

}  // namespace sim::scenario
