// Tests of the convolution, and of the order of an image's values that it works on.
#include "learning/models/layers.hpp"
#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

using testing::Bench;
using testing::Values;

TEST(Convolution, SlidesItsFilterOverTheImage) {
  const Convolution layer({.input = {1, 2, 3}, .filters = 1, .size = 2});
  Bench bench(layer, 1, {1, 2, 3, 4, 5, 6});
  bench.parameters = {1, 10, 100, 1000, 0.5F};
  EXPECT_EQ(bench.forward(), (Values{5421.5F, 6532.5F}));
  EXPECT_EQ(layer.name(), "convolution 1 of 2x2");
}

TEST(Convolution, SeesZerosBeyondTheEdges) {
  const Convolution layer({.input = {1, 1, 2}, .filters = 2, .size = 3, .padding = 1});
  Bench bench(layer, 1, {1, 2});
  bench.parameters.assign(20, 0);
  for (std::size_t place = 0; place < 9; ++place) bench.parameters[2 * place] = static_cast<float>(place + 1);
  bench.parameters[19] = 7;  // the second filter is all bias
  EXPECT_EQ(bench.forward(), (Values{5 * 1 + 6 * 2, 7, 4 * 1 + 5 * 2, 7}));
}

TEST(Convolution, KeepsTheSizeWithHalfAFilterOfPadding) {
  const auto shape = Convolution::output_of({.input = {3, 28, 30}, .filters = 8, .size = 5, .padding = 2});
  EXPECT_EQ(shape, (datasets::Shape{8, 28, 30}));
  EXPECT_EQ(Convolution::output_of({.input = {3, 28, 30}, .filters = 8, .size = 5}),
            (datasets::Shape{8, 24, 26}));
}

TEST(Convolution, GradientsAreItsSlopes) {
  for (const int padding : {0, 1}) {
    const Convolution layer({.input = {3, 4, 5}, .filters = 4, .size = 3, .padding = padding});
    Bench bench(layer, 2, testing::random_values(120, 6));
    testing::check_gradients(bench, 0.5F, 3e-6);  // linear in either: any step is exact
  }
}

TEST(ChannelsLast, PutsTheChannelsOfAPositionTogether) {
  const ChannelsLast layer({2, 1, 3});
  Bench bench(layer, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Values turned{1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12};
  EXPECT_EQ(bench.forward(), turned);
  bench.backward(turned);
  EXPECT_EQ(bench.input_gradient, bench.input);
}

}  // namespace
}  // namespace learning::models
