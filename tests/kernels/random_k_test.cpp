// Tests of values at random places, and of the permutation that draws them.
#include "kernels/random_k.hpp"

#include <set>

#include "kernels/permutation.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(Permutation, HitsEveryPlaceOnce) {
  for (std::uint64_t elements = 1; elements < 300; ++elements) {
    const Permutation order(elements, {elements, 3});
    std::set<std::uint64_t> places;
    for (std::uint64_t i = 0; i < elements; ++i) places.insert(order(i));
    ASSERT_EQ(places.size(), elements);
    ASSERT_EQ(*places.rbegin(), elements - 1);
  }
}

TEST(Permutation, ReachesBeyond32Bits) {
  const Permutation order(std::uint64_t{1} << 32, {1, 2});
  std::set<std::uint64_t> places;
  for (std::uint64_t i = 0; i < 1000; ++i) places.insert(order(i));
  EXPECT_EQ(places.size(), 1000U);
  EXPECT_GT(*places.rbegin(), std::uint64_t{4200000000});
}

TEST(Permutation, DrawsPairsEvenly) {
  for (const std::uint64_t elements : {4U, 5U, 10U}) {
    std::vector<int> counts(elements * elements);
    const int rounds = 20000;
    for (int step = 0; step < rounds; ++step) {
      const Permutation order(elements, {1, static_cast<std::uint64_t>(step)});
      ++counts[order(0) * elements + order(1)];
    }
    const double expected = rounds / static_cast<double>(elements * (elements - 1));
    for (std::uint64_t a = 0; a < elements; ++a) {
      for (std::uint64_t b = 0; b < elements; ++b) {
        EXPECT_NEAR(counts[a * elements + b], a == b ? 0 : expected, 5 * std::sqrt(expected)) << elements;
      }
    }
  }
}

TEST(RandomK, RanksWithOneSeedAgreeOnThePlaces) {
  RandomK one({.ratio = 0.1, .seed = 3}), other({.ratio = 0.1, .seed = 3});
  other.compress(std::vector<float>(10));
  other.set_step(0);
  const std::vector<float> vector = normal_vector(500, 1);
  const std::vector<Index> places = places_of(one.compress(vector));
  EXPECT_EQ(places.size(), 50U);
  EXPECT_EQ(places_of(other.compress(normal_vector(500, 2))), places);
  EXPECT_NE(places_of(one.compress(vector)), places);  // the next step
}

TEST(RandomK, SendsTheLastValueToo) {  // published code never does
  for (const bool replacement : {false, true}) {
    RandomK compressor({.ratio = 0.25, .replacement = replacement});
    int last = 0;
    for (int step = 0; step < 400; ++step) last += compressor.compress(std::vector<float>(4)).indices[0] == 3;
    EXPECT_NEAR(last, 100, 45);
  }
}

TEST(RandomK, RepeatedPlacesCarryTheirValueOnce) {
  RandomK compressor({.ratio = 1, .replacement = true});
  const std::vector<float> vector{1, 2, 3, 4};
  std::vector<float> restored(4);
  for (int step = 0; step < 50; ++step) {
    const Message message = compressor.compress(vector);
    EXPECT_EQ(message.wire_bytes, 16);
    compressor.restore(message, restored);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(restored[i] == 0 || restored[i] == vector[i]);
    EXPECT_DOUBLE_EQ(message.energy.sent, plain_energy(restored));
  }
}

TEST(RandomK, ScaledIsUnbiased) {
  const std::vector<float> vector{1, -2, 3, 0.5F, 8, -6, 7};
  for (const bool replacement : {false, true}) {
    RandomK compressor({.ratio = 0.3, .replacement = replacement, .scaled = true, .seed = 4});
    std::vector<float> sum(7), restored(7);
    const int steps = 20000;
    for (int step = 0; step < steps; ++step) {
      const Message message = compressor.compress(vector);
      compressor.accumulate(message, sum);
      compressor.restore(message, restored);
      ASSERT_NEAR(message.energy.sent, plain_energy(restored), 1e-3);
    }
    for (std::size_t i = 0; i < 7; ++i) {  // deviation of one draw: about |v| sqrt(n / k)
      const double deviation = std::abs(vector[i]) * std::sqrt(7.0 / 2 / steps);
      EXPECT_NEAR(sum[i] / steps, vector[i], 5 * deviation);
    }
  }
}

TEST(RandomK, SendsExactlyKDistinctPlacesOfAnyVector) {
  Random random(18);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random));
    const double ratio = random_ratio(random);
    RandomK compressor({.ratio = ratio, .seed = random()});
    const Message message = compressor.compress(vector);
    ASSERT_EQ(static_cast<std::int64_t>(message.indices.size()), plain_kept(ratio, vector.size()));
    ASSERT_NO_FATAL_FAILURE(expect_selection(compressor, vector, message, 0));
  }
}

}  // namespace
}  // namespace kernels
