// Tests of thresholds from a fitted normal distribution.
#include "kernels/gaussian_k.hpp"

#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(GaussianK, UncorrectedQuantileKeepsTheRatioOfNormalValues) {
  const std::vector<float> vector = normal_vector(400000, 15);
  for (const double ratio : {0.5, 0.1, 0.01, 0.001}) {
    GaussianK compressor({ratio, 0});
    const auto count = static_cast<double>(compressor.compress(vector).indices.size());
    EXPECT_NEAR(count / (400000 * ratio), 1, 0.15) << ratio;
  }
}

TEST(GaussianK, CorrectsItselfOnHeavyTails) {
  Random random(16);
  std::vector<float> vector(20000);
  for (float& value : vector) value = random_value(random, 1);
  GaussianK compressor({0.01});
  const auto count = compressor.compress(vector).indices.size();
  EXPECT_GE(count, 133U);
  EXPECT_LE(count, 267U);
}

TEST(GaussianK, SendsTheLargestWhenNothingPasses) {
  GaussianK compressor({0.001, 0});
  EXPECT_EQ(places_of(compressor.compress(std::vector<float>{2, -2})), (std::vector<Index>{0}));
}

TEST(GaussianK, SendsTheLargestWhateverTheBits) {
  Random random(17);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random));
    GaussianK compressor({random_ratio(random)});
    const Message message = compressor.compress(vector);
    ASSERT_EQ(message.indices.empty(), vector.empty());
    ASSERT_EQ(places_of(message), sorted_top_k(vector, static_cast<std::int64_t>(message.indices.size())));
    ASSERT_NO_FATAL_FAILURE(expect_selection(compressor, vector, message));
  }
}

}  // namespace
}  // namespace kernels
