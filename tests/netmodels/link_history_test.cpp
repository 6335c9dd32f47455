// Messages over links that change, and over links that are down.
#include "netmodels/link_history.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

using namespace literals;

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Two links of 2 and 1 byte/s; the first is down from 10 s to 15 s, and the second from 20 s on.
class Links : public ::testing::Test {
 protected:
  std::vector<LinkChange> changes_{{10_s, 0, {}}, {15_s, 0, {{}, {2}}}, {20_s, 1, {}}};
  NetworkState state_{{}, {{{}, {2}}, {{}, {1}}}, {}, changes_, {}, 0};
  LinkHistory history_{state_};
  std::vector<LinkId> both_{0, 1};
};

TEST_F(Links, StretchesEndWhereALinkChanges) {
  EXPECT_EQ(history_.stretch(9.5_s), 0U);
  EXPECT_EQ(history_.stretch(10_s), 1U);
  EXPECT_EQ(history_.begin(1), 10_s);
  EXPECT_EQ(history_.end(1), 15_s);
  EXPECT_EQ(history_.end(history_.stretch(25_s)).count, kNever);
}

TEST_F(Links, AMessageWaitsForALinkThatIsDown) {  // 2 of 4 bytes by 10 s, the others from 15 s on
  EXPECT_EQ(history_.arrival(4_B, 8_s, both_), 17_s);
}

TEST_F(Links, AMessageNeverArrivesOverALinkThatStaysDown) {
  EXPECT_EQ(history_.arrival(4_B, 18_s, both_).count, kNever);
}

TEST_F(Links, NoBytesArriveAtOnce) {  // as with SimGrid, which has no flow for them
  EXPECT_EQ(history_.arrival(0_B, 12_s, both_), 12_s);
  EXPECT_EQ(history_.arrival(0_B, 25_s, both_), 25_s);
}

TEST(LinkHistory, TheNarrowestLinkAndAllLatenciesCount) {
  const std::vector<LinkState> links{{1_s, {2}}, {3_s, {1}}};
  const std::vector<LinkId> both{0, 1};
  EXPECT_EQ(narrowest(both, links).count, 1);
  EXPECT_EQ(narrowest({}, links).count, kNever);
  EXPECT_EQ(latency_of(both, links), 4_s);
}

}  // namespace
}  // namespace netmodels
