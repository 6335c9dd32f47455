// Where accuracy comes from, and when workers synchronise, as a scenario states it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "settings/moment.hpp"

namespace sim::scenario {

using settings::Moment;

enum class DatasetKind { optdigits, mnist, fashion_mnist, cifar10, csv, text };
enum class LabelColumn { last, first };

/// Which samples.
struct DatasetSource {
  DatasetKind kind = DatasetKind::optdigits;
  std::string path;                       ///< of a file or folder; empty for what is shipped
  std::optional<std::string> test_path;   ///< csv
  int window = 32;                        ///< text: characters that a sample holds
  LabelColumn label = LabelColumn::last;  ///< csv
  double test_share = 0.2;                ///< csv: of the samples, held out

  bool operator==(const DatasetSource&) const = default;
};

enum class OptimizerMethod { sgd, adam };

struct Optimizer {
  OptimizerMethod method = OptimizerMethod::sgd;
  double learning_rate = 0.05;
  double momentum = 0.9;
  bool nesterov = false;
  double weight_decay = 0;

  bool operator==(const Optimizer&) const = default;
};

/// From a step or an epoch on, the learning rate is multiplied.
struct RateChange {
  Moment at;
  double factor = 1;

  bool operator==(const RateChange&) const = default;
};

struct RateSchedule {
  double warmup_epochs = 0;  ///< from 0 up to the learning rate
  std::vector<RateChange> changes;
  std::optional<int>
      reference_batch;  ///< the rate is meant for so many samples of all workers; scaled linearly

  bool operator==(const RateSchedule&) const = default;
};

enum class ShardRule { contiguous, circular, label_skew, dirichlet };

/// How training samples are dealt to workers.
struct Sharding {
  ShardRule rule = ShardRule::contiguous;
  int labels_per_worker = 1;   ///< label_skew
  double concentration = 0.5;  ///< dirichlet: alpha

  bool operator==(const Sharding&) const = default;
};

/// Some workers share some of their batch with all others.
struct Injection {
  double workers = 0.5;   ///< alpha, share of them that give
  double batch = 0.5;     ///< beta, share of its batch that each gives
  bool corrected = true;  ///< own batches shrink so that batches stay as large as stated
  std::optional<netmodels::Bytes> sample_size;  ///< on the network; set once a scenario is read

  bool operator==(const Injection&) const = default;
};

/// Statistics that are kept for a replay.
struct Recording {
  std::int64_t every = 20;  ///< steps
  std::string method = "topk";
  std::vector<double> ratios;

  bool operator==(const Recording&) const = default;
};

enum class EvaluatedModel { worker, average };
enum class LearnerKind { none, live, replay, parametric };

struct Learner {
  LearnerKind kind = LearnerKind::none;
  std::string model = "mlp_128";
  DatasetSource dataset;
  Optimizer optimizer;
  RateSchedule rate;
  Sharding shards;
  std::optional<Injection> injection;
  bool error_feedback = true;
  std::optional<Recording> record;
  EvaluatedModel evaluate = EvaluatedModel::worker;
  std::int64_t evaluate_every = 20;          ///< steps
  std::optional<std::int64_t> test_samples;  ///< live: of the test set, evenly spread; nothing: all
  std::optional<double> target;              ///< accuracy in (0, 1]
  std::string file;                          ///< replay, parametric: what was recorded or fitted

  bool operator==(const Learner&) const = default;
};

}  // namespace sim::scenario
