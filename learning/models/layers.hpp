// The layers of which models are made.
#pragma once

#include "learning/datasets/batch.hpp"
#include "learning/models/layer.hpp"

namespace learning::models {

// The fully connected layer: every output is a weighted sum of all inputs.

/// The successor of a layer; it decides the width from which the first weights are drawn.
enum class Next { relu, other };

/// y = W x + b, at every position of a sample. Parameters: W as outputs x inputs, the weights of one input
/// together; then b, which starts at 0. W starts uniform, by He where a ReLU follows, else by Glorot.
class Dense : public Layer {
 public:
  /// @param inputs, outputs  of a position, at least 1
  /// @param positions        of a sample, at least 1
  /// @param start            factor of the first weights, above 0
  Dense(std::size_t inputs, std::size_t outputs, Next next, std::size_t positions = 1, double start = 1)
      : inputs_(inputs), outputs_(outputs), positions_(positions), start_(start), next_(next) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::vector<kernels::Shape> matrices() const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t inputs_;
  std::size_t outputs_;
  std::size_t positions_;
  double start_;
  Next next_;
};

// The rectifier: what is negative becomes zero.

/// y = max(x, 0), value by value; its gradient at 0 is 0. NaN stays NaN.
class Relu : public Layer {
 public:
  explicit Relu(std::size_t values) : values_(values) {}

  [[nodiscard]] std::string name() const override { return "relu"; }
  [[nodiscard]] Extent extent() const override { return {.inputs = values_, .outputs = values_}; }
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t values_;
};

// The embedding: each token of a text replaced by a vector that is learned.

/// Parameters: one vector of `values` per token of the alphabet, uniform with variance 1 at first. Inputs are
/// tokens, whole numbers in [0, alphabet), as floats; no gradient passes to them.
class Embedding : public Layer {
 public:
  /// @param length  tokens per sample
  Embedding(std::size_t alphabet, std::size_t length, std::size_t values)
      : alphabet_(alphabet), length_(length), values_(values) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::vector<kernels::Shape> matrices() const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t alphabet_;
  std::size_t length_;
  std::size_t values_;
};

// The convolution of images with square filters.

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
    int size = 5;     ///< side of a filter, at least 1
    int padding = 0;  ///< rows and columns of zeros on each side; the padded image holds a filter
  };

  explicit Convolution(const Settings& settings);

  /// The shape of its output.
  [[nodiscard]] static datasets::Shape output_of(const Settings& settings);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::vector<kernels::Shape> matrices() const override;
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

  std::size_t channels_, height_, width_;  ///< sizes of the input
  std::size_t filters_, size_, padding_;
  std::size_t padded_width_, padded_height_;
  std::size_t output_height_, output_width_;
};

// Pooling: of each square of four positions, the largest value of every channel.

/// Squares of 2 x 2 positions, side by side; a last odd row or column is left out. The gradient goes to the
/// largest of the four, the first of equal ones in reading order.
class MaxPool : public Layer {
 public:
  /// @param input  height and width at least 2
  explicit MaxPool(const datasets::Shape& input);

  /// The shape of its output.
  [[nodiscard]] static datasets::Shape output_of(const datasets::Shape& input);

  [[nodiscard]] std::string name() const override { return "max_pool 2x2"; }
  [[nodiscard]] Extent extent() const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t channels_;
  std::size_t width_;   ///< width of the input
  std::size_t height_;  ///< height of the input
};

// Images as data sets store them, channel after channel, turned into position after position.

/// Value (channel, position) moves from channel * positions + position to position * channels + channel.
class ChannelsLast : public Layer {
 public:
  explicit ChannelsLast(const datasets::Shape& input);

  [[nodiscard]] std::string name() const override { return "channels_last"; }
  [[nodiscard]] Extent extent() const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t channels_;
  std::size_t positions_;
};

// Batch normalisation: each channel shifted and scaled to mean 0 and variance 1 over the batch.

/// y = gain * (x - mean) / sqrt(variance + 1e-5) + shift, for each channel, over all samples and positions of
/// the batch in training, by the running statistics in evaluation.
///
/// Parameters: gains, starting at 1 or as stated; shifts, starting at 0. State: running means, starting at 0;
/// running variances, starting at 1. A batch in training moves both a tenth of the way to its own mean and
/// unbiased variance. Where a channel has a single value in the batch (one sample, one position), y = shift,
/// no gradient passes, and the running variance is left as it is. Source: Ioffe & Szegedy, "Batch
/// Normalization", ICML 2015, algorithms 1 and 2; momentum and epsilon as in
///         torch.nn.BatchNorm2d.
class BatchNorm : public Layer {
 public:
  /// @param positions   of each sample: 1 for a plain vector, height * width for an image
  /// @param first_gain  the gains before training
  BatchNorm(std::size_t channels, std::size_t positions, float first_gain = 1)
      : channels_(channels), positions_(positions), first_gain_(first_gain) {}

  [[nodiscard]] std::string name() const override { return "batch_norm " + std::to_string(channels_); }
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;
  void update_state(const Pass& pass, std::span<float> state) const override;

 private:
  std::size_t channels_;
  std::size_t positions_;
  float first_gain_;
};

// Long short-term memory over a sequence; its last hidden vector is the output.

/// For each time t, with s the logistic function and h = c = 0 before the first:
///
///   i, f, o = s(W x_t + U h + b),  g = tanh(W x_t + U h + b),  c = f c + i g,  h = o tanh(c)
///
/// Parameters: W (4 hidden x inputs), U (4 hidden x hidden), each with the weights of one input together,
/// then b; rows in the order i, f, g, o. W and U start uniform by Glorot, b at 0 but for the forget gates' 1,
/// so that memory lasts from the start. Source: Hochreiter & Schmidhuber, "Long Short-Term Memory", Neural
/// Computation 9(8), 1997, with the forget
///         gate of Gers, Schmidhuber & Cummins, Neural Computation 12(10), 2000; gates in PyTorch's order.
class Lstm : public Layer {
 public:
  /// @param length  times per sample, at least 1
  /// @param inputs  values at each time
  Lstm(std::size_t length, std::size_t inputs, std::size_t hidden)
      : length_(length), inputs_(inputs), hidden_(hidden) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::vector<kernels::Shape> matrices() const override;
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  struct Memory;
  [[nodiscard]] Memory memory(const Pass& pass) const;
  void step(const Memory& memory, std::size_t count, std::size_t time) const;
  void step_back(const Memory& memory, std::size_t count, std::size_t time) const;
  void parameter_gradients(const Pass& pass, const Memory& memory, std::span<float> gradients) const;

  std::size_t length_;
  std::size_t inputs_;
  std::size_t hidden_;
};

// Attention of a sequence's last position to all of them: one head, as the last step of a causal block.

/// Attention of the last position. With x_t = input_t + P_t and T the last position:
///
///   a_t = softmax over t of (Q x_T) . (K x_t) / sqrt(values),   y = x_T + sum over t of a_t V x_t
///
/// Nothing comes after the last position, so a causal mask would change nothing. Parameters: Q, K, V (values
/// x values, the weights of one input together), uniform by Glorot; then the positions P, which start at 0.
/// Leaves out: the other positions' outputs, which no layer above would read; normalisation.
/// Source: Vaswani et al., "Attention Is All You Need", NeurIPS 2017, equation 1; learned positions as in its
///         section 3.5.
class Attention : public Layer {
 public:
  /// @param length  positions per sample, at least 1
  /// @param values  at each position
  Attention(std::size_t length, std::size_t values) : length_(length), values_(values) {}

  [[nodiscard]] std::string name() const override { return "attention " + std::to_string(values_); }
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::vector<kernels::Shape> matrices() const override;
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  struct Memory;
  [[nodiscard]] Memory memory(const Pass& pass) const;
  void attend(const Memory& memory, std::size_t sample, float* output) const;
  void attend_back(const Memory& memory, std::size_t sample, const float* of_output) const;
  void parameter_gradients(const Pass& pass, const Memory& memory, std::span<float> gradients) const;
  void input_gradients(const Pass& pass, const Memory& memory, std::span<const float> of_output) const;

  std::size_t length_;
  std::size_t values_;
};

}  // namespace learning::models
