// Collectives on set links: by the closed form of the library's collective, from delay and bandwidth alone.
#include <gtest/gtest.h>

#include "calibrate/ledger/rules.hpp"

namespace calibrate::ledger {
namespace {

constexpr const char* header = "collective,library,nodes,delay_ms,bandwidth_gbit,size_bytes,time_s\n";

SourceText table(const std::string& rows) { return {"tc/collectives.csv", header + rows}; }

TEST(SetLinks, ARingPaysItsDelaysAndItsBytes) {  // 6 (10 ms + 25 MB / 125 MB/s)
  const auto found = predict_nccl_rings_on_set_links({{}, {table("all_reduce,nccl,4,10,1,100000000,1.5\n")}});
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_EQ(found->size(), 1U);
  EXPECT_NEAR(found->front().predicted, 6 * (0.01 + 0.2), 1e-12);
  EXPECT_EQ(found->front().measured, 1.5);
  EXPECT_EQ(found->front().what, "nccl all_reduce of 100 MB on 4 nodes, 10 ms and 1 Gbit/s");
}

TEST(SetLinks, AChainPaysOneDelayAHop) {  // 3 x 50 ms + (2 + 256) x 512 KiB / 125 MB/s
  const auto found = predict_nccl_chains_on_set_links({{}, {table("reduce,nccl,4,50,1,134217728,1\n")}});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_NEAR(found->front().predicted, .15 + 258 * 524288 / 125e6, 1e-12);
}

TEST(SetLinks, GlooWaitsForANoticeAndADelayForEachTwoSegments) {  // 2 x 96 segments of 1 MiB
  const auto found = predict_gloo_on_set_links({{}, {table("all_reduce,gloo,4,10,1,134217728,2.993\n")}});
  ASSERT_TRUE(found) << found.error().text();
  constexpr double segment = 1048576 / 125e6;
  EXPECT_NEAR(found->front().predicted, 2 * (.02 + 2 * segment + 47 * (.02 + segment)), 1e-12);
}

TEST(SetLinks, AMessagePaysOneDelay) {
  const auto found = predict_nccl_messages_on_set_links({{}, {table("send_recv,nccl,2,5,2,25000000,1\n")}});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_NEAR(found->front().predicted, .005 + .1, 1e-12);
}

TEST(SetLinks, RowsOfOtherLibrariesAndUnsetLinksAreNotPredicted) {
  const std::string rows =
      "broadcast,gloo,4,10,1,1048576,1\nbroadcast,gloo,4,,1,1048576,1\nbroadcast,nccl,4,10,1,1048576,1\n"
      "alltoall,gloo,4,10,1,1048576,1\n";
  const auto found = predict_gloo_on_set_links({{}, {table(rows)}});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->size(), 1U);
  EXPECT_EQ(predict_nccl_messages_on_set_links({{}, {table(rows)}}).error().text(),
            "tc/collectives.csv: no row has a delay, a bandwidth and a collective of the rule");
}

TEST(SetLinks, RefuseWhatIsNoNumber) {
  EXPECT_EQ(predict_gloo_on_set_links({{}, {table("broadcast,gloo,4,x,1,1048576,1\n")}}).error().where,
            "tc/collectives.csv:2:18");
}

}  // namespace
}  // namespace calibrate::ledger
