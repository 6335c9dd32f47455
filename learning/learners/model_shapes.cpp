// Reading shapes off the layers of a model.
#include "learning/learners/model_shapes.hpp"

namespace learning::learners {

std::vector<std::int64_t> layer_sizes(const models::Model& model) {
  std::vector<std::int64_t> sizes;
  for (const models::LayerRange& layer : model.layers())
    sizes.push_back(static_cast<std::int64_t>(layer.count));
  return sizes;
}

std::vector<kernels::Shape> matrices_of(const models::Model& model) {
  std::vector<kernels::Shape> matrices;
  for (const models::LayerRange& layer : model.layers())
    matrices.insert(matrices.end(), layer.matrices.begin(), layer.matrices.end());
  return matrices;
}

std::vector<std::size_t> tensors_of(const models::Model& model) {
  std::vector<std::size_t> tensors;
  for (const kernels::Shape& tensor : matrices_of(model))
    tensors.push_back(static_cast<std::size_t>(tensor.rows * tensor.columns));
  return tensors;
}

}  // namespace learning::learners
