// Tests of the layers of a causal transformer, by hand and by differences.
#include "learning/models/transformer.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "learning/models/layers.hpp"
#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

using testing::Bench;
using testing::random_values;
using testing::Values;

TEST(LayerNorm, HasMeanZeroAndVarianceOneAtEveryPosition) {
  const LayerNorm layer(2, 2);
  Bench bench(layer, 1, {1, 3, 10, 30});
  bench.parameters = {1, 1, 0, 5};
  const Values& output = bench.forward();
  EXPECT_NEAR(output[0], -1, 1e-5);
  EXPECT_NEAR(output[1], 6, 1e-5);
  EXPECT_NEAR(output[2], -1, 1e-5);
  EXPECT_NEAR(output[3], 6, 1e-5);
}

TEST(LayerNorm, GradientsAreItsSlopes) {
  for (const std::size_t values : {5U, 35U}) {
    const LayerNorm layer(values, 3);
    Bench bench(layer, 2, random_values(6 * values, 1));
    bench.parameters = random_values(2 * values, 2);
    testing::check_gradients(bench, 1e-2F, 2e-3);
  }
}

TEST(Gelu, IsNearTheGaussianForm) {
  const Gelu layer(4);
  Bench bench(layer, 1, {-2, -0.5F, 0, 1});
  const Values& output = bench.forward();
  for (std::size_t i = 0; i < 4; ++i) {
    const double x = static_cast<double>(bench.input[i]);
    EXPECT_NEAR(output[i], x * 0.5 * std::erfc(-x / std::sqrt(2.0)), 5e-4) << x;
  }
  EXPECT_NEAR(output[3], 0.841192, 1e-6);  // torch.nn.functional.gelu(1, approximate="tanh")
}

TEST(Gelu, OfFarValuesIsZeroOrTheValue) {
  const Gelu layer(2);
  Bench bench(layer, 1, {-50, 50});
  EXPECT_NEAR(bench.forward()[0], 0, 1e-11);
  EXPECT_EQ(bench.output[1], 50);
}

TEST(Gelu, GradientsAreItsSlopes) {
  const Gelu layer(6);
  Bench bench(layer, 3, random_values(18, 4));
  testing::check_gradients(bench, 1e-2F, 1e-3);
}

TEST(CausalAttention, IsItsFormulaOverTwoPositions) {
  const CausalAttention layer({.positions = 2, .values = 1, .heads = 1});
  Bench bench(layer, 1, {9, 0.5F, 3, 2, -1, 7});  // query, key, value of each position
  const Values& output = bench.forward();
  EXPECT_NEAR(output[0], 3, 1e-6);  // the first sees itself only
  const double first = std::exp(2 * 0.5), second = std::exp(2 * -1.0);
  EXPECT_NEAR(output[1], (3 * first + 7 * second) / (first + second), 1e-5);
}

TEST(CausalAttention, HeadsAreIndependentAndScaledByTheirWidth) {
  const CausalAttention both({.positions = 2, .values = 4, .heads = 2});
  const CausalAttention one({.positions = 2, .values = 2, .heads = 1});
  Bench whole(both, 1, random_values(24, 5));
  Bench part(one, 1, Values(12));
  for (std::size_t head = 0; head < 2; ++head) {
    for (std::size_t i = 0; i < 12; ++i) part.input[i] = whole.input[i / 2 * 4 + head * 2 + i % 2];
    const Values output = part.forward();
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(whole.forward()[i / 2 * 4 + head * 2 + i % 2], output[i]) << head << " " << i;
  }
}

TEST(CausalAttention, DoesNotSeeWhatComesLater) {
  const CausalAttention layer({.positions = 20, .values = 4, .heads = 2});
  Bench bench(layer, 1, random_values(20 * 12, 6));
  const Values before = bench.forward();
  for (std::size_t i = 17 * 12; i < bench.input.size(); ++i) bench.input[i] += 1;
  const Values& after = bench.forward();
  for (std::size_t i = 0; i < 17 * 4; ++i) EXPECT_EQ(before[i], after[i]) << i;
  EXPECT_NE(before[17 * 4], after[17 * 4]);
}

TEST(CausalAttention, GradientsAreItsSlopes) {
  for (const std::size_t positions : {1U, 3U, 18U}) {  // the last one more than is worked on together
    const CausalAttention layer({.positions = positions, .values = 4, .heads = 2});
    Bench bench(layer, 2, random_values(2 * positions * 12, 7));
    testing::check_gradients(bench, 1e-2F, 2e-3);
  }
}

std::vector<std::unique_ptr<const Layer>> one_dense(std::size_t values, std::size_t positions) {
  std::vector<std::unique_ptr<const Layer>> layers;
  layers.push_back(std::make_unique<const Dense>(values, values, Next::other, positions));
  return layers;
}

TEST(LanguageModel, TakesItsOutputsFromTheEmbeddingWhereTied) {
  const LanguageModel layer({.alphabet = 2, .positions = 1, .values = 2}, one_dense(2, 1));
  Bench bench(layer, 1, {1});
  bench.parameters = {1, 2, 3, 4, 0.5F, 0.25F, 1, 0, 0, 1, 0, 0};  // E, P, the identity
  EXPECT_EQ(bench.forward(), (Values{1 * 3.5F + 2 * 4.25F, 3 * 3.5F + 4 * 4.25F}));
}

TEST(LanguageModel, GradientsAreItsSlopes) {
  for (const bool tied : {true, false}) {
    const LanguageModel layer({.alphabet = 5, .positions = 3, .values = 4, .tied = tied}, one_dense(4, 3));
    Bench bench(layer, 2, {0, 4, 4, 2, 1, 0});
    bench.parameters = random_values(bench.parameters.size(), 8);
    testing::check_gradients(bench, 1e-2F, 1e-3, false);
  }
}

TEST(LanguageModel, ListsItsMatrices) {
  const LanguageModel layer({.alphabet = 5, .positions = 3, .values = 4, .tied = false}, one_dense(4, 3));
  std::vector<LayerRange> ranges;
  layer.list(0, ranges);
  ASSERT_EQ(ranges.size(), 4U);
  EXPECT_EQ(ranges[0].name, "embedding 5x4");
  EXPECT_EQ(ranges[1].name, "positions 3x4");
  EXPECT_EQ(ranges[2].offset, 32U);
  EXPECT_EQ(ranges[3].name, "outputs 5x4");
  EXPECT_EQ(ranges[3].offset + ranges[3].count, layer.extent().parameters);
}

}  // namespace
}  // namespace learning::models
