// Tests of sending at one rank's places.
#include "kernels/ar_topk.hpp"

#include "kernels/error_feedback.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(ArTopK, ValuesOfAllRanksAddUpPlaceByPlace) {
  const std::vector<float> first{5, 1, -4, 0}, second{1, 9, 2, 3};
  ArTopK broadcaster({0.5}), other({0.5});
  const Message chosen = broadcaster.compress(first);
  const Message gathered = other.compress_at(second, chosen.indices);
  EXPECT_EQ(places_of(chosen), (std::vector<Index>{0, 2}));
  std::vector<float> sum(4);
  broadcaster.accumulate(chosen, sum);
  other.accumulate(gathered, sum);
  EXPECT_EQ(sum, (std::vector<float>{6, 0, -2, 0}));
  EXPECT_EQ(chosen.wire_bytes, 16);
  EXPECT_EQ(gathered.wire_bytes, 8);
  EXPECT_DOUBLE_EQ(gathered.energy.gain(), 5.0 / 95);
}

TEST(ArTopK, EachRankKeepsItsOwnResidual) {
  const std::vector<float> gradient{1, 9, 2, 3};
  ErrorFeedback memory(4);
  ArTopK other({0.5});
  for (int step = 1; step <= 2; ++step) {
    const std::vector<Index> places{0, 2};
    const Message message = other.compress_at(memory.feed(gradient), places);
    EXPECT_EQ(message.values[1], 2);
    memory.keep(other, message);
    EXPECT_EQ(memory.residual()[1], static_cast<float>(9 * step));
    EXPECT_EQ(memory.residual()[2], 0);
  }
}

TEST(ArTopK, GathersWhatStandsAtThePlaces) {
  Random random(8);
  for (int round = 0; round < 10000; ++round) {
    const std::size_t size = random_size(random);
    const std::vector<float> mine = random_vector(random, size), theirs = random_vector(random, size);
    const double ratio = random_ratio(random);
    ArTopK broadcaster({ratio}), other({ratio});
    const Message chosen = broadcaster.compress(theirs);
    ASSERT_EQ(places_of(chosen), sorted_top_k(theirs, plain_kept(ratio, size)));
    ASSERT_NO_FATAL_FAILURE(expect_selection(broadcaster, theirs, chosen));
    const Message gathered = other.compress_at(mine, chosen.indices);
    ASSERT_NO_FATAL_FAILURE(expect_selection(other, mine, gathered, 0));
    std::vector<float> residual(size);
    const auto places = places_of(chosen);
    ASSERT_EQ(places_of(broadcaster.compress_fed(theirs, residual)), places);
  }
}

}  // namespace
}  // namespace kernels
