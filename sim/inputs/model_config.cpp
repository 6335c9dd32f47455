// Reads the shape of a model from a config.json of Hugging Face transformers.
#include "sim/inputs/model_config.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "files/text_file.hpp"
#include "netmodels/nearest.hpp"
#include "sim/language/document.hpp"

namespace sim::inputs {
namespace {

using netmodels::PositionEncoding;
using netmodels::refuse;
using netmodels::Result;
using netmodels::Transformer;

std::string value_text(const language::Value& value) {
  return value.is_scalar() ? "`" + value.text() + "`" : std::string(value.kind_text());
}

std::vector<std::string_view> family_names() {
  std::vector<std::string_view> names;
  for (const ModelFamily& row : model_families()) names.push_back(row.type);
  return names;
}

const UnreadFamily* find_unread(std::string_view type) {
  const auto named = [&](const UnreadFamily& row) {
    const auto words = files::words_of(row.types);
    return std::ranges::find(words, type, &files::Word::text) != words.end();
  };
  const auto found = std::ranges::find_if(unread_families(), named);
  return found == unread_families().end() ? nullptr : &*found;
}

const ModelFamily* find_family(std::string_view type) {
  const auto alias = std::ranges::find(model_family_aliases(), type, &ModelFamilyAlias::type);
  if (alias != model_family_aliases().end()) type = alias->family;
  const auto found = std::ranges::find(model_families(), type, &ModelFamily::type);
  return found == model_families().end() ? nullptr : &*found;
}

/// The language model of a configuration, and the map that holds it, which is the same for most.
struct TextPart {
  const language::Value& whole;
  const language::Value& text;
  std::string type;
  language::Origin place;

  [[nodiscard]] bool is_nested() const { return &whole != &text; }
};

/// Type of a part; that of the whole where the part has none.
Result<TextPart> text_part_of(const language::Value& root) {
  const language::Value* nested = root.find("text_config");
  const bool is_nested = nested != nullptr && nested->is_map();
  const language::Value& text = is_nested ? *nested : root;
  const language::Value* type = text.find("model_type");
  if (is_nested && type == nullptr) type = root.find("model_type");
  if (type != nullptr && type->is_scalar()) return TextPart{root, text, type->text(), type->origin()};
  return refuse(root.origin().text(), "the key `model_type` is missing",
                "a config.json with one of " + netmodels::join(family_names()));
}

Result<const ModelFamily*> family_of(const TextPart& part) {
  const ModelFamily* family = find_family(part.type);
  if (family != nullptr) return family;
  constexpr std::string_view way_out = "or describe a model by `transformer`";
  if (const UnreadFamily* row = find_unread(part.type))
    return refuse(part.place.text(),
                  fmt::format("the architecture `{}` is not modelled: {}", part.type, row->lacks),
                  fmt::format("accepted: {}; {}", netmodels::join(family_names()), way_out));
  return refuse(part.place.text(), "the architecture `" + part.type + "` cannot be read",
                fmt::format("accepted: {}; {}", netmodels::join(family_names()), way_out));
}

/// Refuses experts in a family that has none, and attention from low ranks.
void refuse_other_blocks(ModelConfigReader& config, const ModelFamily& family) {
  for (const char* key :
       {"num_experts", "n_routed_experts", "num_local_experts", "kv_lora_rank", "num_nextn_predict_layers"}) {
    if (family.type == "mixtral" && key == std::string_view("num_local_experts")) continue;
    if (config.count(key).value_or(0) > 0)
      config.fail(*config.root().find(key),
                  fmt::format("`{}`: blocks of `{}` have no such part here", key, family.type),
                  "describe a dense model, or one by `transformer`");
  }
}

/// Whether each block attends to all tokens, by `layer_types`.
std::vector<bool> stated_reach(ModelConfigReader& config, const std::vector<std::string>& words) {
  std::vector<bool> full;
  for (const std::string& word : words) {
    if (word != "full_attention" && word != "sliding_attention")
      config.fail(*config.root().find("layer_types"),
                  fmt::format("`layer_types`: blocks of `{}` are not described", word),
                  "accepted: full_attention, sliding_attention");
    full.push_back(word == "full_attention");
  }
  return full;
}

/// Whether each block attends to all tokens where `layer_types` is absent.
std::vector<bool> usual_reach(ModelConfigReader& config, const WindowRule& rule, std::int64_t layers) {
  std::int64_t period = rule.full_every;
  if (!rule.period.empty()) period = config.count(rule.period).value_or(period);
  const std::int64_t first = rule.by_flag ? config.count("max_window_layers").value_or(28) : 0;
  std::vector<bool> full;
  for (std::int64_t block = 1; block <= layers; ++block)
    full.push_back(block <= first || (period > 0 && block % period == 0));
  return full;
}

std::optional<std::int64_t> window_of(ModelConfigReader& config, const WindowRule& rule) {
  const auto stated = config.count("sliding_window");
  if (rule.by_flag && !config.flag("use_sliding_window", false)) return std::nullopt;
  if (stated || config.has("sliding_window")) return stated;
  return rule.otherwise > 0 ? std::optional(rule.otherwise) : std::nullopt;
}

void read_windows(ModelConfigReader& config, const WindowRule& rule, Transformer& model) {
  const auto words = config.words("layer_types");
  if (words && words->size() != static_cast<std::size_t>(model.layers))
    config.fail(*config.root().find("layer_types"),
                fmt::format("`layer_types` has {} entries for {} blocks", words->size(), model.layers));
  const std::vector<bool> stated = words ? stated_reach(config, *words) : std::vector<bool>{};
  constexpr std::int64_t most_blocks = 10'000;  // more are refused
  if (!rule.has_window && std::ranges::count(stated, false) > 0) config.set_unread("layer_types");
  if (!rule.has_window || model.layers < 1 || model.layers > most_blocks) return;
  model.window = window_of(config, rule);
  const std::vector<bool> usual = usual_reach(config, rule, model.layers);
  if (!model.window) return;
  const std::vector<bool> full = words ? stated : usual;
  for (std::size_t block = 1; block <= full.size(); ++block)
    if (full[block - 1]) model.full_attention_blocks.push_back(static_cast<std::int64_t>(block));
  if (std::ranges::count(full, false) > 0) return;
  model.window.reset();
  model.full_attention_blocks.clear();
}

/// Masks of the blocks; those of scores count with them.
void read_dropout(ModelConfigReader& config, const ModelConfigNames& names, Transformer& model) {
  for (const std::string_view key : names.dropout)
    if (!key.empty() && config.number(key).value_or(0) > 0) model.dropout = true;
}

/// The flag of the language model, else that of the whole.
bool is_tied(ModelConfigReader& config, const TextPart& part, bool otherwise) {
  constexpr std::string_view key = "tie_word_embeddings";
  if (config.has(key) || !part.is_nested()) return config.flag(key, otherwise);
  ModelConfigReader whole(part.whole);
  const bool tied = whole.flag(key, otherwise);
  if (whole.error()) config.fail(*part.whole.find(key), whole.error()->what);
  return tied;
}

void read_sizes(ModelConfigReader& config, const ModelFamily& row, bool is_nested, Transformer& model) {
  const ModelDefaults nested = is_nested ? row.nested : ModelDefaults{};
  model.layers = config.needed(row.names.layers, nested.layers);
  model.hidden = config.needed(row.names.hidden, nested.hidden);
  model.heads = config.needed(row.names.heads, nested.heads);
  model.vocabulary = config.needed("vocab_size", nested.vocabulary);
  model.ffn = config.count(row.names.ffn);
  if (!model.ffn && nested.ffn > 0) model.ffn = nested.ffn;
  model.kv_heads = config.count(row.names.kv_heads);
  if (!model.kv_heads && row.kv_heads > 0) model.kv_heads = row.kv_heads;
  model.head_size = config.count("head_dim");
  if (!model.head_size && row.head_size > 0) model.head_size = row.head_size;
}

Transformer shape_of(ModelConfigReader& config, const ModelFamily& row, const TextPart& part) {
  Transformer model;
  read_sizes(config, row, part.is_nested(), model);
  model.ffn_kind = row.ffn_kind;
  model.norm = row.norm;
  model.positions = row.positions;
  model.bias = row.bias;
  model.norms_per_layer = row.norms;
  model.qk_norm = row.qk_norm;
  model.qk_norm_of_heads = row.qk_norm_of_heads;
  model.encoder = row.encoder;
  model.tied = is_tied(config, part, row.tied);
  if (row.positions == PositionEncoding::learned) {
    constexpr std::int64_t most = 1'000'000'000;  // larger counts are refused, and the sum does not overflow
    model.position_rows = std::min(config.needed(row.names.positions), most) + row.more_rows;
  }
  if (row.read_variants != nullptr) row.read_variants(config, model);
  read_dropout(config, row.names, model);
  read_windows(config, row.window, model);
  refuse_other_blocks(config, row);
  return model;
}

/// Whether it has a shape that `Transformer` cannot describe.
bool differs(ModelConfigReader& config, const Transformer& model) {
  const bool narrow = config.count("word_embed_proj_dim").value_or(model.hidden) != model.hidden;
  return !config.flag("do_layer_norm_before", true) || narrow;
}

// What is not in the shape.

constexpr std::array attention_dropouts{"attention_dropout", "attn_pdrop", "attention_probs_dropout_prob"};

const files::ForeignKey* find_key(std::string_view key) {
  const auto found = std::ranges::find(model_config_keys(), key, &files::ForeignKey::key);
  return found == model_config_keys().end() ? nullptr : &*found;
}

/// A part for images or sound, in a map of its own.
bool is_other_part(const language::Member& member) {
  return member.value.is_map() && member.key.ends_with("_config") && member.key != "text_config" &&
         find_key(member.key) == nullptr;
}

bool is_empty(const language::Value& value) {
  if (value.is_list()) return value.items().empty();
  if (value.is_map()) return value.members().empty();
  return value.kind() == language::Value::Kind::nothing || value.text().empty();
}

std::string note(const language::Value& value, std::string_view key, std::string_view why) {
  return fmt::format("{}: `{}` = {} left out: {}", value.origin().text(), key,
                     value.is_scalar() ? value.text() : std::string(value.kind_text()), why);
}

/// A configuration as its family has read it.
struct ReadConfig {
  const ModelConfigReader& config;
  std::string_view family;
};

/// Names a key that another family reads.
void warn_unread(const language::Member& member, const files::ForeignKey& row, const ReadConfig& read,
                 std::vector<std::string>& warnings) {
  const bool is_of_all = member.key == "model_type" || member.key == "text_config";
  const bool is_harmless = member.value.is_scalar() && files::is_harmless(member.value.text(), row.harmless);
  if (is_of_all || is_harmless || read.config.is_looked_up(member.key)) return;
  warnings.push_back(
      note(member.value, member.key, fmt::format("the family `{}` does not read it", read.family)));
}

/// Adds the warning about one key that is left out, or returns an error.
/// @param read  null for the whole of several parts, whose sizes are those of its parts
Result<void> judge_key(const language::Member& member, const ReadConfig* read,
                       std::vector<std::string>& warnings) {
  const language::Value& value = member.value;
  if (is_other_part(member)) {
    warnings.push_back(note(value, member.key, "only the language model, `text_config`, is simulated"));
    return {};
  }
  if (is_empty(value)) return {};
  const files::ForeignKey* row = find_key(member.key);
  if (row == nullptr) {
    warnings.push_back(note(value, member.key, "the key is unknown"));
    return {};
  }
  if (row->use == files::KeyUse::read && read != nullptr) warn_unread(member, *row, *read, warnings);
  if (row->use == files::KeyUse::read || row->use == files::KeyUse::no_effect) return {};
  if (value.is_scalar() && files::is_harmless(value.text(), row->harmless)) return {};
  if (row->use == files::KeyUse::refused)
    return refuse(value.origin().text(), fmt::format("`{}`: {}", member.key, row->text),
                  "describe the model by `transformer`");
  warnings.push_back(note(value, member.key, row->text));
  return {};
}

Result<void> judge_keys(const language::Value& map, const ReadConfig* read,
                        std::vector<std::string>& warnings) {
  for (const language::Member& member : map.members())
    if (auto judged = judge_key(member, read, warnings); !judged) return judged;
  return {};
}

/// Masks of scores alone: `Transformer::dropout` is about those of the blocks, too.
void warn_of_attention_dropout(ModelConfigReader& config, const Transformer& model,
                               std::vector<std::string>& warnings) {
  for (const char* key : attention_dropouts) {
    if (config.number(key).value_or(0) > 0 && !model.dropout)
      warnings.push_back(
          note(*config.root().find(key), key, "masks of scores without those of the blocks are not kept"));
  }
}

/// Refuses a shape that cannot be described, and samples of no or too many tokens.
Result<Transformer> with_samples(Transformer model, std::optional<std::int64_t> longest,
                                 std::optional<std::int64_t> sequence, const std::string& place) {
  if (!sequence && !model.position_rows) {
    return refuse(place, "the length of a sample is not part of the configuration",
                  longest ? fmt::format("write `sequence` beside `config`, at most {}", *longest)
                          : std::string("write `sequence` beside `config`"));
  }
  model.sequence = sequence ? *sequence : *longest;
  if (model.position_rows && model.sequence > *longest) {  // OPT has further rows, of no position
    return refuse(
        place, fmt::format("`sequence` is {}, and there are {} learned positions", model.sequence, *longest),
        fmt::format("accepted: 1 to {}", *longest));
  }
  auto checked = netmodels::check(model);
  if (!checked) return refuse(place, checked.error().what, checked.error().hint);
  return model;
}

}  // namespace

const language::Value* ModelConfigReader::stated(std::string_view key) {
  looked_up_.emplace(key);
  const language::Value* value = root_.find(key);
  return value == nullptr || value->kind() == language::Value::Kind::nothing ? nullptr : value;
}

std::optional<std::int64_t> ModelConfigReader::count(std::string_view key) {
  const language::Value* value = stated(key);
  if (value == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const std::string& text = value->text();
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (value->is_scalar() && failed == std::errc{} && end == text.data() + text.size()) return number;
  fail(*value, fmt::format("`{}`: expected an integer, found {}", key, value_text(*value)));
  return std::nullopt;
}

std::optional<double> ModelConfigReader::number(std::string_view key) {
  const language::Value* value = stated(key);
  if (value == nullptr) return std::nullopt;
  const auto number = value->is_scalar() ? files::read_number(value->text()) : std::nullopt;
  if (!number) fail(*value, fmt::format("`{}`: expected a number, found {}", key, value_text(*value)));
  return number;
}

std::int64_t ModelConfigReader::needed(std::string_view key, std::int64_t otherwise) {
  const std::optional<std::int64_t> value = count(key);
  if (!value && otherwise == 0) fail(root_, fmt::format("the key `{}` is missing", key));
  return value.value_or(otherwise);
}

bool ModelConfigReader::flag(std::string_view key, bool otherwise) {
  const language::Value* value = stated(key);
  if (value == nullptr) return otherwise;
  if (value->is_scalar() && value->text() == "true") return true;
  if (!value->is_scalar() || value->text() != "false")
    fail(*value, fmt::format("`{}`: expected `true` or `false`, found {}", key, value_text(*value)));
  return false;
}

std::optional<std::vector<std::string>> ModelConfigReader::words(std::string_view key) {
  const language::Value* value = stated(key);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string> found;
  if (!value->is_list())
    fail(*value, fmt::format("`{}`: expected a list of words, found {}", key, value_text(*value)));
  for (const language::Value& item : value->items()) found.push_back(item.text());
  return found;
}

void ModelConfigReader::fail(const language::Value& value, std::string what, std::string hint) {
  if (!error_) error_ = netmodels::Error{value.origin().text(), std::move(what), std::move(hint)};
}

Result<ModelConfig> read_model_config(const std::filesystem::path& path,
                                      std::optional<std::int64_t> sequence) {
  GRADSIM_TRY(document, language::read_document(path));
  GRADSIM_TRY(part, text_part_of(document->root));
  GRADSIM_TRY(family, family_of(*part));
  ModelConfigReader config(part->text);
  const Transformer shape = shape_of(config, **family, *part);
  const auto longest = config.count((*family)->names.positions);
  const bool is_variant = differs(config, shape);
  ModelConfig read;
  warn_of_attention_dropout(config, shape, read.warnings);
  if (config.error()) return tl::unexpected(*config.error());
  const std::string place = part->text.origin().text();
  if (is_variant)
    return refuse(place, "a post-norm model, or one whose embedding is narrower than its blocks",
                  "accepted: pre-norm models with an embedding of their whole width");
  const ReadConfig keys{config, (*family)->type};
  if (auto judged = judge_keys(part->text, &keys, read.warnings); !judged)
    return tl::unexpected(judged.error());
  if (part->is_nested())
    if (auto judged = judge_keys(part->whole, nullptr, read.warnings); !judged)
      return tl::unexpected(judged.error());
  GRADSIM_TRY(model, with_samples(shape, longest, sequence, place));
  read.model = *model;
  return read;
}

}  // namespace sim::inputs
