// A live learner against its parts: samplers, models and optimizers that are driven by hand.
#include "learning/learners/live_learner.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using testing::squared_norm;
using testing::step;
using testing::training_for;
using testing::Vector;

const std::vector<Share> unequal{{0, 3}, {1, 9}};

TEST(LiveLearner, TheMeanByBatchIsTheGradientOfAllSamples) {
  const LiveTraining training = training_for(2);
  ByHand hand(training);
  const auto learner = made(training);
  const Vector start = parameters(*learner);
  std::vector<std::uint32_t> numbers = hand.draw(0, 3);
  for (const std::uint32_t number : hand.draw(1, 9)) numbers.push_back(number);
  const auto [gradient, score] = hand.gradient(start, numbers);
  EXPECT_NEAR(*learner->compute(unequal).loss, score.loss_sum / 12, 1e-6);
  const Updated updated = learner->update({});
  EXPECT_THAT(parameters(*learner), near(moved(start, gradient, 0.5F)));
  EXPECT_NEAR(*updated.mean_squared_norm, squared_norm(gradient), 1e-6);
  EXPECT_EQ(updated.gain, 1);
}

TEST(LiveLearner, DriftIsTheSquaredDistanceFromTheModelThatAllHadLast) {
  const LiveTraining training = training_for(2);
  const auto learner = made(training);
  const Vector start = parameters(*learner);
  const auto distance = [&](std::uint32_t worker, const Vector& from) {
    double sum = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const double moved_by = static_cast<double>(learner->parameters(worker)[i]) - from[i];
      sum += moved_by * moved_by;
    }
    return sum;
  };
  learner->compute(equal);
  EXPECT_EQ(learner->squared_drifts(), (std::vector<double>{0, 0}));
  learner->update({.exchange = Exchange::nothing});
  learner->compute(equal);
  ASSERT_GT(distance(0, start), 0);
  EXPECT_NEAR(learner->squared_drifts()[0], distance(0, start), 1e-9);
  EXPECT_NEAR(learner->squared_drifts()[1], distance(1, start), 1e-9);
  learner->update({.exchange = Exchange::parameters});
  const Vector common = parameters(*learner);
  learner->compute(equal);
  EXPECT_EQ(learner->squared_drifts(), (std::vector<double>{0, 0}));
  learner->update({.exchange = Exchange::nothing});
  learner->compute(equal);
  EXPECT_NEAR(learner->squared_drifts()[1], distance(1, common), 1e-9);
}

TEST(LiveLearner, MicroBatchesAddUpToTheBatch) {
  LiveTraining training = training_for(2);
  const auto whole = made(training);
  training.job.accumulation = 3;
  const auto cut = made(training);
  for (const auto* learner : {&whole, &cut}) (*learner)->compute(unequal);
  EXPECT_NEAR(*whole->compute(unequal).loss, *cut->compute(unequal).loss, 1e-6);
  whole->update({});
  cut->update({});
  EXPECT_THAT(parameters(*cut), near(parameters(*whole)));
}

TEST(LiveLearner, TheUniformMeanWeighsWorkersAlike) {
  const LiveTraining training = training_for(2);
  ByHand hand(training);
  const auto learner = made(training);
  const Vector start = parameters(*learner);
  const Vector first = hand.gradient(start, hand.draw(0, 3)).first;
  const Vector second = hand.gradient(start, hand.draw(1, 9)).first;
  const Gradients seen = learner->compute(unequal);
  EXPECT_NEAR(seen.squared_norms[0], squared_norm(first), 1e-6);
  EXPECT_NEAR(seen.squared_norms[1], squared_norm(second), 1e-6);
  learner->update({.weights = Weights::uniform});
  EXPECT_THAT(parameters(*learner), near(moved(moved(start, first, 0.25F), second, 0.25F)));
}

TEST(LiveLearner, ALocalStepIsEachWorkersOwn) {
  const LiveTraining training = training_for(2);
  ByHand hand(training);
  const auto learner = made(training);
  const Vector start = parameters(*learner);
  const Updated updated = step(*learner, equal, {.exchange = Exchange::nothing});
  EXPECT_THAT(parameters(*learner, 0), near(moved(start, hand.gradient(start, hand.draw(0, 4)).first, 0.5F)));
  EXPECT_THAT(parameters(*learner, 1), near(moved(start, hand.gradient(start, hand.draw(1, 4)).first, 0.5F)));
  EXPECT_FALSE(updated.gain.has_value());
  EXPECT_FALSE(updated.mean_squared_norm.has_value());
  EXPECT_FALSE(updated.noise_scale.has_value());
}

TEST(LiveLearner, AveragingParametersAfterOneStepIsAveragingGradients) {
  const auto one = made(training_for(2));
  const auto other = made(training_for(2));
  step(*one, unequal, {.exchange = Exchange::gradients});
  step(*other, unequal, {.exchange = Exchange::parameters});
  EXPECT_THAT(parameters(*other, 0), near(parameters(*one, 0)));
  EXPECT_THAT(parameters(*other, 1), near(parameters(*one, 1)));
}

TEST(LiveLearner, AveragingBeforeTheStepLeavesEachItsOwn) {
  const LiveTraining training = training_for(2);
  const auto one = made(training);
  const auto other = made(training);
  step(*one, equal, {.exchange = Exchange::parameters, .meeting = Mean{.before_step = true}});
  step(*other, equal, {.exchange = Exchange::nothing});  // all began alike: nothing to average yet
  EXPECT_THAT(parameters(*one, 0), near(parameters(*other, 0)));
  EXPECT_THAT(parameters(*one, 1), near(parameters(*other, 1)));
  EXPECT_NE(parameters(*one, 0), parameters(*one, 1));
}

TEST(LiveLearner, TheCentreOfElasticWorkersIsTested) {
  const LiveTraining training = training_for(2);
  const ByHand hand(training);
  const auto learner = made(training);
  const Vector start = parameters(*learner);
  step(*learner, equal, {.exchange = Exchange::nothing});
  Vector centre = start;  // moves by 1/4 of each worker's distance
  for (const std::uint32_t worker : {0U, 1U}) {
    const Vector own = parameters(*learner, worker);
    for (std::size_t i = 0; i < centre.size(); ++i) centre[i] += 0.25F * (own[i] - start[i]);
  }
  step(*learner, equal, {.exchange = Exchange::parameters, .meeting = ElasticMean{0.25}});
  EXPECT_NEAR(*learner->evaluate()->loss, hand.test_loss(centre), 1e-6);
  EXPECT_NEAR(*learner->copy()->evaluate()->loss, hand.test_loss(centre), 1e-6);
}

TEST(LiveLearner, AWorkerThatTakesNoPartStaysWhereItIs) {
  const auto learner = made(training_for(2));
  const Vector start = parameters(*learner);
  step(*learner, {{1, 4}});
  EXPECT_EQ(parameters(*learner, 0), start);
  EXPECT_NE(parameters(*learner, 1), start);
}

TEST(LiveLearner, AWorkerThatReturnsTakesTheModelThatAllHadLast) {
  const auto learner = made(training_for(3));
  const std::vector<Share> two{{0, 4}, {1, 4}};
  step(*learner, two, {.exchange = Exchange::nothing});
  step(*learner, two, {.exchange = Exchange::parameters, .meeting = OuterStep{0.7, 0.5}});
  const Vector common = parameters(*learner, 0);
  EXPECT_NE(parameters(*learner, 2), common);
  learner->join(2);
  EXPECT_EQ(parameters(*learner, 2), common);
  step(*learner, two, {.exchange = Exchange::nothing});  // its model stays while the others move
  EXPECT_EQ(parameters(*learner, 2), common);
  EXPECT_NE(parameters(*learner, 0), common);
}

TEST(LiveLearner, AWorkerThatReturnsHasTheMomentumOfTheOthers) {
  const auto learner = made(training_for(2));
  step(*learner, {{0, 4}});
  learner->join(1);
  EXPECT_EQ(parameters(*learner, 1), parameters(*learner, 0));
  step(*learner, equal);
  EXPECT_EQ(parameters(*learner, 1), parameters(*learner, 0));
}

TEST(LiveLearner, AtMostSoManyTestSamplesAreTested) {
  LiveTraining training = training_for(2);
  const auto all = made(training);
  training.stated.test_samples = 1000000;
  const auto as_many_as_there_are = made(training);
  training.stated.test_samples = 1;
  const auto one = made(training);
  EXPECT_EQ(as_many_as_there_are->evaluate()->loss, all->evaluate()->loss);
  EXPECT_NE(one->evaluate()->loss, all->evaluate()->loss);
  const double accuracy = one->evaluate()->accuracy;
  EXPECT_TRUE(accuracy == 0 || accuracy == 1) << accuracy;
}

TEST(LiveLearner, WithoutAChoiceTheModelOfTheMethodIsTested) {
  LiveTraining training = training_for(2);
  const auto by_default = made(training);
  training.stated.evaluate = EvaluatedModel::average;
  const auto average = made(training);
  for (int i = 0; i < 3; ++i) {  // models that differ: their mean
    step(*by_default, equal, {.exchange = Exchange::nothing});
    step(*average, equal, {.exchange = Exchange::nothing});
  }
  EXPECT_EQ(by_default->evaluate()->loss, average->evaluate()->loss);
}

TEST(LiveLearner, TheFirstWorkersModelIsTestedOrTheMeanOfAll) {
  LiveTraining training = training_for(2);
  training.stated.evaluate = EvaluatedModel::worker;
  const ByHand hand(training);
  const auto first = made(training);
  training.stated.evaluate = EvaluatedModel::average;
  const auto average = made(training);
  for (int i = 0; i < 3; ++i) {
    step(*first, equal, {.exchange = Exchange::nothing});
    step(*average, equal, {.exchange = Exchange::nothing});
  }
  Vector mean = parameters(*average, 0);
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (mean[i] + average->parameters(1)[i]) / 2;
  EXPECT_NEAR(*first->evaluate()->loss, hand.test_loss(parameters(*first)), 1e-6);
  EXPECT_NEAR(*average->evaluate()->loss, hand.test_loss(mean), 1e-6);
  EXPECT_GT(std::abs(*first->evaluate()->loss - *average->evaluate()->loss), 1e-4);
}

TEST(LiveLearner, AccuracyIsAShareOfTheTestSet) {
  const double accuracy = made(training_for(2))->evaluate()->accuracy;
  EXPECT_GE(accuracy, 0);
  EXPECT_LE(accuracy, 1);
  EXPECT_NEAR(10 * accuracy, std::round(10 * accuracy), 1e-12);
}

TEST(LiveLearner, ACopyHasTheSameFutureAndGoesThereByItself) {
  LiveTraining training = training_for(2);
  training.stated.optimizer.method = sgd(0.9);
  const Update half{.compression = {"topk", 0.5, true, false}};
  const auto learner = made(training);
  for (int i = 0; i < 3; ++i) step(*learner, equal, half);
  const auto checkpoint = learner->copy();
  const auto fork = learner->copy();
  const double loss = *learner->evaluate()->loss;
  for (int i = 0; i < 3; ++i) {
    const Updated own = step(*learner, equal, half);
    const Updated forked = step(*fork, equal, half);
    EXPECT_EQ(own.gain, forked.gain);
    EXPECT_EQ(own.mean_squared_norm, forked.mean_squared_norm);
  }
  EXPECT_EQ(*learner->evaluate()->loss, *fork->evaluate()->loss);
  EXPECT_NE(*learner->evaluate()->loss, loss);
  EXPECT_EQ(*checkpoint->evaluate()->loss, loss);
}

TEST(LiveLearner, ACopyTakenBetweenComputeAndUpdateEndsTheStepToo) {
  const auto learner = made(training_for(2));
  learner->compute(equal);
  const auto copy = learner->copy();
  EXPECT_EQ(copy->update({}).mean_squared_norm, learner->update({}).mean_squared_norm);
  EXPECT_EQ(*copy->evaluate()->loss, *learner->evaluate()->loss);
}

TEST(LiveLearner, InjectedBatchesAreThoseThatTheDonorsShare) {
  for (const bool corrected : {true, false}) {
    LiveTraining training = training_for(4);
    training.stated.injection.emplace(datasets::Injection::Settings{0.5, 0.5, corrected});
    const datasets::Injection injection(*training.stated.injection, training.job.seed);
    ByHand hand(training);
    const auto learner = made(training);
    const std::vector<Share> four{{0, 8}, {1, 8}, {2, 8}, {3, 8}};
    for (std::uint64_t number = 0; number < 3; ++number) {
      std::vector<std::vector<std::uint32_t>> batches;
      for (std::uint32_t worker = 0; worker < 4; ++worker)
        batches.push_back(hand.draw(worker, injection.own_samples(8, 4)));
      injection.share(number, batches);
      const Vector at = parameters(*learner);
      const Gradients gradients = learner->compute(four);
      for (std::size_t worker = 0; worker < 4; ++worker) {
        EXPECT_NEAR(gradients.squared_norms[worker], squared_norm(hand.gradient(at, batches[worker]).first),
                    1e-6);
      }
      learner->update({});
    }
  }
}

TEST(LiveLearner, TheRateFollowsItsSchedule) {
  LiveTraining training = training_for(2);
  training.stated.rate.changes = {{{Unit::epoch, 1}, 0.1}, {{Unit::step, 3}, 2}};
  ByHand hand(training);
  const auto learner = made(training);
  const std::vector<Share> half_an_epoch{{0, 10}, {1, 10}};
  for (const float rate : {0.5F, 0.5F, 0.05F, 0.1F}) {
    const Vector at = parameters(*learner);
    std::vector<std::uint32_t> numbers = hand.draw(0, 10);
    for (const std::uint32_t number : hand.draw(1, 10)) numbers.push_back(number);
    step(*learner, half_an_epoch);
    EXPECT_THAT(parameters(*learner), near(moved(at, hand.gradient(at, numbers).first, rate)));
  }
}

TEST(LiveLearner, ARateForABatchGrowsWithTheBatch) {
  LiveTraining training = training_for(2);
  training.stated.rate.reference_batch = 24;
  const auto scaled = made(training);
  const auto plain = made(training_for(2));
  const Vector start = parameters(*plain);
  step(*scaled, unequal);  // 12 samples: half the rate
  step(*plain, unequal);
  const Vector full = parameters(*plain);
  Vector expected = start;
  for (std::size_t i = 0; i < start.size(); ++i) expected[i] = (start[i] + full[i]) / 2;
  EXPECT_THAT(parameters(*scaled), near(expected));
}

TEST(LiveLearner, TheSameSeedGivesTheSameTrainingAndAnotherAnother) {
  const auto losses = [](std::uint64_t seed) {
    LiveTraining training = training_for(2);
    training.job.seed = seed;
    const auto learner = made(training);
    std::vector<double> result;
    for (int i = 0; i < 4; ++i) {
      result.push_back(*learner->compute(equal).loss);
      learner->update({.compression = {"terngrad", 1, true, false}});
    }
    return result;
  };
  EXPECT_EQ(losses(1), losses(1));
  EXPECT_NE(losses(1), losses(2));
}

TEST(LiveLearner, TheGainOfATrialIsThatOfTheStepAndChangesNothing) {
  const Update half{.compression = {"topk", 0.5, true, false}};
  const auto tried = made(training_for(2));
  const auto untried = made(training_for(2));
  for (int i = 0; i < 3; ++i) {
    tried->compute(equal);
    const double trial = *tried->gain(half.compression);
    EXPECT_LT(tried->gain({"topk", 0.25, true, false}), trial);
    EXPECT_EQ(tried->update(half).gain, trial);
    EXPECT_EQ(step(*untried, equal, half).gain, trial);
  }
  EXPECT_EQ(parameters(*tried), parameters(*untried));
}

TEST(LiveLearner, TheNoiseScaleIsKnownOnlyOfGradientsThatWereSentWhole) {
  const auto learner = made(training_for(2));
  const Update half{.compression = {"topk", 0.5, true, false}};
  EXPECT_FALSE(step(*learner, equal, half).noise_scale.has_value());
  const Updated with_what_was_kept = step(*learner, equal);
  EXPECT_FALSE(with_what_was_kept.noise_scale.has_value());
  NoiseScale expected;
  const Gradients gradients = learner->compute(equal);
  const Updated whole = learner->update({});
  expected.add(equal, gradients.squared_norms, Weights::by_batch, *whole.mean_squared_norm);
  EXPECT_EQ(whole.noise_scale, expected.value());
}

TEST(LiveLearner, AWorkerThatIsLostHidesNoNoiseScale) {
  const auto learner = made(training_for(3));
  const std::vector<Share> three{{0, 4}, {1, 4}, {2, 4}};
  step(*learner, three, {.compression = {"topk", 0.5, true, false}});
  step(*learner, equal);  // worker 2 is lost with its residual; the others send theirs along
  NoiseScale expected;
  for (int i = 0; i < 5; ++i) {
    const Gradients gradients = learner->compute(equal);
    const Updated updated = learner->update({});
    expected.add(equal, gradients.squared_norms, Weights::by_batch, *updated.mean_squared_norm);
    EXPECT_EQ(updated.noise_scale, expected.value());
  }
  EXPECT_TRUE(expected.value().has_value());
}

TEST(LiveLearner, TheGainOfATrialIsThatOfTheStepForUnevenBatchesToo) {
  const auto learner = made(training_for(2));
  const Compression half{"topk", 0.5, true, false};
  for (int i = 0; i < 3; ++i) {
    learner->compute(unequal);
    const auto trial = learner->gain(half);
    EXPECT_EQ(learner->update({.compression = half}).gain, trial);
  }
}

TEST(LiveLearner, AnUpdateLeavesTheGradientsAsComputed) {
  const auto once = made(training_for(2));
  const auto twice = made(training_for(2));
  once->compute(unequal);
  twice->compute(unequal);
  const double norm = *once->update({}).mean_squared_norm;
  EXPECT_EQ(*twice->update({}).mean_squared_norm, norm);
  EXPECT_EQ(*twice->update({}).mean_squared_norm, norm);  // of the same gradients
}

TEST(LiveLearner, ItsRecordHoldsNothingButNumbersAndIsReadBack) {
  LiveTraining training = training_for(2);
  training.stated.optimizer.learning_rate = 1e30;
  training.stated.optimizer.method = models::optimizer(
      "sgd", models::Sgd{.momentum = 0, .weight_decay = 1});  // the parameters are infinite soon
  training.stated.record = Recording{.every = 1, .ratios = {0.5}};
  const auto learner = made(training);
  for (int i = 0; i < 20; ++i) step(*learner, equal);
  learner->evaluate();
  const auto again = parse_record(print_record(*learner->record()), "again");
  ASSERT_TRUE(again.has_value()) << again.error().text();
  EXPECT_LT(again->squared_norms[0].size(), 20U);
}

// Smoothing is 2/100 with two workers; nothing leaves the window of 25 within 10 steps.
TEST(LiveLearner, ItsRecordHoldsTheLargestRelativeChangeOfEveryStep) {
  LiveTraining training = training_for(2);
  training.stated.record = Recording{.every = 4};
  const auto learner = made(training);
  Curve expected;
  std::vector<double> averages;
  for (int at = 1; at <= 10; ++at) {
    const std::vector<double> norms = learner->compute(equal).squared_norms;
    learner->update({});
    if (at == 1) averages = norms;
    double largest = -1;
    for (std::size_t i = 0; i < norms.size(); ++i) {
      const double next = averages[i] + 0.02 * (norms[i] - averages[i]);
      largest = std::max(largest, (next - averages[i]) / averages[i]);
      averages[i] = next;
    }
    if (at > 1) expected.push_back({static_cast<double>(at), largest});
  }
  EXPECT_EQ(learner->record()->relative_change, expected);
  EXPECT_EQ(learner->record()->change_measure, (policies::ChangeMeasure{25, 0.02}));
  EXPECT_EQ(learner->record()->squared_norms[0].size(), 3U);  // steps 1, 4, 8
}

// Nothing is left unsent before the first step, so that both quotients are equal there; what is kept back
// later makes the gradient alone the smaller divisor.
TEST(LiveLearner, ItsRecordMayDivideByTheGradientAlone) {
  const auto gains = [](GainOver over) {
    LiveTraining training = training_for(2);
    training.stated.record = Recording{.every = 1, .ratios = {0.1}, .gain_over = over};
    const auto learner = made(training);
    for (int i = 0; i < 30; ++i) step(*learner, equal);
    return *learner->record();
  };
  const Record published = gains(GainOver::error_fed);
  const Record released = gains(GainOver::gradient);
  EXPECT_NEAR(released.gains[0].by_step[0].value, published.gains[0].by_step[0].value, 1e-6);
  for (std::size_t i = 1; i < 30; ++i)
    EXPECT_GT(released.gains[0].by_step[i].value, published.gains[0].by_step[i].value);
  EXPECT_EQ(released.gains[1].by_step,
            published.gains[1].by_step);  // without error feedback they are the same
  EXPECT_EQ(released.facts.others.back().key, "gains_over");
}

TEST(LiveLearner, ItsRecordNamesEveryChoiceThatIsNotByDefault) {
  LiveTraining training = training_for(2);
  training.stated.record = Recording{};
  const std::vector<Fact> plain{{"optimizer", "SGD"}, {"learning_rate", "0.5"}, {"seed", "3"}};
  EXPECT_EQ(made(training)->record()->facts.others, plain);
  training.stated.optimizer.method =
      models::optimizer("sgd", models::Sgd{.momentum = 0, .weight_decay = 1e-4});
  training.stated.rate.reference_batch = 64;
  training.stated.rate.warmup_epochs = 5;
  training.stated.rate.warmup_from = 0.25;
  training.stated.rate.changes = {{{Unit::epoch, 10}, 0.1}, {{Unit::step, 7}, 2}};
  training.stated.shards = *datasets::find_partition_rule("circular");
  training.stated.injection.emplace(datasets::Injection::Settings{0.5, 0.25, false});
  training.stated.evaluate = EvaluatedModel::average;
  std::vector<Fact> all = plain;
  all.insert(all.end(),
             {{"weight_decay", "0.0001"},
              {"learning_rate_schedule",
               "for a batch of 64, in proportion; warm-up over 5 epochs from 0.25 of it; times 0.1 "
               "from epoch 10; times 2 from step 7"},
              {"shards", "circular"},
              {"injection", "0.5/0.25 on top of the batch"},
              {"evaluate", "average"}});
  EXPECT_EQ(made(training)->record()->facts.others, all);
}

TEST(LiveLearner, WhileItsRateRisesItKnowsWhereTheWarmUpEnds) {
  for (const bool in_epochs : {false, true}) {  // 40 samples, 8 in a step: two steps are .4 of an epoch
    LiveTraining training = training_for(2);
    if (in_epochs) {
      training.stated.rate.warmup_epochs = 0.4;
    } else {
      training.stated.rate.warmup_steps = 2;
    }
    const auto learner = made(training);
    const std::vector<Share> shares{{0, 4}, {1, 4}};
    const Gradients first = learner->compute(shares);
    EXPECT_LT(*first.learning_rate, 0.5);
    EXPECT_EQ(first.warmed_up_rate, 0.5);
    learner->update({});
    learner->compute(shares);
    learner->update({});
    const Gradients third = learner->compute(shares);
    EXPECT_EQ(third.learning_rate, 0.5);
    EXPECT_EQ(third.warmed_up_rate, 0.5);
  }
}

TEST(LiveLearner, ItsLabelNamesSkewedShardsAndInjection) {
  LiveTraining training = training_for(2);
  const std::string plain = "live: softmax (8 parameters) trained on points by SGD at 0.5";
  training.stated.shards = *datasets::find_partition_rule("label_skew");
  EXPECT_EQ(made(training)->label(), plain + ", shards label_skew 1 per worker");
  training.stated.injection.emplace(datasets::Injection::Settings{0.5, 0.5, true});
  EXPECT_EQ(made(training)->label(), plain + ", shards label_skew 1 per worker, injection 0.5/0.5");
  training.stated.injection.reset();
  training.stated.evaluate = EvaluatedModel::worker;
  EXPECT_EQ(made(training)->label(),
            plain + ", shards label_skew 1 per worker, the first worker's model tested");
  training.stated.evaluate = EvaluatedModel::method;
  training.stated.shards = *datasets::find_partition_rule("dirichlet");
  EXPECT_EQ(made(training)->label(), plain + ", shards dirichlet 0.5");
}

TEST(LiveLearner, ItsLabelSaysWhatIsTrainedOnWhatAndHow) {
  LiveTraining training = training_for(2);
  EXPECT_EQ(made(training)->label(), "live: softmax (8 parameters) trained on points by SGD at 0.5");
  training.stated.optimizer.method = sgd(0.9);
  training.stated.optimizer.learning_rate = 0.05;
  EXPECT_EQ(made(training)->label(),
            "live: softmax (8 parameters) trained on points by SGD with momentum 0.9 at 0.05");
  training.stated.optimizer.method = *models::find_optimizer("adam");
  EXPECT_EQ(made(training)->label(), "live: softmax (8 parameters) trained on points by Adam at 0.05");
}

TEST(LiveLearner, SamplesThatCannotBeDealtAreRefused) {
  EXPECT_EQ(LiveLearner::make(training_for(41)).error().text(),
            "41 workers share 40 training samples; take fewer workers, or a larger data set");
}

// --- sharded steps that send few bits

TEST(LiveLearnerSharded, WorkersComputeWithWhatTheyGatheredAndOptimizersKeepTheirs) {
  LiveTraining training = training_for(2);
  training.job.sending.parameters = netmodels::QuantizedForm{.bits = 4, .block = 4096};
  ByHand hand(training);
  const auto learner = made(training);
  const Vector start = parameters(*learner);
  Vector rounded = start;
  round_as_sent(*training.job.sending.parameters, rounded);
  ASSERT_NE(rounded, start);
  step(*learner, std::vector<Share>{{0, 4}, {1, 4}});
  const Vector first = hand.gradient(rounded, hand.draw(0, 4)).first;
  const Vector second = hand.gradient(rounded, hand.draw(1, 4)).first;
  Vector mean(start.size());
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (first[i] + second[i]) / 2;
  EXPECT_THAT(parameters(*learner), near(moved(start, mean, 0.5F)));
}

TEST(LiveLearnerSharded, GradientsReachTheOptimizerRounded) {
  LiveTraining training = training_for(2);
  training.job.sending.gradients_within = netmodels::QuantizedForm{.bits = 4, .block = 4096};
  training.job.sending.gradients_between = training.job.sending.gradients_within;
  ByHand hand(training);
  const auto learner = made(training);
  const Vector start = parameters(*learner);
  step(*learner, std::vector<Share>{{0, 4}, {1, 4}});
  Vector first = hand.gradient(start, hand.draw(0, 4)).first;
  Vector second = hand.gradient(start, hand.draw(1, 4)).first;
  round_as_sent(*training.job.sending.gradients_between, first);
  round_as_sent(*training.job.sending.gradients_between, second);
  Vector mean(start.size());
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (first[i] + second[i]) / 2;
  EXPECT_THAT(parameters(*learner), near(moved(start, mean, 0.5F)));
}

TEST(LiveLearnerSharded, ACopyGoesOnWithTheSameErrors) {
  LiveTraining training = training_for(2);
  training.job.sending.gradients_within = netmodels::QuantizedForm{.bits = 4, .block = 4096};
  training.job.sending.gradients_between = training.job.sending.gradients_within;
  training.job.sending.error_bytes = 1;
  const auto learner = made(training);
  const std::vector<Share> both{{0, 4}, {1, 4}};
  step(*learner, both);
  const auto copy = learner->copy();
  step(*learner, both);
  copy->compute(both);
  copy->update({});
  EXPECT_EQ(copy->evaluate()->loss, learner->evaluate()->loss);
}

}  // namespace
}  // namespace learning::learners
