// Where versions of NCCL differ: figures of src/graph/tuning.cc as published.
#include <gtest/gtest.h>

#include "netmodels/nccl/tuner.hpp"
#include "tests/netmodels/nccl/described.hpp"

namespace netmodels::nccl {
namespace {

using namespace literals;

constexpr double one_digit = 1e-9;  // us: only rounding

double latency_us(const std::string& version, Algorithm algorithm, Protocol protocol, const Group& group) {
  Hardware hardware = switched(90, 18, 8, version);
  hardware.nvlink.multicast = true;
  hardware.network = Network{.kind = NetworkKind::infiniband, .nics_per_node = 8, .rate = 400_Gbps};
  return CostTable(hardware, group).entry(Operation::all_reduce, algorithm, protocol).latency.count * 1e6;
}

/// 14 hops of a chain of 8, up and down: 28 us each and no base until 2.22.3, then 4 us and 8.4.
TEST(NcclVersions, HopsOfSimpleTreesCost28UsUntil222) {
  const Group node{.ranks = 8};
  for (const char* version : {"2.19", "2.20", "2.21", "2.22"})
    EXPECT_NEAR(latency_us(version, Algorithm::tree, Protocol::simple, node), 14 * 28, one_digit) << version;
  for (const char* version : {"2.23", "2.25", "2.26"})
    EXPECT_NEAR(latency_us(version, Algorithm::tree, Protocol::simple, node), 8.4 + 14 * 4, one_digit)
        << version;
}

/// Two nodes of 8, LL: 30 steps. 2.20.3 and 2.22.3 count 4 crossings, 2.25.1 counts 2; the others take 1 us.
TEST(NcclVersions, RingsCrossNodesOnceMoreUntil222) {
  const Group nodes{.ranks = 16, .nodes = 2};
  for (const char* version : {"2.20", "2.22"})
    EXPECT_NEAR(latency_us(version, Algorithm::ring, Protocol::LL, nodes), 6.6 + 26 * 1 + 4 * 2.7, one_digit);
  for (const char* version : {"2.23", "2.25"})
    EXPECT_NEAR(latency_us(version, Algorithm::ring, Protocol::LL, nodes), 6.6 + 28 * 1 + 2 * 2.7, one_digit);
}

/// One rank on each node: the network hop of trees counts for rings from 2.23 on: 5 us in place of 2.7.
TEST(NcclVersions, RingsOfSingleRanksTakeTheHopOfTreesFrom223) {
  const Group nodes{.ranks = 2, .nodes = 2};
  EXPECT_NEAR(latency_us("2.22", Algorithm::ring, Protocol::LL, nodes), 6.6 + 4 * 2.7 - 2 * 1, one_digit);
  EXPECT_NEAR(latency_us("2.25", Algorithm::ring, Protocol::LL, nodes), 6.6 + 2 * 5, one_digit);
}

/// 5/6 of the links for every operation until 2.22.3, for all-reduce only from 2.23 on.
TEST(NcclVersions, SwitchesGatherAtFiveSixthsUntil222) {
  const auto gathers = [](const std::string& version) {
    Hardware hardware = switched(90, 18, 8, version);
    hardware.nvlink.multicast = true;
    return CostTable(hardware, {.ranks = 8})
        .entry(Operation::all_gather, Algorithm::nvls, Protocol::simple)
        .bandwidth;
  };
  for (const char* version : {"2.21", "2.22"})
    EXPECT_NEAR(gathers(version) / gathers("2.25"), 5. / 6, 1e-12) << version;
  EXPECT_EQ(gathers("2.23"), gathers("2.26"));
}

}  // namespace
}  // namespace netmodels::nccl
