// Tests of the small residual networks: their names, their sizes, and the gradient of a whole one.
#include "learning/models/resnet.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "learning/models/stack.hpp"
#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

TEST(ResidualNetworks, TakeDepthAndNormFromTheirNames) {
  EXPECT_EQ(parse_resnet("resnet_14_gn")->depth, 14U);
  EXPECT_TRUE(parse_resnet("resnet_14_gn")->group_norm);
  EXPECT_FALSE(parse_resnet("resnet_8_bn")->group_norm);
  for (const char* name :
       {"resnet_14", "resnet_gn", "resnet__gn", "resnet_8x_bn", "resnet_-8_bn", "resnet50_v100"})
    EXPECT_FALSE(parse_resnet(name)) << name;
}

TEST(ResidualNetworks, RefuseDepthsThatAreNoneOfThePapers) {
  for (const std::size_t depth : {8U, 14U, 20U, 56U}) EXPECT_FALSE(problem_of({.depth = depth})) << depth;
  for (const std::size_t depth : {0U, 2U, 9U, 62U})
    EXPECT_EQ(problem_of({.depth = depth}), "has an impossible depth; accepted: 8, 14, 20, ..., 56") << depth;
  EXPECT_TRUE(problem_of(*parse_resnet("resnet_99999999999999999999_bn")));
}

Stack network(const ResnetSize& size, const datasets::Shape& image, std::size_t classes) {
  return {"tested", resnet_layers(size, image, classes)};
}

TEST(ResidualNetworks, HaveAsManyMoreParametersAsTheirBlocks) {
  // A block by hand: two convolutions of 9 c c + c, two norms of 2 c, for 8, 16 and 32 channels.
  const auto block = [](std::size_t c) { return 2 * (9 * c * c + c) + 4 * c; };
  const std::size_t blocks = block(8) + block(16) + block(32);
  const datasets::Shape image{3, 8, 8};
  const Stack small = network({.depth = 8, .group_norm = true}, image, 10);
  const Stack large = network({.depth = 20, .group_norm = true}, image, 10);
  EXPECT_EQ(large.parameter_count(), small.parameter_count() + 2 * blocks);
  EXPECT_EQ(large.state_count(), 0U);
  EXPECT_EQ(network({.depth = 20}, image, 10).state_count(), 2U * 7 * (8 + 16 + 32));
}

/// A network whose gains are not at their first values, with one image per class.
struct Trained {
  explicit Trained(const ResnetSize& size)
      : model(network(size, {1, 4, 4}, 3)), parameters(model.parameter_count()) {
    state.resize(model.state_count());
    model.initialise(3, parameters, state);
    const testing::Values moved = testing::random_values(parameters.size(), 11);
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] += 0.2F * moved[i];
    batch.inputs = testing::random_values(48, 7);
    batch.labels = {0, 1, 2};
  }

  Stack model;
  std::vector<float> parameters, state;
  datasets::Batch batch{.features = 16, .inputs = {}, .labels = {}};
};

/// Along the gradient itself, so that what rounds is small against what is compared.
TEST(ResidualNetworks, GradientsAreTheSlopesOfTheLoss) {
  for (const bool group_norm : {false, true}) {
    Trained net({.depth = 14, .group_norm = group_norm});
    const auto workspace = net.model.workspace();
    std::vector<float> gradient(net.parameters.size()), ignored(gradient.size());
    net.model.gradient(net.parameters, net.state, net.batch, *workspace, gradient);
    double squares = 0;
    for (const float slope : gradient) squares += static_cast<double>(slope) * static_cast<double>(slope);
    const double step = 1e-3 / squares;  // moves the loss by 2e-3
    const auto loss_at = [&](double factor) {
      std::vector<float> moved = net.parameters;
      for (std::size_t i = 0; i < moved.size(); ++i)
        moved[i] =
            static_cast<float>(static_cast<double>(moved[i]) + factor * static_cast<double>(gradient[i]));
      return net.model.gradient(moved, net.state, net.batch, *workspace, ignored).loss_sum / 3;
    };
    EXPECT_NEAR((loss_at(step) - loss_at(-step)) / (2 * step), squares, 0.01 * squares) << group_norm;
  }
}

}  // namespace
}  // namespace learning::models
