// The layers of a causal transformer: normalisation, GELU, attention of every position, tokens in and out.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "learning/models/sequence.hpp"

namespace learning::models {

/// y = gain * (x - mean) / sqrt(variance + 1e-5) + shift, over the values of one position.
///
/// Parameters: gains, starting at 1; shifts, starting at 0.
/// Source: Ba, Kiros & Hinton, "Layer Normalization", arXiv:1607.06450, 2016, equation 4; epsilon as in
///         torch.nn.LayerNorm.
class LayerNorm final : public Layer {
 public:
  /// @param values     of a position, at least 2
  /// @param positions  of a sample, at least 1
  LayerNorm(std::size_t values, std::size_t positions) : values_(values), positions_(positions) {}

  [[nodiscard]] std::string name() const override { return "layer_norm " + std::to_string(values_); }
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override { return 2 * count * positions_; }
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t values_;
  std::size_t positions_;
};

/// y = x / (1 + e^(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3): half of x (1 + tanh u), value by value.
/// Source: Hendrycks & Gimpel, "Gaussian Error Linear Units", arXiv:1606.08415, 2016, section 2.
class Gelu final : public Layer {
 public:
  explicit Gelu(std::size_t values) : values_(values) {}

  [[nodiscard]] std::string name() const override { return "gelu"; }
  [[nodiscard]] Extent extent() const override { return {.inputs = values_, .outputs = values_}; }
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override { return count * values_; }
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  std::size_t values_;
};

/// Every position attends to itself and those before it. Of each position come a query, a key and a value of
/// `values` numbers each, one after the other; head h has numbers h values / heads onwards of each:
///
///   y_t = sum over s <= t of a_ts value_s,  a_t = softmax over s <= t of query_t . key_s / sqrt(values /
///   heads)
///
/// It has no parameters: the projections before and after it are dense layers.
/// Source: Vaswani et al., "Attention Is All You Need", NeurIPS 2017, sections 3.2.1 to 3.2.3.
class CausalAttention final : public Layer {
 public:
  struct Settings {
    std::size_t positions = 1;  ///< positions of a sample, at least 1
    std::size_t values = 1;     ///< values of a position, a multiple of `heads`
    std::size_t heads = 1;      ///< at least 1
  };

  explicit CausalAttention(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::string name() const override { return "causal_attention"; }
  [[nodiscard]] Extent extent() const override;
  /// The shares a of every sample and head, and the gradients of those of one.
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  struct Head;
  [[nodiscard]] Head head(const Pass& pass, std::size_t number) const;
  void attend(const Head& head) const;
  void attend_back(const Head& head, const float* of_output, float* of_input) const;

  Settings settings_;
};

/// A language model: tokens to vectors, layers, and one output per token of the alphabet at every position.
///
///   x_t = E[token_t] + P_t,   outputs_t = W layers(x)_t
///
/// Parameters: E (alphabet x values), P (positions x values), those of the layers, then W (alphabet x values)
/// where it is not E. E and P start uniform with deviation 0.02, as those of GPT-2; a separate W by Glorot.
/// Inputs are tokens as those of `Embedding`; no gradient passes to them.
/// Source: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, section 2.3; tied
///         embeddings: Press & Wolf, "Using the Output Embedding to Improve Language Models", EACL 2017.
class LanguageModel final : public Layer {
 public:
  struct Settings {
    std::size_t alphabet = 2;   ///< at least 1
    std::size_t positions = 1;  ///< tokens of a sample, at least 1
    std::size_t values = 1;     ///< values of a position, at least 1
    bool tied = true;           ///< W is E
  };

  LanguageModel(const Settings& settings, std::vector<std::unique_ptr<const Layer>> layers);

  [[nodiscard]] std::string name() const override { return "language_model"; }
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  [[nodiscard]] std::vector<kernels::Shape> matrices() const override;
  void list(std::size_t offset, std::vector<LayerRange>& ranges) const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;

 private:
  /// Values of E and P together.
  [[nodiscard]] std::size_t embedded() const;
  /// The layers' pass. The cache holds their input and output, two gradients of that size, and their cache.
  [[nodiscard]] Pass inner(const Pass& pass) const;
  [[nodiscard]] std::size_t output_weights() const;  ///< offset of W

  Settings settings_;
  Sequence layers_;
};

}  // namespace learning::models
