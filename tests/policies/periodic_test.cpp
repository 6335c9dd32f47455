// Which steps of local SGD end with an exchange.
#include "policies/periodic.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "policies/catalogue.hpp"
#include "policies/every_step.hpp"

namespace policies {
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
}  // namespace policies
