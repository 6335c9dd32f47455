// The moment at which a network state stops being true.
#include "netmodels/network.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

using namespace literals;

TEST(NetworkState, HoldsForEverWhenNothingIsToCome) {
  EXPECT_EQ(NetworkState{}.horizon().count, std::numeric_limits<double>::infinity());
}

TEST(NetworkState, HoldsUntilTheFirstLinkChange) {
  const std::vector<LinkChange> changes{{3_s, 0, {}}, {5_s, 0, {}}};
  NetworkState state;
  state.upcoming = changes;
  EXPECT_EQ(state.horizon(), 3_s);
}

TEST(NetworkState, HoldsUntilBackgroundTrafficChangesWhenThatIsEarlier) {
  const std::vector<LinkChange> changes{{3_s, 0, {}}};
  const std::vector<BackgroundChange> flows{{2_s, {}}};
  NetworkState state;
  state.upcoming = changes;
  state.upcoming_background = flows;
  EXPECT_EQ(state.horizon(), 2_s);
}

TEST(NetworkState, HoldsUntilTheLinkChangeWhenBackgroundTrafficChangesLater) {
  const std::vector<LinkChange> changes{{3_s, 0, {}}};
  const std::vector<BackgroundChange> flows{{4_s, {}}};
  NetworkState state;
  state.upcoming = changes;
  state.upcoming_background = flows;
  EXPECT_EQ(state.horizon(), 3_s);
}

}  // namespace
}  // namespace netmodels
