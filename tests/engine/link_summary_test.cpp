// The links of a cluster in a few lines, in the terms of the scenario.
#include <gtest/gtest.h>

#include "sim/engine/step_simulator.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

TEST(LinkSummary, EqualLinksAreOneLineWithTheLatencyAsStated) {
  const auto platform = std::move(*Platform::make(star(4, 1_ms, 10_Gbps)));
  EXPECT_EQ(link_summary(*platform, nominal(*platform)),
            std::vector<std::string>{
                "worker0 ... worker3 (4 own links, both directions): 10 Gbit/s, 1 ms end to end"});
}

TEST(LinkSummary, ALinkThatDiffersStandsByItself) {
  scenario::Cluster cluster = star(3, 1_ms, 10_Gbps);
  cluster.worker_links = {{{1}, {5_ms, 1_Gbps}}};
  const auto platform = std::move(*Platform::make(cluster));
  EXPECT_EQ(link_summary(*platform, nominal(*platform)),
            (std::vector<std::string>{"worker0 (1 own link, both directions): 10 Gbit/s, 1 ms end to end",
                                      "worker1 (1 own link, both directions): 1 Gbit/s, 5 ms end to end",
                                      "worker2 (1 own link, both directions): 10 Gbit/s, 1 ms end to end"}));
}

}  // namespace
}  // namespace sim::engine
