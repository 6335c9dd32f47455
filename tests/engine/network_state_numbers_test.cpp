// Numbers of network states: equal ones share one, different ones do not, whatever their hashes.
#include "sim/engine/network_state_numbers.hpp"

#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using netmodels::BackgroundFlow;
using netmodels::LinkState;

NetworkStateKey key_of(std::vector<LinkState> links, std::vector<BackgroundFlow> background = {}) {
  return {links, std::move(background)};
}

NetworkStateKey key_of(double gigabits) { return key_of({{1_ms, gigabits * 1_Gbps}}); }

const std::vector<NetworkStateKey>& different_keys() {
  static const std::vector<NetworkStateKey> keys{
      key_of({}),
      key_of({{1_ms, 1_Gbps}}),
      key_of({{1_ms, 2_Gbps}}),
      key_of({{2_ms, 1_Gbps}}),
      key_of({{1_ms, 1_Gbps}, {1_ms, 1_Gbps}}),
      key_of({{1_ms, 1_Gbps}, {1_ms, 2_Gbps}}),
      key_of({{1_ms, 2_Gbps}, {1_ms, 1_Gbps}}),
      key_of({{1_ms, 2_Gbps}, {1_ms, 1_Gbps}, {1_ms, 2_Gbps}}),
      key_of({{1_ms, 1_Gbps}}, {{0, 1}}),
      key_of({{1_ms, 1_Gbps}}, {{1, 0}}),
  };
  return keys;
}

TEST(NetworkStateNumbers, OfDifferentStatesDifferThoughTheirHashesAreEqual) {
  const NumberedStates one_hash([](const NetworkStateKey&) -> std::uint64_t { return 7; });
  ClusterStateNumbers cluster(one_hash);
  RunStateNumbers run(cluster, one_hash);
  std::set<std::uint64_t> seen;
  for (const NetworkStateKey& key : different_keys()) EXPECT_TRUE(seen.insert(run.number(key)).second);
  for (const NetworkStateKey& key : different_keys()) EXPECT_TRUE(seen.contains(run.number(key)));
  EXPECT_EQ(seen.size(), different_keys().size());
}

TEST(NetworkStateNumbers, OfEqualStatesAreEqualInWhateverOrderTheyCome) {
  ClusterStateNumbers cluster;
  RunStateNumbers run(cluster);
  const std::uint64_t one = run.number(key_of(1));
  const std::uint64_t two = run.number(key_of(2));
  EXPECT_EQ(run.number(key_of(2)), two);
  EXPECT_EQ(run.number(key_of(1)), one);
  EXPECT_NE(one, two);
  EXPECT_NE(one, 0U);
}

TEST(NetworkStateNumbers, OfEqualStatesInTwoRunsAreEqual) {
  ClusterStateNumbers cluster;
  RunStateNumbers first(cluster);
  RunStateNumbers second(cluster);
  const std::uint64_t one = first.number(key_of(1));
  const std::uint64_t two = first.number(key_of(2));
  EXPECT_EQ(second.number(key_of(2)), two);
  EXPECT_EQ(second.number(key_of(1)), one);
}

TEST(NetworkStateNumbers, OfForgottenStatesAreNew) {
  ClusterStateNumbers cluster;
  std::set<std::uint64_t> seen;
  for (int state = 1; state <= 5000; ++state)
    EXPECT_TRUE(seen.insert(cluster.number(key_of(state))).second) << state;
  EXPECT_TRUE(seen.contains(cluster.number(key_of(5000))));
  EXPECT_FALSE(seen.contains(cluster.number(key_of(1))));
}

/// Which of many states, some of them again and again, a run has seen before.
std::vector<bool> recognised(ClusterStateNumbers& cluster) {
  RunStateNumbers run(cluster);
  std::set<std::uint64_t> seen;
  std::vector<bool> known;
  for (int state = 1; state <= 5000; ++state) {
    known.push_back(!seen.insert(run.number(key_of(state))).second);
    known.push_back(!seen.insert(run.number(key_of(state % 3000))).second);
  }
  return known;
}

TEST(NetworkStateNumbers, RecognitionInARunDoesNotDependOnOtherRuns) {
  ClusterStateNumbers alone;
  const std::vector<bool> expected = recognised(alone);
  ClusterStateNumbers shared;
  for (int state = 1; state <= 3000; ++state) shared.number(key_of(state));
  EXPECT_EQ(recognised(shared), expected);
  EXPECT_EQ(recognised(shared), expected);
}

TEST(NetworkStateNumbers, StatesOfALargeClusterAreForgottenBeforeTheyFillMemory) {
  NumberedStates states;
  std::vector<LinkState> links;
  for (int link = 0; link < 200'000; ++link) links.push_back({1_ms, netmodels::Bandwidth{1.0 * link}});
  std::uint64_t kept = 0;
  while (states.insert(key_of(links), kept)) {
    links[0].latency += 1_ms;
    ++kept;
  }
  EXPECT_GE(kept, 1U);
  EXPECT_LE(kept, 6U);  // 24 bytes for each of 200 000 links, at most 32 MiB
}

}  // namespace
}  // namespace sim::engine
