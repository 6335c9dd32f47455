// Tests of pooling.
#include "learning/models/layers.hpp"
#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

using testing::Bench;
using testing::Values;

TEST(MaxPool, TakesTheLargestOfEachSquareAndChannel) {
  const MaxPool layer({2, 2, 4});
  Bench bench(layer, 1,
              {1, 10, 2, 20, 5, 0, 6, 0,  // the first row: four positions of two channels
               4, 40, 3, 30, 8, -1, 7, -2});
  EXPECT_EQ(bench.forward(), (Values{4, 40, 8, 0}));
}

TEST(MaxPool, LeavesOutALastOddRowAndColumn) {
  const MaxPool layer({1, 3, 3});
  Bench bench(layer, 1, {1, 2, 90, 3, 4, 91, 92, 93, 94});
  EXPECT_EQ(bench.forward(), (Values{4}));
  bench.backward({5});
  EXPECT_EQ(bench.input_gradient, (Values{0, 0, 0, 0, 5, 0, 0, 0, 0}));
}

TEST(MaxPool, GivesTheGradientToTheFirstOfEquals) {
  const MaxPool layer({1, 2, 4});
  Bench bench(layer, 1, {1, 1, 0, 2, 1, 1, 2, 0});
  bench.forward();
  bench.backward({3, 7});
  EXPECT_EQ(bench.input_gradient, (Values{3, 0, 0, 7, 0, 0, 0, 0}));
}

TEST(MaxPool, GradientsAreItsSlopes) {
  const MaxPool layer({3, 4, 6});
  Bench bench(layer, 2, testing::random_values(144, 4));
  testing::check_gradients(bench, 1e-4F, 2e-3);  // short, so that no other value becomes the largest
}

}  // namespace
}  // namespace learning::models
