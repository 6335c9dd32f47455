// Tensors of a block, their sum, and the layer table that they make.
#include "netmodels/transformer.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/core.h>

#include "netmodels/layer_kind.hpp"

namespace netmodels {
namespace {

/// Rows of a matrix product with its bias.
struct Linear {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  bool bias = false;

  [[nodiscard]] std::int64_t size() const { return inputs * outputs + (bias ? outputs : 0); }
};

std::int64_t norm_size(const Transformer& model, std::int64_t width) {
  return model.norm == Normalisation::layer ? 2 * width : width;
}

bool biases_queries(const Transformer& model) {
  return model.bias == Biases::all || model.bias == Biases::attention ||
         model.bias == Biases::query_key_value;
}

bool biases_outputs(const Transformer& model) {
  return model.bias == Biases::all || model.bias == Biases::attention;
}

bool biases_inner(const Transformer& model) {
  return model.bias == Biases::all || model.bias == Biases::feed_forward;
}

Linear query_of(const Transformer& model) {
  return {model.hidden, model.query_width(), biases_queries(model)};
}

Linear key_of(const Transformer& model) {
  return {model.hidden, model.key_value_width(), biases_queries(model)};
}

Linear output_of(const Transformer& model) {
  return {model.query_width(), model.hidden, biases_outputs(model)};
}

/// The matrices into the inner width: one, or two where one gates the other.
std::int64_t inner_matrices(const Transformer& model) {
  return model.ffn_kind == FeedForward::swiglu ? 2 : 1;
}

Linear up_of(const Transformer& model) { return {model.hidden, model.inner_width(), biases_inner(model)}; }

Linear down_of(const Transformer& model) { return {model.inner_width(), model.hidden, biases_inner(model)}; }

/// Whether the layer multiplies activations with each other, not with weights.
bool is_attention(const Layer& layer) { return find_layer_kind(layer.kind).without_weights; }

/// Number of tokens that a token attends to at most, in a block with the window.
std::int64_t windowed_tokens(const Transformer& model) {
  return std::min(model.sequence, model.window.value_or(model.sequence));
}

std::int64_t tokens_attended_in(const Transformer& model, std::int64_t block) {
  return std::ranges::binary_search(model.full_attention_blocks, block) ? model.sequence
                                                                        : windowed_tokens(model);
}

/// Adds rows to a layer table.
class LayerTable {
 public:
  static constexpr double bytes_per_value = 4;

  explicit LayerTable(const Transformer& model) : model_(model) {}

  void begin_block(std::uint32_t block, std::string prefix) {
    block_ = block;
    prefix_ = std::move(prefix);
  }

  void add(std::string_view name, std::string_view kind, std::int64_t parameters, double outputs,
           double forward_flops) {
    Layer layer;
    layer.name = prefix_ + std::string(name);
    layer.kind = kind;
    layer.parameters = parameters;
    layer.forward_flops = Flops{forward_flops};
    layer.backward_flops = Flops{2 * forward_flops};
    layer.activation = Bytes{bytes_per_value * outputs * tokens()};
    layer.block = block_;
    layers_.push_back(std::move(layer));
  }

  /// @param copies  of the matrix, of which a token passes `passed`
  void add(std::string_view name, const Linear& linear, std::int64_t copies = 1, std::int64_t passed = 1) {
    const double weights = static_cast<double>(linear.inputs) * static_cast<double>(linear.outputs);
    add(name, copies > 1 ? "experts" : "linear", copies * linear.size(),
        static_cast<double>(linear.outputs * passed),
        flops_per_weight * weights * static_cast<double>(passed) * tokens());
  }

  /// @param parts  of the width that share their weights
  void add_norm(std::string_view name, std::int64_t width, std::int64_t parts = 1) {
    add(name, model_.norm == Normalisation::layer ? "layernorm" : "rmsnorm", norm_size(model_, width / parts),
        static_cast<double>(width), 0);
  }

  void add_lookup(std::string_view name, std::int64_t rows) {
    add(name, "embedding", rows * model_.hidden, static_cast<double>(model_.hidden), 0);
  }

  [[nodiscard]] double tokens() const { return static_cast<double>(model_.sequence); }
  [[nodiscard]] std::uint32_t block() const { return block_; }
  std::vector<Layer> take() { return std::move(layers_); }

 private:
  static constexpr double flops_per_weight = 2;

  const Transformer& model_;
  std::uint32_t block_ = 0;
  std::string prefix_;
  std::vector<Layer> layers_;
};

void add_embedding(LayerTable& table, const Transformer& model) {
  table.add_lookup("tokens", model.vocabulary);
  if (model.positions == PositionEncoding::learned)
    table.add_lookup("positions", model.position_rows.value_or(model.sequence));
  if (model.token_types > 0) table.add_lookup("token types", model.token_types);
  if (model.encoder) table.add_norm("embedding norm", model.hidden);
}

void add_attention(LayerTable& table, const Transformer& model) {
  table.add("attention.query", query_of(model));
  table.add("attention.key", key_of(model));
  table.add("attention.value", key_of(model));
  if (model.qk_norm || model.qk_norm_of_heads) {
    table.add_norm("attention.query norm", model.query_width(), model.qk_norm_of_heads ? model.heads : 1);
    table.add_norm("attention.key norm", model.key_value_width(),
                   model.qk_norm_of_heads ? model.key_value_heads() : 1);
  }
  const double width = static_cast<double>(model.query_width());
  const auto attended = static_cast<double>(tokens_attended_in(model, table.block()));
  table.add("attention.core", "attention", 0, width, 4 * width * attended * table.tokens());
  table.add("attention.out", output_of(model));
}

void add_feed_forward(LayerTable& table, const Transformer& model) {
  if (model.experts > 1) table.add("ffn.router", Linear{model.hidden, model.experts, false});
  if (inner_matrices(model) == 2) table.add("ffn.gate", up_of(model), model.experts, model.active_experts);
  table.add("ffn.up", up_of(model), model.experts, model.active_experts);
  table.add("ffn.down", down_of(model), model.experts, model.active_experts);
}

void add_block(LayerTable& table, const Transformer& model) {
  const auto norm = [&](std::int64_t number) {
    if (number < model.norms_per_layer) table.add_norm(fmt::format("norm {}", number + 1), model.hidden);
  };
  norm(0);
  add_attention(table, model);
  norm(1);
  add_feed_forward(table, model);
  for (std::int64_t number = 2; number < model.norms_per_layer; ++number) norm(number);
}

void add_head(LayerTable& table, const Transformer& model) {
  if (model.encoder) {
    const Linear pooler{model.hidden, model.hidden, true};  // pooler of the first token of each sample
    const double width = static_cast<double>(model.hidden);
    table.add("pooler", "linear", pooler.size(), width / table.tokens(), 2 * width * width);
    return;
  }
  table.add_norm("final norm", model.hidden);
  const Linear head{model.hidden, model.vocabulary, model.head_bias};
  const double work = 2 * static_cast<double>(model.hidden) * static_cast<double>(model.vocabulary);
  const std::int64_t own = head.size() - (model.tied ? model.hidden * model.vocabulary : 0);
  table.add("head", model.tied ? "linear_tied" : "linear", own, static_cast<double>(model.vocabulary),
            work * table.tokens());
}

/// A block's matrix products and its attention: those whose outputs are kept, and the others.
struct SecondProducts {
  std::vector<Layer> kept;
  std::vector<Layer> again;
};

SecondProducts second_products(const Transformer& model) {
  LayerTable block(model);
  add_block(block, model);
  SecondProducts products;
  bool keep = true;
  for (Layer& layer : block.take()) {
    const bool product = layer.forward_flops > Flops{} && !is_attention(layer);
    if (is_attention(layer) || (product && keep))
      products.kept.push_back(std::move(layer));
    else if (product)
      products.again.push_back(std::move(layer));
    if (product) keep = !keep;
  }
  return products;
}

/// Bytes that the backward pass needs of the scores of attention for one sample of one block.
double kept_scores(const Transformer& model, double value_bytes) {
  const double scores =
      static_cast<double>(model.heads) * static_cast<double>(model.sequence) * attended_tokens(model);
  return scores * (model.dropout ? 2 * value_bytes + 1 : value_bytes);
}

}  // namespace

std::vector<Layer> transformer_layers(const Transformer& model) {
  LayerTable table(model);
  table.begin_block(0, "embedding.");
  add_embedding(table, model);
  for (std::int64_t block = 1; block <= model.layers; ++block) {
    table.begin_block(static_cast<std::uint32_t>(block), fmt::format("block {}.", block));
    add_block(table, model);
  }
  table.begin_block(static_cast<std::uint32_t>(model.layers + 1), "");
  add_head(table, model);
  return table.take();
}

std::int64_t parameters(const Transformer& model) {
  LayerTable outside(model);
  add_embedding(outside, model);
  add_head(outside, model);
  LayerTable block(model);
  add_block(block, model);
  std::int64_t sum = 0;
  for (const Layer& layer : outside.take()) sum += layer.parameters;
  for (const Layer& layer : block.take()) sum += model.layers * layer.parameters;
  return sum;
}

std::int64_t active_parameters(const Transformer& model) {
  Transformer active = model;
  const std::int64_t idle = model.experts - model.active_experts;
  const std::int64_t expert = inner_matrices(model) * up_of(model).size() + down_of(model).size();
  return parameters(active) - model.layers * idle * expert;
}

double attended_tokens(const Transformer& model) {
  const auto blocks = static_cast<double>(model.layers);
  const auto full = static_cast<double>(model.full_attention_blocks.size());
  const auto whole = static_cast<double>(model.sequence);
  return whole - (1 - full / blocks) * (whole - static_cast<double>(windowed_tokens(model)));
}

Flops training_flops(const Transformer& model, double attention_weight, double trainable) {
  const double attention = 12 * static_cast<double>(model.layers) * static_cast<double>(model.query_width()) *
                           attended_tokens(model);
  const double per_token =
      (4 + 2 * trainable) * static_cast<double>(active_parameters(model)) + attention_weight * attention;
  return Flops{per_token * static_cast<double>(model.sequence)};
}

Flops weighted_flops(const Layer& layer, double attention_weight) {
  return layer.forward_flops * (is_attention(layer) ? attention_weight : 1);
}

double repeated_forward(const Transformer& model, Recomputation recomputation, double attention_weight) {
  switch (recomputation) {
    case Recomputation::none:
    case Recomputation::selective: return 0;
    case Recomputation::every_second_product: break;
    case Recomputation::full: return 1;
  }
  Flops repeated;
  for (const Layer& layer : second_products(model).again) repeated += layer.forward_flops;
  Flops forward;
  for (const Layer& layer : transformer_layers(model)) forward += weighted_flops(layer, attention_weight);
  return repeated * static_cast<double>(model.layers) / forward;
}

double input_products(const Transformer& model) { return model.ffn_kind == FeedForward::swiglu ? 5 : 4; }

double repeated_exchanges(Recomputation recomputation) {
  switch (recomputation) {
    case Recomputation::none:
    case Recomputation::selective: return 0;
    case Recomputation::every_second_product: return 0.5;
    case Recomputation::full: break;
  }
  return 1;
}

Bytes hidden_states(const Transformer& model, double value_bytes) {
  return Bytes{value_bytes * static_cast<double>(model.sequence) * static_cast<double>(model.hidden)};
}

Bytes kept_activations(const Transformer& model, const ActivationRule& rule) {
  if (rule.recomputation == Recomputation::full) return hidden_states(model, rule.value_bytes);
  if (rule.recomputation == Recomputation::every_second_product) {
    Bytes kept = hidden_states(model, rule.value_bytes);
    for (const Layer& layer : second_products(model).kept)
      kept += layer.activation * (rule.value_bytes / LayerTable::bytes_per_value);
    return kept;
  }
  const double value = rule.value_bytes;
  const double tokens = static_cast<double>(model.sequence);
  const double hidden = static_cast<double>(model.hidden);
  const double queries = static_cast<double>(model.query_width());
  const double keys = static_cast<double>(model.key_value_width());
  const double inner = static_cast<double>(model.inner_width() * model.active_experts);
  const double masks = model.dropout ? 2 * hidden : 0;  // a byte each, after attention and after the ffn
  // Inputs of the norms, of the products q k v, of attention (q, k, v), of its output product, of the ffn.
  const double norms = static_cast<double>(model.norms_per_layer) * hidden;
  const double attention = hidden + queries + 2 * keys + queries;
  // Of the ffn: its input, what the activation function takes, and what the last product takes; a gate adds
  // its own input of the function and its output.
  const double ffn = hidden + inner * (inner_matrices(model) == 2 ? 4 : 2);
  const bool keeps_scores = !rule.flash && rule.recomputation == Recomputation::none;
  return Bytes{tokens * (value * (norms + attention + ffn) + masks) +
               (keeps_scores ? kept_scores(model, value) : 0)};
}

Bytes logit_activations(const Transformer& model, double bytes) {
  if (model.encoder) return Bytes{};
  return Bytes{bytes * static_cast<double>(model.sequence) * static_cast<double>(model.vocabulary)};
}

}  // namespace netmodels
