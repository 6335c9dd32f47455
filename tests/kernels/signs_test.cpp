// Tests of the three compressors that send one bit per value.
#include "kernels/signs.hpp"

#include "kernels/error_feedback.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

std::vector<float> restored(const Compressor& compressor, const Message& message) {
  std::vector<float> vector(static_cast<std::size_t>(message.elements));
  compressor.restore(message, vector);
  return vector;
}

TEST(SignSgd, ZeroAndNaNArePositive) {
  SignSgd compressor;
  const Message message = compressor.compress(std::vector<float>{-1, 0, -0.0F, not_a_number, -infinity});
  EXPECT_EQ(message.codes[0], 0b10001);
  EXPECT_EQ(message.wire_bytes, 1);
  EXPECT_EQ(restored(compressor, message), (std::vector<float>{-1, 1, 1, 1, -1}));
}

TEST(EfSign, SendsTheMeanMagnitude) {
  EfSign compressor;
  ErrorFeedback memory(4);
  const Message message = memory.compress(compressor, std::vector<float>{1, -2, 3, 0});
  EXPECT_EQ(restored(compressor, message), (std::vector<float>{1.5F, -1.5F, 1.5F, 1.5F}));
  EXPECT_TRUE(std::ranges::equal(memory.residual(), std::vector<float>{-0.5F, -0.5F, 1.5F, -1.5F}));
  EXPECT_EQ(message.wire_bytes, 1 + 4);
  EXPECT_DOUBLE_EQ(message.energy.gain(), 9.0 / 14);
}

TEST(OneBit, SendsTheMeansOfBothGroups) {
  OneBit compressor;
  const Message message = compressor.compress(std::vector<float>{1, -2, 3, -4, 2});
  EXPECT_EQ(restored(compressor, message), (std::vector<float>{2, -3, 2, -3, 2}));
  EXPECT_EQ(message.wire_bytes, 1 + 8);
}

TEST(OneBit, OfOneSignOnlyHasAZeroMeanForTheOther) {
  OneBit compressor;
  const Message message = compressor.compress(std::vector<float>{1, 3});
  EXPECT_EQ(message.values[0], 2);
  EXPECT_EQ(message.values[1], 0);
}

TEST(OneBitPerValue, BrokenVectorsRestoreToNaN) {
  EfSign ef_sign;
  OneBit one_bit;
  const std::vector<float> vector{1, -infinity};
  EXPECT_TRUE(std::isnan(restored(ef_sign, ef_sign.compress(vector))[0]));
  EXPECT_TRUE(std::isnan(restored(one_bit, one_bit.compress(vector))[0]));
}

TEST(OneBitPerValue, SignsAreThoseOfTheVector) {
  Random random(23);
  SignSgd sign_sgd;
  EfSign ef_sign;
  OneBit one_bit;
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random));
    for (Compressor* compressor : {static_cast<Compressor*>(&sign_sgd), static_cast<Compressor*>(&ef_sign),
                                   static_cast<Compressor*>(&one_bit)}) {
      const Message message = compressor->compress(vector);
      ASSERT_EQ(message.codes.size(), (vector.size() + 7) / 8);
      for (std::size_t i = 0; i < vector.size(); ++i) {
        ASSERT_EQ((message.codes[i / 8] >> (i % 8) & 1) != 0, vector[i] < 0);
      }
      ASSERT_NO_FATAL_FAILURE(expect_coding(*compressor, vector, message));
    }
  }
}

}  // namespace
}  // namespace kernels
