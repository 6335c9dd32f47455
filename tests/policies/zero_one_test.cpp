// 0/1 Adam's schedule, step by step.
#include "policies/zero_one.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/synchronisation_row.hpp"

namespace policies {
namespace {

using ::testing::ElementsAre;

/// Of the steps from 1 to `last`: d for whole gradients, c for compressed ones, l for local, m for momenta.
std::string letters(const ZeroOne::Settings& settings, std::int64_t last) {
  ZeroOne policy(settings);
  std::string text;
  for (std::int64_t step = 0; step < last; ++step) {
    const Decision decision = policy.decide({step, {}, {}, {}});
    switch (decision.kind) {
      case Synchronisation::average_gradients: text += decision.dense ? 'd' : 'c'; break;
      case Synchronisation::stay_local: text += 'l'; break;
      case Synchronisation::average_momenta: text += 'm'; break;
      default: text += '?';
    }
  }
  return text;
}

/// The steps, from 1, that are so.
std::vector<int> steps_with(char kind, const std::string& text) {
  std::vector<int> steps;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == kind) steps.push_back(static_cast<int>(i) + 1);
  }
  return steps;
}

// Two updates with each interval: 1, 1, 2, 2, 4, 4, 8, 8, ...
TEST(ZeroOne, UpdatesTheVarianceEverMoreRarely) {
  const std::string text = letters({.freeze_after = 100, .variance_doubles_every = 2}, 50);
  EXPECT_THAT(steps_with('d', text), ElementsAre(1, 2, 4, 6, 8, 12, 16, 24, 32, 48));
  EXPECT_EQ(steps_with('c', text).size(), 40U);
}

// Three of 1: 1, 2, 3; then the multiples of 2: 4, 6, 8; of 4: 12, 16, 20; of 8: 24, 32, 40.
TEST(ZeroOne, CountsMultiplesOfTheIntervalFromTheFirstStep) {
  const std::string text = letters({.freeze_after = 100, .variance_doubles_every = 3}, 45);
  EXPECT_THAT(steps_with('d', text), ElementsAre(1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 40));
}

// Frozen after 5 steps; intervals of 1 in steps 6 to 8, of 2 in 9 to 11, of 4 in 12 to 14, then of 6.
TEST(ZeroOne, ExchangesMomentaEverMoreRarelyUpToALimit) {
  EXPECT_EQ(
      letters({.freeze_after = 5, .variance_doubles_every = 2, .local_doubles_every = 3, .local_limit = 6},
              24),
      "ddcdc"
      "mmm"
      "lml"
      "mll"
      "lll"
      "mlllllm");
}

TEST(ZeroOne, IsNeverLocalWithALimitOfOne) {
  EXPECT_EQ(letters({.freeze_after = 2, .local_doubles_every = 1, .local_limit = 1}, 6), "ddmmmm");
}

/// The same step is decided again when workers are lost in it.
TEST(ZeroOne, IsAFunctionOfTheStep) {
  ZeroOne policy({.freeze_after = 100, .variance_doubles_every = 1});
  for (int again = 0; again < 3; ++again) {
    EXPECT_TRUE(policy.decide({1, {}, {}, {}}).dense);
    EXPECT_FALSE(policy.decide({2, {}, {}, {}}).dense);
  }
  EXPECT_TRUE(policy.copy()->decide({3, {}, {}, {}}).dense);
}

// As DeepSpeed's defaults: 16 updates in steps 1 to 16, then every second step.
TEST(ZeroOne, BeginsAsDeepSpeedDoes) { EXPECT_EQ(letters({}, 21), "ddddddddddddddddcdcdc"); }

TEST(ZeroOne, SaysHowItsStepsEnd) {
  const auto texts = [](const ZeroOne::Settings& settings) {
    std::vector<std::string> found;
    for (const StepKind& kind : step_kinds(synchronisation("zero_one", settings)))
      found.emplace_back(kind.text);
    return found;
  };
  EXPECT_THAT(texts({}), ElementsAre("a step with whole gradients, which update the variance",
                                     "a step with compressed gradients", "a local step, the variance frozen",
                                     "a step with compressed momenta, the variance frozen"));
  EXPECT_THAT(texts({.freeze_after = 16, .local_limit = 1}),
              ElementsAre("a step with whole gradients, which update the variance",
                          "a step with compressed momenta, the variance frozen"));
  EXPECT_TRUE(step_kinds(synchronisation("bsp", settings::None{})).empty());
}

TEST(ZeroOne, SaysWhichStepIsTheFirstThatEndsSo) {
  for (const std::int64_t freeze_after : {1, 4, 5, 6, 12}) {
    for (const std::int64_t updates : {1, 2, 3, 4, 5}) {
      for (const std::int64_t local : {1, 2, 3}) {
        for (const std::int64_t limit : {1, 2, 3, 8}) {
          const ZeroOne::Settings settings{freeze_after, updates, local, limit};
          const std::string text = letters(settings, 40);
          std::string firsts = text;  // each letter where it comes first
          for (std::size_t i = 0; i < text.size(); ++i)
            if (text.find(text[i]) != i) firsts[i] = '.';
          std::string said(40, '.');
          for (const StepKind& kind : settings.kinds()) {
            const std::string word(kind.text);
            const char letter = kind.decision.dense                           ? 'd'
                                : word.find("gradients") != std::string::npos ? 'c'
                                : word.find("local") != std::string::npos     ? 'l'
                                                                              : 'm';
            said[static_cast<std::size_t>(kind.first)] = letter;
          }
          EXPECT_EQ(said, firsts) << freeze_after << " " << updates << " " << local << " " << limit;
        }
      }
    }
  }
}

}  // namespace
}  // namespace policies
