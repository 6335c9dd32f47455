// The keys of a live learner.
#include "learning/learners/live_learner.hpp"
#include "settings/type.hpp"

namespace learning::learners {

void describe(settings::Fields& fields, LiveSettings& settings) {
  fields.field({.name = "model", .doc = "A row of `sim list models`.", .fallback = "mlp_128"},
               settings.model);
  fields.field({.name = "dataset", .doc = "What it learns.", .fallback = "optdigits"}, settings.dataset);
  fields.field({.name = "optimizer", .doc = "How it learns."}, settings.optimizer);
  fields.field({.name = "rate", .doc = "How the learning rate changes."}, settings.rate);
  fields.field({.name = "shards", .doc = "Which samples each worker has.", .fallback = "contiguous"},
               settings.shards);
  fields.field({.name = "injection", .doc = "Samples that workers share."}, settings.injection);
  fields.field({.name = "record", .doc = "Statistics that `sim run --out` writes down, for `kind: replay`."},
               settings.record);
  fields.field({.name = "test_samples",
                .doc = "Samples of the test set that are tested, evenly spread over it; without it, all.",
                .bounds = ::settings::between(1, 1e12),
                .example = "2000"},
               settings.test_samples);
  fields.field({.name = "evaluate",
                .doc = "Whose model is tested: that of the first worker, or the mean of all workers' models.",
                .fallback = "worker"},
               settings.evaluate);
}

}  // namespace learning::learners
