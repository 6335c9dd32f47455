// Tests of sending above a known threshold.
#include "kernels/threshold.hpp"

#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(Threshold, SendsWhatReachesIt) {
  Threshold threshold({0.5});
  const Message message = threshold.compress(std::vector<float>{0.5F, -0.4999F, -7, not_a_number});
  EXPECT_EQ(places_of(message), (std::vector<Index>{0, 2, 3}));
}

TEST(Threshold, OfZeroSendsAll) {
  Threshold threshold({0});
  EXPECT_EQ(threshold.compress(std::vector<float>(3)).indices.size(), 3U);
}

TEST(Threshold, MaySendNothing) {
  Threshold threshold({1e30});
  const Message message = threshold.compress(std::vector<float>{1, 2});
  EXPECT_TRUE(message.indices.empty());
  EXPECT_EQ(message.energy.gain(), 0);
}

TEST(Threshold, EqualsALoop) {
  Random random(9);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random));
    const double limit = std::abs(random_value(random, below(random, finite_kinds)));
    Threshold threshold({limit});
    const Message message = threshold.compress(vector);
    std::vector<Index> places;
    for (std::size_t i = 0; i < vector.size(); ++i) {
      if (!(std::abs(static_cast<double>(vector[i])) < limit)) places.push_back(static_cast<Index>(i));
    }
    ASSERT_EQ(places_of(message), places);
    ASSERT_NO_FATAL_FAILURE(expect_selection(threshold, vector, message));
    const std::vector<float> rest = unsent(vector, message);
    std::vector<float> residual(vector.size());
    ASSERT_EQ(places_of(threshold.compress_fed(vector, residual)), places);
    for (std::size_t i = 0; i < rest.size(); ++i) ASSERT_EQ(magnitude(residual[i]), magnitude(rest[i]));
  }
}

}  // namespace
}  // namespace kernels
