// States that networks go through.
#include "sim/advise/link_states.hpp"

#include <gtest/gtest.h>

#include "tests/advise/asked.hpp"
#include "tests/source_tree.hpp"

namespace sim::advise {
namespace {

scenario::Cluster cluster(const std::string& settings = "") {
  std::vector<std::string> all{"advice.compression=[none]"};
  if (!settings.empty()) all.push_back(settings);
  return asked(by_hand, all).candidates.front().worlds.front().cluster;
}

std::vector<double> bandwidths(const scenario::Cluster& cluster) {
  std::vector<double> all;
  const auto states = link_states(cluster);
  for (const netmodels::LinkState& link : *states) all.push_back(link.bandwidth.count * 8);
  return all;
}

TEST(LinkStates, ANetworkThatStaysAsItIsHasOne) {
  EXPECT_EQ(bandwidths(cluster()), (std::vector<double>{1e9}));
}

TEST(LinkStates, ChangesFollowEachOther) {
  const auto changed =
      cluster("cluster.changes=[{at: epoch 1, bandwidth: 2 Gbit/s}, {at: 5 s, latency: 3 ms}]");
  EXPECT_EQ(bandwidths(changed), (std::vector<double>{1e9, 2e9, 2e9}));
  EXPECT_EQ(link_states(changed)->back().latency.count, 3e-3);
}

TEST(LinkStates, ATraceThatBeginsAtOnceReplacesWhatIsStated) {
  const auto traced = cluster("cluster.traces=[{file: " + tests::source_dir() +
                              "/scenarios/what_if/traces/evening_wan.csv}]");
  EXPECT_EQ(link_states(traced)->size(), 10U);
  EXPECT_EQ(bandwidths(traced)[1], 8e8);
}

TEST(LinkStates, ThereAreNoneWhereLinksDifferOrAreShared) {
  for (const std::string settings :
       {"cluster.worker_links=[{workers: [1], link: {latency: 1 ms, bandwidth: 1 Gbit/s}}]",
        "cluster.background=[{from: 0, to: 1}]",
        "cluster.changes=[{at: 1 s, workers: [1], bandwidth: 1 Gbit/s}]",
        "cluster.topology={kind: racks, workers_per_rack: 2, oversubscription: 2}", "cluster.preset=tcp-wan"})
    EXPECT_FALSE(link_states(cluster(settings))) << settings;
}

}  // namespace
}  // namespace sim::advise
