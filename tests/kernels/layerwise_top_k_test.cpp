// Tests of top-k layer by layer.
#include "kernels/layerwise_top_k.hpp"

#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(LayerwiseTopK, SendsTheLargestOfEachLayer) {
  LayerwiseTopK top_k({0.5, {2, 0, 1, 3}});
  const std::vector<float> vector{9, 8, 0, 1, -3, 2};
  const Message message = top_k.compress(vector);
  EXPECT_EQ(places_of(message), (std::vector<Index>{0, 2, 4, 5}));
  EXPECT_EQ(message.wire_bytes, 32);
}

TEST(LayerwiseTopK, EqualsSortsOfTheLayers) {
  Random random(7);
  for (int round = 0; round < 10000; ++round) {
    std::vector<std::int64_t> sizes(below(random, 6));
    const double ratio = random_ratio(random);
    std::vector<float> vector;
    std::vector<Index> places;
    for (std::int64_t& size : sizes) {
      const std::vector<float> layer = random_vector(random, random_size(random, 100));
      size = static_cast<std::int64_t>(layer.size());
      for (const Index place : sorted_top_k(layer, plain_kept(ratio, layer.size()))) {
        places.push_back(place + static_cast<Index>(vector.size()));
      }
      vector.insert(vector.end(), layer.begin(), layer.end());
    }
    LayerwiseTopK top_k({ratio, sizes});
    const Message message = top_k.compress(vector);
    ASSERT_EQ(places_of(message), places);
    ASSERT_NO_FATAL_FAILURE(expect_selection(top_k, vector, message));
    const std::vector<float> rest = unsent(vector, message);
    std::vector<float> residual(vector.size());
    ASSERT_EQ(places_of(top_k.compress_fed(vector, residual)), places);
    for (std::size_t i = 0; i < rest.size(); ++i) ASSERT_EQ(magnitude(residual[i]), magnitude(rest[i]));
  }
}

}  // namespace
}  // namespace kernels
