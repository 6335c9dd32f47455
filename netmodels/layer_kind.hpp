// Kinds of layers, as workloads name them, with what times, memory and exchanges ask of a kind.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace netmodels {

/// A kind of layer. Kinds that no row names, such as those of a trace, are plain.
struct LayerKind {
  std::string_view name;
  std::string_view summary;
  bool looks_up = false;           ///< reads rows of its weights by indices, which have no gradient
  bool adds = false;               ///< sums two inputs, and passes the gradient on without them
  bool of_vocabulary = false;      ///< one row of weights for each token of the vocabulary
  bool tied = false;               ///< the weights are those of the embedding
  bool scales_and_shifts = false;  ///< two parameter tensors of the same size
  bool keeps_statistics = false;   ///< a mean and a variance of each channel, in buffers
  bool without_weights = false;    ///< products of activations with each other
};

/// Kinds that differ from a plain one, and those of `transformer_layers`.
inline constexpr std::array layer_kinds{
    LayerKind{.name = "embedding",
              .summary = "Rows of a table, one for each token.",
              .looks_up = true,
              .of_vocabulary = true},
    LayerKind{
        .name = "attention", .summary = "Products of queries, keys and values.", .without_weights = true},
    LayerKind{.name = "linear", .summary = "A matrix product, with its bias where it has one."},
    LayerKind{.name = "experts", .summary = "Matrix products of which a token passes some."},
    LayerKind{.name = "linear_tied",
              .summary = "The matrix product into the vocabulary, with the weights of the embedding.",
              .of_vocabulary = true,
              .tied = true},
    LayerKind{.name = "layernorm",
              .summary = "Normalisation over the values of a token.",
              .scales_and_shifts = true},
    LayerKind{.name = "rmsnorm", .summary = "Normalisation by the root mean square, without a shift."},
    LayerKind{.name = "batchnorm",
              .summary = "Normalisation over the samples of a batch.",
              .scales_and_shifts = true,
              .keeps_statistics = true},
    LayerKind{.name = "add", .summary = "The sum of two inputs, as around a residual block.", .adds = true},
};

/// The row of every kind without one of its own.
inline constexpr LayerKind plain_layer_kind{
    .name = "plain", .summary = "Reads weights and activations, and passes gradients of both on."};

/// The row of a name; the plain one where none has it.
constexpr const LayerKind& find_layer_kind(std::string_view name,
                                           std::span<const LayerKind> kinds = layer_kinds) {
  for (const LayerKind& kind : kinds) {
    if (kind.name == name) return kind;
  }
  return plain_layer_kind;
}

}  // namespace netmodels
