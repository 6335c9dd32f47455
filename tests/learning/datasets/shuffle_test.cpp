// Tests of random orders, and of the streams they are drawn from.
#include <array>
#include <numeric>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/datasets/sampler.hpp"
#include "learning/datasets/streams.hpp"

namespace learning::datasets {
namespace {

std::vector<std::uint32_t> shuffled(std::size_t count, const kernels::RandomStream& stream) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  shuffle(numbers, stream);
  return numbers;
}

TEST(Shuffle, KeepsEveryNumber) {
  for (std::size_t count = 0; count < 100; ++count) {
    const auto numbers = shuffled(count, {count, 1});
    EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), count);
  }
}

TEST(Shuffle, IsTheSameOnEveryMachine) {
  EXPECT_THAT(shuffled(8, {1, 2}), testing::ElementsAre(5, 4, 6, 2, 0, 1, 3, 7));
}

TEST(Shuffle, AllOrdersAreEquallyLikely) {
  std::array<int, 24> counts{};
  constexpr int draws = 24000;
  for (std::uint64_t step = 0; step < draws; ++step) {
    const auto order = shuffled(4, {7, step});
    int rank = 0;  // of the order among all 24
    for (std::size_t i = 0; i < 4; ++i) {
      int smaller = 0;
      for (std::size_t j = i + 1; j < 4; ++j) smaller += order[j] < order[i] ? 1 : 0;
      rank = rank * static_cast<int>(4 - i) + smaller;
    }
    ++counts[static_cast<std::size_t>(rank)];
  }
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 1000.0) * (count - 1000.0) / 1000;
  EXPECT_LT(chi_square, 49.7);  // 23 degrees of freedom: exceeded once in 1000
}

TEST(Streams, NoTwoPurposesOwnersOrNumbersShareOne) {
  std::set<std::uint64_t> steps;
  for (const Purpose purpose :
       {Purpose::held_out, Purpose::partition, Purpose::proportions, Purpose::order, Purpose::donors}) {
    for (const std::uint64_t owner : {0U, 1U, 65535U}) {
      for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 40) - 1}) {
        steps.insert(stream_for(purpose, 5, owner, number).step);
      }
    }
  }
  EXPECT_EQ(steps.size(), 5 * 3 * 3);
  EXPECT_EQ(stream_for(Purpose::order, 5).seed, 5);
}

}  // namespace
}  // namespace learning::datasets
