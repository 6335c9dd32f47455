// The shape of a model from a config.json of Hugging Face transformers.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/foreign_keys.hpp"
#include "netmodels/result.hpp"
#include "netmodels/transformer.hpp"
#include "sim/language/value.hpp"

namespace sim::inputs {

/// A shape, and what of the configuration is not in it.
struct ModelConfig {
  netmodels::Transformer model;
  std::vector<std::string> warnings;  ///< a sentence each
};

/// Reads the shape; of a configuration whose parts are models, that of the language model, `text_config`.
/// @param sequence  tokens of a sample; nothing: as many as there are learned positions
/// @returns the shape, or an Error that names what a family lacks, the accepted ones, or the key that is
///          missing
/// Source: transformers, `configuration_*.py` (keys and defaults) and `modeling_*.py` (biases, norms, tied
///         embeddings), version 4.
netmodels::Result<ModelConfig> read_model_config(const std::filesystem::path& path,
                                                 std::optional<std::int64_t> sequence);

/// Reads keys of one configuration, and records which; the first thing that is wrong is kept.
class ModelConfigReader {
 public:
  explicit ModelConfigReader(const language::Value& root) : root_(root) {}

  [[nodiscard]] const language::Value& root() const { return root_; }
  /// Whether the key is there, with any value.
  [[nodiscard]] bool has(std::string_view key) {
    looked_up_.emplace(key);
    return root_.find(key) != nullptr;
  }
  /// Whether one of the functions looked the key up.
  [[nodiscard]] bool is_looked_up(std::string_view key) const { return looked_up_.contains(key); }
  /// Records that the value of the key has no use in the family.
  void set_unread(std::string_view key) { looked_up_.erase(std::string(key)); }
  /// Nothing where the key is absent or null.
  std::optional<std::int64_t> count(std::string_view key);
  std::optional<double> number(std::string_view key);
  /// @param otherwise  where the key is absent; 0: that is an error
  std::int64_t needed(std::string_view key, std::int64_t otherwise = 0);
  bool flag(std::string_view key, bool otherwise);
  /// The texts of a list; nothing where the key is absent or null.
  std::optional<std::vector<std::string>> words(std::string_view key);
  /// Keeps an error at a value unless there is one.
  void fail(const language::Value& value, std::string what,
            std::string hint = "a config.json as transformers writes it");
  [[nodiscard]] const std::optional<netmodels::Error>& error() const { return error_; }

 private:
  const language::Value* stated(std::string_view key);

  const language::Value& root_;
  std::set<std::string, std::less<>> looked_up_;
  std::optional<netmodels::Error> error_;
};

/// Names of the keys that a family of architectures uses.
struct ModelConfigNames {
  std::string_view layers = "num_hidden_layers";
  std::string_view hidden = "hidden_size";
  std::string_view heads = "num_attention_heads";
  std::string_view kv_heads = "num_key_value_heads";
  std::string_view ffn = "intermediate_size";
  std::string_view positions = "max_position_embeddings";
  std::array<std::string_view, 2> dropout{};  ///< after attention and the feed-forward part
};

/// Blocks of a family that attend to a window, where `layer_types` is absent.
struct WindowRule {
  bool has_window = false;
  std::int64_t otherwise = 0;   ///< tokens where `sliding_window` is absent; 0: all
  std::int64_t full_every = 0;  ///< every n-th block attends to all tokens; 0: none does
  std::string_view period{};    ///< the key of `full_every`; empty: it is fixed
  bool by_flag = false;         ///< `use_sliding_window`, and `max_window_layers` first blocks attend to all
};

/// Sizes that a `text_config` leaves out where they are its family's; 0: none is known.
struct ModelDefaults {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t ffn = 0;
  std::int64_t vocabulary = 0;
};

/// One family: what its code fixes, and what its configuration leaves out.
struct ModelFamily {
  std::string_view type;  ///< `model_type`
  ModelConfigNames names = {};
  netmodels::FeedForward ffn_kind = netmodels::FeedForward::swiglu;
  netmodels::Normalisation norm = netmodels::Normalisation::rms;
  netmodels::PositionEncoding positions = netmodels::PositionEncoding::rotary;
  netmodels::Biases bias = netmodels::Biases::none;
  bool tied = false;           ///< value where `tie_word_embeddings` is absent
  std::int64_t kv_heads = 0;   ///< value where the key is absent; 0: as many as heads
  std::int64_t more_rows = 0;  ///< rows of learned positions, beyond those that are stated
  std::int64_t head_size = 0;  ///< value where `head_dim` is absent; 0: hidden / heads
  std::int64_t norms = 2;
  bool qk_norm = false;
  bool qk_norm_of_heads = false;
  bool encoder = false;
  WindowRule window = {};
  ModelDefaults nested = {};
  /// Reads what differs among its models beside their sizes; null: nothing does.
  void (*read_variants)(ModelConfigReader& config, netmodels::Transformer& model) = nullptr;
};

/// Families whose shape is read.
std::span<const ModelFamily> model_families();

/// A family by another name: its text part alone, or inside a model of several parts.
struct ModelFamilyAlias {
  std::string_view type;
  std::string_view family;
};
std::span<const ModelFamilyAlias> model_family_aliases();

/// Families that cannot be read, and what a transformer by description lacks for them.
struct UnreadFamily {
  std::string_view types;  ///< separated by blanks
  std::string_view lacks;  ///< a clause: "its blocks have ..."
};
std::span<const UnreadFamily> unread_families();

/// Every documented key of a config.json, those of one family under its own names among them.
std::span<const files::ForeignKey> model_config_keys();

}  // namespace sim::inputs
