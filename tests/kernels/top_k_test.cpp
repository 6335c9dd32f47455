// Tests of exact top-k.
#include "kernels/top_k.hpp"

#include "kernels/error_feedback.hpp"
#include "kernels/philox.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

std::vector<Index> chosen(std::vector<float> vector, double ratio) {
  TopK top_k({ratio});
  return places_of(top_k.compress(vector));
}

TEST(TopK, SendsTheLargestOfFive) {
  const std::vector<float> vector{0.5F, -3, 0.25F, 2, -1};
  TopK top_k({0.4});
  const Message message = top_k.compress(vector);
  EXPECT_EQ(places_of(message), (std::vector<Index>{1, 3}));
  EXPECT_EQ(message.values[0], -3);
  EXPECT_EQ(message.values[1], 2);
  EXPECT_EQ(message.wire_bytes, 16);
  EXPECT_DOUBLE_EQ(message.energy.gain(), 13 / (0.25 + 9 + 0.0625 + 4 + 1));
}

TEST(TopK, ChargesEightByteIndices) {
  TopK top_k({0.4, 8});
  EXPECT_EQ(top_k.compress(std::vector<float>(5)).wire_bytes, 24);
}

TEST(TopK, TakesTheFirstOfEquals) {
  EXPECT_EQ(chosen({1, -1, 1, -1, 1}, 0.4), (std::vector<Index>{0, 1}));
  EXPECT_EQ(chosen(std::vector<float>(10000, 0.5F), 0.0003), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(chosen(std::vector<float>(10000, 0.0F), 0.0002), (std::vector<Index>{0, 1}));
}

TEST(TopK, SendsNaNThenInfinityThenTheRest) {
  EXPECT_EQ(chosen({1, infinity, 3e38F, not_a_number}, 0.25), (std::vector<Index>{3}));
  EXPECT_EQ(chosen({1, -infinity, 3e38F, not_a_number}, 0.5), (std::vector<Index>{1, 3}));
  TopK top_k({0.5});
  EXPECT_TRUE(std::isnan(top_k.compress(std::vector<float>{1, not_a_number}).energy.gain()));
}

TEST(TopK, OrdersDenormals) { EXPECT_EQ(chosen({denormal, -2 * denormal, 0}, 0.3), (std::vector<Index>{1})); }

TEST(TopK, OfNothingIsNothingAndLosesNothing) {
  TopK top_k({0.01});
  const Message message = top_k.compress({});
  EXPECT_EQ(message.wire_bytes, 0);
  EXPECT_EQ(message.energy.gain(), 1);
}

TEST(TopK, OfAllIsTheVector) {
  const std::vector<float> vector = normal_vector(9001, 3);
  TopK top_k({1});
  EXPECT_TRUE(same_bits(top_k.compress(vector).values, vector));
}

TEST(TopK, EqualsAFullSortForAnyBits) {
  Random random(6);
  for (int round = 0; round < 10000; ++round) {
    const bool large = round % 100 == 0;  // large enough for the sampled threshold
    const std::size_t size = large ? 8192 + below(random, 20000) : random_size(random);
    const std::vector<float> gradient = random_vector(random, size);
    std::vector<float> residual = random_vector(random, size), sum = gradient;
    for (std::size_t i = 0; i < size; ++i) sum[i] += residual[i];
    const double ratio = random_ratio(random);
    TopK top_k({ratio});
    const Message message = top_k.compress(sum);
    const std::vector<Index> places = places_of(message);
    ASSERT_EQ(places, sorted_top_k(sum, plain_kept(ratio, size)));
    ASSERT_NO_FATAL_FAILURE(expect_selection(top_k, sum, message));

    const std::vector<float> rest = unsent(sum, message);
    const Message fused = top_k.compress_fed(gradient, residual);
    ASSERT_EQ(places_of(fused), places);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(magnitude(residual[i]), magnitude(rest[i]));
  }
}

TEST(TopK, LooksAgainWhenTheSampleWasUnlucky) {
  // The places that candidates.cpp samples hold the only large values, so its threshold is one that few pass.
  constexpr std::size_t size = 1 << 20, runs = 1024, stretch = size / runs, run_length = 16;
  std::vector<float> vector = normal_vector(size, 8);
  const RandomStream stream{size, 0};
  for (std::size_t run = 0; run < runs; ++run) {
    vector[run * stretch + stream.below(stretch - run_length + 1, run)] = 1 + static_cast<float>(run);
  }
  TopK top_k({0.01});
  EXPECT_EQ(places_of(top_k.compress(vector)), sorted_top_k(vector, 10486));
  EXPECT_EQ(top_k.rescans(), 1);
  std::vector<float> residual(size);
  EXPECT_EQ(places_of(top_k.compress_fed(vector, residual)), sorted_top_k(vector, 10486));
  EXPECT_EQ(top_k.rescans(), 2);
}

TEST(TopK, RarelyLooksTwice) {
  TopK top_k({0.001});
  for (std::uint64_t seed = 0; seed < 200; ++seed) top_k.compress(normal_vector(20000, seed));
  EXPECT_LE(top_k.rescans(), 2);
}

TEST(TopK, SentPlusResidualIsTheFedGradientOverManySteps) {
  TopK top_k({0.01});
  ErrorFeedback memory(12345);
  std::vector<float> fed(12345);
  for (std::uint64_t step = 0; step < 20; ++step) {
    const std::vector<float> gradient = normal_vector(12345, step);
    for (std::size_t i = 0; i < fed.size(); ++i) fed[i] = gradient[i] + memory.residual()[i];
    const Message message = memory.compress(top_k, gradient);
    std::vector<float> whole(memory.residual().begin(), memory.residual().end());
    top_k.accumulate(message, whole);
    ASSERT_TRUE(same_bits(whole, fed));
  }
}

}  // namespace
}  // namespace kernels
