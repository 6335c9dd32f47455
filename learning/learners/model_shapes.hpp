// Sizes of a model's layers and tensors, as exchanges and optimizers take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/matrix.hpp"
#include "learning/models/model.hpp"

namespace learning::learners {

/// Values of each layer.
std::vector<std::int64_t> layer_sizes(const models::Model& model);

/// Each tensor as a matrix.
std::vector<kernels::Shape> matrices_of(const models::Model& model);

/// Values of each tensor.
std::vector<std::size_t> tensors_of(const models::Model& model);

}  // namespace learning::learners
