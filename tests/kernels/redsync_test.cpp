// Tests of the threshold searched between mean and maximum.
#include "kernels/redsync.hpp"

#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(RedSync, SendsTheOnlyLargeOnesByHand) {
  // mean 2.6, largest 10: 6.3 passes one value, 4.45 two, which is between k = 2 and 4.
  RedSync compressor({0.2});
  const std::vector<float> vector{0, 0, 1, -1, 2, 0, 5, 3, 4, -10};
  EXPECT_EQ(places_of(compressor.compress(vector)), (std::vector<Index>{6, 9}));
}

TEST(RedSync, SendsKOfEquals) {
  RedSync compressor({0.1});
  EXPECT_EQ(places_of(compressor.compress(std::vector<float>(30, 2.0F))), (std::vector<Index>{0, 1, 2}));
}

TEST(RedSync, SearchesBelowTheMeanWhenFewReachIt) {  // one outlier carries the mean
  std::vector<float> vector = normal_vector(1000, 3);
  vector[500] = 1e6F;
  RedSync compressor({0.1});
  const auto count = compressor.compress(vector).indices.size();
  EXPECT_GE(count, 100U);
  EXPECT_LE(count, 200U);
}

/// The places that pass the lowest magnitude sent are the places sent, unless ties were cut to k.
TEST(RedSync, SendsKToTwiceKAlwaysTheLargest) {
  Random random(12);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random, 400));
    const double ratio = random_ratio(random);
    RedSync compressor({ratio});
    const Message message = compressor.compress(vector);
    const std::int64_t k = plain_kept(ratio, vector.size());
    const auto count = static_cast<std::int64_t>(message.indices.size());
    ASSERT_GE(count, k);
    ASSERT_LE(count, 2 * k);
    ASSERT_EQ(places_of(message), sorted_top_k(vector, count));
    ASSERT_NO_FATAL_FAILURE(expect_selection(compressor, vector, message));
  }
}

}  // namespace
}  // namespace kernels
