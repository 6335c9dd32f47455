// ScaDLES' rule by hand: the loss of compression, smoothed, against delta.
#include "policies/scadles_compression.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/policies/compression_job.hpp"

namespace policies {
namespace {

JobStep with_gain(double gain, double epoch = 0, std::uint32_t workers = 100) {
  return {.epoch = epoch, .workers = workers, .gain = [gain](const auto&) { return gain; }};
}

bool compressed(const Decided& decided) { return decided.sent == CompressionChoice{"topk", 0.1}; }

TEST(ScadlesCompression, CompressesWhereLittleIsLostAndElseSendsDense) {  // delta 0.3 is a gain of 0.7
  ScadlesCompression policy({}, on_topk);
  EXPECT_TRUE(compressed(play(policy, with_gain(0.71))));
  EXPECT_FALSE(compressed(play(policy, with_gain(0.69))));
  EXPECT_EQ(play(policy, with_gain(0.69)).sent, (CompressionChoice{"none", 1}));
  EXPECT_TRUE(compressed(play(policy, with_gain(0.75))));
}

TEST(ScadlesCompression, ALossThatJustReachesDeltaIsCompressed) {
  ScadlesCompression policy({.threshold = 0.25}, on_topk);
  EXPECT_TRUE(compressed(play(policy, with_gain(0.75))));
}

TEST(ScadlesCompression, AGainAboveOneIsALossToo) {  // the bars of the printed formula
  ScadlesCompression policy({}, on_topk);
  EXPECT_FALSE(compressed(play(policy, with_gain(1.4))));
}

TEST(ScadlesCompression, SmoothsByAHundredthOfTheWorkers) {  // N = 50: losses 0.1, then 0.1 + 0.4 / 2 = 0.3
  const auto second = [](double delta) {
    ScadlesCompression policy({.threshold = delta}, on_topk);
    (void)play(policy, with_gain(0.9, 0, 50));
    return compressed(play(policy, with_gain(0.5, 0, 50)));
  };
  EXPECT_TRUE(second(0.31));
  EXPECT_FALSE(second(0.29));
}

TEST(ScadlesCompression, TheCodesMeanBeginsAnewWithEachEpoch) {
  ScadlesCompression policy({.average = LossAverage::epoch_mean}, on_topk);
  EXPECT_TRUE(compressed(play(policy, with_gain(1, 0))));
  EXPECT_TRUE(compressed(play(policy, with_gain(1, 0.3))));
  EXPECT_TRUE(compressed(play(policy, with_gain(0.25, 0.6))));   // mean loss 0.25
  EXPECT_FALSE(compressed(play(policy, with_gain(0.25, 0.9))));  // 0.375
  EXPECT_TRUE(compressed(play(policy, with_gain(0.75, 1))));     // 0.25 again: the epoch is new
}

TEST(ScadlesCompression, TheCodesGainIsOfNormsNotOfSquares) {  // sqrt(0.49) = 0.7
  ScadlesCompression squared({.threshold = 0.31}, on_topk);
  ScadlesCompression norm({.threshold = 0.31, .gain_of = GainMeaning::norm}, on_topk);
  EXPECT_FALSE(compressed(play(squared, with_gain(0.49))));
  EXPECT_TRUE(compressed(play(norm, with_gain(0.49))));
}

TEST(ScadlesCompression, WhatNobodyKnowsIsSentDense) {
  ScadlesCompression policy({}, on_topk);
  EXPECT_FALSE(compressed(play(policy, {.gain = [](const auto&) { return std::nullopt; }})));
}

TEST(ScadlesCompression, AGainThatIsNoNumberCountsForItsStepAlone) {
  ScadlesCompression policy({}, on_topk);
  EXPECT_FALSE(compressed(play(policy, with_gain(std::numeric_limits<double>::quiet_NaN()))));
  EXPECT_TRUE(compressed(play(policy, with_gain(0.9))));
}

TEST(ScadlesCompression, RefusesAWeightWhereTheMeanHasNone) {
  EXPECT_FALSE(problem_of(ScadlesCompression::Settings{.smoothing = 0.2}).has_value());
  EXPECT_FALSE(problem_of(ScadlesCompression::Settings{.average = LossAverage::epoch_mean}).has_value());
  const auto problem =
      problem_of(ScadlesCompression::Settings{.average = LossAverage::epoch_mean, .smoothing = 0.2});
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(problem->key, "smoothing");
  EXPECT_EQ(problem->what, "`average: epoch_mean` is a plain mean without weights");
}

}  // namespace
}  // namespace policies
