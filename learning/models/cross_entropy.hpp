// The loss of classifiers: softmax and cross-entropy, with its gradient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "learning/models/model.hpp"

namespace learning::models {

/// loss of a sample = -ln(softmax(outputs) at its label), in nats.
/// @param outputs   `classes` values per sample, sample after sample
/// @param labels    one class in [0, classes) per sample, at least one
/// @param gradient  as long as `outputs`, overwritten by (softmax - 1 at the label) / samples, the gradient
/// of
///                  the mean loss; empty where nobody asks for it
Score cross_entropy(std::size_t classes, std::span<const float> outputs,
                    std::span<const std::uint16_t> labels, std::span<float> gradient);

}  // namespace learning::models
