// Layers made of layers: one on the other, and a sum of two ways.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learning/models/layer.hpp"

namespace learning::models {

/// Several layers, one on the other, as one layer. Parameters and state of its layers lie one after the
/// other; each is listed by itself. Random numbers of layer i come from the stream (step + 1) * 4096 + i.
class Sequence final : public Layer {
 public:
  /// @param layers  at least one and below 2048, each taking as many values as the one below gives
  explicit Sequence(std::vector<std::unique_ptr<const Layer>> layers);

  [[nodiscard]] std::string name() const override { return "sequence"; }
  [[nodiscard]] Extent extent() const override { return extent_; }
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  [[nodiscard]] std::vector<kernels::Shape> matrices() const override;
  void list(std::size_t offset, std::vector<LayerRange>& ranges) const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;
  void update_state(const Pass& pass, std::span<float> state) const override;

 private:
  /// A layer and where its values lie.
  struct Part {
    std::unique_ptr<const Layer> layer;
    Extent extent;
    std::size_t parameters;  ///< offset
    std::size_t state;       ///< offset
  };

  /// The pass of one layer in the pass through all of them. The cache holds for each layer its own cache and
  /// its output, that of the last one apart.
  [[nodiscard]] Pass pass(std::size_t number, const Pass& whole) const;
  /// The gradient of the output of a layer below the last one: the last values of the cache, two in turn.
  [[nodiscard]] std::span<float> gradient(std::size_t number, const Pass& whole) const;

  std::vector<Part> parts_;
  Extent extent_;
  std::size_t widest_ = 0;  ///< most outputs of a layer below the last one
};

/// y = F(x) + S(x), where S is the identity or layers of its own.
/// Source: He, Zhang, Ren & Sun, "Deep Residual Learning for Image Recognition", CVPR 2016, equations 1
/// and 2.
class Residual final : public Layer {
 public:
  /// @param main      F, as many outputs as S
  /// @param shortcut  S; none: the identity
  explicit Residual(std::vector<std::unique_ptr<const Layer>> main,
                    std::vector<std::unique_ptr<const Layer>> shortcut = {});

  [[nodiscard]] std::string name() const override { return "residual"; }
  [[nodiscard]] Extent extent() const override;
  [[nodiscard]] std::size_t cache_size(std::size_t count) const override;
  [[nodiscard]] std::vector<kernels::Shape> matrices() const override;
  void list(std::size_t offset, std::vector<LayerRange>& ranges) const override;
  void initialise(const kernels::RandomStream& random, std::span<float> parameters,
                  std::span<float> state) const override;
  void forward(const Pass& pass) const override;
  void backward(const Pass& pass, const BackwardPass& gradients) const override;
  void update_state(const Pass& pass, std::span<float> state) const override;

 private:
  [[nodiscard]] Pass main_pass(const Pass& whole) const;
  /// Pass of the shortcut: its output is the end of the cache, which backward uses for the gradient of its
  /// input.
  [[nodiscard]] Pass shortcut_pass(const Pass& whole) const;

  Sequence main_;
  std::optional<Sequence> shortcut_;
};

}  // namespace learning::models
