// A learner that really trains: real samples, real gradients, really compressed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learning/datasets/batch.hpp"
#include "learning/datasets/catalogue.hpp"
#include "learning/datasets/dataset.hpp"
#include "learning/datasets/injection.hpp"
#include "learning/datasets/partitions.hpp"
#include "learning/datasets/sampler.hpp"
#include "learning/learners/gradient_exchange.hpp"
#include "learning/learners/learner.hpp"
#include "learning/learners/learner_row.hpp"
#include "learning/learners/merged_model.hpp"
#include "learning/learners/noise_scale.hpp"
#include "learning/learners/recorder.hpp"
#include "learning/learners/replicas.hpp"
#include "learning/learners/sharded_exchange.hpp"
#include "learning/models/learning_rate.hpp"
#include "learning/models/model.hpp"
#include "learning/models/optimizer.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace learning::learners {

// The model, data and optimizer of a live learner, as a scenario states them.

/// Model that is tested.
enum class EvaluatedModel : std::uint8_t {
  method,   ///< the model that the method trains: a server's model (one that it merges, too), an elastic
            ///< centre, the outer model after its first step, else the mean of the models of all workers that
            ///< took the last step
  worker,   ///< the model of the first worker that took it
  average,  ///< the mean of the models of all workers that took it
};

constexpr auto names_of(EvaluatedModel) {
  return std::to_array<settings::Named<EvaluatedModel>>(
      {{"method", EvaluatedModel::method},
       {"worker", EvaluatedModel::worker, {.needs = {settings::Capability::worker_model}}},
       {"average", EvaluatedModel::average, {.needs = {settings::Capability::mean_model}}}});
}

/// The keys of `kind: live`.
struct LiveSettings {
  std::string model = "mlp_128";  ///< a row of the models, or `mlp_A_B_...`
  datasets::DatasetChoice dataset = {};
  models::OptimizerSettings optimizer = {};
  models::RateSchedule rate = {};
  datasets::PartitionChoice shards = {};
  std::optional<datasets::Injection::Settings> injection = {};
  std::optional<Recording> record = {};           ///< bulk-synchronous training with batches of one size only
  std::optional<std::int64_t> test_samples = {};  ///< at least 1: this number is tested, evenly spread over
                                                  ///< the test set; nothing: all
  EvaluatedModel evaluate = EvaluatedModel::method;

  /// Samples of an epoch, where they are known without reading the data set.
  [[nodiscard]] std::optional<std::int64_t> known_samples() const { return dataset->known.samples; }
  [[nodiscard]] const datasets::Injection::Settings* injected() const {
    return injection ? &*injection : nullptr;
  }
  /// A shared sample on the network, where it is stated or known without reading the data set.
  [[nodiscard]] std::optional<netmodels::Bytes> shared_sample() const {
    return injection && injection->sample_size ? injection->sample_size : dataset->known.sample;
  }
  [[nodiscard]] bool records() const { return record.has_value(); }

  [[nodiscard]] const models::RateSchedule& rate_schedule() const { return rate; }
  [[nodiscard]] const models::OptimizerSettings& stated_optimizer() const { return optimizer; }

  bool operator==(const LiveSettings&) const = default;
};

void describe(settings::Fields& fields, LiveSettings& settings);

/// A live learner's settings with what they name.
struct LiveTraining {
  LiveSettings stated;
  std::shared_ptr<const datasets::Dataset> dataset;  ///< `stated.dataset`
  std::shared_ptr<const models::Model> model;        ///< `stated.model`, for samples of this data set
  LearnerJob job;
};

/// Trains replicas of a small model. A worker's batches are the next samples of its shard; local steps change
/// its own replica; batch norm's running statistics are its own, too. Everything random is a function of the
/// seed, so that a run can be repeated bit by bit on the same machine and build.
///
/// The noise scale is known where gradients are exchanged uncompressed and nothing kept from earlier steps
/// goes along. The server of `pull` and `push` has its own optimizer; its learning rate counts as a
/// step what makes one push per worker, and as its batch the samples of every worker's last push (a worker
/// that has not pushed yet is counted like the one that does). Where workers are tied elastically, their
/// centre is tested. Gradients of a step's workers and pieces of a test are computed in `job.threads`
/// threads, where a step takes long enough, and added up in the same order as by one. Leaves out: several
/// processes; precision other than 32 bits; batch norm's statistics in an exchange.
class LiveLearner final : public Learner {
 public:
  /// @returns the learner, or an Error where samples cannot be partitioned as stated
  static netmodels::Result<std::unique_ptr<LiveLearner>> make(const LiveTraining& training);

  [[nodiscard]] netmodels::Result<void> check(const Compression& compression) const override {
    return GradientExchange::check(compression);
  }
  [[nodiscard]] std::string label() const override;
  Gradients compute(std::span<const Share> shares) override;
  [[nodiscard]] std::vector<double> squared_drifts() const override;
  [[nodiscard]] std::optional<double> gain(const Compression& compression) const override;
  Updated update(const Update& update) override;
  std::optional<Evaluation> evaluate() override;
  void join(std::uint32_t worker, std::optional<std::uint32_t> source = {}) override;
  void wake(std::uint32_t worker) override;
  [[nodiscard]] std::unique_ptr<Learner> copy() const override;

  [[nodiscard]] const Record* record() const override;

  [[nodiscard]] bool asynchronous() const override { return true; }
  void pull(std::uint32_t worker) override;
  void push(std::uint32_t worker, const Compression& compression, double share) override;
  void step_alone(std::uint32_t worker) override;
  void offer(std::uint32_t worker, const Fragment& fragment, const Compression& compression) override;
  std::optional<double> merge(const Merge& merge) override;
  void answer(std::uint32_t worker, const Fragment& fragment) override;
  void receive(std::uint32_t worker, const Fragment& fragment, double mixing) override;

  /// One worker's parameters.
  [[nodiscard]] std::span<const float> parameters(std::uint32_t worker) const {
    return replicas_.parameters(worker);
  }

 private:
  /// Whether the mean of the workers' models is tested.
  [[nodiscard]] bool tests_mean() const;
  LiveLearner(const LiveTraining& training, const std::shared_ptr<const datasets::Shards>& shards);
  LiveLearner(const LiveLearner& other);

  /// State of one thread's computation.
  struct Lane {
    std::unique_ptr<models::Workspace> workspace;
    datasets::Batch batch = {};
    std::vector<float> part = {};  ///< gradient of a micro-batch
  };
  /// One for each thread that the job allows.
  [[nodiscard]] std::vector<Lane> make_lanes() const;
  /// How many threads such samples are worth.
  [[nodiscard]] std::size_t lanes_for(std::size_t samples) const;

  void draw_batches();
  /// The gradient of the worker's batch, whose samples are `numbers`, in as many parts as the job says.
  models::Score add_up(std::uint32_t worker, std::span<const std::uint32_t> numbers,
                       std::span<float> gradient, Lane& lane);
  /// The one model that the method trains; nothing where models of workers are tested.
  [[nodiscard]] std::optional<std::span<const float>> method_model() const;
  models::Score test(std::span<const float> parameters, std::span<const float> state);
  /// The gradients of the last `compute` with their weights.
  [[nodiscard]] std::vector<Contribution> contributions(Weights weights) const;
  /// Whether an exchange that is compressed so is one of momenta.
  [[nodiscard]] bool sends_momentum(const Compression& compression) const {
    return compression.compresses() && training_.stated.optimizer.method->sends_momentum();
  }
  /// The workers' momenta in place of their gradients.
  /// @param momenta  holds them
  void replace_by_momenta(std::vector<Contribution>& given, std::vector<std::vector<float>>& momenta) const;
  [[nodiscard]] std::vector<double> weights_of(Weights weights) const;
  /// Samples of the training set: an epoch.
  [[nodiscard]] std::int64_t samples() const;
  /// The learning rate after these steps of all workers.
  /// @param batch  samples of all workers in a step
  [[nodiscard]] double rate(std::int64_t steps, double batch) const;
  /// Learning rate of a step of the last `compute`.
  [[nodiscard]] double rate() const;
  /// Rate at the end of a warm-up that is under way; else that of the step.
  [[nodiscard]] double warmed_up_rate() const;
  [[nodiscard]] double samples_of_step() const;
  Updated step_together(const Update& update);
  void step_alone();
  /// The gradient of one of the workers of the last `compute`.
  [[nodiscard]] const std::vector<float>& gradient_of(std::uint32_t worker) const;
  /// The learning rate of a worker that steps at its own pace: of a step of as many gradients as workers.
  double own_rate(std::uint32_t worker);
  void count_own_step(std::uint32_t worker);
  /// Each worker takes its own gradient, and their parameters may be exchanged.
  Updated step_apart(const Update& update);
  /// @returns the gain of compressed changes
  std::optional<double> meet(const Update& update);

  LiveTraining training_;
  Replicas replicas_;
  std::vector<datasets::Sampler> samplers_;
  GradientExchange exchange_;
  std::optional<ShardedExchange> sharded_;  ///< exchange where sharded steps send other values than they hold
  std::span<const float> gathered_;         ///< parameters that workers compute with; empty: their own
  ParameterExchange meetings_;
  NoiseScale noise_;
  std::vector<Lane> lanes_;
  std::optional<double>
      seconds_per_sample_;  ///< CPU time of the first step; decides what threads are worth, and no result

  std::vector<Share> shares_;  ///< shares of the last `compute`
  Gradients last_;
  std::vector<std::vector<std::uint32_t>> numbers_;  ///< numbers of the samples in each share's batch
  std::vector<std::vector<float>> gradients_;        ///< per share
  std::vector<std::vector<float>> momenta_;          ///< likewise, where they are sent
  std::vector<float> mean_;
  std::int64_t step_ = 0;          ///< updates made, pushes too
  std::int64_t seen_ = 0;          ///< samples in them, of all workers
  std::int64_t exchanges_ = 0;     ///< exchanges of parameters
  bool stepped_together_ = false;  ///< the last update gave all the same gradient

  std::optional<Recorder> recorder_;
  std::optional<Replicas> server_;                  ///< server with one replica; made by the first `pull`
  std::vector<std::optional<int>> pushed_batches_;  ///< samples of each worker's last push, or step alone
  std::optional<MergedModel> merged_;               ///< made by the first step alone
};

}  // namespace learning::learners
