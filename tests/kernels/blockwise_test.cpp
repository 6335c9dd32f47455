// Tests of signs and 4-bit numbers with one scale for each block of 256 values.
#include "kernels/blockwise.hpp"

#include "kernels/error_feedback.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

std::vector<float> decoded_blocks(const Compressor& compressor, const Message& message) {
  std::vector<float> vector(static_cast<std::size_t>(message.elements));
  compressor.restore(message, vector);
  return vector;
}

/// 256 values of magnitude 1, then 4 and -8.
std::vector<float> two_blocks() {
  std::vector<float> vector(258, 1.0F);
  vector[1] = -1;
  vector[256] = 4;
  vector[257] = -8;
  return vector;
}

TEST(BlockSign, SendsTheMeanMagnitudeOfEachBlock) {
  BlockSign compressor;
  const Message message = compressor.compress(two_blocks());
  EXPECT_EQ(message.values[0], 1);
  EXPECT_EQ(message.values[1], 6);
  EXPECT_EQ(message.wire_bytes, 33 + 8);  // 258 bits and two scales
  std::vector<float> expected = two_blocks();
  expected[256] = 6;
  expected[257] = -6;
  EXPECT_EQ(decoded_blocks(compressor, message), expected);
  EXPECT_DOUBLE_EQ(message.energy.gain(), (256.0 + 72) / (256.0 + 80));
}

TEST(BlockSign, KeepsWhatItDoesNotSend) {
  BlockSign compressor;
  ErrorFeedback memory(2);
  memory.compress(compressor, std::vector<float>{1, -3});
  EXPECT_TRUE(std::ranges::equal(memory.residual(), std::vector<float>{-1, -1}));
}

TEST(BlockSign, ABlockWithInfinityRestoresToNaNAndTheNextDoesNot) {
  BlockSign compressor;
  std::vector<float> vector = two_blocks();
  vector[0] = infinity;
  const std::vector<float> found = decoded_blocks(compressor, compressor.compress(vector));
  EXPECT_TRUE(std::isnan(found[255]));
  EXPECT_EQ(found[256], 6);
}

TEST(Int4, CodesByHand) {  // step 1: 2.5 goes to the even 2
  Int4 compressor;
  const Message message = compressor.compress(std::vector<float>{7, 2.5F, -3.5F, 0, -7});
  EXPECT_EQ(message.codes[0], 0x27);  // 7 in the low half, 2 above
  EXPECT_EQ(message.codes[1], 0x0c);  // -4
  EXPECT_EQ(message.codes[2], 0x09);  // -7
  EXPECT_EQ(message.wire_bytes, 3 + 4);
  EXPECT_EQ(decoded_blocks(compressor, message), (std::vector<float>{7, 2, -4, 0, -7}));
}

TEST(Int4, EachBlockHasItsOwnStep) {
  Int4 compressor;
  const Message message = compressor.compress(two_blocks());
  EXPECT_EQ(message.values[0], 1);
  EXPECT_EQ(message.values[1], 8);
  EXPECT_EQ(message.wire_bytes, 129 + 8);
  EXPECT_FLOAT_EQ(decoded_blocks(compressor, message)[256], 32.0F / 7);  // 3.5 steps go to the even 4
}

template <class Method>
void expect_promises_of(std::uint64_t seed) {
  Random random(seed);
  Method compressor;
  for (int round = 0; round < 3000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random, 900));
    ASSERT_NO_FATAL_FAILURE(expect_coding(compressor, vector, compressor.compress(vector)));
  }
}

TEST(BlockSign, RestoresWhatItSays) { expect_promises_of<BlockSign>(3); }
TEST(Int4, RestoresWhatItSays) { expect_promises_of<Int4>(4); }

}  // namespace
}  // namespace kernels
