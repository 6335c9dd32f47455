// Every key under `advice` that is the same for all networks.
#include "settings/type.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::scenario {

using namespace settings;

void describe(Fields& fields, PolicyAdvice& advice) {
  fields.field(
      {.name = "objective",
       .doc = "Shortest time, lowest cost, or the knee of cost over time; without a price all three are "
              "time.",
       .fallback = "knee"},
      advice.objective);
  fields.field(
      {.name = "synchronisation",
       .doc = "Maps as under `synchronisation`, or names; without it bsp, and with a live learner all.",
       .example = "[bsp, {method: selsync, threshold: 0.2}]"},
      advice.synchronisation);
  fields.field(
      {.name = "compression",
       .doc = "Maps as under `compression`, or names of methods and policies; without it every method, and "
              "with a live learner every policy too.",
       .example = "[none, topk, ar_topk]"},
      advice.compression);
  fields.field({.name = "ratios",
                .doc = "Ratios for each method that has a ratio and states none.",
                .bounds = above_up_to(0, 1),
                .example = "[10 %, 1 %, 0.1 %]",
                .share = true},
               advice.ratios);
  fields.field(
      {.name = "collectives",
       .doc = "Rows of `sim list collectives`, or auto; without it all that have a schedule, and auto where "
              "the network changes; where `exchange.library` or a transport names a library, auto and what "
              "works on two levels.",
       .example = "[ring_allreduce, ring_allgather, auto]"},
      advice.collectives);
  fields.field({.name = "batches",
                .doc = "Samples per worker and step; without it `training.batch`.",
                .bounds = between(1, 1e6),
                .example = "[32, 64, 128]"},
               advice.batches);
  fields.field(
      {.name = "parallelism",
       .doc = "Maps as under `parallelism`, to find how states are shared best; without it every kind "
              "of sharding, where the scenario has `parallelism`.",
       .example = "[{data: none}, {data: fsdp}, {data: fsdp, compress: [hpz]}]"},
      advice.parallelism);
  fields.field(
      {.name = "accumulations",
       .doc = "Micro-batches into which `training.batch` is cut, likewise; without it the powers of two "
              "that divide it.",
       .bounds = between(1, 1e6),
       .example = "[1, 4]"},
      advice.accumulations);
  fields.field({.name = "price", .doc = "Price of a machine.", .need = Need::optional}, advice.price);
  fields.field({.name = "price_per_gigabyte",
                .doc = "Price of 10^9 bytes sent by a worker, as between the zones of a cloud.",
                .bounds = at_least(0),
                .example = "0.02 USD"},
               advice.price_per_gigabyte);
  fields.field(
      {.name = "tie",
       .doc = "Relative difference that counts as a tie: then the simplest is the advice. Nine of ten "
              "predicted exchanges were as close to measured ones (ACCURACY.md, live MPI collectives, "
              "clean).",
       .fallback = tie_text,
       .bounds = between(0, 1),
       .share = true},
      advice.tie);
  fields.field(
      {.name = "steps",
       .doc = "Minimum number of simulated steps of each candidate; the training is extrapolated from "
              "them. With a live learner it is simulated to its target.",
       .fallback = "100",
       .bounds = between(1, 1e6)},
      advice.steps);
}

void describe(Fields& fields, PolicyBound& bound) {
  fields.field(
      {.name = "metric",
       .doc = "Time or cost of the advice, or how many times as long the best dense all-reduce takes.",
       .example = "over_dense"},
      bound.metric);
  fields.field({.name = "at_least", .doc = "Lower bound.", .bounds = at_least(0), .example = "1.5"},
               bound.at_least);
  fields.field({.name = "at_most", .doc = "Upper bound.", .bounds = at_least(0)}, bound.at_most);
  fields.field({.name = "source", .doc = "Source.", .example = "Agarwal et al. 2022, Fig. 1"}, bound.source);
}

}  // namespace sim::scenario
