// Every key under `training`, `compute`, `exchange`, `probe` and `output`.
#include <array>
#include <span>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/execution.hpp"
#include "policies/exchange_policy.hpp"
#include "settings/type.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {

using namespace settings;
using enum Capability;

namespace {

std::span<const TableWord> execution_words() {
  static const std::vector<TableWord> words = [] {
    std::vector<TableWord> made;
    for (const netmodels::ExecutionModel& row : netmodels::execution_models()) {
      Demands demands;
      if (!row.compresses) demands.needs |= {dense_gradients};
      made.push_back({row.name, {}, demands});
    }
    return made;
  }();
  return words;
}

/// Each collective, after the policies that choose one.
std::span<const TableWord> collective_words() {
  static const std::vector<TableWord> words = [] {
    std::vector<TableWord> made;
    for (const policies::ExchangeRow& row : policies::exchanges())
      if (row.chooses) made.push_back({row.name});
    for (const netmodels::Collective& row : netmodels::collectives())
      made.push_back({row.name, {}, {.denies = {collective_choice}}});
    return made;
  }();
  return words;
}

/// Whether parts are sent at multiples of a time, as where they overlap the backward pass.
bool sends_by_cycles(const Exchange& exchange) {
  const auto model = netmodels::find_execution_model(exchange.execution.value_or(""));
  return model && (*model)->parts.cycle > netmodels::Seconds{} && exchange.overlap.value_or(true);
}

constexpr std::array exchange_conditions{
    condition<Exchange, sends_by_cycles>("execution", "with a cycle", {.denies = {whole_batches}})};

}  // namespace

std::span<const Condition> conditions_of(std::type_identity<Exchange>) { return exchange_conditions; }

void describe(Fields& fields, Training& training) {
  fields.field(
      {.name = "batch", .doc = "Samples per worker and step.", .bounds = between(1, 1e9), .example = "32"},
      training.batch);
  fields.field(
      {.name = "batches",
       .doc = "Samples per step of each worker, where they differ from `batch`.",
       .bounds = between(1, 1e9),
       .example = "[8, 8, 16, 32]",
       .demands = {.needs = {one_gpu_workers}, .denies = {uniform_batch}, .offers = {unequal_batches}}},
      training.batches);
  fields.field(
      {.name = "weights",
       .doc = "Weights of workers' gradients in their mean: by the samples of their batches, or uniform.",
       .fallback = "by_batch",
       .demands = {.uses = {unequal_batches}}},
      training.weights);
  fields.field(
      {.name = "accumulation",
       .doc = "Micro-batches that the batch of a step is cut into; gradients are added up and exchanged "
              "once, unless they are sharded.",
       .fallback = "1",
       .bounds = between(1, 1e6),
       .demands = {.needs = {composed_step, whole_batches}}},
      training.accumulation);
  fields.field({.name = "epochs",
                .doc = "Passes over the training set; may have a fraction.",
                .bounds = above_up_to(0, 1e9),
                .example = "50",
                .need = Need::optional,
                .demands = {.uses = {counted_epochs}}},
               training.epochs);
  fields.field({.name = "samples",
                .doc = "Samples in the training set.",
                .bounds = between(1, 1e15),
                .example = "50000",
                .need = Need::optional},
               training.samples);
  fields.field({.name = "steps",
                .doc = "Number of steps; overrides `epochs`.",
                .bounds = between(1, 1e12),
                .example = "1000",
                .demands = {.denies = {counted_epochs}}},
               training.steps);
}

void describe(Fields& fields, Jitter& jitter) {
  fields.choice({.name = "distribution",
                 .doc = "Distribution of the random slow-down of each worker in each step.",
                 .example = "lognormal"},
                jitter.kind);
  fields.when(JitterKind::lognormal, jitter.kind, [&](Fields& inner) {
    inner.field({.name = "sigma",
                 .doc = "Standard deviation of the logarithm of the factor, whose mean is 1.",
                 .bounds = above_up_to(0, 10),
                 .example = "0.1"},
                jitter.sigma);
  });
  fields.when(JitterKind::exponential, jitter.kind, [&](Fields& inner) {
    inner.field({.name = "scale",
                 .doc = "Mean of the share that is added to the compute time.",
                 .bounds = above_up_to(0, 1000),
                 .example = "5 %",
                 .share = true},
                jitter.scale);
  });
}

void describe(Fields& fields, Slowdown& slowdown) {
  fields.field(
      {.name = "worker", .doc = "Worker that computes slower.", .bounds = at_least(0), .example = "2"},
      slowdown.worker);
  fields.field({.name = "at", .doc = "Start time.", .example = "10 s"}, slowdown.at);
  fields.field({.name = "until", .doc = "End time; without it, never.", .example = "1 min"}, slowdown.until);
  fields.field(
      {.name = "factor", .doc = "Compute times are multiplied by this.", .bounds = above(1), .example = "2"},
      slowdown.factor);
}

void describe(Fields& fields, Compute& compute) {
  fields.field({.name = "jitter", .doc = "Random slow-down of each worker in each step.", .fallback = "none"},
               compute.jitter);
  fields.field({.name = "slowdowns", .doc = "Workers that compute slower for a while."}, compute.slowdowns);
  fields.field({.name = "batch_limits",
                .doc = "Knees and memory limits of devices, where step time is not linear in the batch.",
                .former = "batch_laws",
                .demands = {.needs = {one_gpu_workers}}},
               compute.batch_limits);
  fields.field({.name = "host_overhead",
                .doc = "Time per step, or per micro-batch of `training.accumulation`, that is not hidden "
                       "behind the device, in place of the workload's `host_overhead`: that of this machine "
                       "and software.",
                .example = "12 ms",
                .measure = "`sim fit step` from a few measured steps",
                .demands = {.needs = {composed_step}}},
               compute.host_overhead);
}

void describe(Fields& fields, Through& through) {
  fields.field({.name = "kind",
                .doc = "`server`: each worker that takes part sends its model or change, and gets the mean; "
                       "`object_store`: each uploads its own once, and downloads those of all others.",
                .fallback = "server"},
               through.kind);
  fields.field({.name = "link",
                .doc = "The host's own link, which all share; its latency adds to that of a worker's link.",
                .need = Need::required},
               through.link);
}

void describe(Fields& fields, Exchange& exchange) {
  fields.field(
      {.name = "collective",
       .doc = "A row of `sim list collectives`, or auto for the one of `library` that takes least time "
              "on the network as last observed.",
       .fallback = "auto",
       .example = "ring_allreduce",
       .demands = {.needs = {collectives, free_collective, one_level}, .uses = {some_collectives}},
       .words = collective_words},
      exchange.collective);
  fields.field(
      {.name = "library",
       .doc = "The library whose algorithms are taken: where `collective` is auto, and for the broadcasts "
              "and all-gathers beside it, such as AR-Topk's indices. Its default by ranks and size; of NCCL "
              "the faster of its rings and trees. One of openmpi, mpich, gloo, nccl; rccl only with "
              "`cluster.collective_times`; none: auto chooses among all algorithms. Default: the library "
              "that the cluster's transport belongs to; nccl where `cluster.nccl` describes the hardware; "
              "else none.",
       .example = "openmpi",
       .demands = {.uses = {some_collectives, direct_exchange, library_choice}},
       .words = library_words},
      exchange.library);
  fields.field(
      {.name = "among",
       .doc = "With auto: the collectives to choose from; all, where none of them can carry what is sent.",
       .example = "[recursive_doubling_allgather, ar_topk_ring]",
       .demands = {.needs = {collective_choice, composed_step, gradient_buckets},
                   .uses = {some_collectives, direct_exchange, carried_choice},
                   .denies = {open_collectives}}},
      exchange.among);
  fields.field({.name = "execution",
                .doc = "A row of `sim list executions`: when which part of the gradient is sent. Default: "
                       "after_backward with `overlap: false`; DDP with `overlap: true` or bucket sizes; "
                       "after_backward where a policy compresses; else the compression method's own.",
                .example = "ddp_hook",
                .demands = {.needs = {composed_step, gradient_buckets},
                            .uses = {some_collectives, bucketed_gradients}},
                .words = execution_words},
               exchange.execution);
  fields.field({.name = "overlap",
                .doc = "Whether gradients are sent during the backward pass (overlap). Default: as the "
                       "execution model.",
                .example = "false",
                .demands = {.needs = {composed_step, gradient_buckets},
                            .uses = {some_collectives, bucketed_gradients}}},
               exchange.overlap);
  fields.field(
      {.name = "overlap_slowdown",
       .doc =
           "Extra compute time during overlap, as a share of it. Default: what was measured on the "
           "workload's device (`overlap_slowdown` of its file); else, with `cluster.nccl`, by the "
           "multiprocessors that NCCL's kernels take; 0 where steps are traced, and where computing was not "
           "timed alone, as shares of a peak are not.",
       .fallback = "0",
       .bounds = between(0, 100),
       .example = "5 %",
       .share = true,
       .demands = {.needs = {composed_step}, .uses = {some_collectives, bucketed_gradients, overlapping}}},
      exchange.overlap_slowdown);
  fields.field({.name = "first_bucket",
                .doc = "Size at which the first bucket is sent; 0 B: the whole gradient at once. Default: as "
                       "the execution model; 1 MiB where that has no buckets and `bucket` is stated.",
                .example = "1 MiB",
                .demands = {.needs = {composed_step, gradient_buckets},
                            .uses = {some_collectives, bucketed_gradients}}},
               exchange.first_bucket);
  fields.field({.name = "bucket",
                .doc = "Size at which every later bucket is sent; 0 B: the rest at once. Default: as the "
                       "execution model; 25 MiB where that has no buckets and `first_bucket` is stated.",
                .example = "25 MiB",
                .demands = {.needs = {composed_step, gradient_buckets},
                            .uses = {some_collectives, bucketed_gradients}}},
               exchange.bucket);
  fields.field(
      {.name = "broadcast_buffers",
       .doc = "Whether the model's buffers (see `buffers` of a workload) are sent before every forward "
              "pass. Default: as the execution model.",
       .example = "false",
       .demands = {.needs = {composed_step}, .uses = {some_collectives, bucketed_gradients, model_buffers}}},
      exchange.broadcast_buffers);
  fields.field({.name = "through",
                .doc = "A host that models and changes go through, in place of a collective.",
                .example = "{kind: server, link: {latency: 20 ms, bandwidth: 1 Gbit/s}}",
                .demands = {.needs = {common_step, model_exchange, common_model, one_switch,
                                      one_worker_per_host, server_links, one_level},
                            .denies = {collectives, second_round, direct_exchange}}},
               exchange.through);
  fields.field({.name = "chunks",
                .doc = "Number of chunks of a message in a pipelined collective.",
                .fallback = "16",
                .bounds = between(1, 4096),
                .demands = {.uses = {some_collectives, chunked}}},
               exchange.chunks);
  fields.field({.name = "hysteresis",
                .doc = "Relative improvement that a new collective needs before it is chosen.",
                .fallback = "0",
                .bounds = from_to_below(0, 1),
                .example = "5 %",
                .share = true,
                .demands = {.uses = {some_collectives, collective_choices, open_rules}}},
               exchange.hysteresis);
  fields.field(
      {.name = "switch_cost",
       .doc = "Time for which training stalls whenever the collective differs from that of the step before.",
       .fallback = "0 s",
       .example = "5 s",
       .former = "redeploy",
       .demands = {.needs = {one_level}, .uses = {some_collectives, collective_choices, open_rules}}},
      exchange.switch_cost);
}

void describe(Fields& fields, Probe& probe) {
  fields.field({.name = "interval",
                .doc = "Time between two probes of the network.",
                .fallback = "10 s",
                .bounds = above(0),
                .demands = {.uses = {some_collectives, collective_choices, open_rules}}},
               probe.interval);
  fields.field(
      {.name = "noise",
       .doc = "Relative standard deviation of a reading. Above 0, `exchange.collective: auto` chooses "
              "by closed forms on what was read, in place of evaluating candidates on all links.",
       .fallback = "0",
       .bounds = between(0, 10),
       .example = "5 %",
       .share = true,
       .demands = {.uses = {some_collectives, collective_choices, open_rules}}},
      probe.noise);
  fields.field({.name = "cost",
                .doc = "Time for which training stalls for each probe.",
                .fallback = "0 s",
                .demands = {.uses = {some_collectives, collective_choices, open_rules}}},
               probe.cost);
  fields.field({.name = "oracle",
                .doc = "Whether the policy sees the true network at every step.",
                .fallback = "false",
                .demands = {.uses = {some_collectives, collective_choices, open_rules}}},
               probe.oracle);
}

void describe(Fields& fields, Output& output) {
  fields.field({.name = "steps_every",
                .doc = "Steps per row of steps.csv.",
                .fallback = "1",
                .bounds = between(1, 1e12)},
               output.steps_every);
  fields.field({.name = "timeline_steps",
                .doc = "Number of steps in timeline.json.",
                .fallback = "3",
                .bounds = between(0, 1e6)},
               output.timeline_steps);
  fields.field({.name = "timeline",
                .doc = "Workers in timeline.json: `brief`, those of the first node and one of each other "
                       "speed (at most 8); `full`, all.",
                .fallback = "brief"},
               output.timeline);
}

std::optional<Problem> problem_of(const Slowdown& slowdown) {
  if (slowdown.until && *slowdown.until <= slowdown.at) {
    return Problem{{}, "the slow-down ends before it starts", "write an `until` after `at`"};
  }
  return {};
}

}  // namespace sim::scenario
