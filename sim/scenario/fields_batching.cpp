// Every key under `streams`, of batch limits, and of speeds that change.
#include "policies/batching_policy.hpp"
#include "settings/type.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {

using namespace settings;

void describe(Fields& fields, BatchLimits& law) {
  fields.field({.name = "workers",
                .doc = "Workers with this memory limit; without it, all.",
                .bounds = at_least(0),
                .example = "[0, 1]"},
               law.workers);
  fields.field({.name = "knee",
                .doc = "Samples below which a step takes no less time.",
                .fallback = "1",
                .bounds = between(1, policies::most_samples)},
               law.knee);
  fields.field({.name = "memory",
                .doc = "Samples that fit in the device's memory; without it, any number.",
                .bounds = between(1, policies::most_samples),
                .example = "96"},
               law.memory);
  fields.field({.name = "beyond",
                .doc = "What happens beyond the memory: samples take longer, or are rejected.",
                .fallback = "slow"},
               law.beyond);
  fields.field({.name = "slowdown",
                .doc = "With `beyond: slow`, the factor by which a sample beyond the memory takes longer.",
                .fallback = "4",
                .bounds = between(1, 1e6)},
               law.slowdown);
}

void describe(Fields& fields, SpeedChange& change) {
  fields.field({.name = "at", .doc = "When: a time, a step or an epoch.", .example = "epoch 5"}, change.at);
  fields.field({.name = "speeds",
                .doc = "Relative speed of each worker from then on.",
                .bounds = above(0),
                .example = "[1, 1, 0.5]"},
               change.speeds);
  fields.field({.name = "cores",
                .doc = "Cores of each worker from then on, where the cluster states `cores`.",
                .bounds = above(0),
                .example = "[12, 12, 8, 16]"},
               change.cores);
}

void describe(Fields& fields, RateDistribution& distribution) {
  fields.choice({.name = "distribution",
                 .doc = "Distribution from which each device's rate is drawn.",
                 .example = "uniform"},
                distribution.law);
  fields.field({.name = "mean", .doc = "Samples per second.", .bounds = above(0), .example = "64"},
               distribution.mean);
  fields.field({.name = "deviation",
                .doc = "Standard deviation, samples per second.",
                .bounds = at_least(0),
                .example = "24"},
               distribution.deviation);
  fields.field({.name = "min",
                .doc = "Lower bound to which a drawn rate is clamped, samples per second.",
                .fallback = "8",
                .bounds = above(0),
                .former = "least"},
               distribution.min);
  fields.field({.name = "max",
                .doc = "Upper bound to which a drawn rate is clamped, samples per second.",
                .bounds = above(0),
                .example = "92",
                .former = "most"},
               distribution.max);
}

void describe(Fields& fields, StreamRateChange& change) {
  fields.field({.name = "at", .doc = "When.", .bounds = at_least(0), .example = "60 s"}, change.at);
  fields.field({.name = "workers",
                .doc = "Workers whose streams change; without it, all.",
                .bounds = at_least(0),
                .example = "[0, 3]"},
               change.workers);
  fields.field({.name = "factor",
                .doc = "Factor on the initial rate.",
                .bounds = above_up_to(0, 1e6),
                .example = "0.5"},
               change.factor);
  fields.field({.name = "rate",
                .doc = "In place of a factor: samples per second.",
                .bounds = above_up_to(0, 1e9),
                .example = "32"},
               change.rate);
}

void describe(Fields& fields, Streams& streams) {
  fields.field({.name = "rates",
                .doc = "Samples per second of each device's stream.",
                .bounds = above_up_to(0, 1e9),
                .example = "[50, 38, 12, 36]"},
               streams.rates);
  fields.field({.name = "drawn",
                .doc = "Rates drawn from a distribution instead of `rates`, once for each device.",
                .example = "{distribution: normal, mean: 64, deviation: 24}"},
               streams.distribution);
  fields.field({.name = "changes", .doc = "Rates that change over time."}, streams.changes);
  fields.field({.name = "trace",
                .doc = "CSV file of more changes, with the columns time_s, worker and rate_samples_per_s.",
                .example = "traces/streams.csv",
                .need = Need::optional},
               streams.trace);
  fields.field({.name = "buffer",
                .doc = "What happens to samples left in the buffer: kept (persistence), or dropped at the "
                       "next step (truncation).",
                .fallback = "persistence"},
               streams.buffer);
  fields.field({.name = "sample_size",
                .doc = "Size of a sample in the buffer.",
                .fallback = "3 KiB",
                .bounds = at_least(0)},
               streams.sample_size);
  fields.field({.name = "waiting_counts",
                .doc = "Whether samples that arrive while workers wait for streams are kept too; the "
                       "published rule counts only those of compute and exchange.",
                .fallback = "false"},
               streams.waiting_counts);
}

std::optional<Problem> problem_of(const StreamRateChange& change) {
  if (change.factor.has_value() != change.rate.has_value()) return {};
  return Problem{{},
                 change.rate ? "both `factor` and `rate` are given" : "the change has no rate",
                 "write `factor` or `rate`"};
}

}  // namespace sim::scenario
