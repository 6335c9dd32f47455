// Tests of ternary codes.
#include "kernels/tern_grad.hpp"

#include "kernels/philox.hpp"
#include "kernels/statistics.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(TernGrad, LargestValuesAreAlwaysSent) {
  TernGrad compressor({});
  const Message message = compressor.compress(std::vector<float>{2, 0, -2, 0, 2});
  EXPECT_EQ(message.codes[0], 1 | 2 << 4);
  EXPECT_EQ(message.codes[1], 1);
  EXPECT_EQ(message.wire_bytes, 2 + 4);
  EXPECT_EQ(message.energy.gain(), 1);
}

TEST(TernGrad, IsUnbiased) {
  const std::vector<float> vector{1, -0.25F, 0, 0.6F, -0.9F};
  TernGrad compressor({.clip = {}, .seed = 1});
  std::vector<float> sum(5);
  const int steps = 20000;
  for (int step = 0; step < steps; ++step) compressor.accumulate(compressor.compress(vector), sum);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(sum[i] / steps, vector[i], 5 * 0.5 / std::sqrt(steps));
}

TEST(TernGrad, ClipBoundsTheScale) {
  std::vector<float> vector(1000, 0.5F);
  for (std::size_t i = 0; i < 1000; i += 2) vector[i] = -0.5F;
  vector[0] = 100;
  TernGrad compressor({.clip = 2.5});
  const float scale = compressor.compress(vector).values[0];
  EXPECT_NEAR(scale, 2.5 * std::sqrt(0.25 + 10.0), 0.05);
}

TEST(TernGrad, EqualsTheFormulaForAnyBits) {
  Random random(22);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random));
    TernGrad compressor({.clip = {}, .seed = 6});
    const Message message = compressor.compress(vector);
    const float scale = message.values[0];
    const bool broken = std::ranges::any_of(vector, [](float v) { return !std::isfinite(v); });
    ASSERT_EQ(std::isnan(scale), broken);
    for (std::size_t i = 0; i < vector.size(); ++i) {
      const float drawn = unit_interval(RandomStream{6, 0}.word(i));
      const bool hit = scale > 0 && drawn < std::abs(vector[i]) / scale;
      ASSERT_EQ(message.codes[i / 4] >> (2 * (i % 4)) & 3, hit ? (std::signbit(vector[i]) ? 2 : 1) : 0);
    }
    ASSERT_NO_FATAL_FAILURE(expect_coding(compressor, vector, message));
  }
}

}  // namespace
}  // namespace kernels
