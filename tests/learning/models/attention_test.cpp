// Tests of attention.
#include "learning/models/layers.hpp"
#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

using testing::Bench;
using testing::Values;

TEST(Attention, IsItsFormulaOverTwoPositions) {
  const Attention layer(2, 1);
  Bench bench(layer, 1, {2, -1});
  bench.parameters = {0.5F, 0.3F, 4, 0.1F, 0.2F};  // Q, K, V, positions
  const double query = 0.5 * -0.8;
  const double first = std::exp(query * 0.3 * 2.1), last = std::exp(query * 0.3 * -0.8);
  EXPECT_NEAR(bench.forward()[0], -0.8 + 4 * (first * 2.1 + last * -0.8) / (first + last), 1e-6);
}

TEST(Attention, OfOnePositionIsThatPosition) {
  const Attention layer(1, 2);
  Bench bench(layer, 1, {3, 5});
  bench.parameters = {9, 8, 7, 6, 5, 4, 3, 2, 0, 1, 2, 0, 0, 0};  // V: twice the second, and the first
  EXPECT_EQ(bench.forward(), (Values{3 + 10, 5 + 3}));
}

TEST(Attention, GradientsAreItsSlopes) {
  for (const std::size_t length : {1U, 4U}) {
    const Attention layer(length, 5);
    Bench bench(layer, 3, testing::random_values(15 * length, 12));
    bench.parameters = testing::random_values(bench.parameters.size(), 13);
    testing::check_gradients(bench, 1e-2F, 1e-3);
  }
}

}  // namespace
}  // namespace learning::models
