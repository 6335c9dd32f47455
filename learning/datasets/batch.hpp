// Samples stored side by side, the input of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace learning::datasets {

/// The values of one sample: channels x height x width, or a plain vector, or a run of tokens.
struct Shape {
  int channels = 1;
  int height = 1;
  int width = 1;

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(channels) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(width);
  }
  bool operator==(const Shape&) const = default;
};

/// Some samples with their labels. Kept and filled again by its owner, to save allocations.
struct Batch {
  std::size_t features = 0;           ///< values per sample
  std::vector<float> inputs;          ///< sample after sample; of a text, the numbers of its tokens
  std::vector<std::uint16_t> labels;  ///< one class per sample

  [[nodiscard]] std::size_t count() const { return labels.size(); }
  void clear() {
    inputs.clear();
    labels.clear();
  }
};

}  // namespace learning::datasets
