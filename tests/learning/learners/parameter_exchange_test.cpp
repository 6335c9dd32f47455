// Meetings of two or three workers by hand.
#include <string>
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
const SentParameters whole;
const SentParameters signs{{.method = "block_1bit"}, 0};

ParameterExchange made(const Vector& centre) { return {centre, GradientExchange({6}, 1)}; }

/// Parameters that differ from `value` by 1 at the first place.
Vector one_apart(float value) {
  Vector apart(6, value);
  apart.front() += 1;
  return apart;
}

TEST(Mean, IsWeightedAndOfThoseWhoMeet) {  // 1/4 x 4 + 3/4 x 8
  Replicas replicas = at(4, 8);
  made(zeros).meet(Mean{}, whole, one_and_three, by_batch, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(7));
  EXPECT_THAT(values(replicas, 1), all_near(7));
  EXPECT_THAT(values(replicas, 2), all_near(7));
}

TEST(Mean, IsWhatLaterChangesAreCountedFrom) {  // 1/2 x 4 + 1/2 x 8 = 6, then -1 and +3: the mean change is 1
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  exchange.meet(Mean{}, whole, one_and_three, alike, replicas);
  EXPECT_EQ(exchange.common_model().front(), 6);
  replicas.set(0, Vector(6, 5));
  replicas.set(1, Vector(6, 9));
  exchange.meet(Mean{}, {{.method = "block_8bit"}, 1}, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 0), Pointwise(FloatNear(0.05F), Vector(6, 7)));
}

TEST(Mean, HasNoCentre) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  exchange.meet(Mean{}, whole, one_and_three, alike, replicas);
  EXPECT_FALSE(exchange.elastic_centre().has_value());
}

// Rate 1/4, from a centre at 0: moves of 1 and 2, to 3 and 6, the centre to 3; then moves of 0 and 3/4.
TEST(ElasticMean, DrawsWorkersToTheCentreAndTheCentreToThem) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  exchange.meet(ElasticMean{0.25}, whole, one_and_three, by_batch, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(3));
  EXPECT_THAT(values(replicas, 1), all_near(6));
  EXPECT_EQ(values(replicas, 2), Vector(6, 7));
  EXPECT_THAT(*exchange.elastic_centre(), all_near(3));
  exchange.meet(ElasticMean{0.25}, whole, one_and_three, by_batch, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(3));
  EXPECT_THAT(values(replicas, 1), all_near(5.25));
  EXPECT_THAT(*exchange.elastic_centre(), all_near(3.75));
}

TEST(ElasticMean, KeepsTheSumOfWorkersAndCentre) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(Vector(6, 1.0F));
  for (int i = 0; i < 10; ++i) exchange.meet(ElasticMean{0.4}, whole, one_and_three, alike, replicas);
  const float sum =
      replicas.parameters(0).front() + replicas.parameters(1).front() + exchange.elastic_centre()->front();
  EXPECT_NEAR(sum, 13, 1e-5);
}

TEST(OuterStep, OfRateOneWithoutMomentumIsTheMean) {
  Replicas replicas = at(4, 8);
  made(zeros).meet(OuterStep{1, 0}, whole, one_and_three, by_batch, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(7));
}

// Rate 1/2, momentum 1/2, from 0 to a mean of 6: d = -6, v = -6, centre = 1/2 (6 + 3) = 4.5. Workers stay
// there: d = 0, v = -3, centre = 4.5 + 1/2 (0 + 1.5) = 5.25.
TEST(OuterStep, LooksAheadAndGoesOnByItsMomentum) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  exchange.meet(OuterStep{0.5, 0.5}, whole, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(4.5));
  EXPECT_THAT(values(replicas, 1), all_near(4.5));
  exchange.meet(OuterStep{0.5, 0.5}, whole, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 1), all_near(5.25));
  EXPECT_FALSE(exchange.elastic_centre().has_value());
}

// As before, but without looking ahead: v = -6, centre = 3; then v = -3, centre = 3 + 1.5.
TEST(OuterStep, BySgdGoesOnByItsMomentumAlone) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  const OuterStep sgd{.rate = 0.5, .momentum = 0.5, .optimizer = policies::OuterOptimizer::sgd};
  exchange.meet(sgd, whole, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(3));
  exchange.meet(sgd, whole, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(4.5));
}

// v = -3, q = 0.36, centre = 1/2 3 / 0.601 = 2.4958403; then v = -1.5, q = 0.3564, whose root is 0.5969925,
// and the centre moves by 1/2 1.5 / 0.5979925 = 1.2541965.
TEST(OuterStep, ByAdamIsDividedByTheRootOfItsSquares) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  const OuterStep adam{.rate = 0.5, .momentum = 0.5, .optimizer = policies::OuterOptimizer::adam};
  exchange.meet(adam, whole, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 0), Pointwise(FloatNear(1e-5F), Vector(6, 2.4958403F)));
  exchange.meet(adam, whole, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 1), Pointwise(FloatNear(1e-5F), Vector(6, 3.7500367F)));
}

// Signs with the mean magnitude, of the changes since both had 0: 4 and 8 are sent as they are. Then a change
// of 1 at one place is sent as 1/6 at each.
TEST(CompressedChanges, AreAveragedSinceTheLastExchange) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  EXPECT_EQ(exchange.meet(Mean{}, signs, one_and_three, alike, replicas), 1);
  EXPECT_THAT(values(replicas, 0), all_near(6));
  EXPECT_THAT(values(replicas, 1), all_near(6));
  EXPECT_EQ(values(replicas, 2), Vector(6, 7));
  replicas.set(0, one_apart(6));
  const auto gain = exchange.meet(Mean{}, signs, one_and_three, alike, replicas);
  EXPECT_NEAR(*gain, 1.0 / 6, 1e-6);  // six squares of 1/6 in place of 1
  EXPECT_THAT(values(replicas, 1), all_near(6 + 1.0F / 12));
}

// Kept are 5/6 at the first place and -1/6 at the others, whose mean magnitude is 10/36.
TEST(CompressedChanges, KeepWhatIsNotSentForTheNextExchange) {
  Replicas replicas = at(0, 0);
  ParameterExchange exchange = made(zeros);
  replicas.set(0, one_apart(0));
  exchange.meet(Mean{}, signs, one_and_three, alike, replicas);
  exchange.meet(Mean{}, signs, one_and_three, alike, replicas);
  EXPECT_NEAR(replicas.parameters(0)[0], 1.0 / 12 + 10.0 / 72, 1e-6);
  EXPECT_NEAR(replicas.parameters(0)[1], 1.0 / 12 - 10.0 / 72, 1e-6);
  EXPECT_EQ(values(replicas, 0), values(replicas, 1));
}

// Of 4 and 8 everywhere one value each is sent. Of the rest a half is left, 2 and 4: the next value is their
// mean.
TEST(CompressedChanges, KeepOnlyAShareWhereWhatIsKeptDecays) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  const SentParameters halved{{.method = "topk", .ratio = 0.01, .residual_decay = 0.5}, 0};
  exchange.meet(Mean{}, halved, one_and_three, alike, replicas);
  EXPECT_EQ(values(replicas, 0), (Vector{6, 0, 0, 0, 0, 0}));
  exchange.meet(Mean{}, halved, one_and_three, alike, replicas);
  EXPECT_EQ(values(replicas, 0), (Vector{6, 3, 0, 0, 0, 0}));
}

TEST(CompressedChanges, WithoutErrorFeedbackNothingIsKept) {
  Replicas replicas = at(0, 0);
  ParameterExchange exchange = made(zeros);
  replicas.set(0, one_apart(0));
  const SentParameters unfed{{.method = "block_1bit", .error_feedback = false}, 0};
  exchange.meet(Mean{}, unfed, one_and_three, alike, replicas);
  const Vector before = values(replicas, 0);
  exchange.meet(Mean{}, unfed, one_and_three, alike, replicas);
  EXPECT_EQ(values(replicas, 0), before);
}

TEST(CompressedChanges, AreWeighted) {  // 1/4 x 4 + 3/4 x 8, each sent as it is
  Replicas replicas = at(4, 8);
  made(zeros).meet(Mean{}, signs, one_and_three, by_batch, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(7));
}

// As LooksAheadAndGoesOnByItsMomentum: these changes are sent as they are.
TEST(CompressedChanges, AreTheGradientOfAnOuterStep) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  exchange.meet(OuterStep{0.5, 0.5}, signs, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(4.5));
  exchange.meet(OuterStep{0.5, 0.5}, signs, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 1), all_near(5.25));
  EXPECT_TRUE(exchange.outer_model().has_value());
}

TEST(CompressedChanges, BeginWhereAllWorkersAre) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  exchange.begin_at(Vector(6, 2));  // changes of 2 and 6, of which top-k sends one value
  exchange.meet(Mean{}, {{.method = "topk", .ratio = 0.01}, 0}, one_and_three, alike, replicas);
  EXPECT_EQ(values(replicas, 0), (Vector{6, 2, 2, 2, 2, 2}));
}

TEST(CompressedChanges, ThatSendEveryValueAreTheMean) {
  for (const std::string method : {"fp16", "bf16", "int8", "block_4bit", "block_8bit"}) {
    Replicas replicas = at(4, 8);
    made(zeros).meet(Mean{}, {{.method = method}, 0}, one_and_three, alike, replicas);
    EXPECT_THAT(values(replicas, 0), all_near(6)) << method;
  }
}

TEST(CompressedChanges, AnElasticCentreTakesParametersAsTheyAre) {
  Replicas replicas = at(4, 8);
  EXPECT_EQ(made(zeros).meet(ElasticMean{0.25}, signs, one_and_three, alike, replicas), std::nullopt);
  EXPECT_THAT(values(replicas, 0), all_near(3));
}

// Two fragments of three values, from a centre at 0: only the second meets, in the mean of 4 and 8.
TEST(Fragments, MeetOneByOne) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  exchange.meet(OuterStep{.rate = 1, .momentum = 0, .fragment = 1, .fragments = 2}, whole, one_and_three,
                alike, replicas);
  EXPECT_EQ(values(replicas, 0), (Vector{4, 4, 4, 6, 6, 6}));
  EXPECT_EQ(values(replicas, 1), (Vector{8, 8, 8, 6, 6, 6}));
  EXPECT_FALSE(exchange.outer_model().has_value());  // the first fragment is still what all began with
  exchange.meet(OuterStep{.rate = 1, .momentum = 0, .fragment = 0, .fragments = 2}, whole, one_and_three,
                alike, replicas);
  EXPECT_EQ(values(replicas, 1), Vector(6, 6));
  EXPECT_TRUE(exchange.outer_model().has_value());
}

// Two steps after the exchange each worker keeps a quarter of what it has then: 1/4 x 10 + 3/4 x 6 = 7.
TEST(Fragments, AreTakenAfterTheirDelayAndMixed) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  const OuterStep late{.rate = 1, .momentum = 0, .delay = 2, .mixing = 0.25};
  exchange.meet(late, {{}, 0, 10}, one_and_three, alike, replicas);
  exchange.take_fragments(11, one_and_three, replicas);
  EXPECT_EQ(values(replicas, 0), Vector(6, 4));
  replicas.set(0, Vector(6, 10));
  exchange.take_fragments(12, one_and_three, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(7));
  EXPECT_THAT(values(replicas, 1), all_near(6.5));
  exchange.take_fragments(13, one_and_three, replicas);  // once
  EXPECT_THAT(values(replicas, 0), all_near(7));
}

TEST(Fragments, AreMixedAtOnceWithoutADelay) {  // 1/4 x 4 + 3/4 x 6 and 1/4 x 8 + 3/4 x 6
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  exchange.meet(OuterStep{.rate = 1, .momentum = 0, .mixing = 0.25}, whole, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(5.5));
  EXPECT_THAT(values(replicas, 1), all_near(6.5));
}

TEST(Fragments, AreCompressedWithResidualsOfTheirOwn) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  const OuterStep second{.rate = 1, .momentum = 0, .fragment = 1, .fragments = 2};
  EXPECT_EQ(exchange.meet(second, signs, one_and_three, alike, replicas), 1);
  EXPECT_EQ(values(replicas, 0), (Vector{4, 4, 4, 6, 6, 6}));
}

// Rate 1 without momentum, from 0. Changes of 4 and 8 are 2 and 4 of the mean: each takes its own. Then
// worker 0 changes by 4: 2 + 2 and the other's 4 are 8; worker 1 by nothing: 4 + 0 + 2 = 6. Then nobody does:
// worker 1 takes the other's 2, and both have what every change adds up to.
TEST(EagerSteps, TakeOnesOwnChangeAtOnceAndTheOthersOneMeetingLate) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  const OuterStep eager{.rate = 1, .momentum = 0, .eager = true};
  EXPECT_FALSE(exchange.outer_model().has_value());
  EXPECT_EQ(exchange.meet(eager, whole, one_and_three, alike, replicas), std::nullopt);
  EXPECT_EQ(values(replicas, 0), Vector(6, 2));
  EXPECT_EQ(values(replicas, 1), Vector(6, 4));
  EXPECT_EQ(values(replicas, 2), Vector(6, 7));
  EXPECT_THAT(*exchange.outer_model(), all_near(3));  // the mean of both centres
  replicas.set(0, Vector(6, 6));
  exchange.meet(eager, whole, one_and_three, alike, replicas);
  EXPECT_EQ(values(replicas, 0), Vector(6, 8));
  EXPECT_EQ(values(replicas, 1), Vector(6, 6));
  exchange.meet(eager, whole, one_and_three, alike, replicas);
  EXPECT_EQ(values(replicas, 0), Vector(6, 8));
  EXPECT_EQ(values(replicas, 1), Vector(6, 8));
}

// Rate and momentum 1/2: d = -2, v = -2, c = 1/2 (2 + 1) = 1.5, and -4, 3. Then only what is late: d = -4,
// v = -1 - 4 = -5, c = 1.5 + 1/2 (4 + 2.5) = 4.75, and d = -2, v = -4, c = 3 + 1/2 (2 + 2) = 5.
TEST(EagerSteps, HaveAMomentumForEachWorker) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  const OuterStep eager{.rate = 0.5, .momentum = 0.5, .eager = true};
  exchange.meet(eager, whole, one_and_three, alike, replicas);
  EXPECT_EQ(values(replicas, 0), Vector(6, 1.5F));
  EXPECT_EQ(values(replicas, 1), Vector(6, 3));
  exchange.meet(eager, whole, one_and_three, alike, replicas);
  EXPECT_EQ(values(replicas, 0), Vector(6, 4.75F));
  EXPECT_EQ(values(replicas, 1), Vector(6, 5));
}

// v = -1, q = 0.04, c = 1/2 / 0.201 = 2.4875622 and v = -2, q = 0.16, c = 1 / 0.401 = 2.4937656.
TEST(EagerSteps, HaveSquaresForEachWorker) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  const OuterStep eager{
      .rate = 0.5, .momentum = 0.5, .eager = true, .optimizer = policies::OuterOptimizer::adam};
  exchange.meet(eager, whole, one_and_three, alike, replicas);
  EXPECT_THAT(values(replicas, 0), Pointwise(FloatNear(1e-5F), Vector(6, 2.4875622F)));
  EXPECT_THAT(values(replicas, 1), Pointwise(FloatNear(1e-5F), Vector(6, 2.4937656F)));
}

TEST(EagerSteps, AreWeighted) {  // 1/4 x 4 and 3/4 x 8, then the other's
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  const OuterStep eager{.rate = 1, .momentum = 0, .eager = true};
  exchange.meet(eager, whole, one_and_three, by_batch, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(1));
  EXPECT_THAT(values(replicas, 1), all_near(6));
  exchange.meet(eager, whole, one_and_three, by_batch, replicas);
  EXPECT_THAT(values(replicas, 0), all_near(7));
  EXPECT_THAT(values(replicas, 1), all_near(7));
}

// Each sends one value of its change, 4 or 8, and takes no more of it; then the next one of what it kept.
TEST(EagerSteps, TakeWhatIsSentOfOnesOwnChange) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  const OuterStep eager{.rate = 1, .momentum = 0, .eager = true};
  const SentParameters one_value{{.method = "topk", .ratio = 0.01}, 0};
  EXPECT_NEAR(*exchange.meet(eager, one_value, one_and_three, alike, replicas), 1.0 / 6, 1e-9);
  EXPECT_EQ(values(replicas, 0), (Vector{2, 0, 0, 0, 0, 0}));
  EXPECT_EQ(values(replicas, 1), (Vector{4, 0, 0, 0, 0, 0}));
  exchange.meet(eager, one_value, one_and_three, alike, replicas);
  EXPECT_EQ(values(replicas, 0), (Vector{6, 2, 0, 0, 0, 0}));
  EXPECT_EQ(values(replicas, 1), (Vector{6, 4, 0, 0, 0, 0}));
}

TEST(EagerSteps, ACopyGoesOnByItself) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  const OuterStep eager{.rate = 1, .momentum = 0, .eager = true};
  exchange.meet(eager, whole, one_and_three, alike, replicas);
  ParameterExchange copy = exchange;
  exchange.meet(eager, whole, one_and_three, alike, replicas);
  EXPECT_THAT(*copy.outer_model(), all_near(3));
  EXPECT_THAT(*exchange.outer_model(), all_near(6));
}

TEST(ParameterExchange, ACopyGoesOnByItself) {
  Replicas replicas = at(4, 8);
  ParameterExchange exchange = made(zeros);
  exchange.meet(ElasticMean{0.25}, whole, one_and_three, alike, replicas);
  ParameterExchange copy = exchange;
  exchange.meet(ElasticMean{0.25}, whole, one_and_three, alike, replicas);
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
