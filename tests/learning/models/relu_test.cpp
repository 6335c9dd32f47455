// Tests of the rectifier.
#include "learning/models/relu.hpp"

#include <limits>

#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

using testing::Bench;
using testing::Values;

TEST(Relu, KeepsWhatIsPositive) {
  const Relu layer(4);
  Bench bench(layer, 1, {-1, 0, 2, -0.5F});
  EXPECT_EQ(bench.forward(), (Values{0, 0, 2, 0}));
}

TEST(Relu, PassesTheGradientOnlyWhereItGaveSomething) {
  const Relu layer(4);
  Bench bench(layer, 1, {-1, 0, 2, 3});
  bench.forward();
  bench.backward({5, 6, 7, -8});
  EXPECT_EQ(bench.input_gradient, (Values{0, 0, 7, -8}));
}

TEST(Relu, DoesNotHideNaN) {
  const Relu layer(1);
  Bench bench(layer, 1, {std::numeric_limits<float>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(bench.forward()[0]));
}

}  // namespace
}  // namespace learning::models
