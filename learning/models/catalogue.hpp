// The table of models: name, description, accepted samples, and factory.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "learning/datasets/dataset.hpp"
#include "learning/models/model.hpp"
#include "netmodels/result.hpp"
#include "settings/choice.hpp"

namespace learning::models {

/// The task of a model.
struct Task {
  datasets::SampleKind kind = datasets::SampleKind::vector;
  datasets::Shape shape;  ///< tokens: {1, 1, length}
  int classes = 2;        ///< at least 1; tokens: also the size of the alphabet
};

/// One row of the table.
struct Row : settings::Row {
  bool (*takes)(datasets::SampleKind kind) = nullptr;
};

/// Every model with its own name, in a stable order. Besides them, `mlp_A_B_...` and `mlp_A_B_..._bn`
/// name hidden layers of any sizes, `resnet_DEPTH_bn` and `resnet_DEPTH_gn` a residual network of depth 8,
/// 14, 20, ..., and `gpt_LAYERS_WIDTH_HEADS` a transformer of any size.
std::span<const Row> catalogue();

/// @param name  of a row, or of the free form
/// @returns the model, or an Error with an empty `where` for a name that is none (naming the nearest), hidden
///          sizes outside [1, 65536], samples of a kind that the model cannot take (naming the models that
///          can), images that are too small for it, and more than 2^28 parameters
netmodels::Result<std::shared_ptr<const Model>> make(std::string_view name, const Task& task);

}  // namespace learning::models
