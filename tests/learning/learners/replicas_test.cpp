// Replicas by hand: which memory is shared, and the parameters of each worker.
#include "learning/learners/replicas.hpp"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/models/catalogue.hpp"
#include "tests/learning/learners/three_workers.hpp"

namespace learning::learners {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;
using testing::three_workers;
using testing::values;
using Vector = std::vector<float>;

const std::vector<Share> both{{0, 1}, {1, 1}};
const std::vector<Share> all{{0, 1}, {1, 1}, {2, 1}};

/// Three workers with batch norm's running statistics.
Replicas with_state() {
  const auto model = models::make("mlp_4_bn", {datasets::SampleKind::vector, {1, 1, 2}, 2}).value();
  return {3, *model, models::Optimizer(models::optimizer("sgd", models::Sgd{.momentum = 0})), 5};
}

const Vector ones(6, 1.0F);

Vector less(Vector vector, float amount) {
  for (float& value : vector) value -= amount;
  return vector;
}

bool shared(const Replicas& replicas, std::uint32_t one, std::uint32_t other) {
  return replicas.parameters(one).data() == replicas.parameters(other).data();
}

auto within_a_millionth(const Vector& expected) { return Pointwise(FloatNear(1e-6F), expected); }

TEST(Replicas, EqualReplicasAreOneInMemory) {
  const Replicas replicas = three_workers();
  EXPECT_EQ(replicas.workers(), 3);
  EXPECT_EQ(replicas.parameters(0).size(), 6);
  EXPECT_TRUE(shared(replicas, 0, 1));
  EXPECT_TRUE(shared(replicas, 0, 2));
}

TEST(Replicas, TheSeedAloneDecidesTheStart) {
  EXPECT_EQ(values(three_workers(), 0), values(three_workers(), 2));
  const auto model = models::make("softmax", {datasets::SampleKind::vector, {1, 1, 2}, 2}).value();
  const Replicas other(3, *model, models::Optimizer(models::optimizer("sgd", models::Sgd{.momentum = 0})), 6);
  EXPECT_NE(values(three_workers(), 0), values(other, 0));
}

TEST(Replicas, AStepTogetherKeepsThemOneInTheSamePlace) {
  Replicas replicas = three_workers();
  const Vector start = values(replicas, 0);
  const float* const place = replicas.parameters(0).data();
  replicas.step_together(all, ones, 0.5);
  EXPECT_THAT(values(replicas, 2), within_a_millionth(less(start, 0.5F)));
  EXPECT_EQ(replicas.parameters(0).data(), place);
  EXPECT_TRUE(shared(replicas, 0, 1));
  EXPECT_TRUE(shared(replicas, 0, 2));
}

TEST(Replicas, AStepOfSomePartsThemFromTheOthersTogether) {
  Replicas replicas = three_workers();
  const Vector start = values(replicas, 0);
  replicas.step_together(both, ones, 0.5);
  EXPECT_THAT(values(replicas, 0), within_a_millionth(less(start, 0.5F)));
  EXPECT_EQ(values(replicas, 2), start);
  EXPECT_TRUE(shared(replicas, 0, 1));
  EXPECT_FALSE(shared(replicas, 0, 2));
}

TEST(Replicas, AStepAlonePartsOne) {
  Replicas replicas = three_workers();
  const Vector start = values(replicas, 0);
  replicas.step_alone(1, ones, 0.5);
  EXPECT_THAT(values(replicas, 1), within_a_millionth(less(start, 0.5F)));
  EXPECT_EQ(values(replicas, 0), start);
  EXPECT_FALSE(shared(replicas, 0, 1));
  EXPECT_TRUE(shared(replicas, 0, 2));
}

TEST(Replicas, PartedReplicasTakeAStepTogetherOnceEach) {
  Replicas replicas = three_workers();
  const Vector start = values(replicas, 0);
  replicas.step_alone(1, ones, 0.5);
  replicas.step_together(all, ones, 0.25);
  EXPECT_THAT(values(replicas, 0), within_a_millionth(less(start, 0.25F)));
  EXPECT_THAT(values(replicas, 1), within_a_millionth(less(start, 0.75F)));
  EXPECT_THAT(values(replicas, 2), within_a_millionth(less(start, 0.25F)));
  EXPECT_TRUE(shared(replicas, 0, 2));
}

TEST(Replicas, ACheckpointIsNotChangedByTheOriginal) {
  Replicas replicas = three_workers();
  const Vector start = values(replicas, 0);
  const Replicas together = replicas;
  EXPECT_EQ(together.parameters(0).data(), replicas.parameters(0).data());
  replicas.step_together(all, ones, 0.5);
  EXPECT_EQ(values(together, 0), start);
  EXPECT_EQ(values(together, 2), start);
  const Replicas alone = replicas;
  replicas.step_alone(1, ones, 0.5);
  EXPECT_THAT(values(alone, 1), within_a_millionth(less(start, 0.5F)));
  EXPECT_THAT(values(replicas, 1), within_a_millionth(less(start, 1)));
}

TEST(Replicas, TheOriginalIsNotChangedByACheckpoint) {
  const Replicas replicas = three_workers(0.9);
  const Vector start = values(replicas, 0);
  Replicas copy = replicas;
  copy.step_together(all, ones, 0.5);
  copy.set(0, Vector(6));
  EXPECT_EQ(values(replicas, 0), start);
  EXPECT_TRUE(shared(replicas, 0, 1));
}

TEST(Replicas, AverageWeighsParametersAndLeavesMomentumToEach) {
  Replicas replicas = three_workers(0.5);
  const Vector start = values(replicas, 0);
  replicas.step_alone(0, ones, 1);
  const Vector shares_of_worker_1(6, 2.0F);
  replicas.step_alone(1, shares_of_worker_1, 1);
  replicas.average(both, std::vector<double>{0.25, 0.75});
  EXPECT_THAT(values(replicas, 0), within_a_millionth(less(start, 1.75F)));
  EXPECT_THAT(values(replicas, 1), within_a_millionth(less(start, 1.75F)));
  EXPECT_EQ(values(replicas, 2), start);
  const Vector zeros(6);
  replicas.step_together(both, zeros, 1);  // half of each velocity, 1 and 2
  EXPECT_THAT(values(replicas, 0), within_a_millionth(less(start, 2.25F)));
  EXPECT_THAT(values(replicas, 1), within_a_millionth(less(start, 2.75F)));
}

TEST(Replicas, SettingParametersKeepsTheOptimizer) {
  Replicas replicas = three_workers(0.5);
  replicas.step_alone(0, ones, 1);
  replicas.set(0, Vector(6, 8.0F));
  replicas.step_alone(0, Vector(6), 1);
  EXPECT_THAT(values(replicas, 0), within_a_millionth(Vector(6, 7.5F)));
}

TEST(Replicas, TheMeanIsThatOfAllWorkers) {
  Replicas replicas = with_state();
  const Vector start = values(replicas, 0);
  replicas.step_alone(1, Vector(start.size(), 1.0F), 3);
  std::ranges::fill(replicas.state(0), 1.0F);
  std::ranges::fill(replicas.state(1), 2.0F);
  std::ranges::fill(replicas.state(2), 6.0F);
  Vector parameters, state;
  replicas.mean(all, parameters, state);
  EXPECT_THAT(parameters, within_a_millionth(less(start, 1)));
  EXPECT_THAT(state, within_a_millionth(Vector(8, 3.0F)));  // mean and variance of 4 values
}

TEST(Replicas, RunningStatisticsAreAWorkersOwn) {
  Replicas replicas = with_state();
  const Vector start(replicas.state(0).begin(), replicas.state(0).end());
  Replicas copy = replicas;
  std::ranges::fill(replicas.state(1), 2.0F);
  EXPECT_TRUE(std::ranges::equal(replicas.state(0), start));
  EXPECT_TRUE(std::ranges::equal(copy.state(1), start));
  EXPECT_TRUE(shared(replicas, 0, 1));
}

}  // namespace
}  // namespace learning::learners
