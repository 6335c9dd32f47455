// Every key under `learner`.
#pragma once

#include "sim/scenario/field.hpp"
#include "sim/scenario/learner.hpp"

namespace sim::scenario {

template <>
inline constexpr auto names_of<DatasetKind> = std::to_array<Named<DatasetKind>>({
    {"optdigits", DatasetKind::optdigits},
    {"mnist", DatasetKind::mnist},
    {"fashion_mnist", DatasetKind::fashion_mnist},
    {"cifar10", DatasetKind::cifar10},
    {"csv", DatasetKind::csv},
    {"text", DatasetKind::text},
});

template <>
inline constexpr auto names_of<LabelColumn> =
    std::to_array<Named<LabelColumn>>({{"last", LabelColumn::last}, {"first", LabelColumn::first}});

template <>
inline constexpr auto names_of<OptimizerMethod> =
    std::to_array<Named<OptimizerMethod>>({{"sgd", OptimizerMethod::sgd}, {"adam", OptimizerMethod::adam}});

template <>
inline constexpr auto names_of<ShardRule> = std::to_array<Named<ShardRule>>({
    {"contiguous", ShardRule::contiguous},
    {"circular", ShardRule::circular},
    {"label_skew", ShardRule::label_skew},
    {"dirichlet", ShardRule::dirichlet},
});

template <>
inline constexpr auto names_of<EvaluatedModel> = std::to_array<Named<EvaluatedModel>>(
    {{"worker", EvaluatedModel::worker}, {"average", EvaluatedModel::average}});

template <>
inline constexpr auto names_of<LearnerKind> = std::to_array<Named<LearnerKind>>({
    {"none", LearnerKind::none},
    {"live", LearnerKind::live},
    {"replay", LearnerKind::replay},
    {"parametric", LearnerKind::parametric},
});

template <>
inline constexpr std::string_view choice_key<DatasetSource> = "name";
template <>
inline constexpr std::string_view choice_key<Optimizer> = "method";
template <>
inline constexpr std::string_view choice_key<Sharding> = "rule";
template <>
inline constexpr std::string_view choice_key<Learner> = "kind";

template <class V>
void describe(V& v, DatasetSource& source) {
  v.choice({.name = "name", .doc = "A row of `sim list datasets`.", .fallback = "optdigits"}, source.kind);
  const auto path = [&](auto& inner, std::string_view doc, std::string_view example) {
    inner.field({.name = "path", .doc = doc, .example = example}, source.path);
  };
  for (const DatasetKind kind : {DatasetKind::mnist, DatasetKind::fashion_mnist, DatasetKind::cifar10}) {
    v.when(kind, source.kind,
           [&](auto& inner) { path(inner, "Folder of its files.", "data/fashion-mnist"); });
  }
  v.when(DatasetKind::csv, source.kind, [&](auto& inner) {
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
  v.when(DatasetKind::text, source.kind, [&](auto& inner) {
    path(inner, "Plain text.", "data/input.txt");
    inner.field({.name = "window",
                 .doc = "Characters from which the next one is to be told.",
                 .fallback = "32",
                 .bounds = between(1, 4096)},
                source.window);
  });
}

template <class V>
void describe(V& v, Optimizer& optimizer) {
  v.choice({.name = "method", .doc = "How a gradient changes the parameters.", .fallback = "sgd"},
           optimizer.method);
  v.field({.name = "learning_rate", .doc = "Of a step.", .fallback = "0.05", .bounds = above_up_to(0, 1000)},
          optimizer.learning_rate);
  v.when(OptimizerMethod::sgd, optimizer.method, [&](auto& inner) {
    inner.field({.name = "momentum",
                 .doc = "Share of the last change that goes on.",
                 .fallback = "0.9",
                 .bounds = from_to_below(0, 1)},
                optimizer.momentum);
    inner.field({.name = "nesterov", .doc = "Whether momentum looks ahead.", .fallback = "false"},
                optimizer.nesterov);
  });
  v.field({.name = "weight_decay",
           .doc = "Share of each parameter that is added to its gradient.",
           .fallback = "0",
           .bounds = between(0, 10)},
          optimizer.weight_decay);
}

template <class V>
void describe(V& v, RateChange& change) {
  v.field({.name = "at", .doc = "Step or epoch.", .example = "epoch 15"}, change.at);
  v.field({.name = "factor",
           .doc = "What the learning rate is multiplied by from there on.",
           .bounds = above_up_to(0, 1000),
           .example = "0.1"},
          change.factor);
}

template <class V>
void describe(V& v, RateSchedule& rate) {
  v.field({.name = "warmup_epochs",
           .doc = "Epochs over which the learning rate rises linearly from 0.",
           .fallback = "0",
           .bounds = between(0, 1e6)},
          rate.warmup_epochs);
  v.field({.name = "changes", .doc = "Points at which the learning rate changes."}, rate.changes);
  v.field({.name = "reference_batch",
           .doc = "Samples of all workers in a step for which the learning rate is meant; it is scaled "
                  "linearly to those that there are.",
           .bounds = between(1, 1e9),
           .example = "256"},
          rate.reference_batch);
}

template <class V>
void describe(V& v, Sharding& shards) {
  v.choice({.name = "rule", .doc = "How training samples are dealt to workers.", .fallback = "contiguous"},
           shards.rule);
  v.when(ShardRule::label_skew, shards.rule, [&](auto& inner) {
    inner.field({.name = "labels_per_worker",
                 .doc = "Labels that each worker knows.",
                 .bounds = between(1, 65535),
                 .example = "1"},
                shards.labels_per_worker);
  });
  v.when(ShardRule::dirichlet, shards.rule, [&](auto& inner) {
    inner.field({.name = "concentration",
                 .doc = "Alpha of the Dirichlet law; the smaller, the more the workers differ.",
                 .bounds = above_up_to(0, 1e6),
                 .example = "0.5"},
                shards.concentration);
  });
}

template <class V>
void describe(V& v, Injection& injection) {
  v.field({.name = "workers",
           .doc = "Share of the workers that give samples to all others in a step (alpha).",
           .bounds = above_up_to(0, 1),
           .example = "0.5",
           .share = true},
          injection.workers);
  v.field({.name = "batch",
           .doc = "Share of its batch that each of them gives (beta).",
           .bounds = above_up_to(0, 1),
           .example = "0.5",
           .share = true},
          injection.batch);
  v.field({.name = "corrected",
           .doc = "Whether own batches shrink so that batches stay as large as stated.",
           .fallback = "true"},
          injection.corrected);
  v.field({.name = "sample_size",
           .doc = "Of a sample on the network; without it, as the data set stores it.",
           .example = "110 kB"},
          injection.sample_size);
}

template <class V>
void describe(V& v, Recording& record) {
  v.field({.name = "every",
           .doc = "Steps from one recorded step to the next.",
           .fallback = "20",
           .bounds = between(1, 1e9)},
          record.every);
  v.field({.name = "method", .doc = "Compression whose gains are recorded.", .fallback = "topk"},
          record.method);
  v.field({.name = "ratios",
           .doc = "Compression ratios whose gains are recorded, with and without error feedback.",
           .bounds = {.least = 0, .most = 1, .open_below = true, .open_above = true},
           .example = "[10 %, 1 %, 0.1 %]",
           .share = true},
          record.ratios);
}

template <class V>
void describe_live(V& v, Learner& learner) {
  v.field({.name = "model", .doc = "A row of `sim list models`.", .fallback = "mlp_128"}, learner.model);
  v.field({.name = "dataset", .doc = "What it learns.", .fallback = "optdigits"}, learner.dataset);
  v.field({.name = "optimizer", .doc = "How it learns."}, learner.optimizer);
  v.field({.name = "rate", .doc = "How the learning rate changes."}, learner.rate);
  v.field({.name = "shards", .doc = "Which samples each worker has.", .fallback = "contiguous"},
          learner.shards);
  v.field({.name = "injection", .doc = "Samples that workers share."}, learner.injection);
  v.field({.name = "record", .doc = "Statistics that `sim run --out` writes down, for `kind: replay`."},
          learner.record);
  v.field({.name = "test_samples",
           .doc = "Samples of the test set that are tested, evenly spread over it; without it, all.",
           .bounds = between(1, 1e12),
           .example = "2000"},
          learner.test_samples);
  v.field({.name = "evaluate",
           .doc = "Whose model is tested: that of the first worker, or the mean of all workers' models.",
           .fallback = "worker"},
          learner.evaluate);
}

template <class V>
void describe(V& v, Learner& learner) {
  v.choice({.name = "kind", .doc = "Where gradients and accuracy come from.", .fallback = "none"},
           learner.kind);
  v.when(LearnerKind::live, learner.kind, [&](auto& inner) { describe_live(inner, learner); });
  for (const LearnerKind kind : {LearnerKind::replay, LearnerKind::parametric}) {
    v.when(kind, learner.kind, [&](auto& inner) {
      inner.field({.name = "file",
                   .doc = kind == LearnerKind::replay
                              ? "The record: a path, as `learner.record` and `--out` write it."
                              : "The fitted law: a file of scenarios/learners, or a path.",
                   .example = kind == LearnerKind::replay ? "runs/record.csv" : "resnet18_cifar10"},
                  learner.file);
    });
  }
  for (const LearnerKind kind : {LearnerKind::live, LearnerKind::replay, LearnerKind::parametric}) {
    v.when(kind, learner.kind, [&](auto& inner) {
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
