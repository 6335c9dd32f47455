// Every key under `compression`.
#include "sim/scenario/fields_compression.hpp"

#include "settings/type.hpp"

namespace sim::scenario {

using namespace settings;

void describe(Fields& fields, CompressionTime& row) {
  fields.field({.name = "method", .doc = "A row of `sim list compressors`.", .example = "topk"}, row.method);
  fields.field({.name = "ratio",
                .doc = "At which it was measured (kept / original).",
                .fallback = "1",
                .bounds = above_up_to(0, 1),
                .example = "10 %",
                .share = true},
               row.ratio);
  fields.field(
      {.name = "time", .doc = "To compress the whole gradient and restore all messages.", .example = "35 ms"},
      row.time);
}

void describe(Fields& fields, Gravac& gravac) {
  fields.field({.name = "least_factor",
                .doc = "First floor of the compression factor, original / kept (theta_min).",
                .fallback = "10",
                .bounds = between(1, 1e9)},
               gravac.least_factor);
  fields.field({.name = "most_factor",
                .doc = "Largest compression factor (theta_max).",
                .fallback = "1000",
                .bounds = between(1, 1e9)},
               gravac.most_factor);
  fields.field({.name = "gain",
                .doc = "Compression gain that is asked for (epsilon).",
                .fallback = "0.7",
                .bounds = above_up_to(0, 1)},
               gravac.gain);
  fields.field({.name = "tolerance",
                .doc = "Relative difference that counts as none (omega).",
                .fallback = "1 %",
                .bounds = between(0, 1),
                .share = true},
               gravac.tolerance);
  fields.field(
      {.name = "window", .doc = "Steps between two looks.", .fallback = "500", .bounds = between(1, 1e12)},
      gravac.window);
  fields.field({.name = "scaling", .doc = "How candidates follow each other.", .fallback = "exponential"},
               gravac.scaling);
  fields.field({.name = "as_printed",
                .doc = "Whether Algorithm 1 is followed to the letter where the text says otherwise.",
                .fallback = "false"},
               gravac.as_printed);
}

/// Of both forms of Accordion.
static void describe_two_ratios(Fields& fields, double& low, double& high) {
  fields.field({.name = "low_ratio",
                .doc = "Compression ratio while the gradient's norm changes fast.",
                .fallback = "10 %",
                .bounds = above_up_to(0, 1),
                .share = true},
               low);
  fields.field({.name = "high_ratio",
                .doc = "Compression ratio otherwise.",
                .fallback = "1 %",
                .bounds = above_up_to(0, 1),
                .share = true},
               high);
}

void describe(Fields& fields, Accordion& accordion) {
  describe_two_ratios(fields, accordion.low_ratio, accordion.high_ratio);
  fields.field({.name = "threshold",
                .doc = "Relative change of the norm that is fast.",
                .fallback = "0.5",
                .bounds = between(0, 1e9)},
               accordion.threshold);
  fields.field({.name = "every_epochs",
                .doc = "Epochs between two looks; may have a fraction.",
                .fallback = "10",
                .bounds = above_up_to(0, 1e9)},
               accordion.every_epochs);
}

void describe(Fields& fields, AccordionPerStep& accordion) {
  describe_two_ratios(fields, accordion.low_ratio, accordion.high_ratio);
  fields.field({.name = "threshold",
                .doc = "Relative change of the smoothed norm, from one step to the next, that is fast.",
                .fallback = "0.2",
                .bounds = between(0, 1e9)},
               accordion.threshold);
  fields.field({.name = "smoothing",
                .doc = "Weight of a new norm in its moving average.",
                .fallback = "0.05",
                .bounds = above_up_to(0, 1)},
               accordion.smoothing);
}

void describe(Fields& fields, Scadles& scadles) {
  fields.field({.name = "threshold",
                .doc = "Share of ||g||^2 that compression may lose (delta); beyond it the step is dense.",
                .fallback = "0.3",
                .bounds = between(0, 1),
                .share = true},
               scadles.threshold);
}

void describe(Fields& fields, CompressionWarmUp& warm_up) {
  fields.field({.name = "epochs",
                .doc = "Epochs over which the ratio falls from 1 to the first that the policy wants.",
                .fallback = "0",
                .bounds = between(0, 1e6),
                .example = "4"},
               warm_up.epochs);
  fields.field(
      {.name = "shape", .doc = "How it falls: step by step, or epoch by epoch.", .fallback = "exponential"},
      warm_up.shape);
}

void describe(Fields& fields, Flexible& flexible) {
  fields.field(
      {.name = "ratios",
       .doc =
           "Candidates, tried one after another; the chosen ratio lies between the least and the greatest.",
       .bounds = above_up_to(0, 1),
       .example = "[10 %, 3.3 %, 1.1 %, 0.4 %, 0.1 %]",
       .need = Need::required,
       .share = true},
      flexible.ratios);
  fields.field({.name = "steps_each",
                .doc = "Steps for which each candidate is tried.",
                .fallback = "10",
                .bounds = between(1, 1e6)},
               flexible.steps_each);
  fields.field({.name = "gain_change",
                .doc = "Relative change of the gain from which on candidates are tried again.",
                .fallback = "10 %",
                .bounds = above_up_to(0, 1e6),
                .share = true},
               flexible.gain_change);
  fields.field(
      {.name = "network_change",
       .doc = "Relative change of probed latency or bandwidth from which on the ratio is chosen again.",
       .fallback = "10 %",
       .bounds = between(0, 1e6),
       .share = true},
      flexible.network_change);
  fields.field({.name = "time_weight",
                .doc = "Weight of time in the choice from the Pareto front; the rest is the gain's.",
                .fallback = "0.6",
                .bounds = between(0, 1),
                .share = true},
               flexible.time_weight);
  fields.field(
      {.name = "gain_trigger",
       .doc = "What is compared with `gain_change`: the gain's steps, or its way since the candidates "
              "were tried.",
       .fallback = "step"},
      flexible.gain_trigger);
  fields.field({.name = "choice",
                .doc = "The knee of exchange time against gain, or the least step time per gain.",
                .fallback = "knee"},
               flexible.choice);
  fields.field({.name = "solver", .doc = "How the Pareto front is found.", .fallback = "exact"},
               flexible.solver);
}

void describe(Fields& fields, Compression& compression) {
  fields.field(
      {.name = "method", .doc = "A row of `sim list compressors`.", .fallback = "none", .example = "topk"},
      compression.method);
  fields.field({.name = "ratio",
                .doc = "Share of the gradient's values that is kept (kept / original).",
                .fallback = "1",
                .bounds = above_up_to(0, 1),
                .example = "0.01",
                .share = true},
               compression.ratio);
  fields.field({.name = "index_bytes",
                .doc = "Bytes for the place of each kept value: 4 or 8.",
                .fallback = "4",
                .bounds = between(4, 8)},
               compression.index_bytes);
  fields.field(
      {.name = "time",
       .doc = "To compress the whole gradient and restore all messages; without it, from the device.",
       .example = "12 ms"},
      compression.time);
  fields.field(
      {.name = "times",
       .doc = "Measured times of the methods and ratios that a policy may choose; what lies between is "
              "interpolated over the logarithm of the ratio.",
       .example = "[{method: topk, ratio: 10 %, time: 35 ms}]"},
      compression.times);
  fields.field(
      {.name = "kernel_times",
       .doc = "File of costs that `calibrate fit kernels` wrote: times of methods that `time` and `times` do "
              "not state, and of restoring each message that an all-gather brings.",
       .example = "kernel_times/epyc_thread.yaml",
       .need = Need::optional},
      compression.kernel_times);
  fields.field({.name = "selection",
                .doc = "How AR-Topk chooses the worker whose indices are used.",
                .fallback = "staleness"},
               compression.selection);
  fields.choice({.name = "policy",
                 .doc = "Who decides about method and ratio: a row of `sim list policies`.",
                 .fallback = "fixed"},
                compression.policy);
  fields.field({.name = "warm_up", .doc = "Epochs that send more, before the policy begins."},
               compression.warm_up);
  fields.when(CompressionPolicyName::gravac, compression.policy, [&](Fields& inner) {
    inner.field({.name = "gravac", .doc = "Settings of GraVAC."}, compression.gravac);
  });
  fields.when(CompressionPolicyName::accordion, compression.policy, [&](Fields& inner) {
    inner.field({.name = "accordion", .doc = "Settings of Accordion."}, compression.accordion);
  });
  fields.when(CompressionPolicyName::accordion_per_step, compression.policy, [&](Fields& inner) {
    inner.field({.name = "accordion_per_step", .doc = "Settings of Accordion step by step."},
                compression.accordion_per_step);
  });
  fields.when(CompressionPolicyName::scadles, compression.policy, [&](Fields& inner) {
    inner.field({.name = "scadles", .doc = "Settings of ScaDLES' rule."}, compression.scadles);
  });
  fields.when(CompressionPolicyName::flexible, compression.policy, [&](Fields& inner) {
    inner.field({.name = "flexible", .doc = "Settings of the flexible policy."}, compression.flexible);
  });
}

}  // namespace sim::scenario
