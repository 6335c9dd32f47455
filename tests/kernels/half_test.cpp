// Tests of the conversions to 16 bits and of the compressor made of them.
#include "kernels/half.hpp"

#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(Binary16, RoundsToNearestEven) {
  EXPECT_EQ(to_binary16(1), 0x3c00);
  EXPECT_EQ(to_binary16(-2), 0xc000);
  EXPECT_EQ(to_binary16(1 + 0x1p-11F), 0x3c00);             // a tie, down to even
  EXPECT_EQ(to_binary16(1 + 3 * 0x1p-11F), 0x3c02);         // a tie, up to even
  EXPECT_EQ(to_binary16(1 + 0x1p-11F + 0x1p-23F), 0x3c01);  // just above
  EXPECT_EQ(to_binary16(65519.996F), 0x7bff);
  EXPECT_EQ(to_binary16(65520), 0x7c00);
  EXPECT_EQ(to_binary16(0x1p-14F), 0x0400);
  EXPECT_EQ(to_binary16(0x1p-24F), 0x0001);
  EXPECT_EQ(to_binary16(0x1p-25F), 0x0000);
  EXPECT_EQ(to_binary16(-0x1.000002p-25F), 0x8001);
  EXPECT_EQ(to_binary16(0x1.ffcp-15F + 0x1p-25F), 0x0400);  // a denormal that rounds up to a normal
  EXPECT_EQ(to_binary16(-infinity), 0xfc00);
  EXPECT_GT(to_binary16(not_a_number) & 0x7fff, 0x7c00);
}

TEST(Binary16, EveryOneOfThemComesBack) {
  for (unsigned half = 0; half < 0x10000; ++half) {
    const float value = from_binary16(static_cast<std::uint16_t>(half));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(from_binary16(to_binary16(value))));
    } else {
      ASSERT_EQ(to_binary16(value), half);
    }
  }
}

/// Of the two neighbours the nearer one, of equally near ones the even.
TEST(Binary16, IsNearestForAnyValueInRange) {
  Random random(24);
  for (int round = 0; round < 100000; ++round) {
    const auto half = static_cast<std::uint16_t>(below(random, 0x7bff));
    const double low = from_binary16(half), high = from_binary16(static_cast<std::uint16_t>(half + 1));
    const double share = static_cast<double>(below(random, 5)) / 4;
    const auto value = static_cast<float>(low + share * (high - low));
    const double middle = (low + high) / 2;
    const bool up = value > middle || (value == middle && half % 2 == 1);
    ASSERT_EQ(to_binary16(value), half + (up ? 1 : 0));
  }
}

TEST(Bfloat16, RoundsToNearestEven) {
  EXPECT_EQ(to_bfloat16(1), 0x3f80);
  EXPECT_EQ(to_bfloat16(1 + 0x1p-8F), 0x3f80);
  EXPECT_EQ(to_bfloat16(1 + 3 * 0x1p-8F), 0x3f82);
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(to_bfloat16(-0.0F), 0x8000);
  EXPECT_EQ(to_bfloat16(std::bit_cast<float>(0x7f800001U)), 0x7fc0);
  for (unsigned half = 0; half < 0x10000; ++half) {
    const float value = from_bfloat16(static_cast<std::uint16_t>(half));
    ASSERT_TRUE(std::isnan(value) || to_bfloat16(value) == half);
  }
}

TEST(Half, SendsTwoBytesPerValueLowByteFirst) {
  Half compressor(Half::Format::binary16);
  const Message message = compressor.compress(std::vector<float>{1, -2});
  EXPECT_EQ(message.wire_bytes, 4);
  EXPECT_EQ(message.codes[1], 0x3c);
  EXPECT_EQ(message.codes[3], 0xc0);
}

TEST(Half, RestoresWhatTheConversionsGive) {
  Random random(25);
  Half binary16(Half::Format::binary16), bfloat16(Half::Format::bfloat16);
  for (int round = 0; round < 5000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random));
    ASSERT_NO_FATAL_FAILURE(expect_coding(binary16, vector, binary16.compress(vector)));
    ASSERT_NO_FATAL_FAILURE(expect_coding(bfloat16, vector, bfloat16.compress(vector)));
    std::vector<float> restored(vector.size());
    binary16.restore(binary16.compress(vector), restored);
    for (std::size_t i = 0; i < vector.size(); ++i) {
      const float expected = from_binary16(to_binary16(vector[i]));
      ASSERT_TRUE(restored[i] == expected || std::isnan(expected));
    }
  }
}

}  // namespace
}  // namespace kernels
