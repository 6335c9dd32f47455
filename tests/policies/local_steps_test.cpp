// Local SGD and FedAvg, step by step.
#include "policies/local_steps.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "policies/catalogue.hpp"
#include "tests/policies/synchronisations.hpp"

namespace policies {

// Which steps of local SGD end with an exchange.

namespace {

/// The steps that do not stay local.
std::vector<std::int64_t> exchanges_of_steps(SynchronisationPolicy& policy, std::int64_t steps) {
  std::vector<std::int64_t> found;
  for (std::int64_t step = 0; step < steps; ++step) {
    if (policy.decide({step, {}, {}, {}}) != Synchronisation::stay_local) found.push_back(step);
  }
  return found;
}

TEST(Periodic, BeginsLocallyAndExchangesInEveryHthStep) {
  Periodic policy(4, Synchronisation::average_parameters);
  EXPECT_EQ(exchanges_of_steps(policy, 13), (std::vector<std::int64_t>{3, 7, 11}));
}

TEST(Periodic, WithHOfOneEveryStepExchanges) {
  Periodic policy(1, Synchronisation::average_gradients);
  EXPECT_EQ(exchanges_of_steps(policy, 3), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(Periodic, ExchangesWhatItWasMadeFor) {
  EXPECT_EQ(Periodic(1, Synchronisation::average_parameters).decide({}), Synchronisation::average_parameters);
  EXPECT_EQ(Periodic({.every = 1, .averaged = Averaged::gradients}).decide({}),
            Synchronisation::average_gradients);
}

TEST(Periodic, AStepThatIsTakenAgainEndsAsBefore) {  // after a failure
  Periodic policy(2, Synchronisation::average_parameters);
  const SynchronisationObservation second{1, {}, {}, {}};
  EXPECT_EQ(policy.decide(second), Synchronisation::average_parameters);
  EXPECT_EQ(policy.decide(second), Synchronisation::average_parameters);
}

TEST(Periodic, ACopyDecidesTheSame) {
  const Periodic policy(3, Synchronisation::average_parameters);
  EXPECT_EQ(exchanges_of_steps(*policy.copy(), 7), (std::vector<std::int64_t>{2, 5}));
}

TEST(EveryStep, AveragesGradientsAlways) {
  EveryStep policy;
  for (std::int64_t step = 0; step < 3; ++step)
    EXPECT_EQ(policy.decide({step, {}, {}, {}}), Synchronisation::average_gradients);
  EXPECT_EQ(policy.copy()->decide({}), Synchronisation::average_gradients);
}

}  // namespace

// Which steps end a round of local epochs.

namespace {

constexpr auto kAll = Synchronisation::average_parameters;

Synchronisation decide_at_epoch(SynchronisationPolicy& policy, std::int64_t step, double epoch) {
  return policy.decide({step, {}, {}, {}, epoch});
}

/// The steps that do not stay local, so many steps an epoch.
std::vector<std::int64_t> exchanges_by_epoch(SynchronisationPolicy& policy, double steps_per_epoch,
                                             std::int64_t steps) {
  std::vector<std::int64_t> found;
  for (std::int64_t step = 0; step < steps; ++step) {
    if (decide_at_epoch(policy, step, static_cast<double>(step + 1) / steps_per_epoch) != kLocal)
      found.push_back(step);
  }
  return found;
}

TEST(FedAvg, BeginsLocallyAndExchangesWhereEEpochsAreReached) {
  FedAvg policy({.every_epochs = 0.25});
  EXPECT_EQ(exchanges_by_epoch(policy, 16, 13), (std::vector<std::int64_t>{3, 7, 11}));
}

TEST(FedAvg, AnEThatIsNoWholeNumberOfStepsHoldsOnAverage) {  // 2.5 steps
  FedAvg policy({.every_epochs = 0.25});
  EXPECT_EQ(exchanges_by_epoch(policy, 10, 10), (std::vector<std::int64_t>{2, 4, 7, 9}));
}

// CIFAR-10 in batches of 32 on 8 workers: 195.3 steps an epoch, a round each 48.8 of them; 1 - 1/48.8 =
// 0.9795.
TEST(FedAvg, StaysLocalAsOftenAsPublished) {  // Tyagi & Swany 2023, Table I: LSSR 0.979 for E = 0.25
  FedAvg policy({.every_epochs = 0.25});
  const double exchanged = static_cast<double>(exchanges_by_epoch(policy, 50000.0 / 256, 20000).size());
  EXPECT_NEAR(1 - exchanged / 20000, 0.9795, 0.0001);
}

TEST(FedAvg, AnEShorterThanAStepIsEveryStep) {
  FedAvg policy({.every_epochs = 0.01});
  EXPECT_EQ(exchanges_by_epoch(policy, 10, 3), (std::vector<std::int64_t>{0, 1, 2}));
}

/// One of four workers takes part.
Synchronisation decide_for_one_of_four(SynchronisationPolicy& policy, std::int64_t step, double epoch) {
  const std::vector<std::uint32_t> one{2};
  SynchronisationObservation seen{step, one, {}, {}, epoch};
  seen.present = 4;
  return policy.decide(seen);
}

TEST(FedAvg, ARoundIsEEpochsOfTheOwnDataOfThoseWhoTakePart) {  // a quarter of an epoch of all data
  FedAvg policy({.participants = 0.25, .every_epochs = 1});
  EXPECT_EQ(decide_for_one_of_four(policy, 0, 0.125), kLocal);
  EXPECT_EQ(decide_for_one_of_four(policy, 1, 0.25), kAll);
  EXPECT_EQ(decide_for_one_of_four(policy, 2, 0.375), kLocal);
  EXPECT_EQ(decide_for_one_of_four(policy, 3, 0.5), kAll);
}

TEST(FedAvg, ARoundOfOthersBeginsAnewWhereAllWereLost) {
  FedAvg policy({.participants = 0.25, .every_epochs = 1});
  EXPECT_EQ(decide_for_one_of_four(policy, 0, 0.125), kLocal);
  const std::vector<std::uint32_t> another{3};
  const auto decide = [&](std::int64_t step, double epoch) {
    SynchronisationObservation seen{step, another, {}, {}, epoch};
    seen.present = 4;
    return policy.decide(seen);
  };
  EXPECT_EQ(decide(1, 0.25), kLocal);
  EXPECT_EQ(decide(2, 0.375), kAll);
}

TEST(FedAvg, AStepThatIsTakenAgainEndsAsBefore) {  // after a failure, with fewer workers
  FedAvg policy({.every_epochs = 1});
  EXPECT_EQ(decide_at_epoch(policy, 7, 1.02), kAll);
  EXPECT_EQ(decide_at_epoch(policy, 7, 0.99), kAll);
  EXPECT_EQ(decide_at_epoch(policy, 8, 1.1), kLocal);
}

TEST(FedAvg, ACopyRemembersTheRoundsThatEnded) {
  FedAvg policy({.every_epochs = 1});
  EXPECT_EQ(decide_at_epoch(policy, 0, 1), kAll);
  const auto copy = policy.copy();
  EXPECT_EQ(decide_at_epoch(*copy, 1, 1.5), kLocal);
  EXPECT_EQ(decide_at_epoch(*copy, 2, 2), kAll);
  EXPECT_EQ(decide_at_epoch(policy, 2, 2), kAll);
}

}  // namespace
}  // namespace policies
