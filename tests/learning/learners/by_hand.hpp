// A tiny data set, and a learner's parts, to be driven by hand: for tests of the live learner.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/learners/live_learner.hpp"
#include "learning/models/catalogue.hpp"

namespace learning::learners::testing {

using Vector = std::vector<float>;

/// Two workers with the same batch.
inline const std::vector<Share> equal{{0, 4}, {1, 4}};

/// Equal but for single precision.
inline auto near(const Vector& expected) {
  return ::testing::Pointwise(::testing::FloatNear(1e-5F), expected);
}

/// 40 training and 10 test samples of 3 features in 2 classes, which no straight line parts.
inline std::shared_ptr<const datasets::Dataset> points() {
  const auto samples = [](std::size_t count, float phase) {
    Vector values;
    std::vector<std::uint16_t> labels;
    for (std::size_t i = 0; i < count; ++i) {
      const float turn = phase + static_cast<float>(i);
      values.insert(values.end(), {std::sin(turn), std::cos(2 * turn), std::sin(3 * turn)});
      labels.push_back(std::sin(turn) + 0.3F * std::cos(5 * turn) > 0 ? 1 : 0);
    }
    return datasets::Samples(3, std::move(values), std::move(labels));
  };
  return std::make_shared<const datasets::Dataset>(datasets::Dataset{.name = "points",
                                                                     .provenance = "made by hand",
                                                                     .kind = datasets::SampleKind::vector,
                                                                     .shape = {1, 1, 3},
                                                                     .classes = 2,
                                                                     .train = samples(40, 0),
                                                                     .test = samples(10, 0.5F),
                                                                     .sample_bytes = 13});
}

/// SGD without weight decay.
inline models::OptimizerChoice sgd(double momentum) {
  return models::optimizer("sgd", models::Sgd{.momentum = momentum});
}

/// Softmax regression, plain SGD at 0.5.
inline LiveTraining training_for(std::uint32_t workers) {
  LiveTraining training;
  training.dataset = points();
  training.model = models::make("softmax", {datasets::SampleKind::vector, {1, 1, 3}, 2}).value();
  training.stated.optimizer = {sgd(0), 0.5};
  training.job.workers = workers;
  training.job.seed = 3;
  return training;
}

/// The parts of a learner, to be driven by hand.
class ByHand {
 public:
  explicit ByHand(const LiveTraining& training) : training_(training) {
    const auto shards = std::make_shared<const datasets::Shards>(
        datasets::partition(training.dataset->train, training.stated.shards,
                            {training.job.workers, training.job.seed})
            .value());
    for (std::uint32_t worker = 0; worker < training.job.workers; ++worker)
      samplers_.emplace_back(shards, worker, training.job.seed);
  }

  std::vector<std::uint32_t> draw(std::uint32_t worker, int count) {
    std::vector<std::uint32_t> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back(samplers_[worker].next());
    return numbers;
  }

  /// The gradient of the mean loss over these samples.
  [[nodiscard]] std::pair<Vector, models::Score> gradient(const Vector& at,
                                                          const std::vector<std::uint32_t>& numbers) const {
    datasets::Batch batch;
    batch.features = 3;
    for (const std::uint32_t number : numbers) training_.dataset->train.append_to(batch, number);
    Vector gradient(at.size()), state(training_.model->state_count());
    const auto workspace = training_.model->workspace();
    const models::Score score = training_.model->gradient(at, state, batch, *workspace, gradient);
    return {gradient, score};
  }

  [[nodiscard]] double test_loss(const Vector& at) const {
    datasets::Batch batch;
    batch.features = 3;
    for (std::size_t i = 0; i < training_.dataset->test.count(); ++i)
      training_.dataset->test.append_to(batch, i);
    const auto workspace = training_.model->workspace();
    return training_.model->evaluate(at, {}, batch, *workspace).loss_sum / 10;
  }

 private:
  LiveTraining training_;
  std::vector<datasets::Sampler> samplers_;
};

inline Vector moved(Vector from, const Vector& gradient, float rate) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= rate * gradient[i];
  return from;
}

inline double squared_norm(const Vector& vector) {
  double sum = 0;
  for (const float value : vector) sum += static_cast<double>(value) * value;
  return sum;
}

inline std::unique_ptr<LiveLearner> made(const LiveTraining& training) {
  auto learner = LiveLearner::make(training);
  EXPECT_TRUE(learner.has_value()) << learner.error().text();
  return std::move(*learner);
}

inline Vector parameters(const LiveLearner& learner, std::uint32_t worker = 0) {
  const auto values = learner.parameters(worker);
  return {values.begin(), values.end()};
}

inline Updated step(Learner& learner, const std::vector<Share>& shares, const Update& update = {}) {
  learner.compute(shares);
  return learner.update(update);
}

}  // namespace learning::learners::testing
