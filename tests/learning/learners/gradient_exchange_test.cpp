// Exchanges by hand: what is sent, what is kept, and what is never lost; of every method a learner can use.
#include "learning/learners/gradient_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/catalogue.hpp"
#include "kernels/philox.hpp"

namespace learning::learners {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using Vector = std::vector<float>;

const Compression dense{};

Compression topk(double ratio, bool error_feedback = true) { return {"topk", ratio, error_feedback, false}; }
Compression star(double ratio) { return {"ar_topk", ratio, true, false}; }

/// An exchange among workers 0, 1, ... and the mean that came of its last step.
struct Job {
  explicit Job(std::vector<std::int64_t> layer_sizes) : exchange(std::move(layer_sizes), 7) {}

  MeanGradient step(const Compression& compression, const std::vector<Vector>& gradients) {
    mean.assign(gradients.front().size(), 99);
    return exchange.mean(compression, number++, contributions(gradients), mean);
  }

  static std::vector<Contribution> contributions(const std::vector<Vector>& gradients) {
    std::vector<Contribution> result;
    for (std::uint32_t worker = 0; worker < gradients.size(); ++worker)
      result.push_back({worker, gradients[worker]});
    return result;
  }

  GradientExchange exchange;
  std::int64_t number = 0;
  Vector mean;
};

/// Gradients of two workers, 64 values each in [-1, 1).
std::vector<Vector> drawn(std::uint64_t step) {
  std::vector<Vector> gradients(2, Vector(64));
  for (std::size_t worker = 0; worker < 2; ++worker) {
    const kernels::RandomStream random{11 + worker, step};
    for (std::size_t i = 0; i < 64; ++i)
      gradients[worker][i] = 2 * kernels::unit_interval(random.word(i)) - 1;
  }
  return gradients;
}

std::vector<Compression> usable() {
  std::vector<Compression> result;
  for (const kernels::Entry& entry : kernels::catalogue()) {
    const Compression compression{std::string(entry.name), 0.1, true, false};
    if (GradientExchange::check(compression)) result.push_back(compression);
  }
  return result;
}

bool feeds_back(const Compression& compression) { return compression.method->error_feedback; }

TEST(GradientExchange, UncompressedGradientsAreAveraged) {
  Job job({3});
  const MeanGradient sent = job.step(dense, {{1, 2, 3}, {3, -2, 0}});
  EXPECT_THAT(job.mean, ElementsAre(2, 0, 1.5));
  EXPECT_EQ(sent.gain, 1);
  EXPECT_EQ(sent.squared_norm, 6.25);
  EXPECT_FALSE(job.exchange.remembers(0));
}

TEST(GradientExchange, TopKSumsOverTheUnionAndKeepsTheRest) {
  Job job({4});
  MeanGradient sent = job.step(topk(0.25), {{4, 1, 0, -2}, {1, 3, -1, 0}});
  EXPECT_THAT(job.mean, ElementsAre(2, 1.5, 0, 0));  // kept: 0 1 0 -2 and 1 0 -1 0
  EXPECT_DOUBLE_EQ(sent.gain, (16 + 9) / 32.0);
  EXPECT_EQ(sent.squared_norm, 6.25);
  sent = job.step(topk(0.25), {{1, 1, 0, -1}, {1, 0, -2, 1}});  // with the residual: 1 2 0 -3 and 2 0 -3 1
  EXPECT_THAT(job.mean, ElementsAre(0, 0, -1.5, -1.5));
  EXPECT_DOUBLE_EQ(sent.gain, 18 / 28.0);
  sent = job.step(topk(0.25), {{1, 1, 0, 0}, {1, 0, 0, 1}});  // 2 3 0 0 and 3 0 0 2
  EXPECT_THAT(job.mean, ElementsAre(1.5, 1.5, 0, 0));
  EXPECT_DOUBLE_EQ(sent.gain, 18 / 26.0);
}

TEST(GradientExchange, AnUncompressedStepSendsWhatWasKeptAlongOnce) {
  Job job({4});
  job.step(topk(0.25), {{4, 1, 0, -2}, {1, 3, -1, 0}});
  EXPECT_TRUE(job.exchange.remembers(0));
  const MeanGradient sent = job.step(dense, {{1, 0, 0, 0}, {0, 0, 0, 0}});
  EXPECT_THAT(job.mean, ElementsAre(1, 0.5, -0.5, -1));
  EXPECT_EQ(sent.gain, 1);
  EXPECT_FALSE(job.exchange.remembers(0));
  job.step(dense, {{0, 0, 0, 0}, {0, 0, 0, 0}});
  EXPECT_THAT(job.mean, Each(0));
}

TEST(GradientExchange, WithoutErrorFeedbackWhatIsNotSentIsLost) {
  Job job({2});
  job.step(topk(0.5, false), {{2, 1}, {2, 1}});
  EXPECT_THAT(job.mean, ElementsAre(2, 0));
  EXPECT_FALSE(job.exchange.remembers(0));
  job.step(dense, {{0, 0}, {0, 0}});
  EXPECT_THAT(job.mean, Each(0));
}

// As in TopKSumsOverTheUnionAndKeepsTheRest, but of 0 1 0 -2 and 1 0 -1 0 a half is added: 1 1.5 0 -2 and
// 1.5 0 -2.5 1, of which 1 1.5 0 0 and 1.5 0 0 1 are kept, and a half of that is sent with the last.
TEST(GradientExchange, WhatIsKeptDecaysBeforeItIsAdded) {
  Job job({4});
  Compression halved = topk(0.25);
  halved.residual_decay = 0.5;
  job.step(halved, {{4, 1, 0, -2}, {1, 3, -1, 0}});
  EXPECT_THAT(job.mean, ElementsAre(2, 1.5, 0, 0));
  const MeanGradient sent = job.step(halved, {{1, 1, 0, -1}, {1, 0, -2, 1}});
  EXPECT_THAT(job.mean, ElementsAre(0, 0, -1.25, -1));
  EXPECT_DOUBLE_EQ(sent.gain, (4 + 6.25) / (7.25 + 9.5));
  job.step({.residual_decay = 0.5}, {{0, 0, 0, 0}, {0, 0, 0, 0}});
  EXPECT_THAT(job.mean, ElementsAre(0.625, 0.375, 0, 0.25));
}

// One worker, one tile of two rows: of (1 2; 3 6) the coefficient 6 is sent, a mean of 3; (-2 -1; 0 3) is
// kept, of whose half (-1 -0.5; 0 1.5) the largest coefficient is -1.5, that of the rows' difference.
TEST(GradientExchange, CosineCoefficientsAreOfTheLayersMatrices) {
  GradientExchange exchange({4}, 7, {{2, 2}});
  const Compression demo{
      .method = "dct_topk", .ratio = 0.25, .residual_decay = 0.5, .proportional_tiles = true};
  Vector mean(4);
  const Vector gradient{1, 2, 3, 6}, nothing(4);
  exchange.mean(demo, 0, std::vector<Contribution>{{0, gradient}}, mean);
  for (const float value : mean) EXPECT_NEAR(value, 3, 1e-6);
  exchange.mean(demo, 1, std::vector<Contribution>{{0, nothing}}, mean);
  const Vector expected{-0.75, -0.75, 0.75, 0.75};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(mean[i], expected[i], 1e-6);
}

TEST(GradientExchange, WhatIsKeptByOneWhoSendsNothingDoesNotDecay) {
  Job job({2});
  Compression halved = topk(0.5);
  halved.residual_decay = 0.5;
  job.step(halved, {{2, 1}, {1, 3}});  // kept: 0 1 and 1 0
  job.step(halved, {{0, 0}});          // worker 0 sends its half
  EXPECT_THAT(job.mean, ElementsAre(0, 0.5));
  job.step(dense, {{0, 0}, {0, 0}});
  EXPECT_THAT(job.mean, ElementsAre(0.5, 0));
}

// As in EachWorkerInTurnChoosesThePlacesOfArTopK: a half of 0 1 0 and 0 2 5 is kept for the second step.
TEST(GradientExchange, WhatIsKeptOfSharedPlacesDecaysToo) {
  Job job({3});
  Compression halved = star(1 / 3.0);
  halved.residual_decay = 0.5;
  job.step(halved, {{3, 1, 0}, {0, 2, 5}});
  job.step(halved, {{1, 0, 1}, {0, 0, 0}});
  EXPECT_THAT(job.mean, ElementsAre(0, 0, 1.75));
}

// The owner keeps 0.5 of the second value, as in SumsThatAreCodedAgainKeepTheRestWhereTheyAreSummed.
TEST(GradientExchange, WhatIsKeptWhereMessagesAreSummedDecaysToo) {
  Job job({2});
  job.step({.method = "block_4bit"}, {{7, 1}, {7, 0}});
  job.step({.residual_decay = 0.5}, {{2, 2}, {2, 2}});
  EXPECT_THAT(job.mean, ElementsAre(2, 2.25));
}

// 4 1 0 -2 and 1 3 -1 0 at weights of 1/2 and 3/2.
TEST(GradientExchange, SaysWhatEachWorkerSentOfTheMean) {
  const std::vector<Vector> gradients{{4, 1, 0, -2}, {1, 3, -1, 0}};
  const std::vector<Contribution> given{{0, gradients[0], 0.5F}, {1, gradients[1], 1.5F}};
  for (const Compression& compression : {dense, topk(0.25)}) {
    GradientExchange exchange({4}, 7);
    Vector mean(4);
    std::vector<Vector> sent(2);
    exchange.mean(compression, 0, given, mean, sent);
    const bool all = !compression.compresses();
    EXPECT_EQ(sent[0], all ? (Vector{2, 0.5F, 0, -1}) : (Vector{2, 0, 0, 0}));
    EXPECT_EQ(sent[1], all ? (Vector{1.5F, 4.5F, -1.5F, 0}) : (Vector{0, 4.5F, 0, 0}));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(mean[i], (sent[0][i] + sent[1][i]) / 2);
  }
}

TEST(GradientExchange, AWorkerThatTakesNoPartKeepsItsOwn) {
  Job job({2});
  job.step(topk(0.5), {{2, 1}, {1, 3}});
  job.step(dense, {{0, 0}});  // only worker 0
  EXPECT_THAT(job.mean, ElementsAre(0, 1));
  job.step(dense, {{0, 0}, {0, 0}});
  EXPECT_THAT(job.mean, ElementsAre(0.5, 0));
}

TEST(GradientExchange, AWorkersMemoryIsItsOwn) {
  Job job({2});
  job.step(topk(0.5), {{2, 1}, {1, 3}});
  job.step(dense, {{0, 0}});  // only worker 0
  EXPECT_FALSE(job.exchange.remembers(0));
  EXPECT_TRUE(job.exchange.remembers(1));
}

TEST(GradientExchange, WeightsScaleWhatIsCompressedAndLeaveTheGradientsAlone) {
  const std::vector<Vector> gradients{{4, 1}, {2, 3}};
  const std::vector<Contribution> weighted{{0, gradients[0], 0.5F}, {1, gradients[1], 1.5F}};
  for (const Compression& compression : {dense, topk(0.5), star(0.5)}) {
    GradientExchange exchange({2}, 7);
    GradientExchange scaled({2}, 7);
    const std::vector<Vector> by_hand{{2, 0.5}, {3, 4.5}};
    Vector mean(2), expected(2);
    const double gain = exchange.gain(compression, 0, weighted);
    const MeanGradient sent = exchange.mean(compression, 0, weighted, mean);
    const MeanGradient whole = scaled.mean(compression, 0, Job::contributions(by_hand), expected);
    EXPECT_EQ(mean, expected) << compression.method.name();
    EXPECT_EQ(sent.gain, whole.gain);
    EXPECT_EQ(gain, whole.gain);
  }
  EXPECT_EQ(gradients, (std::vector<Vector>{{4, 1}, {2, 3}}));
}

TEST(GradientExchange, LayersAreCompressedOneByOneByLayerwiseTopK) {
  Job job({2, 2});
  job.step({"lwtopk", 0.5, false, false}, {{5, 4, 1, 2}});
  EXPECT_THAT(job.mean, ElementsAre(5, 0, 0, 2));
  job.step(topk(0.5, false), {{5, 4, 1, 2}});
  EXPECT_THAT(job.mean, ElementsAre(5, 4, 0, 0));
}

TEST(GradientExchange, EachWorkerInTurnChoosesThePlacesOfArTopK) {
  Job job({3});
  MeanGradient sent = job.step(star(1 / 3.0), {{3, 1, 0}, {0, 2, 5}});
  EXPECT_THAT(job.mean, ElementsAre(1.5, 0, 0));  // place 0 is worker 0's; kept: 0 1 0 and 0 2 5
  EXPECT_DOUBLE_EQ(sent.gain, 9 / 39.0);
  sent = job.step(star(1 / 3.0), {{1, 0, 1}, {0, 0, 0}});
  EXPECT_THAT(job.mean, ElementsAre(0, 0, 3));  // place 2 is worker 1's; kept: 1 1 0 and 0 2 0
  EXPECT_DOUBLE_EQ(sent.gain, 26 / 32.0);
  job.step(dense, {{0, 0, 0}, {0, 0, 0}});
  EXPECT_THAT(job.mean, ElementsAre(0.5, 1.5, 0));
}

TEST(GradientExchange, TheLoudestWorkerChoosesThePlacesUnderVarianceSelection) {
  Job job({3});
  const Compression loudest{"ar_topk", 1 / 3.0, true, true};
  job.step(loudest, {{3, 1, 0}, {0, 2, 5}});
  EXPECT_THAT(job.mean, ElementsAre(0, 0, 2.5));  // 25 > 9; kept: 3 1 0 and 0 2 0
  job.step(loudest, {{0, 0, 0}, {0, 0, 0}});
  EXPECT_THAT(job.mean, ElementsAre(1.5, 0, 0));  // 9 > 4
}

TEST(GradientExchange, ArTopKWithoutErrorFeedbackSendsWhatWasKeptAlongAndKeepsNothing) {
  Job job({3});
  job.step(topk(1 / 3.0), {{3, 1, 0}, {0, 2, 5}});  // kept: 0 1 0 and 0 2 0
  job.step({"ar_topk", 1 / 3.0, false, false}, {{0, 0, 0}, {0, 0, 1}});
  EXPECT_THAT(job.mean, ElementsAre(0, 1.5, 0));  // worker 1 chooses among 0 2 1
  EXPECT_FALSE(job.exchange.remembers(0));
}

TEST(GradientExchange, MostWorkersDecideTheSign) {
  Job job({3});
  const Compression signs{"signsgd", 1, true, false};
  const MeanGradient sent = job.step(signs, {{1, -1, 2}, {-3, -1, 1}, {1, -2, -0.5F}});
  EXPECT_THAT(job.mean, ElementsAre(1, -1, 1));
  EXPECT_EQ(sent.squared_norm, 3);
  job.step(signs, {{1, -1, 2}, {-3, 1, 1}});  // undecided counts as +
  EXPECT_THAT(job.mean, ElementsAre(1, 1, 1));
}

TEST(GradientExchange, RandomPlacesAreTheSameForAllWorkers) {
  Job job({64});
  job.step({"randomk", 0.1, true, false}, drawn(0));
  EXPECT_EQ(std::ranges::count(job.mean, 0.0F), 64 - 6);
}

TEST(GradientExchange, TwoLevelsKeepALargeRatioToo) {
  Job job({64});
  job.step({"multilevel", 0.5, true, false}, {drawn(0)[0]});
  EXPECT_EQ(std::ranges::count(job.mean, 0.0F), 32);
}

TEST(GradientExchange, ZeroGradientsLoseNothing) {
  Job job({4});
  const MeanGradient sent = job.step(topk(0.25), {{0, 0, 0, 0}, {0, 0, 0, 0}});
  EXPECT_EQ(sent.gain, 1);
  EXPECT_THAT(job.mean, Each(0));
}

TEST(GradientExchange, SendingIsTheMeanOfOne) {
  GradientExchange exchange({4}, 7);
  Vector restored(4, 99);
  const Vector gradient{4, 1, 0, -2};
  EXPECT_DOUBLE_EQ(exchange.send(topk(0.25), 0, {5, gradient}, restored).gain, 16 / 21.0);
  EXPECT_THAT(restored, ElementsAre(4, 0, 0, 0));
  exchange.send(dense, 1, {5, Vector(4)}, restored);
  EXPECT_THAT(restored, ElementsAre(0, 1, 0, -2));
}

TEST(GradientExchange, ErrorFeedbackLosesNothingInTheEnd) {
  for (const Compression& compression : usable()) {
    if (!feeds_back(compression)) continue;
    SCOPED_TRACE(compression.method.name());
    Job job({40, 24});
    std::vector<double> given(64), received(64);
    for (std::uint64_t step = 0; step < 5; ++step) {
      const std::vector<Vector> gradients = drawn(step);
      job.step(compression, gradients);
      for (std::size_t i = 0; i < 64; ++i) {
        given[i] += gradients[0][i] + gradients[1][i];
        received[i] += 2 * job.mean[i];
      }
    }
    EXPECT_TRUE(job.exchange.remembers(0));
    job.step(dense, {Vector(64), Vector(64)});
    for (std::size_t i = 0; i < 64; ++i) EXPECT_NEAR(received[i] + 2 * job.mean[i], given[i], 1e-5) << i;
  }
}

TEST(GradientExchange, MethodsWithoutErrorFeedbackSendWhatWasKeptAlongAndKeepNothing) {
  for (const Compression& compression : usable()) {
    if (feeds_back(compression)) continue;
    SCOPED_TRACE(compression.method.name());
    Job job({64}), fresh({64});
    const std::vector<Vector> gradients = drawn(0);
    job.step(topk(0.5), gradients);
    job.step(compression, {Vector(64), Vector(64)});
    EXPECT_FALSE(job.exchange.remembers(0));
    std::vector<Vector> kept = gradients;  // by hand: the half of smallest magnitude
    for (Vector& vector : kept) {
      std::vector<float> magnitudes;
      for (const float value : vector) magnitudes.push_back(std::abs(value));
      std::ranges::sort(magnitudes);
      for (float& value : vector) value = std::abs(value) >= magnitudes[32] ? 0 : value;
    }
    fresh.number = 1;
    fresh.step(compression, kept);
    EXPECT_THAT(job.mean, ElementsAreArray(fresh.mean));
  }
}

TEST(GradientExchange, TheGainOfATrialIsThatOfTheStepAndChangesNothing) {
  for (const Compression& compression : usable()) {
    SCOPED_TRACE(compression.method.name());
    Job tried({40, 24}), untried({40, 24});
    for (std::uint64_t step = 0; step < 3; ++step) {
      const std::vector<Vector> gradients = drawn(step);
      const auto contributions = Job::contributions(gradients);
      EXPECT_GT(tried.exchange.gain(topk(0.5), tried.number, contributions), 0.5);
      const double trial = tried.exchange.gain(compression, tried.number, contributions);
      EXPECT_EQ(tried.step(compression, gradients).gain, trial);
      EXPECT_EQ(untried.step(compression, gradients).gain, trial);
      EXPECT_THAT(tried.mean, ElementsAreArray(untried.mean));
    }
  }
}

TEST(GradientExchange, ACopyGoesOnByItself) {
  for (const Compression& compression : usable()) {
    SCOPED_TRACE(compression.method.name());
    Job job({40, 24});
    for (std::uint64_t step = 0; step < 2; ++step) job.step(compression, drawn(step));
    Job copy(job);
    copy.step(compression, drawn(2));
    const Vector ahead = copy.mean;
    copy.step(compression, drawn(3));
    job.step(compression, drawn(2));
    EXPECT_THAT(job.mean, ElementsAreArray(ahead));
  }
}

TEST(GradientExchange, AMethodCanBeChangedFromStepToStep) {
  Job job({4});
  job.step(topk(0.25), {{4, 1, 0, -2}});
  job.step(star(0.5), {{0, 0, 0, 0}});  // the residual: 0 1 0 -2
  EXPECT_THAT(job.mean, ElementsAre(0, 1, 0, -2));
}

// Both workers' 7 1 are sent as they are, and so is their mean. Then 7 1 and 7 0: the mean 7 0.5 is coded
// again as 7 0 (half a step goes to the even 0), and what is left is kept by the owner for the next mean.
TEST(GradientExchange, SumsThatAreCodedAgainKeepTheRestWhereTheyAreSummed) {
  Job job({2});
  const Compression nibbles{.method = "block_4bit"};
  job.step(nibbles, {{7, 1}, {7, 1}});
  EXPECT_THAT(job.mean, ElementsAre(7, 1));
  job.step(nibbles, {{7, 1}, {7, 0}});
  EXPECT_THAT(job.mean, ElementsAre(7, 0));
  job.step(nibbles, {{7, 1}, {7, 0}});  // 0.5 and 0.5
  EXPECT_THAT(job.mean, ElementsAre(7, 1));
  job.step(nibbles, {{7, 1}, {7, 0}});
  job.step(dense, {{2, 2}, {2, 2}});  // what was kept goes with what is sent as it is
  EXPECT_THAT(job.mean, ElementsAre(2, 2.5));
}

TEST(GradientExchange, OneWorkersMessageIsNotCodedAgain) {
  GradientExchange exchange({2}, 1);
  const Vector gradient{7, 0.5F};
  Vector restored(2);
  exchange.send({.method = "block_4bit"}, 0, {0, gradient}, restored);
  EXPECT_THAT(restored, ElementsAre(7, 0));
  exchange.send({.method = "block_4bit"}, 1, {0, gradient}, restored);  // its own residual only
  EXPECT_THAT(restored, ElementsAre(7, 1));
}

// Tensors of 2, 2 and 1 values; a part from the second value on cuts the first.
TEST(GradientExchange, ScalesOfTensorsEndWhereTensorsAndPartsDo) {
  const Compression bytes{.method = "tensor_8bit", .error_feedback = false};
  const GradientExchange whole({5}, 7, {{2, 1}, {1, 2}, {1, 1}});
  GradientExchange exchange = whole.without_memory();
  Vector restored(5);
  exchange.send(bytes, 0, {0, Vector{254, 3, 127, 1.4F, 0.1F}}, restored);
  EXPECT_THAT(restored, ElementsAre(254, 4, 127, 1, 0.1F));
  GradientExchange part = whole.of_part(1, 5).without_memory();
  restored.resize(4);
  part.send(bytes, 0, {0, Vector{3, 127, 1.4F, 0.1F}}, restored);
  EXPECT_THAT(restored, ElementsAre(3, 127, 1, 0.1F));
}

// The mean (3 6; 1 2) of both workers has rank 1 and comes back whole; the vector is sent as it is.
TEST(GradientExchange, PowerSgdSendsTheFactorsOfTheMeanMatrix) {
  GradientExchange exchange({5}, 7, {{2, 2}, {1, 1}});
  const Vector first{2, 6, 1, 3, 5}, second{4, 6, 1, 1, 7};
  const std::vector<Contribution> given{{0, first}, {1, second}};
  Vector mean(5);
  const MeanGradient sent = exchange.mean({.method = "powersgd", .ratio = 0.01}, 0, given, mean);
  EXPECT_THAT(mean, ::testing::Pointwise(::testing::FloatNear(1e-4F), Vector{3, 6, 1, 2, 6}));
  EXPECT_NEAR(sent.gain, 1, 1e-5);
  EXPECT_TRUE(exchange.remembers(0));
  // What was kept is -1 0 0 1 and its negative: without gradients the mean is zero.
  const Vector zero(5);
  const std::vector<Contribution> nothing{{0, zero}, {1, zero}};
  exchange.mean(dense, 1, nothing, mean);
  EXPECT_THAT(mean, Each(::testing::FloatNear(0, 1e-5F)));
}

TEST(GradientExchange, PowerSgdLosesNothingInTheLongRun) {
  GradientExchange exchange({64}, 7, {{8, 8}});
  const std::vector<Vector> drawn_once = drawn(3);
  const std::vector<Contribution> given = Job::contributions(drawn_once);
  Vector mean(64), sum(64);
  for (std::int64_t step = 0; step < 200; ++step) {
    exchange.mean({.method = "powersgd", .ratio = 0.25}, step, given, mean);
    for (std::size_t i = 0; i < 64; ++i) sum[i] += mean[i] / 200;
  }
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_NEAR(sum[i], (drawn_once[0][i] + drawn_once[1][i]) / 2, 0.05) << i;
}

TEST(LowRankMean, HasOneRankForAllMatrices) {
  const LowRankMean mean({{100, 50}, {1, 50}, {20, 80}}, 1);  // 6600 values, 250 for each rank
  EXPECT_EQ(mean.rank(0.001), 1);
  EXPECT_EQ(mean.rank(0.1), 2);
  EXPECT_EQ(mean.rank(0.5), 13);
}

TEST(LowRankMean, TakesPlainValuesAsASquareAndARest) {
  const auto shapes = LowRankMean::square_of(11);
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].rows * shapes[0].columns, 9);
  EXPECT_EQ(shapes[1].columns, 2);
}

TEST(GradientExchange, NothingElseThanAThresholdIsRefused) {
  EXPECT_EQ(usable().size(), kernels::catalogue().size() - 1);
}

TEST(GradientExchange, MethodsThatALearnerCannotUseAreRefused) {
  const auto text = [](const std::string& method) {
    return GradientExchange::check({.method = method}).error().text();
  };
  EXPECT_EQ(text("threshold"), "`threshold` needs the threshold in advance; choose topk");
}

// With a half of 1, 3 and of 2, 5: 3 and 5 are sent; 1 and 2 are kept, and sent with the third exchange.
TEST(GradientExchange, WholeGradientsMayPassWhatIsKept) {
  Job job({2});
  job.step(topk(0.5), {{1, 3}, {2, 5}});
  const std::vector<Vector> given{{4, 0}, {0, 8}};
  const MeanGradient whole = job.exchange.mean_of_whole(Job::contributions(given), job.mean);
  EXPECT_THAT(job.mean, ElementsAre(2, 4));
  EXPECT_EQ(whole.gain, 1);
  EXPECT_EQ(whole.squared_norm, 20);
  EXPECT_TRUE(job.exchange.remembers(0));
  job.step(topk(0.5), {{0, 0}, {0, 0}});
  EXPECT_THAT(job.mean, ElementsAre(1.5, 0));
  job.exchange.mean_of_whole(std::vector<Contribution>{{0, given[0], 0.5F}, {1, given[1], 1.5F}}, job.mean);
  EXPECT_THAT(job.mean, ElementsAre(1, 6));  // weighted
}

}  // namespace
}  // namespace learning::learners
