// Tests of gathering above a threshold and of the radix selection.
#include "kernels/candidates.hpp"

#include <functional>

#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(KthLargest, EqualsASort) {
  Random random(4);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, 1 + random_size(random));
    std::vector<Magnitude> sizes;
    for (const float value : vector) sizes.push_back(magnitude(value));
    const auto k = 1 + below(random, sizes.size());
    const Magnitude found = kth_largest(sizes, static_cast<std::int64_t>(k));
    std::ranges::sort(sizes, std::greater<>());
    ASSERT_EQ(found, sizes[k - 1]);
  }
}

TEST(Candidates, CollectWhatALoopWouldWithOrWithoutAResidual) {
  Random random(5);
  Candidates plain, fed;
  for (int round = 0; round < 10000; ++round) {
    const std::size_t size = random_size(random);
    const std::vector<float> gradient = random_vector(random, size);
    std::vector<float> residual = random_vector(random, size), sum = gradient;
    for (std::size_t i = 0; i < size; ++i) sum[i] += residual[i];
    const Magnitude threshold = magnitude(random_value(random, below(random, all_kinds)));
    const double fed_energy = fed.collect_fed(gradient, residual, threshold);
    const double energy = plain.collect(sum, threshold);
    ASSERT_TRUE(near(energy, plain_energy(sum)));
    ASSERT_TRUE(near(fed_energy, energy, 0));
    std::vector<Index> places;
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(magnitude(residual[i]), magnitude(sum[i]));
      if (magnitude(sum[i]) >= threshold) places.push_back(static_cast<Index>(i));
    }
    ASSERT_TRUE(std::ranges::equal(plain.indices(), places));
    ASSERT_TRUE(std::ranges::equal(fed.indices(), places));
    ASSERT_EQ(fed.sizes().size(), places.size());
  }
}

TEST(Candidates, KeepTheLargestAndAmongEqualsTheFirst) {
  Candidates candidates;
  candidates.collect(std::vector<float>{2, -1, -2, 2, 3, 1}, magnitude(1));
  candidates.keep_largest(3);
  EXPECT_TRUE(std::ranges::equal(candidates.indices(), std::vector<Index>{0, 2, 4}));
  candidates.keep_at_least(magnitude(3));
  EXPECT_TRUE(std::ranges::equal(candidates.indices(), std::vector<Index>{4}));
  candidates.keep_largest(0);
  EXPECT_EQ(candidates.count(), 0);
}

TEST(SampledThreshold, LetsAtLeastKPassAndLittleMore) {
  SampledThreshold threshold;
  Candidates candidates;
  int short_ones = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<float> vector = normal_vector(100000, seed);
    candidates.collect(vector, threshold.find(vector, {}, 1000));
    short_ones += candidates.count() < 1000 ? 1 : 0;
    EXPECT_LT(candidates.count(), 8000);
  }
  EXPECT_LE(short_ones, 2);
}

TEST(SampledThreshold, IsZeroWhereASampleDoesNotPay) {
  SampledThreshold threshold;
  EXPECT_EQ(threshold.find(normal_vector(100, 1), {}, 10), 0);
  EXPECT_EQ(threshold.find(normal_vector(10000, 1), {}, 9000), 0);
}

}  // namespace
}  // namespace kernels
