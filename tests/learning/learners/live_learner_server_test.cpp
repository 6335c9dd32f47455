// A live learner as a parameter server: the effect of pushes on its parameters, and at which rate.
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/learners/live_learner.hpp"
#include "tests/learning/learners/by_hand.hpp"

namespace learning::learners {
namespace {

using Unit = settings::Moment::Unit;
using testing::ByHand;
using testing::equal;
using testing::made;
using testing::moved;
using testing::near;
using testing::parameters;
using testing::sgd;
using testing::step;
using testing::training_for;
using testing::Vector;

TEST(LiveLearnerAsServer, OneWorkerWithAServerIsSgd) {
  LiveTraining training = training_for(1);
  training.stated.optimizer.method = sgd(0.9);
  const auto together = made(training);
  const auto served = made(training);
  ASSERT_TRUE(served->asynchronous());
  const std::vector<Share> alone{{0, 4}};
  for (int i = 0; i < 5; ++i) {
    step(*together, alone);
    served->pull(0);
    served->compute(alone);
    served->push(0, {}, 1);
  }
  EXPECT_EQ(served->evaluate()->loss, together->evaluate()->loss);
  served->pull(0);
  EXPECT_EQ(parameters(*served), parameters(*together));
}

TEST(LiveLearnerAsServer, AStalePushMovesTheServerByTheGradientAtOldParameters) {
  const LiveTraining training = training_for(2);
  ByHand hand(training);
  const auto learner = made(training);
  const Vector start = parameters(*learner);
  learner->pull(0);
  learner->pull(1);
  learner->compute(std::vector<Share>{{0, 4}});
  learner->push(0, {}, 0.5);
  learner->compute(std::vector<Share>{{1, 8}});  // still at the start
  learner->push(1, {}, 1);
  const Vector once = moved(start, hand.gradient(start, hand.draw(0, 4)).first, 0.25F);
  const Vector twice = moved(once, hand.gradient(start, hand.draw(1, 8)).first, 0.5F);
  EXPECT_EQ(parameters(*learner, 0), start);
  EXPECT_NEAR(*learner->evaluate()->loss, hand.test_loss(twice), 1e-6);
  learner->pull(0);
  EXPECT_THAT(parameters(*learner, 0), near(twice));
  EXPECT_EQ(parameters(*learner, 1), start);
}

TEST(LiveLearnerAsServer, EachOfTheWorkersThatComputedTogetherPushesItsOwn) {
  const auto in_turn = made(training_for(2));
  const auto at_once = made(training_for(2));
  for (LiveLearner* learner : {in_turn.get(), at_once.get()}) {
    learner->pull(0);
    learner->pull(1);
  }
  in_turn->compute(std::vector<Share>{{1, 4}});
  in_turn->push(1, {}, 1);
  in_turn->compute(std::vector<Share>{{0, 4}});
  in_turn->push(0, {}, 1);
  at_once->compute(equal);
  at_once->push(1, {}, 1);
  at_once->push(0, {}, 1);
  EXPECT_EQ(at_once->evaluate()->loss, in_turn->evaluate()->loss);
}

TEST(LiveLearnerAsServer, APushIsCompressedAndItsRestComesWithTheNext) {
  const LiveTraining training = training_for(1);
  ByHand hand(training);
  const auto learner = made(training);
  const Vector start = parameters(*learner);
  const Compression half{"topk", 0.5, true, false};
  learner->pull(0);
  learner->compute(std::vector<Share>{{0, 4}});
  learner->push(0, half, 1);
  learner->compute(std::vector<Share>{{0, 4}});  // not pulled: again at the start
  learner->push(0, {}, 1);
  learner->pull(0);
  const Vector first = hand.gradient(start, hand.draw(0, 4)).first;
  const Vector second = hand.gradient(start, hand.draw(0, 4)).first;
  EXPECT_THAT(parameters(*learner), near(moved(moved(start, first, 0.5F), second, 0.5F)));
}

TEST(LiveLearnerAsServer, ACopysServerIsItsOwn) {
  const auto learner = made(training_for(2));
  learner->pull(0);
  const auto copy = learner->copy();
  const double loss = *learner->evaluate()->loss;
  copy->compute(std::vector<Share>{{0, 4}});
  copy->push(0, {}, 1);
  EXPECT_NE(*copy->evaluate()->loss, loss);
  EXPECT_EQ(*learner->evaluate()->loss, loss);
}

/// The rate that a push of worker 1 was made at, from the way that the server went.
double rate_of_push(LiveLearner& learner, int samples) {
  learner.pull(1);
  const Vector before = parameters(learner, 1);
  const double norm = learner.compute(std::vector<Share>{{1, samples}}).squared_norms.front();
  learner.push(1, {}, 1);
  learner.pull(1);
  const Vector after = parameters(learner, 1);
  double moved = 0;
  for (std::size_t i = 0; i < after.size(); ++i) moved += std::pow(after[i] - before[i], 2);
  return std::sqrt(moved / norm);
}

TEST(LiveLearnerAsServer, StepsOfAServersRateAreOnePushPerWorker) {
  LiveTraining training = training_for(2);
  training.stated.rate.changes = {{{Unit::step, 2}, 0.1}};
  const auto learner = made(training);
  for (const double rate : {0.5, 0.5, 0.5, 0.5, 0.05}) EXPECT_NEAR(rate_of_push(*learner, 4), rate, 1e-4);
}

TEST(LiveLearnerAsServer, AServersRateGrowsWithTheBatchesOfAllWorkers) {
  LiveTraining training = training_for(2);
  training.stated.rate.reference_batch = 8;
  const auto learner = made(training);
  EXPECT_NEAR(rate_of_push(*learner, 4), 0.5, 1e-4);  // worker 0 is counted like worker 1
  learner->pull(0);
  learner->compute(std::vector<Share>{{0, 12}});
  learner->push(0, {}, 1);
  EXPECT_NEAR(rate_of_push(*learner, 4), 1, 1e-4);  // 12 + 4 samples
}

// --- a server that merges models

constexpr OuterRule taken_whole{.rate = 1, .momentum = 0};

TEST(LiveLearnerMerged, AStepAloneIsOneOfTheWorkerItself) {
  const LiveTraining training = training_for(2);
  ByHand hand(training);
  const auto learner = made(training);
  const Vector start = parameters(*learner);
  learner->compute(std::vector<Share>{{1, 8}});
  learner->step_alone(1);
  EXPECT_THAT(parameters(*learner, 1), near(moved(start, hand.gradient(start, hand.draw(1, 8)).first, 0.5F)));
  EXPECT_EQ(parameters(*learner, 0), start);
}

TEST(LiveLearnerMerged, TheMergedModelIsTestedAndReachesThoseWhoTakeIt) {
  const LiveTraining training = training_for(2);
  ByHand hand(training);
  const auto learner = made(training);
  const Vector start = parameters(*learner);
  for (const std::uint32_t worker : {0U, 1U}) {
    learner->compute(std::vector<Share>{{worker, 4}});
    learner->step_alone(worker);
    learner->offer(worker, {}, {});
  }
  const Vector first = parameters(*learner, 0);
  const Vector second = parameters(*learner, 1);
  EXPECT_NEAR(*learner->evaluate()->loss, hand.test_loss(start), 1e-6);  // nothing is merged yet
  EXPECT_FALSE(learner->merge({{}, {{0, 1}, {1, 1}}, policies::Merging::mean, taken_whole}).has_value());
  Vector mean(start.size());
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (first[i] + second[i]) / 2;
  EXPECT_NEAR(*learner->evaluate()->loss, hand.test_loss(mean), 1e-6);
  EXPECT_EQ(parameters(*learner, 0), first);
  learner->answer(0, {});
  learner->receive(0, {}, 0);
  EXPECT_THAT(parameters(*learner, 0), near(mean));
  EXPECT_EQ(parameters(*learner, 1), second);
}

TEST(LiveLearnerMerged, AWorkerThatJoinsHasTheModelOfTheOneThatIsNamed) {
  const auto learner = made(training_for(3));
  for (const std::uint32_t worker : {1U, 2U}) {
    learner->compute(std::vector<Share>{{worker, 8}});
    learner->step_alone(worker);
  }
  learner->join(0, 1);
  EXPECT_EQ(parameters(*learner, 0), parameters(*learner, 1));
  EXPECT_NE(parameters(*learner, 0), parameters(*learner, 2));
}

TEST(LiveLearnerMerged, TheModelOfAWorkerIsTestedWhereThatIsAskedFor) {
  LiveTraining training = training_for(2);
  training.stated.evaluate = EvaluatedModel::worker;
  ByHand hand(training);
  const auto learner = made(training);
  learner->compute(std::vector<Share>{{1, 8}});
  learner->step_alone(1);
  EXPECT_NEAR(*learner->evaluate()->loss, hand.test_loss(parameters(*learner, 1)), 1e-6);
}

}  // namespace
}  // namespace learning::learners
