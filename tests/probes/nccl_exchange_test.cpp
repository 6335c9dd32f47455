// The expected results of each exchange over NCCL, by hand; none of this needs a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if GRADSIM_HAS_NCCL
#include "calibrate/probes/nccl_ranks.hpp"

namespace calibrate::probes {
namespace {

using netmodels::Bytes;
using ::testing::ElementsAre;

TEST(NcclExchange, SumsReachEveryRank) {  // rank r sends r + 1, r + 2, ...
  const auto exchange = make_exchange("all_reduce", 2, Bytes{12}, 1);
  EXPECT_THAT(exchange->sent(1), ElementsAre(2, 3, 4));
  EXPECT_THAT(exchange->expected(0), ElementsAre(3, 5, 7));
  EXPECT_EQ(exchange->size(), Bytes{12});
}

TEST(NcclExchange, TotalsAreCutIntoPartsOfWholeElements) {
  const auto gather = make_exchange("all_gather", 2, Bytes{16}, 1);
  EXPECT_THAT(gather->expected(0), ElementsAre(1, 2, 2, 3));
  EXPECT_EQ(gather->size(), Bytes{16});
  const auto scatter = make_exchange("reduce_scatter", 2, Bytes{16}, 1);
  EXPECT_THAT(scatter->expected(1), ElementsAre(3 + 4, 4 + 5));
  EXPECT_EQ(scatter->send_words(), 4U);
  EXPECT_EQ(make_exchange("all_gather", 4, Bytes{1}, 1)->size(), Bytes{16});
}

TEST(NcclExchange, SparseOnesSendKValuesAndKIndices) {  // 2 of 20 values
  const auto gather = make_exchange("topk_all_gather_messages", 2, Bytes{80}, 0.1);
  EXPECT_EQ(gather->size(), Bytes{80});
  EXPECT_THAT(gather->sent(0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(gather->expected(1), ElementsAre(1, 2, 2, 3, 3, 4, 4, 5));
  const auto shared = make_exchange("ar_topk_messages", 2, Bytes{80}, 0.1);
  EXPECT_THAT(shared->expected(1), ElementsAre(1, 2, 3 + 4, 4 + 5));
}

TEST(NcclExchange, PingPongGoesThereAndBackAndCountsOneWay) {
  const auto exchange = make_exchange("point_to_point", 2, Bytes{12}, 1);
  EXPECT_THAT(exchange->expected(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(exchange->expected(1), ElementsAre(1, 2, 3));
  EXPECT_EQ(exchange->size(), Bytes{12});
  EXPECT_EQ(exchange->rounds(), 2);
  EXPECT_EQ(make_exchange("broadcast", 2, Bytes{12}, 1)->rounds(), 1);
}

TEST(NcclExchange, BroadcastIsOfRankZero) {
  EXPECT_THAT(make_exchange("broadcast", 3, Bytes{8}, 1)->expected(2), ElementsAre(1, 2));
}

}  // namespace
}  // namespace calibrate::probes
#else
TEST(NcclExchange, SumsReachEveryRank) { GTEST_SKIP() << "skipped: built without NCCL"; }
#endif
