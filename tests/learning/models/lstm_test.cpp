// Tests of the layers for sequences: embedding and long short-term memory.
#include "learning/models/layers.hpp"
#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

using testing::Bench;
using testing::Values;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Embedding, LooksUpAndAddsBack) {
  const Embedding layer(3, 2, 2);
  Bench bench(layer, 2, {2, 0, 2, 2});
  bench.parameters = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(bench.forward(), (Values{5, 6, 1, 2, 5, 6, 5, 6}));
  bench.backward({1, 2, 10, 20, 100, 200, 1000, 2000});
  EXPECT_EQ(bench.parameter_gradient, (Values{10, 20, 0, 0, 1101, 2202}));
  EXPECT_EQ(layer.name(), "embedding 3x2");
}

TEST(Lstm, IsItsFormulaOverTwoTimes) {
  const Lstm layer(2, 1, 1);
  Bench bench(layer, 1, {0.5F, -1});
  bench.parameters = {1, 2, 3, 4, 0.1F, 0.2F, 0.3F, 0.4F, 0.01F, 0.02F, 0.03F, 0.04F};  // i f g o each
  const double c1 = logistic(0.51) * std::tanh(1.53);
  const double h1 = logistic(2.04) * std::tanh(c1);
  const double c2 =
      logistic(-1.98 + 0.2 * h1) * c1 + logistic(-0.99 + 0.1 * h1) * std::tanh(-2.97 + 0.3 * h1);
  const double h2 = logistic(-3.96 + 0.4 * h1) * std::tanh(c2);
  EXPECT_NEAR(bench.forward()[0], h2, 1e-6);
}

TEST(Lstm, StartsWithOpenForgetGates) {
  const Lstm layer(1, 2, 3);
  const Bench bench(layer, 1, Values(2));
  const Values biases(bench.parameters.end() - 12, bench.parameters.end());
  EXPECT_EQ(biases, (Values{0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(Lstm, GradientsAreItsSlopes) {
  for (const std::size_t length : {1U, 4U}) {
    const Lstm layer(length, 3, 5);
    Bench bench(layer, 2, testing::random_values(2 * length * 3, 9));
    testing::check_gradients(bench, 1e-2F, 1e-3);
  }
}

TEST(Lstm, SamplesDoNotMix) {
  const Lstm layer(3, 2, 4);
  Bench both(layer, 2, testing::random_values(12, 10));
  Bench second(layer, 1, Values(both.input.begin() + 6, both.input.end()));
  const Values together = both.forward();
  EXPECT_EQ(Values(together.begin() + 4, together.end()), second.forward());
}

}  // namespace
}  // namespace learning::models
