// Trainings of a small network on the shipped digits, and what is measured of them: for tests of phenomena.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learning/datasets/catalogue.hpp"
#include "learning/learners/live_learner.hpp"
#include "learning/models/catalogue.hpp"
#include "policies/local_steps.hpp"
#include "policies/synchronisation_policy.hpp"
#include "tests/source_tree.hpp"

namespace learning::learners::testing {

/// Read once for all trainings of a test.
inline std::shared_ptr<const datasets::Dataset> optdigits() {
  static const auto dataset = datasets::load({}, tests::source_dir() + "/scenarios").value();
  return dataset;
}

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

/// Seeds whose mean is compared; one where the sanitizers make every training much longer.
inline constexpr int seeds = sanitized ? 1 : 3;

/// Eight workers, 16 samples each, 400 steps of SGD with momentum 0.9 at a rate of 0.05, tested every 20: the
/// base case of every comparison.
struct Case {
  std::shared_ptr<const datasets::Dataset> dataset = optdigits();
  std::string model = "mlp_128";
  models::OptimizerSettings optimizer = {};
  datasets::PartitionChoice shards = {};
  std::optional<datasets::Injection::Settings> injection = {};
  std::vector<int> batches = std::vector<int>(8, 16);
  int steps = 400;
  int evaluate_every = 20;
  double target = 94;           ///< accuracy, percent
  bool stop_at_target = false;  ///< the training ends there
  Update update = {};
  bool evaluate_average = false;
  std::function<std::unique_ptr<policies::SynchronisationPolicy>()> policy = [] {
    return std::make_unique<policies::EveryStep>();
  };
};

/// The result of a training.
struct Outcome {
  double tail = 0;             ///< accuracy, mean of the last five tests, percent
  double reached = 0;          ///< share of the trainings that reached the target
  double steps_to_target = 0;  ///< step of the first test that reached it; the case's steps where none did
  double local_share = 0;      ///< steps without an exchange
  double early_noise = 0;      ///< noise scale in samples: mean over the first tenth of the steps
  double late_noise = 0;       ///< mean over the last tenth
};

inline std::unique_ptr<LiveLearner> learner_of(const Case& stated, std::uint64_t seed) {
  LiveTraining training;
  training.dataset = stated.dataset;
  training.model =
      models::make(stated.model, {stated.dataset->kind, stated.dataset->shape, stated.dataset->classes})
          .value();
  training.stated.optimizer = stated.optimizer;
  training.stated.shards = stated.shards;
  training.stated.injection = stated.injection;
  training.stated.evaluate = stated.evaluate_average ? EvaluatedModel::average : EvaluatedModel::worker;
  training.job.workers = static_cast<std::uint32_t>(stated.batches.size());
  training.job.seed = seed;
  return LiveLearner::make(training).value();
}

inline std::vector<Share> shares_of(const Case& stated) {
  std::vector<Share> shares;
  for (std::uint32_t worker = 0; worker < stated.batches.size(); ++worker)
    shares.push_back({worker, stated.batches[worker]});
  return shares;
}

inline Exchange exchange_of(policies::Synchronisation decision) {
  if (decision == policies::Synchronisation::stay_local) return Exchange::nothing;
  const bool gradients = decision == policies::Synchronisation::average_gradients;
  return gradients ? Exchange::gradients : Exchange::parameters;
}

/// A learner in training, under the policy of its case.
class Training {
 public:
  Training(const Case& stated, std::uint64_t seed)
      : case_(stated), learner_(learner_of(stated, seed)), policy_(stated.policy()) {
    shares_ = shares_of(stated);
    for (const Share& share : shares_) workers_.push_back(share.worker);
  }

  /// The outcome of all steps, or of those up to the target.
  Outcome run() {
    Outcome outcome;
    outcome.steps_to_target = case_.steps;
    for (int step = 0; step < case_.steps; ++step) {
      note(take(step), step, outcome);
      if ((step + 1) % case_.evaluate_every != 0) continue;
      accuracies_.push_back(100 * learner_->evaluate()->accuracy);
      if (outcome.reached == 1 || accuracies_.back() < case_.target) continue;
      outcome.reached = 1;
      outcome.steps_to_target = step + 1;
      if (case_.stop_at_target) break;
    }
    const auto counted = std::min<std::ptrdiff_t>(5, std::ssize(accuracies_));
    outcome.tail =
        std::accumulate(accuracies_.end() - counted, accuracies_.end(), 0.0) / static_cast<double>(counted);
    return outcome;
  }

 private:
  std::pair<Exchange, Updated> take(int step) {
    const Gradients gradients = learner_->compute(shares_);
    Update update = case_.update;
    update.exchange = exchange_of(policy_->decide({step, workers_, gradients.squared_norms, gradients.loss}));
    return {update.exchange, learner_->update(update)};
  }

  void note(const std::pair<Exchange, Updated>& taken, int step, Outcome& outcome) const {
    const double tenth = case_.steps / 10.0;
    if (taken.first == Exchange::nothing) outcome.local_share += 1.0 / case_.steps;
    const double noise = taken.second.noise_scale.value_or(0);
    if (step < tenth) outcome.early_noise += noise / tenth;
    if (step >= case_.steps - tenth) outcome.late_noise += noise / tenth;
  }

  Case case_;
  std::unique_ptr<LiveLearner> learner_;
  std::unique_ptr<policies::SynchronisationPolicy> policy_;
  std::vector<Share> shares_;
  std::vector<std::uint32_t> workers_;
  std::vector<double> accuracies_;
};

/// The mean outcome of the seeds from 1.
inline Outcome mean_of_seeds(const Case& stated, int count = seeds) {
  Outcome mean;
  int reached = 0;
  for (int seed = 1; seed <= count; ++seed) {
    const Outcome outcome = Training(stated, static_cast<std::uint64_t>(seed)).run();
    mean.tail += outcome.tail / count;
    reached += outcome.reached == 1 ? 1 : 0;
    mean.steps_to_target += outcome.steps_to_target / count;
    mean.local_share += outcome.local_share / count;
    mean.early_noise += outcome.early_noise / count;
    mean.late_noise += outcome.late_noise / count;
  }
  mean.reached = static_cast<double>(reached) / count;
  return mean;
}

}  // namespace learning::learners::testing
