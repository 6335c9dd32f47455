// Tests of compressing the already compressed.
#include "kernels/multi_level.hpp"

#include "kernels/error_feedback.hpp"
#include "kernels/qsgd.hpp"
#include "kernels/threshold.hpp"
#include "kernels/top_k.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

MultiLevel two_top_k(double first, double second) {
  return {std::make_unique<TopK>(TopK::Settings{first}), std::make_unique<TopK>(TopK::Settings{second})};
}

TEST(MultiLevel, TopKOfTopKIsTopK) {
  const std::vector<float> vector = normal_vector(10000, 1);
  MultiLevel compressor = two_top_k(0.1, 0.1);
  const Message message = compressor.compress(vector);
  EXPECT_EQ(places_of(message), sorted_top_k(vector, 100));
  EXPECT_EQ(message.wire_bytes, 800);
}

TEST(MultiLevel, SelectsLikeASparsifier) {
  Random random(28);
  for (int round = 0; round < 5000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random));
    MultiLevel compressor = two_top_k(random_ratio(random), random_ratio(random));
    EXPECT_TRUE(compressor.sparse());
    ASSERT_NO_FATAL_FAILURE(expect_selection(compressor, vector, compressor.compress(vector)));
  }
}

TEST(MultiLevel, CodesWhatWasSelected) {
  MultiLevel compressor(std::make_unique<TopK>(TopK::Settings{0.01}),
                        std::make_unique<Qsgd>(Qsgd::Settings{}));
  ErrorFeedback memory(10000);
  const std::vector<float> vector = normal_vector(10000, 2);
  const Message message = memory.compress(compressor, vector);
  EXPECT_FALSE(compressor.sparse());
  EXPECT_EQ(message.wire_bytes, 100 * 4 + 100 + 4);  // places, levels, one norm
  std::vector<float> restored(10000);
  compressor.restore(message, restored);
  EXPECT_TRUE(near(message.energy.sent, plain_energy(restored), 1e-5));
  for (std::size_t i = 0; i < vector.size(); ++i) ASSERT_EQ(memory.residual()[i], vector[i] - restored[i]);
}

TEST(MultiLevel, OfNothingSelectedIsEmpty) {
  MultiLevel compressor(std::make_unique<Threshold>(Threshold::Settings{9}),
                        std::make_unique<Qsgd>(Qsgd::Settings{}));
  const Message message = compressor.compress(std::vector<float>{1, 2});
  EXPECT_EQ(message.wire_bytes, 0);
  EXPECT_EQ(message.energy.gain(), 0);
}

}  // namespace
}  // namespace kernels
