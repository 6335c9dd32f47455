// Tests of the largest values of each block in two bits: packed codes by hand, levels, and what is restored.
#include "kernels/block_top_k.hpp"

#include "kernels/error_feedback.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

// Of eight values the four at 1, 3, 4 and 6, of magnitudes 2, 8, 4 and 6: mean 5. Levels: 3 of 2 and 4, 7 of
// 8 and 6. Codes of 3 + 2 bits, from the lowest: 1 + 8 (large) + 16 (negative).
//   index 1, -2: 1 + 16 = 17;  3, +8: 3 + 8 = 11;  4, +4: 4;  6, -6: 6 + 8 + 16 = 30
// 17 + 11 * 2^5 + 4 * 2^10 + 30 * 2^15 = 0xf1171: bytes 71 11 0f.
TEST(BlockTopK, CodesByHand) {
  BlockTopK compressor({0.5, 8});
  const Message message = compressor.compress(std::vector<float>{0, -2, 1, 8, 4, 0, -6, 1});
  EXPECT_TRUE(std::ranges::equal(message.codes, std::vector<std::uint8_t>{0x71, 0x11, 0x0f}));
  EXPECT_TRUE(std::ranges::equal(message.values, std::vector<float>{3, 7}));
  EXPECT_TRUE(message.indices.empty());
  EXPECT_EQ(message.wire_bytes, 3 + 8);
  EXPECT_EQ(restored_by(compressor, message), (std::vector<float>{0, -3, 0, 7, 3, 0, -7, 0}));
  EXPECT_DOUBLE_EQ(message.energy.given, 122);
  EXPECT_DOUBLE_EQ(message.energy.sent, 2 * 9 + 2 * 49);
  EXPECT_FALSE(compressor.sparse());  // pairs of a value and an index are something else
}

// A block of four sends two, the rest of two values one; an index takes two bits in both. 9 and 5: mean 7.
//   index 0, +9: 0 + 4 = 4;  3, -5: 3 + 8 = 11: byte 0xb4.  The rest: index 1, -2: 1 + 4 + 8 = 13.
TEST(BlockTopK, EachBlockBeginsAtAByteAndHasItsOwnMagnitudes) {
  BlockTopK compressor({0.5, 4});
  const Message message = compressor.compress(std::vector<float>{9, 1, 0, -5, 1, -2});
  EXPECT_TRUE(std::ranges::equal(message.codes, std::vector<std::uint8_t>{0xb4, 0x0d}));
  EXPECT_TRUE(std::ranges::equal(message.values, std::vector<float>{5, 9, 0, 2}));
  EXPECT_EQ(message.wire_bytes, 2 + 16);
  EXPECT_EQ(restored_by(compressor, message), (std::vector<float>{9, 0, 0, -5, 0, -2}));
}

TEST(BlockTopK, EqualMagnitudesAreSentAsTheyAre) {  // the mean is theirs, and none is below it
  BlockTopK compressor({1, 8});
  const std::vector<float> vector{0.1F, -0.1F, 0.1F, 0.1F, -0.1F, 0.1F, 0.1F};
  const Message message = compressor.compress(vector);
  EXPECT_EQ(restored_by(compressor, message), vector);
  EXPECT_EQ(message.values[0], 0);
}

TEST(BlockTopK, OfEqualMagnitudesTheLowestIndicesAreSent) {
  BlockTopK compressor({0.25, 8});
  EXPECT_EQ(restored_by(compressor, compressor.compress(std::vector<float>(8, 3.0F))),
            (std::vector<float>{3, 3, 0, 0, 0, 0, 0, 0}));
}

// 64 of 4096 in 14 bits each are 112 bytes; of the rest of 904 values 14 (14.1): 196 bits, 25 bytes.
TEST(BlockTopK, CountsTheBytesOfThePapersRatio) {
  BlockTopK compressor({64.0 / 4096});
  EXPECT_EQ(compressor.compress(normal_vector(4096, 1)).wire_bytes, 112 + 8);
  EXPECT_EQ(compressor.compress(normal_vector(5000, 1)).wire_bytes, 112 + 25 + 16);
  EXPECT_EQ(compressor.compress(std::vector<float>{}).wire_bytes, 0);
}

TEST(BlockTopK, ABlockOfOneValueNeedsNoIndex) {
  BlockTopK compressor({0.5, 1});
  const Message message = compressor.compress(std::vector<float>{2, -3});
  EXPECT_TRUE(std::ranges::equal(message.codes, std::vector<std::uint8_t>{1, 3}));
  EXPECT_EQ(restored_by(compressor, message), (std::vector<float>{2, -3}));
}

TEST(BlockTopK, KeepsWhatItDoesNotSendAndWhatItRounds) {
  BlockTopK compressor({0.5, 8});
  ErrorFeedback memory(8);
  memory.compress(compressor, std::vector<float>{0, -2, 1, 8, 4, 0, -6, 1});
  EXPECT_TRUE(std::ranges::equal(memory.residual(), std::vector<float>{0, 1, 1, 1, 1, 0, 1, 1}));
}

TEST(BlockTopK, ABlockWithInfinityRestoresToNaNWhereItIsSentAndTheNextDoesNot) {
  BlockTopK compressor({0.5, 4});
  const std::vector<float> found =
      restored_by(compressor, compressor.compress(std::vector<float>{1, infinity, 2, 3, 5, 0, 0, 4}));
  EXPECT_EQ(found[0], 0);
  EXPECT_TRUE(std::isnan(found[1]) && std::isnan(found[3]));
  EXPECT_EQ(found[4], 5);
}

TEST(BlockTopK, RestoresTheLargestOfEachBlock) {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    const auto block = static_cast<std::int64_t>(1 + below(random, 300));
    BlockTopK compressor({random_ratio(random), block});
    const std::vector<float> vector = random_vector(random, random_size(random, 900));
    ASSERT_NO_FATAL_FAILURE(expect_coding(compressor, vector, compressor.compress(vector)));
  }
}

TEST(BlockTopK, RestoresTheSameFromAnyStretch) {  // blocks longer than the stretch of a coder, and shorter
  const std::vector<float> vector = normal_vector(20000, 3);
  for (const std::int64_t block : {100, 4096, 5000, 1 << 20}) {
    BlockTopK compressor({0.02, block});
    const std::vector<float> found = restored_by(compressor, compressor.compress(vector));
    for (std::size_t first = 0; first < vector.size(); first += static_cast<std::size_t>(block)) {
      const auto size = std::min(static_cast<std::size_t>(block), vector.size() - first);
      const std::span<const float> values = std::span(vector).subspan(first, size);
      std::vector<Index> sent;
      for (std::size_t i = 0; i < size; ++i)
        if (found[first + i] != 0) sent.push_back(static_cast<Index>(i));
      ASSERT_EQ(sent, sorted_top_k(values, plain_kept(0.02, size))) << block;
      for (const Index i : sent) ASSERT_EQ(found[first + i] < 0, values[i] < 0);
    }
  }
}

}  // namespace
}  // namespace kernels
