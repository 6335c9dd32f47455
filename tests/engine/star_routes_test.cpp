// Links and routes of stars are those that SimGrid finds in the same zones.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/engine/platform.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

/// Stars, racks and sites of up to 24 workers, one by one or in nodes, some with links of their own.
class RandomStars {
 public:
  explicit RandomStars(std::uint32_t seed) : random_(seed) {}

  scenario::Cluster next() {
    const int per_node = number(1, 3);
    const int groups = number(1, 4);
    const int nodes_per_group = number(1, 2);
    scenario::Cluster cluster = star(groups * nodes_per_group * per_node, 1_ms, 10_Gbps);
    cluster.workers_per_node = per_node;
    if (per_node > 1) cluster.inner_link = netmodels::LinkState{10_us, 100_Gbps};
    if (number(0, 1) == 1) cluster.worker_links = {{{0, cluster.workers - 1}, {20_ms, 1_Gbps}}};
    const int shape = number(0, 2);
    if (shape == 1) {
      cluster.topology =
          scenario::topology("racks", scenario::Racks{nodes_per_group * per_node, 1.0 * number(1, 4)});
    }
    if (shape == 2) {
      scenario::Wan wan;
      for (int site = 0; site < groups; ++site)
        wan.sites.push_back({"site" + std::to_string(site), nodes_per_group * per_node, 1_Gbps, 30_ms});
      cluster.topology = scenario::topology("wan", wan);
    }
    return cluster;
  }

 private:
  int number(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }

  std::mt19937 random_;
};

TEST(StarRoutes, AreThoseOfSimGrid) {
  RandomStars stars(7);
  for (int round = 0; round < 40; ++round) {
    const scenario::Cluster cluster = stars.next();
    const auto platform = std::move(*Platform::make(cluster));
    const SimGridNetwork& reference = platform->simgrid_network();
    ASSERT_EQ(platform->links().size(), reference.links().size());
    for (std::size_t link = 0; link < reference.links().size(); ++link)
      ASSERT_EQ(platform->links()[link].name, reference.links()[link].name);
    for (std::uint32_t from = 0; from < platform->workers(); ++from) {
      for (std::uint32_t to = 0; to < platform->workers(); ++to)
        ASSERT_EQ(platform->route(from, to), reference.route(from, to))
            << cluster.topology.name() << ", round " << round << ": " << from << " to " << to;
    }
  }
}

}  // namespace
}  // namespace sim::engine
