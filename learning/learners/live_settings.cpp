// The keys of a live learner.
#include "learning/learners/live_learner.hpp"
#include "settings/type.hpp"

namespace learning::learners {

void describe(settings::Fields& fields, LiveSettings& settings) {
  fields.field({.name = "model", .doc = "A row of `sim list models`.", .fallback = "mlp_128"},
               settings.model);
  fields.field({.name = "dataset", .doc = "Data set to train on.", .fallback = "optdigits"},
               settings.dataset);
  fields.field({.name = "optimizer", .doc = "Optimizer."}, settings.optimizer);
  fields.field({.name = "rate", .doc = "Learning rate schedule."}, settings.rate);
  fields.field(
      {.name = "shards", .doc = "How samples are partitioned among workers.", .fallback = "contiguous"},
      settings.shards);
  using enum ::settings::Capability;
  fields.field({.name = "injection",
                .doc = "Data injection: samples that workers share.",
                .demands = {.needs = {common_step, one_level}}},
               settings.injection);
  fields.field({.name = "record",
                .doc = "Statistics that `sim run --out` records, for `kind: replay`.",
                .demands = {.needs = {gradients_every_step, uniform_batch, same_workers, no_failures,
                                      whole_residual, plain_gradients},
                            .offers = {unsent_values}}},
               settings.record);
  fields.field(
      {.name = "test_samples",
       .doc =
           "Number of test samples used, evenly spread over the test set; without it, all, or, where every "
           "token of a window is predicted, as many windows as do not overlap.",
       .bounds = ::settings::between(1, 1e12),
       .example = "2000"},
      settings.test_samples);
  fields.field(
      {.name = "evaluate",
       .doc =
           "Which model is tested: the one that the method trains (a server's, the centre of elastic "
           "averaging, the outer model of DiLoCo, else the mean of the workers' models), that of the first "
           "worker, or the mean of the workers' models.",
       .fallback = "method"},
      settings.evaluate);
}

}  // namespace learning::learners
