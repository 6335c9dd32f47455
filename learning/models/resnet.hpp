// The small residual networks of the table: depth and norm as their names state them, and their layers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learning/datasets/dataset.hpp"
#include "learning/models/layer.hpp"

namespace learning::models {

/// Sizes that `resnet_DEPTH_bn` and `resnet_DEPTH_gn` state.
struct ResnetSize {
  std::size_t depth = 8;    ///< 6 n + 2 with n in [1, 9] blocks per stage
  bool group_norm = false;  ///< else batch norm
};

/// The free form, for messages.
inline constexpr std::string_view resnet_form = "resnet_DEPTH_bn or resnet_DEPTH_gn";

/// @returns nothing where the name does not have the form; the depth may be out of range
std::optional<ResnetSize> parse_resnet(std::string_view name);

/// @returns what is wrong with the depth, as a sentence part; nothing when it is fine
std::optional<std::string> problem_of(const ResnetSize& size);

/// Three stages of 8, 16 and 32 channels. Each begins with a 3x3 convolution, its norm and ReLU, has n blocks
/// of two 3x3 convolutions with their norms whose sum with the block's input goes through ReLU, and ends,
/// but for the last, with a 2x2 max pooling; then a dense layer on all positions.
///
/// As the networks for CIFAR-10 of section 4.2 of the paper, but that max pooling and a convolution lead from
/// a stage to the next, channels are half as many, and the last positions are not averaged.
///
/// Where n is above 1, or the norm is by groups, the gains of each block's last norm start at 0, so that a
/// network begins as if it had no blocks (Goyal et al., "Accurate, Large Minibatch SGD", 2017, section 5.1).
/// Groups have 8 channels. Source: He, Zhang, Ren & Sun, "Deep Residual Learning for Image Recognition",
/// CVPR 2016.
/// @param size     without a problem
/// @param image    both sides at least 4
/// @param classes  at least 1
std::vector<std::unique_ptr<const Layer>> resnet_layers(const ResnetSize& size, const datasets::Shape& image,
                                                        std::size_t classes);

}  // namespace learning::models
