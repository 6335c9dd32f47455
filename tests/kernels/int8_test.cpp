// Tests of signed bytes with one scale per block.
#include "kernels/int8.hpp"

#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(Int8, CodesByHand) {  // step 1: 2.5 goes to the even 2
  Int8 compressor({4});
  const Message message = compressor.compress(std::vector<float>{127, 2.5F, -3.5F, 0, 8});
  const std::vector<int> codes{127, 2, -4, 0, 127};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(static_cast<std::int8_t>(message.codes[i]), codes[i]);
  EXPECT_EQ(message.values[1], 8);
  EXPECT_EQ(message.wire_bytes, 5 + 8);
}

TEST(Int8, BlockWithNaNRestoresToNaN) {
  Int8 compressor({2});
  std::vector<float> restored(4);
  compressor.restore(compressor.compress(std::vector<float>{not_a_number, 1, 0, 0}), restored);
  EXPECT_TRUE(std::isnan(restored[0]) && std::isnan(restored[1]));
  EXPECT_EQ(restored[3], 0);
}

TEST(Int8, IsWithinHalfAStepAndEqualsTheFormula) {
  Random random(21);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random));
    const auto block = static_cast<std::int64_t>(1 + below(random, 100));
    Int8 compressor({block});
    const Message message = compressor.compress(vector);
    std::vector<float> restored(vector.size());
    compressor.restore(message, restored);
    for (std::size_t i = 0; i < vector.size(); ++i) {
      const float largest = message.values[i / static_cast<std::size_t>(block)];
      if (!(largest > 0)) continue;
      const auto code = static_cast<std::int8_t>(message.codes[i]);
      ASSERT_EQ(code, static_cast<int>(std::nearbyint(vector[i] / largest * 127)));
      if (largest < 1e-30F) continue;  // the step itself is denormal
      ASSERT_NEAR(restored[i], vector[i], largest / 127 * 0.50001);
    }
    ASSERT_NO_FATAL_FAILURE(expect_coding(compressor, vector, message));
  }
}

}  // namespace
}  // namespace kernels
