// Every key under `batching` and `streams`, of batch laws, and of speeds that change.
#pragma once

#include "sim/scenario/batching.hpp"
#include "sim/scenario/field.hpp"

namespace sim::scenario {

template <>
inline constexpr auto names_of<BatchingPolicyName> = std::to_array<Named<BatchingPolicyName>>({
    {"uniform", BatchingPolicyName::uniform},
    {"proportional", BatchingPolicyName::proportional},
    {"dynamic", BatchingPolicyName::dynamic},
    {"dbs", BatchingPolicyName::dbs},
    {"lb_bsp", BatchingPolicyName::lb_bsp},
    {"stream_rate", BatchingPolicyName::stream_rate},
});

template <>
inline constexpr auto names_of<DeadBandRule> = std::to_array<Named<DeadBandRule>>(
    {{"any_worker", DeadBandRule::any_worker}, {"each_worker", DeadBandRule::each_worker}});

template <>
inline constexpr auto names_of<BeyondMemory> =
    std::to_array<Named<BeyondMemory>>({{"slow", BeyondMemory::slow}, {"refuse", BeyondMemory::refuse}});

template <>
inline constexpr auto names_of<RateLaw> = std::to_array<Named<RateLaw>>({{"uniform", RateLaw::uniform},
                                                                         {"normal", RateLaw::normal}});

template <>
inline constexpr auto names_of<StreamBuffer> = std::to_array<Named<StreamBuffer>>(
    {{"persistence", StreamBuffer::persistence}, {"truncation", StreamBuffer::truncation}});

template <>
inline constexpr std::string_view choice_key<Batching> = "policy";

inline constexpr double most_samples = 1e9;  // of one worker's batch

/// Samples that any policy but `uniform` may give.
template <class V>
void describe_bounds(V& v, Batching& batching) {
  const bool published = batching.policy == BatchingPolicyName::stream_rate;
  v.field({.name = "least",
           .doc = "Samples that a worker has at least.",
           .fallback = published ? "8" : "1",
           .bounds = between(1, most_samples)},
          batching.least);
  Key most{.name = "most",
           .doc = "Samples that a worker has at most.",
           .bounds = between(1, most_samples),
           .example = "1024"};
  if (published) most.fallback = "1024";
  v.field(most, batching.most);
  v.field({.name = "restart",
           .doc = "Training stands still that long for each change of batches.",
           .fallback = "0 s",
           .bounds = at_least(0)},
          batching.restart);
}

/// When a policy looks at measured times, and how it smooths them.
template <class V>
void describe_looks(V& v, Batching& batching) {
  v.field({.name = "every",
           .doc = "Steps from one look at the workers' times to the next.",
           .fallback = "10",
           .bounds = between(1, 1e12)},
          batching.every);
  v.field({.name = "smoothing",
           .doc = "Weight of a new time or speed in its moving average.",
           .fallback = "0.3",
           .bounds = above_up_to(0, 1)},
          batching.smoothing);
}

template <class V>
void describe_controller(V& v, Batching& batching) {
  v.field(
      {.name = "dead_band",
       .doc = "Relative change of a batch up to which nothing is done (paper 5 %, OmniLearn's code 20 %).",
       .fallback = "5 %",
       .bounds = between(0, 100),
       .share = true},
      batching.dead_band);
  v.field({.name = "dead_band_of",
           .doc = "Whether all batches change when any leaves the dead-band, or only those that leave it.",
           .fallback = "any_worker"},
          batching.dead_band_of);
  v.field({.name = "normalise",
           .doc = "Whether the global batch is held; the printed rule does not.",
           .fallback = "true"},
          batching.normalise);
  v.field({.name = "learn_most",
           .doc = "Whether a throughput that fell after a batch had grown bounds that batch.",
           .fallback = "true"},
          batching.learn_most);
  v.field({.name = "throughput_fall",
           .doc = "Relative fall of throughput that counts as one.",
           .fallback = "5 %",
           .bounds = from_to_below(0, 1),
           .share = true},
          batching.throughput_fall);
  v.field(
      {.name = "integral", .doc = "Gain on the sum of errors.", .fallback = "0", .bounds = between(0, 100)},
      batching.integral);
  v.field({.name = "derivative",
           .doc = "Gain on the change of the error.",
           .fallback = "0",
           .bounds = between(0, 100)},
          batching.derivative);
}

template <class V>
void describe(V& v, Batching& batching) {
  v.choice({.name = "policy",
            .doc = "Who decides about the samples of each worker: a row of `sim list policies`. `uniform` "
                   "keeps what `training` states.",
            .fallback = "uniform"},
           batching.policy);
  for (const auto& row : names_of<BatchingPolicyName>) {
    if (row.value == BatchingPolicyName::uniform) continue;
    v.when(row.value, batching.policy, [&](auto& inner) { describe_bounds(inner, batching); });
  }
  for (const auto policy : {BatchingPolicyName::dynamic, BatchingPolicyName::lb_bsp})
    v.when(policy, batching.policy, [&](auto& inner) { describe_looks(inner, batching); });
  v.when(BatchingPolicyName::dynamic, batching.policy,
         [&](auto& inner) { describe_controller(inner, batching); });
  v.when(BatchingPolicyName::lb_bsp, batching.policy, [&](auto& inner) {
    inner.field({.name = "hysteresis",
                 .doc = "Relative change of a batch up to which nothing is done.",
                 .fallback = "5 %",
                 .bounds = between(0, 100),
                 .share = true},
                batching.hysteresis);
  });
}

template <class V>
void describe(V& v, BatchLaw& law) {
  v.field({.name = "workers",
           .doc = "Workers that follow this law; without it, all.",
           .bounds = at_least(0),
           .example = "[0, 1]"},
          law.workers);
  v.field({.name = "knee",
           .doc = "Samples below which a step takes no less time.",
           .fallback = "1",
           .bounds = between(1, most_samples)},
          law.knee);
  v.field({.name = "memory",
           .doc = "Samples that the device's memory holds; without it, any number.",
           .bounds = between(1, most_samples),
           .example = "96"},
          law.memory);
  v.field({.name = "beyond",
           .doc = "What happens beyond the memory: samples there take longer, or none are accepted.",
           .fallback = "slow"},
          law.beyond);
  v.field({.name = "slowdown",
           .doc = "With `beyond: slow`, a sample beyond the memory takes so many times as long.",
           .fallback = "4",
           .bounds = between(1, 1e6)},
          law.slowdown);
}

template <class V>
void describe(V& v, SpeedChange& change) {
  v.field({.name = "at", .doc = "When: a time, a step or an epoch.", .example = "epoch 5"}, change.at);
  v.field({.name = "speeds",
           .doc = "Relative speed of each worker from then on.",
           .bounds = above(0),
           .example = "[1, 1, 0.5]"},
          change.speeds);
  v.field({.name = "cores",
           .doc = "Cores of each worker from then on, where the cluster states `cores`.",
           .bounds = above(0),
           .example = "[12, 12, 8, 16]"},
          change.cores);
}

template <class V>
void describe(V& v, RateDistribution& distribution) {
  v.choice({.name = "distribution", .doc = "Law by which each device's rate is drawn.", .example = "uniform"},
           distribution.law);
  v.field({.name = "mean", .doc = "Samples per second.", .bounds = above(0), .example = "64"},
          distribution.mean);
  v.field({.name = "deviation",
           .doc = "Standard deviation, samples per second.",
           .bounds = at_least(0),
           .example = "24"},
          distribution.deviation);
  v.field({.name = "least",
           .doc = "A rate drawn below it is put here, samples per second.",
           .fallback = "8",
           .bounds = above(0)},
          distribution.least);
  v.field({.name = "most",
           .doc = "A rate drawn above it is put here, samples per second.",
           .bounds = above(0),
           .example = "92"},
          distribution.most);
}

template <class V>
void describe(V& v, StreamRateChange& change) {
  v.field({.name = "at", .doc = "When.", .bounds = at_least(0), .example = "60 s"}, change.at);
  v.field({.name = "workers",
           .doc = "Whose streams change; without it, all.",
           .bounds = at_least(0),
           .example = "[0, 3]"},
          change.workers);
  v.field({.name = "factor",
           .doc = "On the rate of the beginning.",
           .bounds = above_up_to(0, 1e6),
           .example = "0.5"},
          change.factor);
  v.field({.name = "rate",
           .doc = "In place of a factor: samples per second.",
           .bounds = above_up_to(0, 1e9),
           .example = "32"},
          change.rate);
}

template <class V>
void describe(V& v, Streams& streams) {
  v.field({.name = "rates",
           .doc = "Samples per second of each device's stream.",
           .bounds = above_up_to(0, 1e9),
           .example = "[50, 38, 12, 36]"},
          streams.rates);
  v.field({.name = "drawn",
           .doc = "Rates drawn by a law in place of `rates`, once for each device.",
           .example = "{distribution: normal, mean: 64, deviation: 24}"},
          streams.distribution);
  v.field({.name = "changes", .doc = "Rates that change with time."}, streams.changes);
  v.field({.name = "trace",
           .doc = "CSV file of more changes, with the columns time_s, worker and rate_samples_per_s.",
           .example = "traces/streams.csv",
           .need = Need::optional},
          streams.trace);
  v.field({.name = "buffer",
           .doc = "What becomes of samples that no batch takes: kept (persistence), or dropped at the next "
                  "step (truncation).",
           .fallback = "persistence"},
          streams.buffer);
  v.field({.name = "sample_size",
           .doc = "Bytes of a sample in the buffer.",
           .fallback = "3 KiB",
           .bounds = at_least(0)},
          streams.sample_size);
  v.field({.name = "waiting_counts",
           .doc = "Whether samples that arrive while workers wait for streams are kept too; the published "
                  "rule counts those of compute and exchange alone.",
           .fallback = "false"},
          streams.waiting_counts);
}

}  // namespace sim::scenario
