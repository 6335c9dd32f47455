// The top-level keys of one arm, and the rows under `expect`.
#include "sim/scenario/fields_scenario.hpp"

#include <array>
#include <span>

#include "netmodels/traced_step.hpp"
#include "settings/type.hpp"

namespace sim::scenario {

using namespace settings;
using enum Capability;

/// Whether the step is that of a trace.
static bool runs_a_trace(const Scenario& scenario) { return scenario.work.workload.traced != nullptr; }

/// Whether collectives of a trace join some of the workers.
static bool traces_groups(const Scenario& scenario) {
  return runs_a_trace(scenario) && scenario.work.workload.traced->has_groups();
}

/// Whether several workers compute one batch together.
static bool shares_batches(const Scenario& scenario) { return scenario.work.training.sharers > 1; }

/// Whether a trace sums shards of gradients, or no gradients.
static bool traces_shards(const Scenario& scenario) {
  return runs_a_trace(scenario) && !scenario.work.workload.traced->sums_whole_gradients();
}

/// Whether a learner trains models of nodes.
static bool learns_at_sites(const Scenario& scenario) {
  return scenario.learner.kind->traits.learns && scenario.work.parallelism.site == SiteKind::node;
}

std::span<const Condition> conditions_of(std::type_identity<Scenario>) {
  static constexpr std::array conditions{
      condition<Scenario, runs_a_trace>("workload", "with a `graph`", {.denies = {composed_step}}, "", true),
      condition<Scenario, traces_shards>("workload", "with a `graph` of other sums",
                                         {.denies = {all_reduced_gradients}}, "", true),
      condition<Scenario, traces_groups>("workload", "with groups of workers",
                                         {.needs = {same_workers, no_lost_workers}}, "", true),
      condition<Scenario, shares_batches>(
          "workload.workers_per_replica", "above 1",
          {.needs = {same_workers, no_lost_workers, one_level, uniform_batch}}, "", true),
      condition<Scenario, learns_at_sites>("learner", "at sites", {.denies = {rounding_effects}})};
  return conditions;
}

void describe(Fields& fields, Scenario& scenario) {
  fields.deferred(
      {.name = "workload",
       .doc = "The model to train: a file of scenarios/workloads, a path, or the model itself (which "
              "may take such a file as base by `use`).",
       .example = "resnet50_v100"});
  fields.field(
      {.name = "cluster",
       .doc = "The cluster: a file of scenarios/clusters, or a map (which may take such a file as base by "
              "`use`).",
       .example = "{workers: 8, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}",
       .need = Need::required},
      scenario.cluster);
  fields.field({.name = "training",
                .doc = "Length of the training and its batch.",
                .example = "{batch: 32, epochs: 50, samples: 50000}",
                .need = Need::required},
               scenario.work.training);
  fields.field(
      {.name = "synchronisation", .doc = "When workers exchange gradients or parameters.", .fallback = "bsp"},
      scenario.exchange.synchronisation);
  fields.field({.name = "learner", .doc = "Source of gradients and accuracy.", .fallback = "none"},
               scenario.learner);
  fields.field({.name = "compute",
                .doc = "Stragglers: jitter and slow-downs.",
                .example = "{jitter: {distribution: lognormal, sigma: 0.1}}"},
               scenario.work.compute);
  fields.field({.name = "batching", .doc = "How many samples each worker takes.", .fallback = "uniform"},
               scenario.work.batching);
  fields.field({.name = "streams",
                .doc = "Streams: samples that arrive at each device during training.",
                .demands = {.needs = {common_step, same_workers, one_level, one_gpu_workers, composed_step},
                            .offers = {streams, unequal_batches}}},
               scenario.work.streams);
  fields.field(
      {.name = "compression", .doc = "Compression of the gradient.", .example = "{method: topk, ratio: 1 %}"},
      scenario.exchange.compression);
  fields.field(
      {.name = "exchange", .doc = "How gradients are exchanged.", .example = "{collective: ring_allreduce}"},
      scenario.exchange);
  fields.field(
      {.name = "parallelism", .doc = "What workers hold only a share of.", .example = "{data: fsdp}"},
      scenario.work.parallelism);
  fields.field(
      {.name = "availability",
       .doc = "Failures and checkpoints of a long training in closed form: the expected time of the "
              "whole run, and Young's and Daly's intervals of checkpoints. A failure sends all nodes "
              "back to the last checkpoint, and takes `cluster.recovery` besides. Steps are simulated "
              "without failures.",
       .example = "{mtbf: 2000 h, checkpoint: {write: 2 min, every: 30 min}}",
       .demands = {.needs = {common_step, no_failures, same_workers}, .offers = {recoveries}}},
      scenario.availability);
  fields.field(
      {.name = "price",
       .doc = "Price of a machine: a worker, or a node where several share one. Runs then have a cost: all "
              "machines for the whole run, those that are away included, and with `availability` for the "
              "expected time. A parameter server is not counted.",
       .example = "{machine: aws/p5.48xlarge}",
       .demands = {.offers = {priced_machines}}},
      scenario.price);
  fields.field({.name = "objective",
                .doc = "What decides between the arms: the time, or the cost in US dollars. To the target "
                       "where a learner has one, else per sample. The same for all arms.",
                .fallback = "time"},
               scenario.objective);
  fields.field(
      {.name = "probe", .doc = "What a policy observes of the network.", .example = "{interval: 10 s}"},
      scenario.exchange.probe);
  fields.field({.name = "network", .doc = "Evaluator of the collectives' cost.", .fallback = "auto"},
               scenario.simulation.evaluator);
  fields.field({.name = "audit",
                .doc = "Share of evaluations that SimGrid repeats as an audit.",
                .fallback = "0",
                .bounds = between(0, 1),
                .example = "1 %",
                .share = true,
                .demands = {.needs = {collectives}}},
               scenario.simulation.audit);
  fields.field({.name = "output", .doc = "Amount of output.", .example = "{steps_every: 10}"},
               scenario.simulation.output);
  fields.field({.name = "seed", .doc = "Random seed.", .fallback = "1", .bounds = between(0, 9e18)},
               scenario.simulation.seed);
  fields.field(
      {.name = "seeds",
       .doc =
           "How many seeds `sim run` runs, counted up from `seed`, the same for every arm: results are then "
           "means with 95 % intervals, and from 5 seeds on arms are compared. Of all arms the largest number "
           "counts.",
       .fallback = "1",
       .bounds = between(1, 1000),
       .example = "5"},
      scenario.simulation.seeds);
  fields.field(
      {.name = "uncertainty",
       .doc = "Runs every arm with other values of the uncertain inputs as well: quantities that are written "
              "with a range, transports, times of compressing. Results are then medians with the 5th and the "
              "95th percentile, and the verdict says how often an arm wins and what would settle it.",
       .example = "{samples: 200}"},
      scenario.simulation.uncertainty);
}

void describe(Fields& fields, Uncertainty& uncertainty) {
  fields.field({.name = "samples",
                .doc = "Number of runs, each with values of its own: a Latin hypercube.",
                .fallback = "200",
                .bounds = between(20, 100'000)},
               uncertainty.samples);
  fields.field({.name = "seed",
                .doc = "Random seed of the values that are drawn.",
                .fallback = "1",
                .bounds = between(0, 9e18)},
               uncertainty.seed);
  fields.field(
      {.name = "inputs",
       .doc = "Which inputs are drawn: `stated`, those that the scenario writes with a range; `all`, "
              "also those whose range was published or measured with them.",
       .fallback = "all"},
      uncertainty.inputs);
}

void describe(Fields& fields, Expectation& row) {
  fields.field({.name = "arm", .doc = "Name of the arm that the figure belongs to.", .example = "dense"},
               row.arm);
  fields.field({.name = "metric", .doc = "Metric of the figure.", .example = "step_time"}, row.metric);
  fields.field(
      {.name = "of", .doc = "Subject of a share: a collective, a method, or ratios.", .example = "topk"},
      row.of);
  fields.field({.name = "over",
                .doc = "The figure is divided by that of this arm, and is a plain number.",
                .example = "dense"},
               row.over);
  fields.field({.name = "phase", .doc = "Part of the run between two changes; without it, the whole run."},
               row.phase);
  const std::string measured_as = row.over ? std::string() : row.metric;
  fields.figure(
      {.name = "value", .doc = "The published or measured figure, with its unit.", .example = "152.5 ms"},
      row.value, measured_as);
  fields.field({.name = "within",
                .doc = "Accepted relative error; without it, the error is shown but not judged.",
                .bounds = above(0),
                .example = "2 %",
                .share = true},
               row.within);
  fields.figure({.name = "at_least", .doc = "Lower bound of the figure, where only a bound was published."},
                row.at_least, measured_as);
  fields.figure({.name = "at_most", .doc = "Upper bound of the figure, where only a bound was published."},
                row.at_most, measured_as);
  fields.field(
      {.name = "judged",
       .doc =
           "Whether the bounds count; false for a figure known to miss them, or without any, with `reason`.",
       .fallback = "true"},
      row.judged);
  fields.field({.name = "reason",
                .doc = "Why the figure is not judged.",
                .example = "the rows of this model contradict each other as published"},
               row.reason);
  fields.field({.name = "role",
                .doc = "How the scenario used the figure: not at all, to fit a value, or as a value.",
                .fallback = "predicted"},
               row.role);
  fields.field({.name = "source",
                .doc = "Where the figure was published, or who measured it.",
                .example = "Author & Author 2023, Table III"},
               row.source);
}

void describe(Fields& fields, MeanErrorBound& row) {
  fields.field({.name = "mean_error_of",
                .doc = "Arms whose relative errors are averaged; `*` stands for any text.",
                .example = "*/ag"},
               row.arms);
  fields.field({.name = "metric", .doc = "Metric of the figure.", .example = "exchange_time"}, row.metric);
  fields.field({.name = "within",
                .doc = "Upper bound of the mean.",
                .bounds = above(0),
                .example = "4 %",
                .share = true},
               row.within);
}

void describe(Fields& fields, BestAlongAxis& row) {
  fields.field({.name = "best_along",
                .doc = "Axis along which the best arm must be the published one.",
                .example = "collective"},
               row.axis);
  fields.field({.name = "metric", .doc = "Figure whose smallest value is best.", .example = "exchange_time"},
               row.metric);
  fields.field({.name = "at_least",
                .doc = "In how many combinations of the other axes it must be so.",
                .bounds = between(1, 2000),
                .example = "36"},
               row.at_least);
}

}  // namespace sim::scenario
