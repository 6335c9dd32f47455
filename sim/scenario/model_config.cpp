// Reads the shape of a model from a config.json of Hugging Face transformers.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "netmodels/nearest.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/transformer_file.hpp"

namespace sim::scenario {
namespace {

using netmodels::Biases;
using netmodels::FeedForward;
using netmodels::Normalisation;
using netmodels::PositionEncoding;
using netmodels::refuse;
using netmodels::Result;
using netmodels::Transformer;

/// Names of the keys that a family of architectures uses.
struct ConfigNames {
  std::string_view layers = "num_hidden_layers";
  std::string_view hidden = "hidden_size";
  std::string_view heads = "num_attention_heads";
  std::string_view ffn = "intermediate_size";
  std::string_view positions = "max_position_embeddings";
};

/// One architecture: what its code fixes, and what its configuration leaves out.
struct Architecture {
  std::string_view type;  ///< `model_type`
  ConfigNames names = {};
  FeedForward ffn_kind = FeedForward::swiglu;
  Normalisation norm = Normalisation::rms;
  PositionEncoding positions = PositionEncoding::rotary;
  Biases bias = Biases::none;
  bool tied = false;           ///< where `tie_word_embeddings` is absent
  std::int64_t kv_heads = 0;   ///< where `num_key_value_heads` is absent; 0: as many as heads
  std::int64_t more_rows = 0;  ///< of learned positions, beyond those that are stated
  std::int64_t head_size = 0;  ///< where `head_dim` is absent; 0: hidden / heads
  std::int64_t norms = 2;
  bool qk_norm = false;
  bool encoder = false;
};

constexpr ConfigNames gpt2_names{"n_layer", "n_embd", "n_head", "n_inner", "n_positions"};
constexpr ConfigNames opt_names{.ffn = "ffn_dim"};

constexpr std::array architectures{
    Architecture{.type = "bert",
                 .ffn_kind = FeedForward::gelu,
                 .norm = Normalisation::layer,
                 .positions = PositionEncoding::learned,
                 .bias = Biases::all,
                 .tied = true,
                 .encoder = true},
    Architecture{.type = "gemma", .tied = true, .head_size = 256},
    Architecture{.type = "gemma2", .tied = true, .kv_heads = 4, .head_size = 256, .norms = 4},
    Architecture{.type = "gpt2",
                 .names = gpt2_names,
                 .ffn_kind = FeedForward::gelu,
                 .norm = Normalisation::layer,
                 .positions = PositionEncoding::learned,
                 .bias = Biases::all,
                 .tied = true},
    Architecture{
        .type = "gpt_neox", .ffn_kind = FeedForward::gelu, .norm = Normalisation::layer, .bias = Biases::all},
    Architecture{.type = "llama"},
    Architecture{.type = "mistral", .kv_heads = 8},
    Architecture{.type = "mixtral", .kv_heads = 8},
    Architecture{.type = "olmo2", .qk_norm = true},
    Architecture{.type = "opt",
                 .names = opt_names,
                 .ffn_kind = FeedForward::gelu,
                 .norm = Normalisation::layer,
                 .positions = PositionEncoding::learned,
                 .bias = Biases::all,
                 .tied = true,
                 .more_rows = 2},
    Architecture{.type = "phi3"},
    Architecture{.type = "qwen2", .bias = Biases::query_key_value}};

/// Reads keys of one configuration; the first thing that is wrong is kept.
class ConfigReader {
 public:
  explicit ConfigReader(const Value& root) : root_(root) {}

  std::optional<std::int64_t> count(std::string_view key) {
    const Value* value = root_.find(key);
    if (value == nullptr || value->kind() == Value::Kind::nothing) return std::nullopt;
    std::int64_t number = 0;
    const std::string& text = value->text();
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (value->is_scalar() && failed == std::errc{} && end == text.data() + text.size()) return number;
    fail(*value, fmt::format("`{}`: expected an integer, found {}", key, text_of(*value)));
    return std::nullopt;
  }
  std::int64_t needed(std::string_view key) {
    const std::optional<std::int64_t> value = count(key);
    if (!value) fail(root_, fmt::format("the key `{}` is missing", key));
    return value.value_or(0);
  }
  bool flag(std::string_view key, bool otherwise) {
    const Value* value = root_.find(key);
    if (value == nullptr || value->kind() == Value::Kind::nothing) return otherwise;
    if (value->is_scalar() && value->text() == "true") return true;
    if (!value->is_scalar() || value->text() != "false")
      fail(*value, fmt::format("`{}`: expected `true` or `false`, found {}", key, text_of(*value)));
    return false;
  }
  [[nodiscard]] const std::optional<netmodels::Error>& error() const { return error_; }

 private:
  static std::string text_of(const Value& value) {
    return value.is_scalar() ? "`" + value.text() + "`" : std::string(value.kind_text());
  }
  void fail(const Value& value, std::string what) {
    if (!error_)
      error_ =
          netmodels::Error{value.origin().text(), std::move(what), "a config.json as transformers writes it"};
  }

  const Value& root_;
  std::optional<netmodels::Error> error_;
};

Result<const Architecture*> architecture_of(const Value& root) {
  std::vector<std::string_view> known;
  for (const Architecture& row : architectures) known.push_back(row.type);
  const Value* type = root.find("model_type");
  if (type == nullptr || !type->is_scalar()) {
    return refuse(root.origin().text(), "the key `model_type` is missing",
                  "a config.json with one of " + netmodels::join(known));
  }
  const auto found = std::ranges::find(architectures, type->text(), &Architecture::type);
  if (found != architectures.end()) return &*found;
  return refuse(type->origin().text(), "the architecture `" + type->text() + "` cannot be read",
                netmodels::accepted_names(type->text(), known) + "; or describe the model by `transformer`");
}

/// What differs among models of one architecture beside their sizes.
void read_variants(ConfigReader& config, const Architecture& row, Transformer& model) {
  if (row.type == "llama" && config.flag("attention_bias", false))
    model.bias = config.flag("mlp_bias", false) ? Biases::all : Biases::query_key_value;
  if (row.type == "bert") model.token_types = config.count("type_vocab_size").value_or(2);
  if (row.type == "mixtral") {
    model.experts = config.count("num_local_experts").value_or(8);
    model.active_experts = config.count("num_experts_per_tok").value_or(2);
  }
}

Transformer shape_of(ConfigReader& config, const Architecture& row) {
  Transformer model;
  model.layers = config.needed(row.names.layers);
  model.hidden = config.needed(row.names.hidden);
  model.heads = config.needed(row.names.heads);
  model.vocabulary = config.needed("vocab_size");
  model.ffn = config.count(row.names.ffn);
  model.kv_heads = config.count("num_key_value_heads");
  if (!model.kv_heads && row.kv_heads > 0) model.kv_heads = row.kv_heads;
  model.head_size = config.count("head_dim");
  if (!model.head_size && row.head_size > 0) model.head_size = row.head_size;
  model.ffn_kind = row.ffn_kind;
  model.norm = row.norm;
  model.positions = row.positions;
  model.bias = row.bias;
  model.norms_per_layer = row.norms;
  model.qk_norm = row.qk_norm;
  model.encoder = row.encoder;
  model.tied = config.flag("tie_word_embeddings", row.tied);
  if (row.positions == PositionEncoding::learned) {
    constexpr std::int64_t most = 1'000'000'000;  // what is above is refused, and the sum does not overflow
    model.position_rows = std::min(config.needed(row.names.positions), most) + row.more_rows;
  }
  read_variants(config, row, model);
  return model;
}

/// Whether it has a shape that `Transformer` cannot describe.
bool differs(ConfigReader& config, const Transformer& model) {
  const bool narrow = config.count("word_embed_proj_dim").value_or(model.hidden) != model.hidden;
  return !config.flag("do_layer_norm_before", true) || narrow;
}

}  // namespace

Result<Transformer> read_model_config(const std::filesystem::path& path,
                                      std::optional<std::int64_t> sequence) {
  GRADSIM_TRY(document, read_document(path));
  const Value& root = document->root;
  GRADSIM_TRY(row, architecture_of(root));
  ConfigReader config(root);
  Transformer model = shape_of(config, **row);
  const std::optional<std::int64_t> longest = config.count((*row)->names.positions);
  const bool is_variant = differs(config, model);
  if (config.error()) return tl::unexpected(*config.error());
  if (is_variant) {
    return refuse(root.origin().text(),
                  "a post-norm model, or one whose embedding is narrower than its blocks",
                  "accepted: pre-norm models with an embedding of their whole width");
  }
  if (!sequence && !model.position_rows) {
    return refuse(root.origin().text(), "the length of a sample is not part of the configuration",
                  longest ? fmt::format("write `sequence` beside `config`, at most {}", *longest)
                          : std::string("write `sequence` beside `config`"));
  }
  model.sequence = sequence ? *sequence : *longest;
  if (model.position_rows && model.sequence > *longest) {  // beside rows of no position, which OPT has
    return refuse(
        root.origin().text(),
        fmt::format("`sequence` is {}, and there are {} learned positions", model.sequence, *longest),
        fmt::format("accepted: 1 to {}", *longest));
  }
  auto checked = netmodels::check(model);
  if (!checked) return refuse(root.origin().text(), checked.error().what, checked.error().hint);
  return model;
}

}  // namespace sim::scenario
