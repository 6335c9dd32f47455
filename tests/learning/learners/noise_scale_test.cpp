// Noise scales of norms made by hand, from a signal |G|^2 = 2 and a noise tr(Sigma) = 48: 24 samples.
#include "learning/learners/noise_scale.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace learning::learners {
namespace {

struct Step {
  std::vector<Share> shares;
  std::vector<double> squared_norms;
  double mean_squared_norm = 0;
  Weights weights = Weights::by_batch;
};

std::optional<double> after(const std::vector<Step>& steps, double smoothing = 0.02) {
  NoiseScale scale(smoothing);
  for (const Step& step : steps)
    scale.add(step.shares, step.squared_norms, step.weights, step.mean_squared_norm);
  return scale.value();
}

/// Two workers with one sample each, whose norms and mean give this signal and noise.
Step pair(double signal, double noise) {
  return {{{0, 1}, {1, 1}}, {signal + noise, signal + noise}, signal + noise / 2};
}

TEST(NoiseScale, EqualBatchesGiveItExactly) {
  const Step step{{{0, 16}, {1, 16}, {2, 16}, {3, 16}}, {5, 5, 5, 5}, 2.75};  // 2 + 48 / 16, 2 + 48 / 64
  EXPECT_DOUBLE_EQ(*after({step}), 24);
  Step uniform = step;
  uniform.weights = Weights::uniform;
  EXPECT_DOUBLE_EQ(*after({uniform}), 24);
}

TEST(NoiseScale, UnequalBatchesGiveItExactlyUnderBothWeights) {
  const std::vector<Share> shares{{0, 4}, {1, 12}};
  const std::vector<double> norms{2 + 48 / 4.0, 2 + 48 / 12.0};
  EXPECT_DOUBLE_EQ(*after({{shares, norms, 2 + 48 / 16.0, Weights::by_batch}}), 24);
  EXPECT_DOUBLE_EQ(*after({{shares, norms, 2 + 48 * (1 / 4.0 + 1 / 12.0) / 4, Weights::uniform}}), 24);
}

TEST(NoiseScale, OnlyTheMeanOfTheWorkersNormsCounts) {
  EXPECT_DOUBLE_EQ(*after({{{{0, 16}, {1, 16}, {2, 16}, {3, 16}}, {2, 8, 9, 1}, 2.75}}), 24);
}

TEST(NoiseScale, SignalAndNoiseAreSmoothedBeforeTheirRatio) {
  EXPECT_DOUBLE_EQ(*after({pair(2, 48), pair(4, 16)}, 0.5), 32 / 3.0);
  EXPECT_DOUBLE_EQ(*after({pair(2, 48), pair(4, 16)}, 1), 4);
  EXPECT_DOUBLE_EQ(*after({pair(2, 48), pair(4, 16)}), (48 - 0.02 * 32) / (2 + 0.02 * 2));
}

TEST(NoiseScale, ASingleWorkerTellsNothing) {
  EXPECT_FALSE(after({{{{0, 16}}, {5}, 5}}).has_value());
  EXPECT_DOUBLE_EQ(*after({pair(2, 48), {{{0, 16}}, {5}, 5}}), 24);
}

TEST(NoiseScale, NothingIsKnownBeforeTheFirstStep) { EXPECT_FALSE(after({}).has_value()); }

TEST(NoiseScale, ASignalThatCannotBeToldFromNoiseGivesNone) {
  EXPECT_FALSE(after({pair(0, 1)}).has_value());
  EXPECT_FALSE(after({pair(-1, 3)}).has_value());
  EXPECT_DOUBLE_EQ(*after({pair(-1, 3), pair(5, 3)}, 0.5), 1.5);
}

TEST(NoiseScale, NegativeNoiseGivesNoneAndNoNoiseGivesZero) {
  EXPECT_FALSE(after({pair(2, -1)}).has_value());
  EXPECT_EQ(*after({pair(2, 0)}), 0);
}

TEST(NoiseScale, NormsThatAreNoNumbersArePassedOver) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(after({pair(none, 1)}).has_value());
  EXPECT_FALSE(after({pair(infinite, 1)}).has_value());
  EXPECT_DOUBLE_EQ(*after({pair(2, 48), pair(none, 1), {{{0, 1}, {1, 1}}, {4, 4}, infinite}}), 24);
}

}  // namespace
}  // namespace learning::learners
