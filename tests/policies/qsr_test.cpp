// How QSR's period follows the learning rate.
#include "policies/qsr.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "tests/policies/synchronisations.hpp"

namespace policies {
namespace {

/// The steps that end with an exchange, at these learning rates step by step.
std::vector<std::int64_t> exchanges(Qsr policy, const std::vector<std::optional<double>>& rates) {
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i);
    if (policy.decide({step, {}, {}, {}, 0, rates[i]}) == kExchange) found.push_back(step);
  }
  return found;
}

TEST(Qsr, ExchangesLessOftenAsTheSquareOfTheFallingRate) {  // (0.4 / 0.2)^2 = 4, then (0.4 / 0.15)^2 = 7.1
  std::vector<std::optional<double>> rates(4, 0.2);
  rates.insert(rates.end(), 10, 0.15);
  EXPECT_EQ(exchanges(Qsr({.every = 2, .alpha = 0.4}), rates), (std::vector<std::int64_t>{3, 10}));
}

TEST(Qsr, ExchangesAtLeastAsRarelyAsItsBase) {  // (0.4 / 1)^2 = 0.16
  EXPECT_EQ(exchanges(Qsr({.every = 3, .alpha = 0.4}), std::vector<std::optional<double>>(7, 1.0)),
            (std::vector<std::int64_t>{2, 5}));
}

TEST(Qsr, KeepsThePeriodWithWhichItBegan) {
  EXPECT_EQ(exchanges(Qsr({.every = 1, .alpha = 0.2}), {0.1, 0.01, 0.01, 0.1, 0.1}),
            (std::vector<std::int64_t>{3}));
}

TEST(Qsr, WithoutARateTakesItsBaseAndAtARateOfZeroStaysLocal) {
  EXPECT_EQ(exchanges(Qsr({.every = 2, .alpha = 1}), {{}, {}, {}, {}}), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(exchanges(Qsr({.every = 2, .alpha = 1}), {0.0, 0.0, 0.0, 0.0}), (std::vector<std::int64_t>{}));
}

TEST(Qsr, PlansNoLongerThanTrainingLasts) {  // (0.4 / 0.04)^2 = 100
  Qsr policy({.every = 2, .alpha = 0.4});
  SynchronisationObservation seen{0, {}, {}, {}, 0, 0.04};
  EXPECT_EQ(policy.decide(seen), kLocal);
  seen.step = 1;
  seen.last = true;
  EXPECT_EQ(policy.decide(seen), kExchange);
}

TEST(Qsr, NoPeriodIsLongerThanATrillionSteps) {
  Qsr policy({.every = 2, .alpha = 1});
  EXPECT_EQ(policy.decide({999'999'999'998, {}, {}, {}, 0, 0.0}), kLocal);
  EXPECT_EQ(policy.decide({999'999'999'999, {}, {}, {}, 0, 0.0}), kExchange);
}

TEST(Qsr, AStepThatIsTakenAgainEndsAlike) {
  Qsr policy({.every = 2, .alpha = 0.1});
  EXPECT_EQ(policy.decide({0, {}, {}, {}}), kLocal);
  EXPECT_EQ(policy.decide({1, {}, {}, {}}), kExchange);
  EXPECT_EQ(policy.decide({1, {}, {}, {}}), kExchange);
  EXPECT_EQ(policy.copy()->decide({2, {}, {}, {}}), kLocal);
}

}  // namespace
}  // namespace policies
