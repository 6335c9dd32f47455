// Layers of plain vectors by finite differences.
#include <limits>

#include "learning/models/layers.hpp"
#include "learning/models/random_parameters.hpp"
#include "tests/learning/models/layer_check.hpp"

namespace learning::models {

// Tests of the fully connected layer.

namespace {

using testing::Bench;
using testing::Values;

TEST(Dense, IsAWeightedSumWithBias) {
  const Dense layer(2, 3, Next::other);
  Bench bench(layer, 2, {1, 10, 2, -1});
  bench.parameters = {1, 2, 3, 4, 5, 6, 0.5F, 0, -1};  // of input 0, of input 1, biases
  EXPECT_EQ(bench.forward(), (Values{41.5F, 52, 62, -1.5F, -1, -1}));
  EXPECT_EQ(layer.name(), "dense 2x3");
}

TEST(Dense, PassesGradientsAsByHand) {
  const Dense layer(2, 1, Next::other);
  Bench bench(layer, 2, {1, 10, 2, -1});
  bench.parameters = {3, 4, 0};
  bench.forward();
  bench.backward({2, 5});
  EXPECT_EQ(bench.parameter_gradient, (Values{2 * 1 + 5 * 2, 2 * 10 - 5, 2 + 5}));
  EXPECT_EQ(bench.input_gradient, (Values{6, 8, 15, 20}));
}

TEST(Dense, GradientsAreItsSlopes) {
  const Dense layer(7, 5, Next::relu);
  Bench bench(layer, 3, testing::random_values(21, 1));
  testing::check_gradients(bench, 0.5F, 2e-6);  // linear in either: any step is exact
}

TEST(Dense, StartsWithTheVarianceOfHeOrGlorot) {
  for (const Next next : {Next::relu, Next::other}) {
    const Dense layer(300, 100, next);
    const Bench bench(layer, 1, Values(300));
    double squares = 0;
    for (const float weight : bench.parameters)
      squares += static_cast<double>(weight) * static_cast<double>(weight);
    const double expected = next == Next::relu ? 2.0 / 300 : 2.0 / 400;
    EXPECT_NEAR(squares / 30000, expected, 0.02 * expected);
    EXPECT_EQ(bench.parameters.back(), 0);
  }
}

TEST(RandomParameters, AreTheStreamsWordsInTheBounds) {
  Values values(2000);
  draw_uniform({.seed = 3, .step = 4}, 8, 0.25, values);
  const kernels::RandomStream random{3, 4};
  EXPECT_EQ(values[5], 0.25F * (2 * kernels::unit_interval(random.word(13)) - 1));
  for (const float value : values) ASSERT_TRUE(value >= -0.25F && value < 0.25F);
}

}  // namespace

// Tests of the rectifier.

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
