// The library of collectives: what states it, in which order, and what is said of it.
#include "sim/scenario/exchange_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/scenario.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::string over(const std::string& transport) {
  return "workers: 4, fabric: {kind: ethernet, rate: 10 Gbit/s, latency: 50 us, transport: " + transport +
         "}";
}

std::string library_on(const std::string& cluster, const std::vector<std::string>& settings = {}) {
  const Scenario arm = study(with_cluster(cluster), settings).arms.at(0);
  return describe_library(arm.exchange, arm.cluster);
}

TEST(ExchangeLibrary, FollowsFromTheTransport) {
  EXPECT_EQ(library_on(over("nccl_tcp")), "nccl, to which the transport `nccl_tcp` belongs");
  EXPECT_EQ(library_on(over("gloo")), "gloo, to which the transport `gloo` belongs");
  EXPECT_EQ(library_on(over("openmpi_tcp")), "openmpi, to which the transport `openmpi_tcp` belongs");
  EXPECT_EQ(library_on(over("mpich_tcp")), "mpich, to which the transport `mpich_tcp` belongs");
}

TEST(ExchangeLibrary, TheKeyCountsBeforeTheTransport) {
  EXPECT_EQ(library_on(over("nccl_tcp"), {"exchange.library=gloo"}), "gloo, as `exchange.library` states");
  EXPECT_EQ(library_on(over("nccl_tcp"), {"exchange.library=none"}),
            "none, as `exchange.library` states: `auto` chooses among all algorithms");
}

TEST(ExchangeLibrary, APlainLinkNamesNone) {
  EXPECT_EQ(library_on("workers: 4, " + good_link),
            "none, no transport names one: `auto` chooses among all algorithms");
  EXPECT_EQ(library_on("workers: 4, workers_per_node: 2, " + good_link +
                       ", inner_fabric: {kind: nvlink, rate: 300 GB/s, transport: nvlink}"),
            "nccl, to which the transport `nvlink` belongs");
}

TEST(ExchangeLibrary, DescribedHardwareIsNcclsUnlessTheTransportIsAnothers) {
  const std::string described =
      "nccl: {version: 2.26, gpu: {compute_capability: 80, per_node: 1}, network: {kind: socket, "
      "nics_per_node: "
      "1, "
      "rate: 10 Gbit/s}}";
  EXPECT_EQ(library_on("workers: 4, " + described), "nccl, whose hardware `cluster.nccl` describes");
  const tests::ScratchFolder scratch;
  const auto other = read(scratch, with_cluster(over("gloo") + ", " + described));
  EXPECT_THAT(other->study.warnings,
              Contains(HasSubstr("`cluster.nccl` is not used: the library of collectives is gloo, to which "
                                 "the transport `gloo` belongs")));
}

TEST(ExchangeLibrary, TransportsOfTwoLibrariesAreWarnedOf) {
  const std::string cluster =
      "workers: 4, workers_per_node: 2, fabric: {kind: ethernet, rate: 10 Gbit/s, latency: "
      "50 us, transport: gloo}, inner_fabric: {kind: pcie, rate: 16 GB/s, transport: pcie}";
  const tests::ScratchFolder scratch;
  EXPECT_THAT(
      read(scratch, with_cluster(cluster))->study.warnings,
      Contains(HasSubstr("the transport `pcie` belongs to nccl and `gloo` between nodes to gloo: collectives "
                         "are those of gloo; `exchange.library` states another")));
  EXPECT_THAT(read(scratch, with_cluster(cluster), {"exchange.library=gloo"})->study.warnings,
              ::testing::Not(Contains(HasSubstr("between nodes"))));
}

TEST(ExchangeLibrary, IsPrintedWithTheResolvedScenario) {
  const tests::ScratchFolder scratch;
  EXPECT_THAT(print_study(*read(scratch, with_cluster(over("nccl_tcp")))),
              HasSubstr("# library of collectives: nccl, to which the transport `nccl_tcp` belongs\n"));
}

}  // namespace
}  // namespace sim::scenario
