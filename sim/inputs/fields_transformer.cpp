// Every key of a transformer by description.
#include "settings/type.hpp"
#include "sim/inputs/transformer_file.hpp"

namespace netmodels {

using namespace settings;

namespace {

void describe_variants(Fields& fields, Transformer& model) {
  fields.field(
      {.name = "norms_per_layer",
       .doc = "Normalisations of a block, 4 where both of its parts are normalised before and after, 1 "
              "where attention and feed-forward part run side by side.",
       .fallback = "2",
       .bounds = between(1, 8)},
      model.norms_per_layer);
  fields.field({.name = "qk_norm",
                .doc = "Whether queries and keys are normalised over their whole width.",
                .fallback = "false"},
               model.qk_norm);
  fields.field({.name = "qk_norm_of_heads",
                .doc = "Whether queries and keys are normalised head by head, with weights that the heads of "
                       "a layer share.",
                .fallback = "false"},
               model.qk_norm_of_heads);
  fields.field({.name = "encoder",
                .doc = "As BERT: a normalised embedding and a pooler, neither output matrix nor final norm.",
                .fallback = "false"},
               model.encoder);
  fields.field({.name = "token_types",
                .doc = "Rows of the embedding of token types.",
                .fallback = "0",
                .bounds = between(0, 1e9)},
               model.token_types);
  fields.field({.name = "experts",
                .doc = "Feed-forward parts of each block. Their exchange among workers is left out: every "
                       "worker has all of them.",
                .fallback = "1",
                .bounds = between(1, 1e6)},
               model.experts);
  fields.field({.name = "active_experts",
                .doc = "Feed-forward parts that a token passes.",
                .fallback = "1",
                .bounds = between(1, 1e6)},
               model.active_experts);
  fields.field({.name = "dropout",
                .doc = "Whether masks of dropout are kept for the backward pass.",
                .fallback = "false"},
               model.dropout);
}

void describe_windows(Fields& fields, Transformer& model) {
  fields.field({.name = "window",
                .doc = "Tokens that a token attends to (sliding window). Default: all before it.",
                .bounds = between(1, 1e9),
                .example = "4096"},
               model.window);
  fields.field({.name = "full_attention_blocks",
                .doc = "Blocks, counted from 1, that attend to all tokens although there is a `window`.",
                .example = "[6, 12, 18]"},
               model.full_attention_blocks);
}

void describe_kinds(Fields& fields, Transformer& model) {
  fields.field({.name = "ffn_kind",
                .doc = "Two matrices (gelu, also ReLU) or three with a gate (swiglu, also GeGLU).",
                .fallback = "gelu"},
               model.ffn_kind);
  fields.field({.name = "norm",
                .doc = "Layer normalisation with weight and bias, or RMS normalisation with a weight.",
                .fallback = "layer"},
               model.norm);
  fields.field({.name = "positions",
                .doc = "Learned positions, or such as have no parameters: rotary, ALiBi.",
                .fallback = "learned"},
               model.positions);
  fields.field({.name = "position_rows",
                .doc = "Rows of learned positions. Default: `sequence`.",
                .bounds = between(1, 1e9),
                .example = "1024"},
               model.position_rows);
  fields.field({.name = "bias", .doc = "Linear layers that have a bias.", .fallback = "all"}, model.bias);
  fields.field({.name = "tied", .doc = "Whether the output matrix is the embedding.", .fallback = "true"},
               model.tied);
  fields.field({.name = "head_bias", .doc = "Whether the output matrix has a bias.", .fallback = "false"},
               model.head_bias);
}

}  // namespace

void describe(Fields& fields, Transformer& model) {
  const auto count = [&](std::string_view name, std::string_view doc, std::string_view example,
                         auto& target) {
    fields.field({.name = name, .doc = doc, .bounds = between(1, 1e9), .example = example}, target);
  };
  count("layers", "Number of blocks.", "48", model.layers);
  count("hidden", "Width of the model.", "1600", model.hidden);
  count("heads", "Heads of attention.", "25", model.heads);
  count("sequence", "Tokens of a sample.", "1024", model.sequence);
  count("vocabulary", "Rows of the embedding as it is stored.", "50257", model.vocabulary);
  count("kv_heads", "Heads of keys and values. Default: `heads`.", "8", model.kv_heads);
  count("head_size", "Width of a head. Default: `hidden` / `heads`.", "128", model.head_size);
  count("ffn", "Inner width of the feed-forward part. Default: 4 `hidden`.", "6400", model.ffn);
  describe_kinds(fields, model);
  describe_variants(fields, model);
  describe_windows(fields, model);
}

std::optional<Problem> problem_of(const Transformer& model) {
  const auto checked = check(model);
  if (checked) return std::nullopt;
  return Problem{{}, checked.error().what, checked.error().hint};
}

}  // namespace netmodels

namespace sim::inputs {

using namespace settings;

namespace {

void describe_times(Fields& fields, TransformerKeys& keys) {
  fields.field({.name = "device",
                .doc = "A file of scenarios/devices, whose peak and memory count where the cluster states no "
                       "`device`. Default: that of the cluster.",
                .example = "h100_sxm_datasheet"},
               keys.device);
  fields.field({.name = "precision",
                .doc = "Arithmetic of the matrix products; the peak of the device in it counts.",
                .fallback = "bf16"},
               keys.precision);
  fields.field({.name = "stack",
                .doc = "Software whose published utilisation gives the time: a file of scenarios/stacks.",
                .example = "pytorch-fsdp-2023"},
               keys.stack);
  fields.field(
      {.name = "mfu",
       .doc = "Measured share of the peak in model FLOPs (6 for each parameter and token, 12 L h s of "
              "attention, or 12 L h `window`), in place of `stack`. Exchanges are counted besides, those "
              "inside replicas of "
              "several devices among them: a share of whole steps of such replicas holds them twice.",
       .bounds = above_up_to(0, 1),
       .example = "45 %",
       .share = true},
      keys.mfu);
  fields.field({.name = "recomputation",
                .doc = "What the backward pass computes again in place of keeping it: nothing, the scores of "
                       "attention, every second matrix product of a block, as torchtitan does, or whole "
                       "blocks.",
                .fallback = "none"},
               keys.recomputation);
  fields.field({.name = "flash", .doc = "Whether attention never stores its scores.", .fallback = "true"},
               keys.flash);
  fields.field(
      {.name = "logit_bytes",
       .doc = "Bytes that a logit takes with its copies and its gradient: 10 where the loss is taken in "
              "fp32 of logits in two bytes, 6 where it is taken in their type.",
       .fallback = "10",
       .bounds = between(0, 64)},
      keys.logit_bytes);
  fields.field(
      {.name = "trainable",
       .doc = "Share of the parameters that is trained, as with LoRA: gradients are computed, exchanged "
              "and held for it alone, and so are states of the optimizer; the other weights take "
              "`parallelism.parameter_bytes` each. Activations are counted as without it.",
       .fallback = "1",
       .bounds = above_up_to(0, 1),
       .example = "0.5 %",
       .share = true},
      keys.trainable);
  fields.field({.name = "batch",
                .doc = "Samples of a micro-batch at which outputs show the utilisation.",
                .fallback = "1",
                .bounds = between(1, 1e9)},
               keys.batch);
}

}  // namespace

void describe(Fields& fields, TransformerKeys& keys) {
  fields.field({.name = "name", .doc = "Name of the workload. Default: of the model.", .example = "gpt2_xl"},
               keys.name);
  fields.field({.name = "provenance", .doc = "Source of the shape.", .example = "\"Radford et al. 2019\""},
               keys.provenance);
  fields.field({.name = "transformer", .doc = "The shape of the model."}, keys.transformer);
  fields.field(
      {.name = "config",
       .doc = "A config.json of Hugging Face transformers with the shape, in place of `transformer`.",
       .example = "models/llama/config.json"},
      keys.config);
  fields.field({.name = "model",
                .doc = "A workload of scenarios/workloads with the shape, in place of `transformer`.",
                .example = "llama2_7b"},
               keys.model);
  fields.field({.name = "sequence",
                .doc = "Tokens of a sample, in place of those of the shape.",
                .bounds = between(1, 1e9),
                .example = "4096"},
               keys.sequence);
  describe_times(fields, keys);
}

std::optional<Problem> problem_of(const TransformerKeys& keys) {
  const int shapes =
      int{keys.transformer.has_value()} + int{keys.config.has_value()} + int{keys.model.has_value()};
  if (shapes != 1)
    return Problem{{},
                   "the shape of the model is stated more than once",
                   "exactly one of `transformer`, `config` and `model`"};
  if (keys.stack.has_value() == keys.mfu.has_value())
    return Problem{{},
                   keys.mfu ? "both `stack` and `mfu` state the utilisation" : "the utilisation is missing",
                   "write one of `stack: pytorch-fsdp-2023` and `mfu: 45 %`"};
  return std::nullopt;
}

}  // namespace sim::inputs
