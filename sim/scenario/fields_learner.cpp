// Every key under `learner`.
#include "sim/scenario/fields_learner.hpp"

#include "settings/type.hpp"

namespace sim::scenario {

using namespace settings;

void describe(Fields& fields, DatasetSource& source) {
  fields.choice({.name = "name", .doc = "A row of `sim list datasets`.", .fallback = "optdigits"},
                source.kind);
  const auto path = [&](auto& inner, std::string_view doc, std::string_view example) {
    inner.field({.name = "path", .doc = doc, .example = example}, source.path);
  };
  for (const DatasetKind kind : {DatasetKind::mnist, DatasetKind::fashion_mnist, DatasetKind::cifar10}) {
    fields.when(kind, source.kind,
                [&](Fields& inner) { path(inner, "Folder of its files.", "data/fashion-mnist"); });
  }
  fields.when(DatasetKind::csv, source.kind, [&](Fields& inner) {
    path(inner, "File with one sample on each line.", "data/letters.csv");
    inner.field({.name = "test_path",
                 .doc = "File with the test samples; without it, a share of `path` is held out.",
                 .example = "data/letters_test.csv"},
                source.test_path);
    inner.field({.name = "label", .doc = "Column of the class.", .fallback = "last"}, source.label);
    inner.field({.name = "test_share",
                 .doc = "Share of the samples that is held out for the test.",
                 .fallback = "20 %",
                 .bounds = above_up_to(0, 0.9),
                 .share = true},
                source.test_share);
  });
  fields.when(DatasetKind::text, source.kind, [&](Fields& inner) {
    path(inner, "Plain text.", "data/input.txt");
    inner.field({.name = "window",
                 .doc = "Characters from which the next one is to be told.",
                 .fallback = "32",
                 .bounds = between(1, 4096)},
                source.window);
  });
}

void describe(Fields& fields, Optimizer& optimizer) {
  fields.choice({.name = "method", .doc = "How a gradient changes the parameters.", .fallback = "sgd"},
                optimizer.method);
  fields.field(
      {.name = "learning_rate", .doc = "Of a step.", .fallback = "0.05", .bounds = above_up_to(0, 1000)},
      optimizer.learning_rate);
  fields.when(OptimizerMethod::sgd, optimizer.method, [&](Fields& inner) {
    inner.field({.name = "momentum",
                 .doc = "Share of the last change that goes on.",
                 .fallback = "0.9",
                 .bounds = from_to_below(0, 1)},
                optimizer.momentum);
    inner.field({.name = "nesterov", .doc = "Whether momentum looks ahead.", .fallback = "false"},
                optimizer.nesterov);
  });
  fields.field({.name = "weight_decay",
                .doc = "Share of each parameter that is added to its gradient.",
                .fallback = "0",
                .bounds = between(0, 10)},
               optimizer.weight_decay);
}

void describe(Fields& fields, RateChange& change) {
  fields.field({.name = "at", .doc = "Step or epoch.", .example = "epoch 15"}, change.at);
  fields.field({.name = "factor",
                .doc = "What the learning rate is multiplied by from there on.",
                .bounds = above_up_to(0, 1000),
                .example = "0.1"},
               change.factor);
}

void describe(Fields& fields, RateSchedule& rate) {
  fields.field({.name = "warmup_epochs",
                .doc = "Epochs over which the learning rate rises linearly from 0.",
                .fallback = "0",
                .bounds = between(0, 1e6)},
               rate.warmup_epochs);
  fields.field({.name = "changes", .doc = "Points at which the learning rate changes."}, rate.changes);
  fields.field({.name = "reference_batch",
                .doc = "Samples of all workers in a step for which the learning rate is meant; it is scaled "
                       "linearly to those that there are.",
                .bounds = between(1, 1e9),
                .example = "256"},
               rate.reference_batch);
}

void describe(Fields& fields, Sharding& shards) {
  fields.choice(
      {.name = "rule", .doc = "How training samples are dealt to workers.", .fallback = "contiguous"},
      shards.rule);
  fields.when(ShardRule::label_skew, shards.rule, [&](Fields& inner) {
    inner.field({.name = "labels_per_worker",
                 .doc = "Labels that each worker knows.",
                 .bounds = between(1, 65535),
                 .example = "1"},
                shards.labels_per_worker);
  });
  fields.when(ShardRule::dirichlet, shards.rule, [&](Fields& inner) {
    inner.field({.name = "concentration",
                 .doc = "Alpha of the Dirichlet law; the smaller, the more the workers differ.",
                 .bounds = above_up_to(0, 1e6),
                 .example = "0.5"},
                shards.concentration);
  });
}

void describe(Fields& fields, Injection& injection) {
  fields.field({.name = "workers",
                .doc = "Share of the workers that give samples to all others in a step (alpha).",
                .bounds = above_up_to(0, 1),
                .example = "0.5",
                .share = true},
               injection.workers);
  fields.field({.name = "batch",
                .doc = "Share of its batch that each of them gives (beta).",
                .bounds = above_up_to(0, 1),
                .example = "0.5",
                .share = true},
               injection.batch);
  fields.field({.name = "corrected",
                .doc = "Whether own batches shrink so that batches stay as large as stated.",
                .fallback = "true"},
               injection.corrected);
  fields.field({.name = "sample_size",
                .doc = "Of a sample on the network; without it, as the data set stores it.",
                .example = "110 kB"},
               injection.sample_size);
}

void describe(Fields& fields, Recording& record) {
  fields.field({.name = "every",
                .doc = "Steps from one recorded step to the next.",
                .fallback = "20",
                .bounds = between(1, 1e9)},
               record.every);
  fields.field({.name = "method", .doc = "Compression whose gains are recorded.", .fallback = "topk"},
               record.method);
  fields.field({.name = "ratios",
                .doc = "Compression ratios whose gains are recorded, with and without error feedback.",
                .bounds = {.min = 0, .max = 1, .open_below = true, .open_above = true},
                .example = "[10 %, 1 %, 0.1 %]",
                .share = true},
               record.ratios);
}

static void describe_live(Fields& fields, Learner& learner) {
  fields.field({.name = "model", .doc = "A row of `sim list models`.", .fallback = "mlp_128"}, learner.model);
  fields.field({.name = "dataset", .doc = "What it learns.", .fallback = "optdigits"}, learner.dataset);
  fields.field({.name = "optimizer", .doc = "How it learns."}, learner.optimizer);
  fields.field({.name = "rate", .doc = "How the learning rate changes."}, learner.rate);
  fields.field({.name = "shards", .doc = "Which samples each worker has.", .fallback = "contiguous"},
               learner.shards);
  fields.field({.name = "injection", .doc = "Samples that workers share."}, learner.injection);
  fields.field({.name = "record", .doc = "Statistics that `sim run --out` writes down, for `kind: replay`."},
               learner.record);
  fields.field({.name = "test_samples",
                .doc = "Samples of the test set that are tested, evenly spread over it; without it, all.",
                .bounds = between(1, 1e12),
                .example = "2000"},
               learner.test_samples);
  fields.field({.name = "evaluate",
                .doc = "Whose model is tested: that of the first worker, or the mean of all workers' models.",
                .fallback = "worker"},
               learner.evaluate);
}

void describe(Fields& fields, Learner& learner) {
  fields.choice({.name = "kind", .doc = "Where gradients and accuracy come from.", .fallback = "none"},
                learner.kind);
  fields.when(LearnerKind::live, learner.kind, [&](Fields& inner) { describe_live(inner, learner); });
  for (const LearnerKind kind : {LearnerKind::replay, LearnerKind::parametric}) {
    fields.when(kind, learner.kind, [&](Fields& inner) {
      inner.field({.name = "file",
                   .doc = kind == LearnerKind::replay
                              ? "The record: a path, as `learner.record` and `--out` write it."
                              : "The fitted law: a file of scenarios/learners, or a path.",
                   .example = kind == LearnerKind::replay ? "runs/record.csv" : "resnet18_cifar10"},
                  learner.file);
    });
  }
  for (const LearnerKind kind : {LearnerKind::live, LearnerKind::replay, LearnerKind::parametric}) {
    fields.when(kind, learner.kind, [&](Fields& inner) {
      inner.field(
          {.name = "error_feedback",
           .doc = "Whether what compression leaves out is added to the next gradient, in methods meant "
                  "for it.",
           .fallback = "true"},
          learner.error_feedback);
      inner.field({.name = "evaluate_every",
                   .doc = "Steps between two tests of the model.",
                   .fallback = "20",
                   .bounds = between(1, 1e12)},
                  learner.evaluate_every);
      inner.field({.name = "target",
                   .doc = "Accuracy on the test set that is to be reached.",
                   .bounds = above_up_to(0, 1),
                   .example = "94 %",
                   .share = true},
                  learner.target);
    });
  }
}

}  // namespace sim::scenario
