// Tests of group normalisation.
#include "learning/models/group_norm.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

using testing::Bench;
using testing::Values;

TEST(GroupNorm, BringsEachGroupOfASampleToMeanZeroAndVarianceOne) {
  const GroupNorm layer({.channels = 4, .positions = 1, .groups = 2});
  Bench bench(layer, 2, {1, 5, 100, 102, 7, 7, 0, 8});
  const Values& output = bench.forward();
  EXPECT_NEAR(output[0], -1, 1e-5);  // mean 3, variance 4
  EXPECT_NEAR(output[1], 1, 1e-5);
  EXPECT_NEAR(output[2], -1, 1e-5);  // mean 101, variance 1
  EXPECT_EQ(output[4], 0);           // the second sample by itself: no variance
  EXPECT_NEAR(output[7], 1, 1e-5);
  bench.parameters = {2, 1, 1, 1, 0.5F, 0, 0, 7};
  EXPECT_NEAR(bench.forward()[0], -1.5, 1e-5);
  EXPECT_NEAR(bench.output[3], 8, 1e-4);
}

TEST(GroupNorm, TakesTheValuesOfAllPositionsTogether) {
  const GroupNorm layer({.channels = 2, .positions = 2, .groups = 1});
  Bench bench(layer, 1, {1, 3, 5, 7});
  EXPECT_NEAR(bench.forward()[0], -3 / std::sqrt(5.0), 1e-5);  // mean 4, variance (9 + 1 + 1 + 9) / 4
}

TEST(GroupNorm, EvaluatesAsItTrainsAndKeepsNothing) {
  const GroupNorm layer({.channels = 16, .positions = 4, .groups = 2});
  Bench bench(layer, 3, testing::random_values(192, 4));
  const Values trained = bench.forward();
  EXPECT_EQ(bench.forward(Phase::evaluation), trained);
  EXPECT_EQ(layer.extent().state, 0U);
}

TEST(GroupNorm, StartsWithTheGainsThatAreStated) {
  const GroupNorm layer({.channels = 2, .positions = 1, .groups = 1, .first_gain = 0});
  const Bench bench(layer, 1, {1, 2});
  EXPECT_EQ(bench.parameters, (Values{0, 0, 0, 0}));
}

/// What the layer is for: in double precision, by its formula, without anything that it has in common with
/// it.
struct Reference {
  std::size_t channels, positions, groups;

  /// The sum of weights * output.
  [[nodiscard]] double weighted(const std::vector<double>& parameters, const std::vector<double>& input,
                                const Values& weights) const {
    const std::size_t values = channels * positions;
    double total = 0;
    for (std::size_t i = 0; i < input.size(); ++i) {
      const std::size_t channel = i % channels, group = channel * groups / channels;
      double sum = 0, squares = 0, count = 0;
      for (std::size_t j = i / values * values; j < (i / values + 1) * values; ++j) {
        if (j % channels * groups / channels != group) continue;
        sum += input[j], squares += input[j] * input[j], count += 1;
      }
      const double mean = sum / count, variance = squares / count - mean * mean;
      const double normal = (input[i] - mean) / std::sqrt(variance + 1e-5);
      total +=
          static_cast<double>(weights[i]) * (parameters[channel] * normal + parameters[channels + channel]);
    }
    return total;
  }
};

TEST(GroupNorm, GradientsAreTheSlopesOfItsFormulaInDoublePrecision) {
  const Reference reference{
      .channels = 40, .positions = 3, .groups = 2};  // more channels than are summed together
  const GroupNorm layer({.channels = 40, .positions = 3, .groups = 2});
  Bench bench(layer, 2, testing::random_values(240, 8));
  for (std::size_t i = 0; i < 40; ++i) bench.parameters[i] = 0.5F + 0.1F * static_cast<float>(i % 9);
  const Values weights = testing::random_values(240, 99);
  bench.forward();
  bench.backward(weights);
  std::vector<double> parameters(bench.parameters.begin(), bench.parameters.end());
  std::vector<double> input(bench.input.begin(), bench.input.end());
  const auto slope_of = [&](double& value) {
    const double before = value, step = 1e-5;
    value = before + step;
    const double above = reference.weighted(parameters, input, weights);
    value = before - step;
    const double below = reference.weighted(parameters, input, weights);
    value = before;
    return (above - below) / (2 * step);
  };
  for (std::size_t i = 0; i < parameters.size(); ++i)
    EXPECT_NEAR(bench.parameter_gradient[i], slope_of(parameters[i]), 2e-5) << "parameter " << i;
  for (std::size_t i = 0; i < input.size(); ++i)
    EXPECT_NEAR(bench.input_gradient[i], slope_of(input[i]), 2e-5) << "input " << i;
}

}  // namespace
}  // namespace learning::models
