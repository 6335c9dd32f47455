// Meetings of two or three workers by hand.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/learners/gradient_exchange.hpp"
#include "tests/learning/learners/three_workers.hpp"

namespace learning::learners {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;
using testing::three_workers;
using testing::values;
using Vector = std::vector<float>;

const std::vector<Share> one_and_three{{0, 1}, {1, 3}};
const std::vector<double> by_batch{0.25, 0.75};
const std::vector<double> alike{0.5, 0.5};

/// Worker 0 at `first`, worker 1 at `second`, worker 2 at 7.
Replicas at(float first, float second) {
  Replicas replicas = three_workers();
  replicas.set(0, Vector(6, first));
  replicas.set(1, Vector(6, second));
  replicas.set(2, Vector(6, 7));
  return replicas;
}

auto all_near(float value) { return Pointwise(FloatNear(1e-6F), Vector(6, value)); }

const Vector zeros(6, 0.0F);

TEST(Mean, IsWeightedAndOfThoseWhoMeet) {  // 1/4 x 4 + 3/4 x 8
  Replicas replicas = at(4, 8);
  ParameterExchange(zeros).meet(Mean{}, one_and_three, by_batch, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(7));
  EXPECT_THAT(values(replicas, 1), all_near(7));
  EXPECT_THAT(values(replicas, 2), all_near(7));
}

TEST(Mean, OfSomeIsTakenByAll) {  // of workers 0 and 2: 1/3 x 4 + 2/3 x 7
  Replicas replicas = at(4, 8);
  const std::vector<Share> three{{0, 1}, {1, 1}, {2, 2}};
  const std::vector<double> weights{0.25, 0.25, 0.5};
  ParameterExchange(zeros).meet(Mean{.of = {2, 0}}, three, weights, replicas);
  for (std::uint32_t worker = 0; worker < 3; ++worker) EXPECT_THAT(values(replicas, worker), all_near(6));
}

TEST(Mean, HasNoCentre) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange(zeros);
  exchange.meet(Mean{}, one_and_three, alike, replicas);
  EXPECT_FALSE(exchange.elastic_centre().has_value());
}

// Rate 1/4, from a centre at 0: moves of 1 and 2, to 3 and 6, the centre to 3; then moves of 0 and 3/4.
TEST(ElasticMean, DrawsWorkersToTheCentreAndTheCentreToThem) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange(zeros);
  exchange.meet(ElasticMean{0.25}, one_and_three, by_batch, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(3));
  EXPECT_THAT(values(replicas, 1), all_near(6));
  EXPECT_EQ(values(replicas, 2), Vector(6, 7));
  EXPECT_THAT(*exchange.elastic_centre(), all_near(3));
  exchange.meet(ElasticMean{0.25}, one_and_three, by_batch, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(3));
  EXPECT_THAT(values(replicas, 1), all_near(5.25));
  EXPECT_THAT(*exchange.elastic_centre(), all_near(3.75));
}

TEST(ElasticMean, KeepsTheSumOfWorkersAndCentre) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange(Vector(6, 1.0F));
  for (int i = 0; i < 10; ++i) exchange.meet(ElasticMean{0.4}, one_and_three, alike, replicas);
  const float sum =
      replicas.parameters(0).front() + replicas.parameters(1).front() + exchange.elastic_centre()->front();
  EXPECT_NEAR(sum, 13, 1e-5);
}

TEST(OuterStep, OfRateOneWithoutMomentumIsTheMean) {
  Replicas replicas = at(4, 8);
  ParameterExchange(zeros).meet(OuterStep{1, 0}, one_and_three, by_batch, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(7));
}

// Rate 1/2, momentum 1/2, from 0 to a mean of 6: d = -6, v = -6, centre = 1/2 (6 + 3) = 4.5. Workers stay
// there: d = 0, v = -3, centre = 4.5 + 1/2 (0 + 1.5) = 5.25.
TEST(OuterStep, LooksAheadAndGoesOnByItsMomentum) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange(zeros);
  exchange.meet(OuterStep{0.5, 0.5}, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(4.5));
  EXPECT_THAT(values(replicas, 1), all_near(4.5));
  exchange.meet(OuterStep{0.5, 0.5}, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 1), all_near(5.25));
  EXPECT_FALSE(exchange.elastic_centre().has_value());
}

TEST(ParameterExchange, ACopyGoesOnByItself) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange(zeros);
  exchange.meet(ElasticMean{0.25}, one_and_three, alike, replicas);
  ParameterExchange copy = exchange;
  exchange.meet(ElasticMean{0.25}, one_and_three, alike, replicas);
  EXPECT_THAT(*copy.elastic_centre(), all_near(3));
  EXPECT_THAT(*exchange.elastic_centre(), all_near(3.75));
}

TEST(ParameterExchange, AnElasticMeetingAndAnAskedForMeanComeBeforeTheStep) {
  EXPECT_TRUE(meets_before_step(ElasticMean{0.1}));
  EXPECT_TRUE(meets_before_step(Mean{.before_step = true}));
  EXPECT_FALSE(meets_before_step(Mean{}));
  EXPECT_FALSE(meets_before_step(OuterStep{}));
}

}  // namespace
}  // namespace learning::learners
