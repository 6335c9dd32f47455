// The convolution of images with square filters.
#pragma once

#include "learning/datasets/batch.hpp"
#include "learning/models/layer.hpp"

namespace learning::models {

/// y(o, p) = b(o) + sum over the filter's places and channels of W(o, place, channel) x(channel, p + place),
/// stride 1, zeros beyond the image's edges.
///
/// Parameters: W as filters x (size * size * channels), the weights of one place and channel together; then
/// b, which starts at 0. W starts uniform by He.
class Convolution : public Layer {
 public:
  struct Settings {
    datasets::Shape input;
    int filters = 8;  ///< channels of the output, at least 1
    int size = 5;     ///< of a filter's side, at least 1
    int padding = 0;  ///< rows and columns of zeros on each side; the padded image holds a filter
  };

  explicit Convolution(const Settings& settings);

  /// The shape of what it gives.
  [[nodiscard]] static datasets::Shape output_of(const Settings& settings);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  struct Scratch;
  [[nodiscard]] Scratch scratch(std::span<float> cache) const;
  void pad(std::span<const float> image, std::span<float> padded) const;
  void take_patches(std::span<const float> padded, std::span<float> patches) const;
  void add_patches(std::span<const float> patches, std::span<float> padded) const;
  void crop(std::span<const float> padded, std::span<float> image) const;

  std::size_t channels_, height_, width_;  ///< of the input
  std::size_t filters_, size_, padding_;
  std::size_t padded_width_, padded_height_;
  std::size_t output_height_, output_width_;
};

}  // namespace learning::models
