// Every key under `compression`.
#pragma once

#include "sim/scenario/compression.hpp"
#include "sim/scenario/field.hpp"

namespace sim::scenario {

template <>
inline constexpr auto names_of<Selection> =
    std::to_array<Named<Selection>>({{"staleness", Selection::staleness}, {"variance", Selection::variance}});

template <>
inline constexpr auto names_of<CompressionPolicyName> = std::to_array<Named<CompressionPolicyName>>({
    {"fixed", CompressionPolicyName::fixed},
    {"gravac", CompressionPolicyName::gravac},
    {"accordion", CompressionPolicyName::accordion},
    {"accordion_per_step", CompressionPolicyName::accordion_per_step},
    {"scadles", CompressionPolicyName::scadles},
    {"flexible", CompressionPolicyName::flexible},
});

template <>
inline constexpr auto names_of<GravacScaling> = std::to_array<Named<GravacScaling>>(
    {{"exponential", GravacScaling::exponential}, {"geometric", GravacScaling::geometric}});

template <>
inline constexpr auto names_of<WarmUpShape> = std::to_array<Named<WarmUpShape>>(
    {{"linear", WarmUpShape::linear}, {"exponential", WarmUpShape::exponential}});

template <>
inline constexpr auto names_of<GainTrigger> =
    std::to_array<Named<GainTrigger>>({{"step", GainTrigger::step}, {"drift", GainTrigger::drift}});

template <>
inline constexpr auto names_of<RatioRule> =
    std::to_array<Named<RatioRule>>({{"knee", RatioRule::knee}, {"fastest", RatioRule::fastest}});

template <>
inline constexpr auto names_of<FrontSolver> =
    std::to_array<Named<FrontSolver>>({{"exact", FrontSolver::exact}, {"nsga2", FrontSolver::nsga2}});

template <class V>
void describe(V& v, CompressionTime& row) {
  v.field({.name = "method", .doc = "A row of `sim list compressors`.", .example = "topk"}, row.method);
  v.field({.name = "ratio",
           .doc = "At which it was measured (kept / original).",
           .fallback = "1",
           .bounds = above_up_to(0, 1),
           .example = "10 %",
           .share = true},
          row.ratio);
  v.field(
      {.name = "time", .doc = "To compress the whole gradient and restore all messages.", .example = "35 ms"},
      row.time);
}

template <class V>
void describe(V& v, Gravac& gravac) {
  v.field({.name = "least_factor",
           .doc = "First floor of the compression factor, original / kept (theta_min).",
           .fallback = "10",
           .bounds = between(1, 1e9)},
          gravac.least_factor);
  v.field({.name = "most_factor",
           .doc = "Largest compression factor (theta_max).",
           .fallback = "1000",
           .bounds = between(1, 1e9)},
          gravac.most_factor);
  v.field({.name = "gain",
           .doc = "Compression gain that is asked for (epsilon).",
           .fallback = "0.7",
           .bounds = above_up_to(0, 1)},
          gravac.gain);
  v.field({.name = "tolerance",
           .doc = "Relative difference that counts as none (omega).",
           .fallback = "1 %",
           .bounds = between(0, 1),
           .share = true},
          gravac.tolerance);
  v.field(
      {.name = "window", .doc = "Steps between two looks.", .fallback = "500", .bounds = between(1, 1e12)},
      gravac.window);
  v.field({.name = "scaling", .doc = "How candidates follow each other.", .fallback = "exponential"},
          gravac.scaling);
  v.field({.name = "as_printed",
           .doc = "Whether Algorithm 1 is followed to the letter where the text says otherwise.",
           .fallback = "false"},
          gravac.as_printed);
}

/// Of both forms of Accordion.
template <class V>
void describe_two_ratios(V& v, double& low, double& high) {
  v.field({.name = "low_ratio",
           .doc = "Compression ratio while the gradient's norm changes fast.",
           .fallback = "10 %",
           .bounds = above_up_to(0, 1),
           .share = true},
          low);
  v.field({.name = "high_ratio",
           .doc = "Compression ratio otherwise.",
           .fallback = "1 %",
           .bounds = above_up_to(0, 1),
           .share = true},
          high);
}

template <class V>
void describe(V& v, Accordion& accordion) {
  describe_two_ratios(v, accordion.low_ratio, accordion.high_ratio);
  v.field({.name = "threshold",
           .doc = "Relative change of the norm that is fast.",
           .fallback = "0.5",
           .bounds = between(0, 1e9)},
          accordion.threshold);
  v.field({.name = "every_epochs",
           .doc = "Epochs between two looks; may have a fraction.",
           .fallback = "10",
           .bounds = above_up_to(0, 1e9)},
          accordion.every_epochs);
}

template <class V>
void describe(V& v, AccordionPerStep& accordion) {
  describe_two_ratios(v, accordion.low_ratio, accordion.high_ratio);
  v.field({.name = "threshold",
           .doc = "Relative change of the smoothed norm, from one step to the next, that is fast.",
           .fallback = "0.2",
           .bounds = between(0, 1e9)},
          accordion.threshold);
  v.field({.name = "smoothing",
           .doc = "Weight of a new norm in its moving average.",
           .fallback = "0.05",
           .bounds = above_up_to(0, 1)},
          accordion.smoothing);
}

template <class V>
void describe(V& v, Scadles& scadles) {
  v.field({.name = "threshold",
           .doc = "Share of ||g||^2 that compression may lose (delta); beyond it the step is dense.",
           .fallback = "0.3",
           .bounds = between(0, 1),
           .share = true},
          scadles.threshold);
}

template <class V>
void describe(V& v, CompressionWarmUp& warm_up) {
  v.field({.name = "epochs",
           .doc = "Epochs over which the ratio falls from 1 to the first that the policy wants.",
           .fallback = "0",
           .bounds = between(0, 1e6),
           .example = "4"},
          warm_up.epochs);
  v.field(
      {.name = "shape", .doc = "How it falls: step by step, or epoch by epoch.", .fallback = "exponential"},
      warm_up.shape);
}

template <class V>
void describe(V& v, Flexible& flexible) {
  v.field(
      {.name = "ratios",
       .doc =
           "Candidates, tried one after another; the chosen ratio lies between the least and the greatest.",
       .bounds = above_up_to(0, 1),
       .example = "[10 %, 3.3 %, 1.1 %, 0.4 %, 0.1 %]",
       .need = Need::required,
       .share = true},
      flexible.ratios);
  v.field({.name = "steps_each",
           .doc = "Steps for which each candidate is tried.",
           .fallback = "10",
           .bounds = between(1, 1e6)},
          flexible.steps_each);
  v.field({.name = "gain_change",
           .doc = "Relative change of the gain from which on candidates are tried again.",
           .fallback = "10 %",
           .bounds = above_up_to(0, 1e6),
           .share = true},
          flexible.gain_change);
  v.field({.name = "network_change",
           .doc = "Relative change of probed latency or bandwidth from which on the ratio is chosen again.",
           .fallback = "10 %",
           .bounds = between(0, 1e6),
           .share = true},
          flexible.network_change);
  v.field({.name = "time_weight",
           .doc = "Weight of time in the choice from the Pareto front; the rest is the gain's.",
           .fallback = "0.6",
           .bounds = between(0, 1),
           .share = true},
          flexible.time_weight);
  v.field({.name = "gain_trigger",
           .doc = "What is compared with `gain_change`: the gain's steps, or its way since the candidates "
                  "were tried.",
           .fallback = "step"},
          flexible.gain_trigger);
  v.field({.name = "choice",
           .doc = "The knee of exchange time against gain, or the least step time per gain.",
           .fallback = "knee"},
          flexible.choice);
  v.field({.name = "solver", .doc = "How the Pareto front is found.", .fallback = "exact"}, flexible.solver);
}

template <class V>
void describe(V& v, Compression& compression) {
  v.field(
      {.name = "method", .doc = "A row of `sim list compressors`.", .fallback = "none", .example = "topk"},
      compression.method);
  v.field({.name = "ratio",
           .doc = "Share of the gradient's values that is kept (kept / original).",
           .fallback = "1",
           .bounds = above_up_to(0, 1),
           .example = "0.01",
           .share = true},
          compression.ratio);
  v.field({.name = "index_bytes",
           .doc = "Bytes for the place of each kept value: 4 or 8.",
           .fallback = "4",
           .bounds = between(4, 8)},
          compression.index_bytes);
  v.field({.name = "time",
           .doc = "To compress the whole gradient and restore all messages; without it, from the device.",
           .example = "12 ms"},
          compression.time);
  v.field({.name = "times",
           .doc = "Measured times of the methods and ratios that a policy may choose; what lies between is "
                  "interpolated over the logarithm of the ratio.",
           .example = "[{method: topk, ratio: 10 %, time: 35 ms}]"},
          compression.times);
  v.field(
      {.name = "kernel_times",
       .doc = "File of costs that `calibrate fit kernels` wrote: times of methods that `time` and `times` do "
              "not state, and of restoring each message that an all-gather brings.",
       .example = "kernel_times/epyc_thread.yaml",
       .need = Need::optional},
      compression.kernel_times);
  v.field({.name = "selection",
           .doc = "How AR-Topk chooses the worker whose indices are used.",
           .fallback = "staleness"},
          compression.selection);
  v.choice({.name = "policy",
            .doc = "Who decides about method and ratio: a row of `sim list policies`.",
            .fallback = "fixed"},
           compression.policy);
  v.field({.name = "warm_up", .doc = "Epochs that send more, before the policy begins."},
          compression.warm_up);
  v.when(CompressionPolicyName::gravac, compression.policy, [&](auto& inner) {
    inner.field({.name = "gravac", .doc = "Settings of GraVAC."}, compression.gravac);
  });
  v.when(CompressionPolicyName::accordion, compression.policy, [&](auto& inner) {
    inner.field({.name = "accordion", .doc = "Settings of Accordion."}, compression.accordion);
  });
  v.when(CompressionPolicyName::accordion_per_step, compression.policy, [&](auto& inner) {
    inner.field({.name = "accordion_per_step", .doc = "Settings of Accordion step by step."},
                compression.accordion_per_step);
  });
  v.when(CompressionPolicyName::scadles, compression.policy, [&](auto& inner) {
    inner.field({.name = "scadles", .doc = "Settings of ScaDLES' rule."}, compression.scadles);
  });
  v.when(CompressionPolicyName::flexible, compression.policy, [&](auto& inner) {
    inner.field({.name = "flexible", .doc = "Settings of the flexible policy."}, compression.flexible);
  });
}

}  // namespace sim::scenario
