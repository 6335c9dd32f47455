// A transformer by its shape: parameters of every tensor, FLOPs with attention, and what its activations
// need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "netmodels/workload.hpp"

namespace netmodels {

/// Two matrices (`gelu`, also ReLU) or three (`swiglu`, also GeGLU) in the feed-forward part of a block.
enum class FeedForward : std::uint8_t { gelu, swiglu };

/// Layer normalisation has a weight and a bias, RMS normalisation a weight.
enum class Normalisation : std::uint8_t { layer, rms };

/// Rotary, ALiBi and relative positions have no parameters.
enum class PositionEncoding : std::uint8_t { learned, rotary };

/// Linear layers that have a bias.
enum class Biases : std::uint8_t {
  all,
  attention,        ///< queries, keys, values and the output of attention
  query_key_value,  ///< queries, keys and values
  feed_forward,
  none,
};

/// A transformer of equal blocks, but for the reach of their attention. One sample is one sequence.
struct Transformer {
  std::int64_t layers = 1;                         ///< blocks
  std::int64_t hidden = 1;                         ///< h, width of the residual stream
  std::int64_t heads = 1;                          ///< H, query heads
  std::int64_t sequence = 1;                       ///< s, tokens of a sample
  std::int64_t vocabulary = 1;                     ///< V, rows of the embedding as stored, padding included
  std::optional<std::int64_t> kv_heads = {};       ///< K; nothing: as many as `heads`
  std::optional<std::int64_t> head_size = {};      ///< e; nothing: hidden / heads
  std::optional<std::int64_t> ffn = {};            ///< f, inner width; nothing: 4 hidden
  std::optional<std::int64_t> position_rows = {};  ///< rows of learned positions; nothing: `sequence`
  FeedForward ffn_kind = FeedForward::gelu;
  Normalisation norm = Normalisation::layer;
  PositionEncoding positions = PositionEncoding::learned;
  Biases bias = Biases::all;
  std::int64_t norms_per_layer = 2;  ///< 4 where both parts of a block are normalised before and after, 1
                                     ///< where they share the input
  bool qk_norm = false;              ///< queries and keys are normalised over their whole width
  bool qk_norm_of_heads = false;     ///< head by head, by one weight for each of the e values of a head
  std::optional<std::int64_t> window = {};            ///< tokens that a token attends to; nothing: all
  std::vector<std::int64_t> full_attention_blocks{};  ///< numbers from 1, rising: these attend to all
  bool tied = true;                                   ///< the output matrix is the embedding
  bool head_bias = false;                             ///< bias of the output matrix
  bool encoder = false;          ///< BERT: normalised embedding, pooler, neither output matrix nor final norm
  std::int64_t token_types = 0;  ///< rows of their embedding
  std::int64_t experts = 1;      ///< feed-forward parts of each block; above 1: with a router
  std::int64_t active_experts = 1;  ///< number of experts that a token passes
  bool dropout = false;             ///< dropout, whose masks are kept for the backward pass

  bool operator==(const Transformer&) const = default;

  [[nodiscard]] std::int64_t key_value_heads() const { return kv_heads.value_or(heads); }
  [[nodiscard]] std::int64_t size_of_head() const { return head_size.value_or(hidden / heads); }
  [[nodiscard]] std::int64_t query_width() const { return heads * size_of_head(); }
  [[nodiscard]] std::int64_t key_value_width() const { return key_value_heads() * size_of_head(); }
  [[nodiscard]] std::int64_t inner_width() const { return ffn.value_or(4 * hidden); }
};

/// Refuses counts below 1 or beyond 1e9, more than 10 000 blocks, more than about 1e15 parameters, heads that
/// do not divide the width, key and value heads that do not divide the heads, more active experts than there
/// are, blocks of full attention that do not exist or have no window to differ from.
/// @returns the description, or an Error without place that begins with the key
Result<Transformer> check(const Transformer& model);

/// All trainable values; of experts, all of them.
///   N = L (A + M + n w) + V h (tied ? 1 : 2) + positions h + w,
///   A = h (H + 2 K) e + H e h + biases, M = g h f + biases for each expert, + h E of the router,
///   w = h (RMS) or 2 h (layer normalisation), g = 2 or 3
/// Exact for GPT-2, MPT, OPT, Pythia, BERT, Llama, Mistral, Mixtral, Qwen2.5, Gemma 2, Phi-3, Phi-4, OLMo 2.
/// Leaves out: post-norm variants with a narrower embedding (OPT-350M), encoder-decoders (T5).
std::int64_t parameters(const Transformer& model);

/// Parameters that a token passes: of experts, the active ones.
std::int64_t active_parameters(const Transformer& model);

/// Tokens that a token attends to, as FLOPs count them: s, or min(s, window) in a block with a window; its
/// mean over the blocks. The causal mask halves neither.
double attended_tokens(const Transformer& model);

/// Work of both passes on one sample, without recomputation: F s with F = 6 N + 12 L H e a for each token, N
/// the active parameters, a the attended tokens; a multiply-add counts as two, attention as not halved by its
/// mask.
/// Source: Chowdhery et al., "PaLM", 2022, appendix B (a = s).
/// Of frozen weights no gradients are computed: 4 N in place of 6 N, so that 4 N + 2 `trainable` N.
/// @param attention_weight  how often the FLOPs of attention count, above 0
/// @param trainable         share of the parameters that is trained, in (0, 1]
Flops training_flops(const Transformer& model, double attention_weight = 1, double trainable = 1);

/// The layer table, in forward order; blocks are numbered by `Layer::block` from 1, the embedding is 0 and
/// what follows the last block belongs to L + 1. FLOPs are those of the matrix products: forward 2 for each
/// weight and token and 4 H e a for attention, backward twice as many; lookups, norms and element-wise work
/// count as 0. `Layer::activation` is the fp32 output, as in every layer table.
/// @param model  accepted by `check`
/// Leaves out: experts beyond the dense sum: their imbalance and their all-to-all.
std::vector<Layer> transformer_layers(const Transformer& model);

/// Parts that are computed again in the backward pass in place of being kept.
enum class Recomputation : std::uint8_t {
  none,
  selective,             ///< the scores of attention
  every_second_product,  ///< all of a block but attention and its first, third, ... matrix product
  full,                  ///< each block from its input
};

/// FLOPs of the forward pass of a layer of `transformer_layers`, those of attention multiplied by the weight.
Flops weighted_flops(const Layer& layer, double attention_weight);

/// Share of the work of a forward pass that the backward pass repeats: 1 with full recomputation; of every
/// second product, the share of those in the FLOPs.
/// @param attention_weight  how often the FLOPs of attention count, above 0
/// Leaves out: the scores of attention that selective recomputation repeats, a few per cent of a block.
double repeated_forward(const Transformer& model, Recomputation recomputation, double attention_weight = 1);

/// Share of the exchanges of a forward pass inside a tensor group that the backward pass repeats: 1 with full
/// recomputation; 1/2 where every second product is kept, as sums are kept, scattered, and gathered again.
double repeated_exchanges(Recomputation recomputation);

/// Matrix products of a block that read the input of attention (queries, keys and values) or of the
/// feed-forward part: 4, or 5 with a gate.
double input_products(const Transformer& model);

/// How activations are kept.
struct ActivationRule {
  Recomputation recomputation = Recomputation::none;
  bool flash = true;       ///< attention that never stores its scores
  double value_bytes = 2;  ///< bytes of a kept value
};

/// The output of a block for one sample: s h values.
Bytes hidden_states(const Transformer& model, double value_bytes);

/// Bytes that the backward pass needs of one block and one sample, with the input of every matrix product
/// kept: for the published shape (f = 4 h, K = H, dropout, two bytes a value)
///   s h (34 + 5 H s / h) none, 34 s h selective or flash, 2 s h full
/// Scores reach as far as attention: the mean over the blocks where only some have a window.
/// Where every second product is computed again, the block's input and the outputs of attention and of the
/// other products are kept, in the order query, key, value, output, router, gate, up, down.
/// Source: Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", 2022, eq. 2;
///         every second product: torchtitan, selective activation checkpointing by operators.
/// Leaves out: tensor parallelism; what kernels allocate for themselves; where every second product is
/// computed again, scores that are stored and masks of dropout.
Bytes kept_activations(const Transformer& model, const ActivationRule& rule);

/// Bytes of a logit: itself in two bytes and in four, and its gradient in four.
inline constexpr double fp32_logit_bytes = 10;

/// The largest tensors outside the blocks, for one sample; 0 for an encoder.
/// @param bytes  of a logit, its copies and gradients
Bytes logit_activations(const Transformer& model, double bytes = fp32_logit_bytes);

}  // namespace netmodels
