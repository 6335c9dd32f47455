// Periods of AdaComm by hand: H = ceil(sqrt(F / F_0) H_0).
#include "policies/adacomm.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "policies/catalogue.hpp"
#include "tests/policies/synchronisations.hpp"

namespace policies {
namespace {

Synchronisation decide_at_loss(SynchronisationPolicy& policy, std::int64_t step, std::optional<double> loss) {
  return policy.decide({step, {}, {}, loss});
}

/// The steps that do not stay local, with a loss for each.
std::vector<std::int64_t> exchanges_by_loss(SynchronisationPolicy& policy,
                                            const std::vector<std::optional<double>>& losses) {
  std::vector<std::int64_t> found;
  for (std::size_t step = 0; step < losses.size(); ++step) {
    const auto number = static_cast<std::int64_t>(step);
    if (decide_at_loss(policy, number, losses[step]) != kLocal) found.push_back(number);
  }
  return found;
}

// H_0 = 4 and F_0 = 4. The first period's mean is 4, H = 4; the second's 1, H = ceil(0.5 x 4) = 2; then 0.3,
// H = ceil(1.095) = 2; then 0.25, H = 1.
TEST(AdaComm, ExchangesMoreOftenAsTheLossFalls) {
  AdaComm policy(4, kExchange);
  EXPECT_EQ(exchanges_by_loss(policy, {4, 4, 4, 4, 1, 1, 1, 1, 0.2, 0.4, 0.25, 0.25, 0.25, 0.25}),
            (std::vector<std::int64_t>{3, 7, 9, 11, 12, 13}));
  EXPECT_EQ(policy.period(), 1);
}

TEST(AdaComm, ExchangesLessOftenWhereTheLossRises) {  // ceil(sqrt(9) x 2) = 6
  AdaComm policy(2, kExchange);
  EXPECT_EQ(exchanges_by_loss(policy, {1, 17, 9, 9, 9, 9, 9, 9}), (std::vector<std::int64_t>{1, 7}));
}

TEST(AdaComm, AnHBelowOneIsOne) {
  AdaComm policy(3, kExchange);
  EXPECT_EQ(exchanges_by_loss(policy, {1, 0, 0, 0, 0, 0, 0, 0}), (std::vector<std::int64_t>{2, 4, 5, 6, 7}));
}

TEST(AdaComm, HStaysWhileTheLossIsNotKnownOrIsNoNumber) {
  AdaComm unknown(2, kExchange);
  EXPECT_EQ(exchanges_by_loss(unknown, std::vector<std::optional<double>>(6)),
            (std::vector<std::int64_t>{1, 3, 5}));
  AdaComm diverged(2, kExchange);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(exchanges_by_loss(diverged, {1, infinity, 1, std::nan(""), 1, 1}),
            (std::vector<std::int64_t>{1, 3, 5}));
}

TEST(AdaComm, ExchangesWhatItWasMadeFor) {
  EXPECT_EQ(
      decide_at_loss(
          *std::make_unique<AdaComm>(AdaComm::Settings{.every = 1, .averaged = Averaged::gradients}), 0, 1),
      Synchronisation::average_gradients);
}

TEST(AdaComm, AStepThatIsTakenAgainEndsAsBefore) {
  AdaComm policy(2, kExchange);
  (void)decide_at_loss(policy, 0, 1);
  EXPECT_EQ(decide_at_loss(policy, 1, 1), kExchange);
  EXPECT_EQ(decide_at_loss(policy, 1, 1), kExchange);
  EXPECT_EQ(decide_at_loss(policy, 2, 1), kLocal);
}

TEST(AdaComm, TheSameLossesTwiceGiveTheSameDecisionsAlsoAfterACopy) {
  std::vector<std::optional<double>> losses;
  for (int step = 0; step < 200; ++step) losses.emplace_back(3.0 / (1 + 0.05 * step));
  AdaComm policy(16, kExchange);
  const auto copy = policy.copy();
  const auto found = exchanges_by_loss(policy, losses);
  EXPECT_EQ(exchanges_by_loss(*copy, losses), found);
  EXPECT_EQ(exchanges_by_loss(*std::make_unique<AdaComm>(AdaComm::Settings{.every = 16}), losses), found);
}

}  // namespace
}  // namespace policies
