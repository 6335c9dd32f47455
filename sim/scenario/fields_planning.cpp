// Every key under `planning`.
#include "sim/scenario/fields_planning.hpp"

#include "settings/type.hpp"

namespace sim::scenario {

using namespace settings;

void describe(Fields& fields, ProfileSource& source) {
  fields.choice(
      {.name = "source",
       .doc = "simulate: this scenario is run at each cluster size and batch. table: measured figures.",
       .example = "simulate"},
      source.kind);
  fields.when(ProfileSourceKind::table, source.kind, [&](auto& t) {
    t.field(
        {.name = "file",
         .doc = "CSV with the columns job, workers, batch, epochs, noise, step_s, sync_s, time_h, cost_usd; "
                "cells may be empty. Without step_s, steps follow from time_h.",
         .example = "data/scavenger_fig10.csv"},
        source.file);
    t.field({.name = "job", .doc = "Which rows of the table.", .example = "resnet18"}, source.job);
    t.field({.name = "samples", .doc = "Samples of an epoch.", .bounds = at_least(1), .example = "50000"},
            source.samples);
  });
}

void describe(Fields& fields, MachineRent& price) {
  fields.field({.name = "machine",
                .doc = "A name of `sim list prices`; or `per_machine` in its place.",
                .example = "gcp/e2-standard-4",
                .need = Need::optional},
               price.machine);
  fields.field({.name = "per_machine",
                .doc = "What one machine costs: a worker, or a node where several share one "
                       "(`cluster.workers_per_node`).",
                .bounds = above(0),
                .example = "0.134 USD/h"},
               price.per_machine);
  fields.field({.name = "spot", .doc = "Use the spot price of `machine`.", .fallback = "false"}, price.spot);
}

void describe(Fields& fields, Price& price) {
  describe(fields, static_cast<MachineRent&>(price));
  fields.field({.name = "interruptions_per_hour",
                .doc = "Mean rate at which one machine is interrupted; all machines return to the last "
                       "checkpoint.",
                .fallback = "0",
                .bounds = between(0, 60)},
               price.interruptions_per_hour);
  fields.field({.name = "checkpoint_every",
                .doc = "Training time between two checkpoints, where there are interruptions.",
                .fallback = "10 min",
                .bounds = above(0)},
               price.checkpoint_every);
}

void describe(Fields& fields, PlanLimits& limits) {
  fields.field({.name = "time", .doc = "Deadline, search included.", .bounds = above(0), .example = "12 h"},
               limits.time);
  fields.field({.name = "cost", .doc = "Budget, search included.", .bounds = above(0), .example = "20 USD"},
               limits.cost);
  fields.field({.name = "workers", .doc = "Largest cluster.", .bounds = at_least(1), .example = "16"},
               limits.workers);
  fields.field(
      {.name = "batch", .doc = "Largest batch of all workers.", .bounds = at_least(1), .example = "1024"},
      limits.batch);
}

void describe(Fields& fields, PlanSearch& search) {
  describe(fields, search.planner);
  fields.field({.name = "iterations",
                .doc = "Number of steps of a profile.",
                .fallback = "20",
                .bounds = between(1, 1e6)},
               search.iterations);
  fields.field({.name = "warm_up",
                .doc = "Steps of the first configuration before its profile, until the noise is steady.",
                .fallback = "0",
                .bounds = between(0, 1e9)},
               search.warm_up);
  fields.field({.name = "restore",
                .doc = "Restart time from a checkpoint, for each further configuration and after each "
                       "interruption.",
                .fallback = "0 s",
                .bounds = at_least(0)},
               search.restore);
  fields.field({.name = "keep_progress",
                .doc = "Whether steps of the search count towards the training.",
                .fallback = "true"},
               search.keep_progress);
}

void describe(Fields& fields, Planning& planning) {
  fields.field({.name = "profiles", .doc = "Source of the profiles.", .fallback = "simulate"},
               planning.profiles);
  fields.field({.name = "workers",
                .doc = "Cluster sizes to choose from.",
                .bounds = between(1, 100000),
                .example = "[8, 12, 16]",
                .need = Need::required},
               planning.workers);
  fields.field({.name = "batches",
                .doc = "Batches to choose from, samples of all workers together.",
                .bounds = between(1, 1e9),
                .example = "[384, 512, 768, 1024]",
                .need = Need::required},
               planning.batches);
  fields.field({.name = "price", .doc = "Price of a machine.", .need = Need::required}, planning.price);
  fields.field({.name = "objective",
                .doc = "Shortest time, lowest cost, or the knee of the curve of cost over time.",
                .fallback = "knee"},
               planning.objective);
  fields.field({.name = "limits", .doc = "Limits on what may be rented and spent."}, planning.limits);
  fields.field({.name = "search", .doc = "How configurations are explored."}, planning.search);
  fields.field(
      {.name = "baselines",
       .doc = "Other methods to compare with; the oracle and the mean of all configurations always are.",
       .example = "[grid, bayesian, goodput]"},
      planning.baselines);
}

void describe(Fields& fields, AdviceBound& bound) {
  fields.field(
      {.name = "arm", .doc = "Arms whose figures are averaged; `*` stands for any text.", .fallback = "*"},
      bound.arms);
  fields.field(
      {.name = "metric",
       .doc = "Errors are means of |predicted / measured - 1| over configurations without a profile (over "
              "all, where all have one); the others are shares of the training or of the oracle's, which is "
              "the best by the "
              "objective.",
       .example = "time_error"},
      bound.metric);
  fields.field(
      {.name = "at_most", .doc = "Upper bound.", .bounds = at_least(0), .example = "5 %", .share = true},
      bound.at_most);
  fields.field({.name = "judged",
                .doc = "Whether the bound counts; false for one that is known to be missed, with `reason`.",
                .fallback = "true"},
               bound.judged);
  fields.field({.name = "reason",
                .doc = "Why the bound does not count.",
                .example = "a point of the figure lies off the line between its neighbours"},
               bound.reason);
  fields.field({.name = "source", .doc = "Source.", .example = "Tyagi & Sharma 2023, Fig. 10"}, bound.source);
}

}  // namespace sim::scenario
