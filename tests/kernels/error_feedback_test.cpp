// Tests of the residual memory.
#include "kernels/error_feedback.hpp"

#include "kernels/dense.hpp"
#include "kernels/half.hpp"
#include "kernels/top_k.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

TEST(ErrorFeedback, StartsAtZeroAndKeepsWhatIsNotSent) {
  TopK top_k({0.5});
  ErrorFeedback memory(2);
  EXPECT_EQ(copy(memory.residual()), (std::vector<float>{0, 0}));
  memory.compress(top_k, std::vector<float>{3, 2});
  EXPECT_EQ(copy(memory.residual()), (std::vector<float>{0, 2}));
  const Message message = memory.compress(top_k, std::vector<float>{3, 2});
  EXPECT_EQ(places_of(message), (std::vector<Index>{1}));
  EXPECT_EQ(message.values[0], 4);
  EXPECT_EQ(copy(memory.residual()), (std::vector<float>{3, 0}));
}

TEST(ErrorFeedback, InTwoHalvesIsTheSame) {
  TopK top_k({0.1}), other({0.1});
  ErrorFeedback whole(100), halves(100);
  for (std::uint64_t step = 0; step < 10; ++step) {
    const std::vector<float> gradient = normal_vector(100, step);
    whole.compress(top_k, gradient);
    halves.keep(other, other.compress(halves.feed(gradient)));
    ASSERT_TRUE(same_bits(whole.residual(), halves.residual()));
  }
}

TEST(ErrorFeedback, OverflowIsSeenOnceAndNotKept) {
  Half half(Half::Format::binary16);
  ErrorFeedback memory(1);
  std::vector<float> restored(1);
  half.restore(memory.compress(half, std::vector<float>{1e6F}), restored);
  EXPECT_EQ(restored[0], infinity);
  half.restore(memory.compress(half, std::vector<float>{1}), restored);
  EXPECT_EQ(restored[0], 1);
}

TEST(ErrorFeedback, OfADenseMessageIsEmpty) {
  Dense dense;
  ErrorFeedback memory(3);
  const std::vector<float> gradient{1, not_a_number, 3};
  const Message message = memory.compress(dense, gradient);
  EXPECT_TRUE(same_bits(message.values, gradient));
  EXPECT_EQ(message.wire_bytes, 12);
  EXPECT_EQ(copy(memory.residual()), (std::vector<float>{0, 0, 0}));
}

}  // namespace
}  // namespace kernels
