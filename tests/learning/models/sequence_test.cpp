// Tests of layers made of layers.
#include "learning/models/sequence.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "learning/models/layers.hpp"
#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

using testing::Bench;
using testing::Values;
using LayerList = std::vector<std::unique_ptr<const Layer>>;

template <class... Parts>
LayerList listed(Parts... parts) {
  LayerList list;
  (list.push_back(std::make_unique<const Parts>(std::move(parts))), ...);
  return list;
}

TEST(Sequence, IsItsLayersOneOnTheOther) {
  const Sequence layer(listed(Dense(1, 1, Next::other), Relu(1), Dense(1, 1, Next::other)));
  Bench bench(layer, 2, {3, -3});
  bench.parameters = {2, 1, -1, 0.5F};  // 2 x + 1, then -y + 0.5
  EXPECT_EQ(bench.forward(), (Values{-6.5F, 0.5F}));
}

TEST(Sequence, ListsEachLayerWithItsMatrices) {
  const Sequence layer(listed(Dense(2, 3, Next::relu), Relu(3), Dense(3, 4, Next::other)));
  std::vector<LayerRange> ranges;
  layer.list(100, ranges);
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[1].name, "dense 3x4");
  EXPECT_EQ(ranges[1].offset, 109U);
  EXPECT_EQ(ranges[1].count, 16U);
  ASSERT_EQ(layer.matrices().size(), 4U);
  EXPECT_EQ(layer.matrices()[2].rows, 3);
  EXPECT_EQ(layer.matrices()[2].columns, 4);
}

TEST(Sequence, DrawsEqualLayersDifferently) {
  const Sequence layer(listed(Dense(2, 2, Next::other), Dense(2, 2, Next::other)));
  const Bench bench(layer, 1, {0, 0});
  EXPECT_NE(bench.parameters[0], bench.parameters[6]);
}

TEST(Sequence, GradientsAreItsSlopes) {
  const Sequence layer(
      listed(Dense(3, 5, Next::other), BatchNorm(5, 1), Dense(5, 4, Next::other), Dense(4, 2, Next::other)));
  Bench bench(layer, 4, testing::random_values(12, 1));
  testing::check_gradients(bench, 2e-3F, 2e-3);
}

TEST(Sequence, KeepsTheStateOfItsLayers) {
  const Sequence layer(listed(Dense(1, 1, Next::other), BatchNorm(1, 1)));
  Bench bench(layer, 2, {0, 2});
  bench.parameters = {1, 3, 1, 0};
  bench.forward();
  layer.update_state(bench.pass(Phase::training), bench.state);
  EXPECT_NEAR(bench.state[0], 0.1 * 4, 1e-6);  // a tenth of the mean of 3 and 5
}

TEST(Residual, AddsItsInput) {
  const Residual layer(listed(Dense(1, 1, Next::other)));
  Bench bench(layer, 1, {3});
  bench.parameters = {2, 1};
  EXPECT_EQ(bench.forward(), (Values{10}));
}

TEST(Residual, AddsItsShortcut) {
  const Residual layer(listed(Dense(1, 2, Next::other)), listed(Dense(1, 2, Next::other)));
  Bench bench(layer, 1, {3});
  bench.parameters = {1, 2, 0, 0, 10, 20, 1, 1};
  EXPECT_EQ(bench.forward(), (Values{34, 67}));
  EXPECT_EQ(layer.extent().parameters, 8U);
}

TEST(Residual, GradientsAreItsSlopes) {
  const Residual identity(listed(Dense(3, 4, Next::other), Dense(4, 3, Next::other)));
  Bench first(identity, 2, testing::random_values(6, 1));
  testing::check_gradients(first, 1e-2F, 1e-3);
  const Residual shortcut(listed(Dense(3, 4, Next::other), Dense(4, 2, Next::other)),
                          listed(Dense(3, 2, Next::other)));
  Bench second(shortcut, 2, testing::random_values(6, 2));
  testing::check_gradients(second, 1e-2F, 1e-3);
}

}  // namespace
}  // namespace learning::models
