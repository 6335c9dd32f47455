// When dynamic averaging exchanges.
#include "policies/dynamic_averaging.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/policies/synchronisations.hpp"

namespace policies {
namespace {

SynchronisationObservation drifted(std::int64_t step, const std::vector<double>& drifts) {
  SynchronisationObservation seen;
  seen.step = step;
  seen.squared_drifts = drifts;
  return seen;
}

TEST(DynamicAveraging, ExchangesWhenOneModelIsFartherThanTheThreshold) {
  DynamicAveraging policy({.threshold = 0.5});
  EXPECT_EQ(policy.decide(drifted(0, {0, 0, 0})), kLocal);
  EXPECT_EQ(policy.decide(drifted(1, {0.2, 0.5, 0.1})), kLocal);  // not above it
  EXPECT_EQ(policy.decide(drifted(2, {0.2, 0.51, 0.1})), kExchange);
  EXPECT_EQ(policy.decide(drifted(3, {0, 0, 0})), kLocal);
}

TEST(DynamicAveraging, AThresholdOfZeroExchangesOnceModelsDiffer) {
  DynamicAveraging policy({.threshold = 0});
  EXPECT_EQ(policy.decide(drifted(0, {0, 0})), kLocal);
  EXPECT_EQ(policy.decide(drifted(1, {1e-9, 0})), kExchange);
}

TEST(DynamicAveraging, AModelThatIsNoNumberAsks) {
  DynamicAveraging policy({.threshold = 1});
  EXPECT_EQ(policy.decide(drifted(0, {std::nan(""), 0})), kExchange);
}

TEST(DynamicAveraging, ExchangesAtTheLatestAfterTheLongestPeriod) {
  DynamicAveraging policy({.threshold = 1e9, .longest = 3});
  std::vector<std::int64_t> exchanges;
  for (std::int64_t step = 0; step < 9; ++step)
    if (policy.decide(drifted(step, {})) == kExchange) exchanges.push_back(step);
  EXPECT_EQ(exchanges, (std::vector<std::int64_t>{2, 5, 8}));
}

TEST(DynamicAveraging, AnExchangeByDistanceBeginsThePeriodAnew) {
  DynamicAveraging policy({.threshold = 1, .longest = 3});
  EXPECT_EQ(policy.decide(drifted(0, {0})), kLocal);
  EXPECT_EQ(policy.decide(drifted(1, {2})), kExchange);
  EXPECT_EQ(policy.decide(drifted(1, {2})), kExchange);  // the same step, taken again
  EXPECT_EQ(policy.decide(drifted(2, {0})), kLocal);
  EXPECT_EQ(policy.copy()->decide(drifted(3, {0})), kLocal);
  EXPECT_EQ(policy.decide(drifted(4, {0})), kExchange);
}

}  // namespace
}  // namespace policies
