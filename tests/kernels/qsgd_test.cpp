// Tests of random rounding to levels.
#include "kernels/qsgd.hpp"

#include "kernels/error_feedback.hpp"
#include "kernels/philox.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(Qsgd, WholeLevelsAreExact) {  // norm 5, five levels of 1
  Qsgd compressor({.levels = 5});
  const std::vector<float> vector{3, -4};
  const Message message = compressor.compress(vector);
  EXPECT_EQ(message.values[0], 5);
  EXPECT_EQ(static_cast<std::int8_t>(message.codes[0]), 3);
  EXPECT_EQ(static_cast<std::int8_t>(message.codes[1]), -4);
  EXPECT_EQ(message.wire_bytes, 6);
  EXPECT_EQ(message.energy.gain(), 1);
}

TEST(Qsgd, IsUnbiased) {
  const std::vector<float> vector{1, -0.3F, 0.01F, 2, 0, -7, 4};
  Qsgd compressor({.levels = 4, .bucket = 4, .seed = 9});
  std::vector<float> sum(7);
  const int steps = 20000;
  for (int step = 0; step < steps; ++step) compressor.accumulate(compressor.compress(vector), sum);
  for (std::size_t i = 0; i < 7; ++i) {
    const double level = (i < 4 ? 2.3 : 8.1) / 4;  // a step; deviation at most half of it
    EXPECT_NEAR(sum[i] / steps, vector[i], 5 * level / 2 / std::sqrt(steps));
  }
}

TEST(Qsgd, BrokenBucketRestoresToNaNAndIsNotKept) {
  Qsgd compressor({.bucket = 2});
  ErrorFeedback memory(4);
  const Message message = memory.compress(compressor, std::vector<float>{1, infinity, 2, 0});
  std::vector<float> restored(4);
  compressor.restore(message, restored);
  EXPECT_TRUE(std::isnan(restored[0]) && std::isnan(restored[1]));
  EXPECT_EQ(restored[2], 2);
  EXPECT_EQ(memory.residual()[0], 0);
  EXPECT_TRUE(std::isnan(message.energy.gain()));
}

TEST(Qsgd, EqualsTheFormulaForAnyBits) {
  Random random(20);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random));
    const Qsgd::Settings settings{static_cast<int>(1 + below(random, 127)),
                                  static_cast<std::int64_t>(1 + below(random, 200)), 3};
    Qsgd compressor(settings);
    const Message message = compressor.compress(vector);
    const auto bucket = static_cast<std::size_t>(settings.bucket);
    for (std::size_t i = 0; i < vector.size(); ++i) {
      const float norm = message.values[i / bucket];
      const auto level = static_cast<std::int8_t>(message.codes[i]);
      if (!(norm > 0)) {
        ASSERT_EQ(level, 0);
        continue;
      }
      const auto most = static_cast<float>(settings.levels);
      const float share = std::min(std::abs(vector[i]) / norm * most, most);
      const float drawn = unit_interval(RandomStream{3, 0}.word(i));
      const float expected = std::floor(share) + (drawn < share - std::floor(share) ? 1.0F : 0.0F);
      ASSERT_EQ(level, std::signbit(vector[i]) ? -expected : expected);
    }
    ASSERT_NO_FATAL_FAILURE(expect_coding(compressor, vector, message));
  }
}

}  // namespace
}  // namespace kernels
