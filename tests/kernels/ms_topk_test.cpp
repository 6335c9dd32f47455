// Tests of top-k by bisection.
#include "kernels/ms_topk.hpp"

#include <optional>

#include "kernels/philox.hpp"
#include "kernels/statistics.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

/// The algorithm as published, every round over all values.
std::vector<Index> plain_ms_topk(std::span<const float> vector, std::int64_t k, int rounds,
                                 const RandomStream& stream) {
  const Statistics found = measure(vector);
  const double largest = absolute(found.largest);
  double left = 0, right = 1;
  Magnitude low = 0;
  std::optional<Magnitude> high;
  for (int round = 0; round < rounds; ++round) {
    const double middle = (left + right) / 2;
    const Magnitude threshold = at_least(found.mean() + middle * (largest - found.mean()));
    const std::int64_t passing =
        std::ranges::count_if(vector, [&](float v) { return magnitude(v) >= threshold; });
    (passing <= k ? right : left) = middle;
    if (passing <= k) high = threshold;
    if (passing > k) low = threshold;
    if (passing == k) break;
  }
  std::vector<Index> sure, band;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const Magnitude size = magnitude(vector[i]);
    if (high && size >= *high) {
      sure.push_back(static_cast<Index>(i));
    } else if (size >= low) {
      band.push_back(static_cast<Index>(i));
    }
  }
  const std::size_t missing = static_cast<std::size_t>(k) - sure.size();
  const std::size_t first = stream.below(band.size() - missing + 1, 0);
  for (std::size_t i = first; i < first + missing; ++i) sure.push_back(band[i]);
  std::ranges::sort(sure);
  return sure;
}

TEST(MsTopK, IsExactWhereValuesAreApart) {
  const std::vector<float> vector = normal_vector(50000, 1);
  MsTopK compressor({0.01});
  EXPECT_EQ(places_of(compressor.compress(vector)), sorted_top_k(vector, 500));
}

TEST(MsTopK, SendsExactlyKOfEquals) {
  const std::vector<float> vector(1000, -1.0F);
  MsTopK compressor({0.01});
  const Message message = compressor.compress(vector);
  ASSERT_EQ(message.indices.size(), 10U);
  EXPECT_EQ(message.indices[9] - message.indices[0], 9U);  // a contiguous run
}

TEST(MsTopK, RunReachesTheEndOfTheBand) {  // the published run may begin one place too late
  const std::vector<float> vector(4, 1.0F);
  MsTopK compressor({0.5});
  std::vector<int> begins(4);
  for (int step = 0; step < 300; ++step) {
    const Message message = compressor.compress(vector);
    ASSERT_EQ(message.indices.size(), 2U);
    ++begins[message.indices[0]];
  }
  for (std::size_t first = 0; first < 3; ++first) EXPECT_NEAR(begins[first], 100, 40);
}

TEST(MsTopK, EqualsThePlainAlgorithm) {
  Random random(10);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random, 400));
    const double ratio = random_ratio(random);
    MsTopK compressor({ratio, 25, 77});
    compressor.set_step(static_cast<std::uint64_t>(round));
    const Message message = compressor.compress(vector);
    const std::int64_t k = plain_kept(ratio, vector.size());
    ASSERT_EQ(places_of(message), plain_ms_topk(vector, k, 25, {77, static_cast<std::uint64_t>(round)}));
    ASSERT_NO_FATAL_FAILURE(expect_selection(compressor, vector, message));
  }
}

}  // namespace
}  // namespace kernels
