// Wire formats: each row by hand, the crossover with the dense exchange, and what is refused.
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "kernels/catalogue.hpp"

namespace kernels {
namespace {

using netmodels::Bytes;
using netmodels::CollectiveKind;

const Entry& format(std::string_view name) {
  const auto found = find_wire_format(name);
  EXPECT_TRUE(found.has_value()) << name;
  return **found;
}

/// "all_gather 80, broadcast 40": stages and bytes, easy to compare.
std::string stages_of(std::string_view name, const Payload& payload) {
  std::string text;
  for (const Stage& stage : format(name).stages(payload)) {
    if (!text.empty()) text += ", ";
    switch (stage.kind) {
      case CollectiveKind::all_reduce: text += "all_reduce "; break;
      case CollectiveKind::all_gather: text += "all_gather "; break;
      case CollectiveKind::broadcast: text += "broadcast "; break;
      default: text += "other "; break;
    }
    text += std::to_string(static_cast<std::int64_t>(stage.per_rank.count));
  }
  return text;
}

constexpr Payload million{1'000'000, 0.01, 4, false};
constexpr Payload wide{1'000'000, 0.01, 8, false};

TEST(WireFormat, DenseFormatsSendEveryValue) {
  EXPECT_EQ(stages_of("none", million), "all_reduce 4000000");
  EXPECT_EQ(stages_of("fp16", million), "all_reduce 2000000");
  EXPECT_EQ(stages_of("bf16", million), "all_reduce 2000000");
}

TEST(WireFormat, GatheredSparsifiersSendValueAndIndex) {  // k = 10,000
  for (const auto name : {"topk", "lwtopk", "mstopk", "dgc", "redsync", "sidco", "gaussiank", "threshold"}) {
    EXPECT_EQ(stages_of(name, million), "all_gather 80000") << name;
    EXPECT_EQ(stages_of(name, wide), "all_gather 120000") << name;
    EXPECT_TRUE(format(name).error_feedback) << name;
  }
}

TEST(WireFormat, ArTopkBroadcastsIndicesThenSumsValues) {
  EXPECT_EQ(stages_of("ar_topk", million), "broadcast 40000, all_reduce 40000");
  EXPECT_EQ(stages_of("ar_topk", wide), "broadcast 80000, all_reduce 40000");
}

TEST(WireFormat, ArTopkByVarianceFirstGathersOneNormPerRank) {
  Payload payload = million;
  payload.variance_selection = true;
  EXPECT_EQ(stages_of("ar_topk", payload), "all_gather 4, broadcast 40000, all_reduce 40000");
}

TEST(WireFormat, RandomkSendsNoIndices) { EXPECT_EQ(stages_of("randomk", wide), "all_reduce 40000"); }

TEST(WireFormat, PowerSgdSumsTwoFactors) {  // k = 10,000
  EXPECT_EQ(stages_of("powersgd", wide), "all_reduce 20000, all_reduce 20000");
  EXPECT_FALSE(format("powersgd").sparse);
}

TEST(WireFormat, QuantisersSendLevelsAndScales) {  // 7813 buckets of 128, 245 blocks of 4096
  EXPECT_EQ(stages_of("qsgd", million), "all_gather 1031252");
  EXPECT_EQ(stages_of("int8", million), "all_reduce 1000980");
  EXPECT_EQ(stages_of("terngrad", million), "all_gather 250004");
}

TEST(WireFormat, SignsArePacked) {
  EXPECT_EQ(stages_of("signsgd", million), "all_gather 125000");
  EXPECT_EQ(stages_of("ef_sign", million), "all_gather 125004");
  EXPECT_EQ(stages_of("onebit", million), "all_gather 125008");
  EXPECT_EQ(stages_of("onebit_adam", million), "all_reduce 125004");
}

TEST(WireFormat, BlocksOf256SendTheirScales) {  // 3907 blocks; 1/32, 1/8 and 1/4 of 4 MB, and 15,628 bytes
  EXPECT_EQ(stages_of("block_1bit", million), "all_gather 140628");
  EXPECT_EQ(stages_of("block_4bit", million), "all_reduce 515628");
  EXPECT_EQ(stages_of("block_8bit", million), "all_reduce 1015628");
  const Payload nine{9, 1, 4, false};
  EXPECT_EQ(stages_of("block_1bit", nine), "all_gather 6");
  EXPECT_EQ(stages_of("block_4bit", nine), "all_reduce 9");
}

TEST(WireFormat, TensorsSendOneScale) {
  EXPECT_EQ(stages_of("tensor_1bit", million), "all_gather 125004");
  EXPECT_EQ(stages_of("tensor_4bit", million), "all_reduce 500004");
  EXPECT_EQ(stages_of("tensor_8bit", million), "all_reduce 1000004");
}

// At 1 % 41 of 4096: 574 bits are 72 bytes, and 8. 244 such blocks, and one of 576 values: 6 of them, 84
// bits. At 64 of 4096: 112 bytes and 8; of 576 values 9, 126 bits.
TEST(WireFormat, BlocksOf4096SendIndicesOf12BitsTwoBitsAndTwoMagnitudes) {
  EXPECT_EQ(stages_of("block_topk", million), "all_gather " + std::to_string(244 * 80 + 11 + 8));
  EXPECT_EQ(stages_of("block_topk", wide), stages_of("block_topk", million));
  EXPECT_EQ(stages_of("block_topk", {1'000'000, 64.0 / 4096, 4, false}),
            "all_gather " + std::to_string(244 * 120 + 16 + 8));
  EXPECT_EQ(stages_of("block_topk", {4096, 64.0 / 4096, 4, false}), "all_gather 120");
  EXPECT_EQ(stages_of("block_topk", {1, 1e-6, 4, false}), "all_gather 10");
}

// At 1/128 32 of 4096, in six bytes. 244 tiles, and 576 values: 9 runs of 64, of which 32 are sent, too; in
// proportion 5 (4.5).
TEST(WireFormat, TilesSendCosineCoefficientsOfSixBytes) {
  EXPECT_EQ(stages_of("dct_topk", {1'000'000, 1.0 / 128, 4, false}),
            "all_gather " + std::to_string(6 * 245 * 32));
  EXPECT_EQ(stages_of("dct_topk", {1'000'000, 1.0 / 128, 4, false, true}),
            "all_gather " + std::to_string(6 * (244 * 32 + 5)));
  EXPECT_EQ(stages_of("dct_topk", {4096, 1.0 / 128, 8, false}), "all_gather 192");
  EXPECT_EQ(stages_of("dct_topk", {66, 0.5, 4, false}), "all_gather 396");
  EXPECT_EQ(stages_of("dct_topk", {66, 0.5, 4, false, true}), "all_gather 198");  // 32 of 64, 1 of 2
}

TEST(WireFormat, OnlyValuesThatAreSentAsTheyAreAreWholeAtARatioOfOne) {
  for (const Entry& row : wire_formats())
    EXPECT_EQ(row.whole_at_one(), row.sparse && row.name != "block_topk" && row.name != "dct_topk")
        << row.name;
}

TEST(WireFormat, IncompleteGroupsAreRoundedUp) {
  const Payload nine{9, 1, 4, false};
  EXPECT_EQ(stages_of("signsgd", nine), "all_gather 2");
  EXPECT_EQ(stages_of("terngrad", nine), "all_gather 7");
  EXPECT_EQ(stages_of("qsgd", nine), "all_gather 13");
}

TEST(Kept, IsRoundedAndNeverNothing) {
  EXPECT_EQ(kept({1000, 0.0126, 4, false}), 13);
  EXPECT_EQ(kept({1000, 0.0124, 4, false}), 12);
  EXPECT_EQ(kept({10, 1e-6, 4, false}), 1);
  EXPECT_EQ(kept({10, 1, 4, false}), 10);
}

/// Bytes that one rank receives by ring algorithms.
double received(const Stage& stage, double ranks) {
  const double share = stage.kind == CollectiveKind::all_gather ? ranks - 1 : 2 * (ranks - 1) / ranks;
  return share * stage.per_rank.count;
}

bool gather_beats_dense(double ratio, int index_bytes, double ranks) {
  const Payload payload{10'000'000, ratio, index_bytes, false};
  return received(format("topk").stages(payload)[0], ranks) <
         received(format("none").stages(payload)[0], ranks);
}

TEST(WireFormat, AllGatherBeatsDenseBelowOneOverRanksWithFourByteIndices) {
  for (const double ranks : {2.0, 3.0, 8.0, 16.0, 64.0}) {
    EXPECT_TRUE(gather_beats_dense(0.999 / ranks, 4, ranks)) << ranks;
    EXPECT_FALSE(gather_beats_dense(1.001 / ranks, 4, ranks)) << ranks;
  }
}

TEST(WireFormat, AllGatherBeatsDenseBelowTwoThirdsOverRanksWithEightByteIndices) {
  for (const double ranks : {2.0, 3.0, 8.0, 16.0, 64.0}) {
    EXPECT_TRUE(gather_beats_dense(0.999 * 2 / (3 * ranks), 8, ranks)) << ranks;
    EXPECT_FALSE(gather_beats_dense(1.001 * 2 / (3 * ranks), 8, ranks)) << ranks;
  }
}

TEST(WireFormat, OnlySparseAndLowRankFormatsHeedTheRatio) {
  for (const Entry& row : wire_formats()) {
    const Bytes few = message_bytes(row, {100'000, 0.01, 4, false});
    const Bytes many = message_bytes(row, {100'000, 0.1, 4, false});
    EXPECT_EQ(few < many, row.has_ratio()) << row.name;
  }
}

TEST(WireFormat, TheLastStageIsOfTheKindThatTheRowStates) {
  for (const Entry& row : wire_formats()) {
    const CollectiveKind last = row.stages(million).back().kind;
    const bool shared = row.exchange == CollectiveKind::ar_topk;
    EXPECT_EQ(last, shared ? CollectiveKind::all_reduce : row.exchange) << row.name;
  }
}

TEST(WireFormat, NamesAreUniqueAndRowsAreComplete) {
  std::set<std::string_view> names;
  for (const Entry& row : wire_formats()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.summary.empty() || row.formula.empty() || row.source.empty()) << row.name;
  }
}

TEST(WireFormat, IsOfEveryRowButMultilevelWhichNoScenarioCanName) {
  EXPECT_EQ(wire_formats().size() + 1, catalogue().size());
  EXPECT_EQ(catalogue().back().name, "multilevel");
  EXPECT_FALSE(find_wire_format("multilevel").has_value());
}

TEST(FindWireFormat, NamesTheNearestKnownOne) {
  const auto found = find_wire_format("top_k");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().what, "unknown compression method `top_k`");
  EXPECT_NE(found.error().hint.find("topk"), std::string::npos) << found.error().hint;
}

TEST(CheckPayload, RefusesWhatNoFormatCanSend) {
  EXPECT_TRUE(check(million).has_value());
  EXPECT_EQ(check(Payload{0, 0.1, 4, false}).error().what, "a gradient of 0 values");
  EXPECT_EQ(check(Payload{5, 0, 4, false}).error().what, "compression ratio 0.000000 is outside (0, 1]");
  EXPECT_FALSE(check(Payload{5, 1.5, 4, false}).has_value());
  EXPECT_FALSE(check(Payload{5, std::numeric_limits<double>::quiet_NaN(), 4, false}).has_value());
  EXPECT_EQ(check(Payload{5, 1, 2, false}).error().what, "an index of 2 bytes");
}

}  // namespace
}  // namespace kernels
