// Tests of batch normalisation.
#include "learning/models/layers.hpp"
#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

using testing::Bench;
using testing::Values;

TEST(BatchNorm, BringsEachChannelToMeanZeroAndVarianceOne) {
  const BatchNorm layer(2, 1);
  Bench bench(layer, 2, {1, 100, 5, 100});
  const Values& output = bench.forward();
  EXPECT_NEAR(output[0], -1, 1e-5);  // mean 3, variance 4
  EXPECT_NEAR(output[2], 1, 1e-5);
  EXPECT_EQ(output[1], 0);
  bench.parameters = {2, 1, 0.5F, 7};
  EXPECT_NEAR(bench.forward()[0], -1.5, 1e-5);
  EXPECT_EQ(bench.output[3], 7);
}

TEST(BatchNorm, CountsThePositionsOfAnImageAsSamples) {
  const BatchNorm layer(1, 4);
  Bench bench(layer, 1, {1, 5, 1, 5});
  EXPECT_NEAR(bench.forward()[1], 1, 1e-5);
}

TEST(BatchNorm, MovesItsRunningStatisticsATenthOfTheWay) {
  const BatchNorm layer(1, 1);
  Bench bench(layer, 2, {1, 5});
  EXPECT_EQ(bench.state, (Values{0, 1}));
  bench.forward();
  layer.update_state(bench.pass(Phase::training), bench.state);
  EXPECT_NEAR(bench.state[0], 0.3, 1e-6);
  EXPECT_NEAR(bench.state[1], 1 + 0.1 * (8 - 1), 1e-6);  // unbiased: 4 * 2 / 1
}

TEST(BatchNorm, EvaluatesByItsRunningStatistics) {
  const BatchNorm layer(1, 1);
  Bench bench(layer, 1, {7});
  bench.state = {3, 4};
  EXPECT_NEAR(bench.forward(Phase::evaluation)[0], 2, 1e-5);
}

TEST(BatchNorm, OfASingleValueIsItsShiftAndLeavesTheVariance) {
  const BatchNorm layer(2, 1);
  Bench bench(layer, 1, {3, -4});
  bench.parameters = {5, 5, 1, 2};
  EXPECT_EQ(bench.forward(), (Values{1, 2}));
  bench.backward({10, 20});
  EXPECT_EQ(bench.input_gradient, (Values{0, 0}));
  EXPECT_EQ(bench.parameter_gradient, (Values{0, 0, 10, 20}));
  layer.update_state(bench.pass(Phase::training), bench.state);
  EXPECT_NEAR(bench.state[0], 0.3, 1e-6);
  EXPECT_EQ(bench.state[2], 1);
}

TEST(BatchNorm, GradientsAreItsSlopes) {
  const BatchNorm layer(18, 2);  // more channels than are summed together
  Bench bench(layer, 3, testing::random_values(108, 8));
  for (std::size_t i = 0; i < 18; ++i) bench.parameters[i] = 0.5F + 0.1F * static_cast<float>(i);
  testing::check_gradients(bench, 3e-3F, 2e-3);
}

}  // namespace
}  // namespace learning::models
