// Takes keys out of a configuration; keys that remain are listed.
#include "calibrate/imports/config_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "calibrate/imports/json_text.hpp"
#include "files/json_place.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate::imports {

using netmodels::refuse;
using netmodels::Result;
using nlohmann::json;

namespace {

bool is_open(const json& value) { return value.is_string() && value.get_ref<const std::string&>() == "auto"; }

}  // namespace

const json* ConfigReader::stated(const std::string& path) const {
  const json* value = &root_;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    if (!value->is_object()) return nullptr;
    const auto found = value->find(path.substr(begin, end - begin));
    if (found == value->end()) return nullptr;
    value = &*found;
    begin = end + 1;
  }
  return value;
}

const json* ConfigReader::find(const std::string& path) {
  taken_.insert(path);
  const json* value = stated(path);
  return value == nullptr || value->is_null() || is_open(*value) ? nullptr : value;
}

bool ConfigReader::is_auto(const std::string& path) {
  taken_.insert(path);
  const json* value = stated(path);
  return value != nullptr && is_open(*value);
}

std::optional<int> ConfigReader::count(const std::string& path, int least, int most) {
  const json* value = find(path);
  if (value == nullptr) return std::nullopt;
  const bool in_range = value->is_number_integer() && *value >= least && *value <= most;
  if (in_range) return value->get<int>();
  fail(path, short_value(*value) + " is out of range", fmt::format("accepted: {} to {}", least, most));
  return std::nullopt;
}

bool ConfigReader::flag(const std::string& path, bool otherwise) {
  const json* value = find(path);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  fail(path, short_value(*value) + " cannot be read", "accepted: true, false");
  return otherwise;
}

std::optional<std::string> ConfigReader::text(const std::string& path) {
  const json* value = find(path);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  fail(path, short_value(*value) + " cannot be read", "accepted: a text");
  return std::nullopt;
}

std::string ConfigReader::word(const std::string& path, std::span<const ConfigWord> words,
                               std::string_view otherwise) {
  const auto stated = text(path);
  if (!stated) return std::string(otherwise);
  const auto found = std::ranges::find(words, *stated, &ConfigWord::word);
  if (found != words.end()) return std::string(found->meant);
  std::vector<std::string_view> known;
  for (const ConfigWord& one : words) known.push_back(one.word);
  fail(path, fmt::format("`{}` cannot be read", *stated), netmodels::accepted_names(*stated, known));
  return std::string(otherwise);
}

void ConfigReader::fail(const std::string& path, std::string what, std::string hint) {
  if (error_) return;
  const std::string& name = stated_name(path);
  error_ = netmodels::Error{text_.empty() ? source_ : files::place_of_key(source_, text_, name),
                            fmt::format("`{}`: {}", name, what), std::move(hint)};
}

const std::string& ConfigReader::stated_name(const std::string& path) const {
  const auto found = stated_names_.find(path);
  return found == stated_names_.end() ? path : found->second;
}

/// Null outside of all such tables.
const std::string* ConfigReader::off_reason(const std::string& path) const {
  const auto found =
      std::ranges::find_if(off_, [&](const auto& one) { return path.starts_with(one.first + "."); });
  return found == off_.end() ? nullptr : &found->second;
}

std::vector<LeftOutKey> ConfigReader::judge(std::span<const files::ForeignKey> table) {
  std::vector<LeftOutKey> found = warnings_;
  judge_value(root_, "", table, found);
  return found;
}

namespace {

/// A value as rows write it: texts without quotes.
std::string bare_value(const json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', true, json::error_handler_t::replace);
}

/// Accepted values in place of a refused one.
std::string accepted_values(const files::ForeignKey& row) {
  if (row.harmless.empty()) return "leave it out";
  std::string text = "accepted: ";
  for (const char c : row.harmless) text += c == '|' ? std::string(", ") : std::string(1, c);
  return text;
}

}  // namespace

void ConfigReader::judge_row(const json& value, const std::string& path, const files::ForeignKey& row,
                             std::vector<LeftOutKey>& found) {
  const std::string bare = bare_value(value);
  const bool is_harmless = bare.empty() || files::is_harmless(bare, row.harmless);
  switch (row.use) {
    case files::KeyUse::read:
      if (!taken_.contains(path))
        found.push_back(
            {stated_name(path), short_value(value), "it acts beside other keys, which are not stated"});
      return;
    case files::KeyUse::no_effect:
      found.push_back({stated_name(path), short_value(value), std::string(row.text)});
      return;
    case files::KeyUse::changes:
      if (!is_harmless)
        found.push_back(
            {stated_name(path), short_value(value), "not modelled: " + std::string(row.text), true});
      return;
    case files::KeyUse::refused:
      if (is_harmless) return;
      fail(path,
           value.is_boolean() ? std::string(row.text) : fmt::format("{}: {}", short_value(value), row.text),
           accepted_values(row));
  }
}

void ConfigReader::judge_value(const json& value, const std::string& path,
                               std::span<const files::ForeignKey> table, std::vector<LeftOutKey>& found) {
  constexpr std::size_t deepest = 400;  // nesting of a path: far above any configuration's
  if (value.is_null() || (value.is_structured() && value.empty())) return;
  if (const std::string* why = off_reason(path); why != nullptr && !value.is_object()) {
    found.push_back({stated_name(path), short_value(value), *why});
    return;
  }
  const auto row = std::ranges::find(table, path, &files::ForeignKey::key);
  if (row != table.end()) return judge_row(value, path, *row, found);
  if (taken_.contains(path)) return;
  if (!value.is_object() || path.size() >= deepest) {
    found.push_back(
        {stated_name(path), short_value(value), "the key is unknown: it may change the answer", true});
    return;
  }
  for (const auto& [key, inner] : value.items())
    judge_value(inner, path.empty() ? key : path + "." + key, table, found);
}

/// Beginning of a file in another format.
struct OtherFormat {
  std::string_view begin;
  std::string_view what;
  std::string_view hint;
};

constexpr std::array other_formats{
    OtherFormat{"compute_environment:", "a configuration of accelerate in YAML",
                "give its `deepspeed_config` or the arguments of the Trainer as JSON"},
    OtherFormat{"distributed_type:", "a configuration of accelerate in YAML",
                "give its `deepspeed_config` or the arguments of the Trainer as JSON"},
    OtherFormat{"fsdp_config:", "a configuration of FSDP in YAML",
                "give `fsdp` and `fsdp_config` as arguments of the Trainer in JSON"},
    OtherFormat{"from torchtitan", "a configuration of torchtitan in Python",
                "give the job as TOML, or state the scenario by hand"},
    OtherFormat{"import torchtitan", "a configuration of torchtitan in Python",
                "give the job as TOML, or state the scenario by hand"},
    OtherFormat{"import ", "a program in Python", "give the configuration as the file that it reads"},
    OtherFormat{"from ", "a program in Python", "give the configuration as the file that it reads"},
    OtherFormat{"def ", "a program in Python", "give the configuration as the file that it reads"}};

Result<void> refuse_other_formats(std::string_view text, const std::string& source) {
  for (const OtherFormat& format : other_formats) {
    const std::string behind_line = "\n" + std::string(format.begin);
    if (!text.starts_with(format.begin) && text.find(behind_line) == std::string_view::npos) continue;
    return refuse(source, fmt::format("{} cannot be read", format.what), std::string(format.hint));
  }
  return {};
}

Result<json> parse_config(std::string_view text, const std::string& source) {
  constexpr std::size_t most_bytes = 1'000'000;
  if (text.size() > most_bytes)
    return refuse(source, fmt::format("{} bytes", text.size()),
                  fmt::format("accepted: up to {} bytes", most_bytes));
  if (auto known = refuse_other_formats(text, source); !known) return tl::unexpected(known.error());
  GRADSIM_TRY(read, parse_json(text, source));
  if (read->is_object()) return std::move(*read);
  return refuse(source, "the file is not a JSON object", "use a configuration as the program reads it");
}

namespace {

/// An optimizer and what it keeps for a parameter, in bytes.
struct OptimizerStates {
  std::string_view name;
  double bytes;
};

// Two fp32 moments: Kingma and Ba 2015; You et al. 2020. One: momentum of SGD, which is counted as if it were
// stated. 8-bit moments: Dettmers et al. 2022. Adagrad and RMSprop: one.
constexpr std::array all_optimizer_states = {OptimizerStates{"adam", 8},
                                             OptimizerStates{"adamw", 8},
                                             OptimizerStates{"fusedadam", 8},
                                             OptimizerStates{"lamb", 8},
                                             OptimizerStates{"fusedlamb", 8},
                                             OptimizerStates{"onebitadam", 8},
                                             OptimizerStates{"zerooneadam", 8},
                                             OptimizerStates{"onebitlamb", 8},
                                             OptimizerStates{"adamw_torch", 8},
                                             OptimizerStates{"adamw_torch_fused", 8},
                                             OptimizerStates{"adamw_hf", 8},
                                             OptimizerStates{"adamw_apex_fused", 8},
                                             OptimizerStates{"adamw_bnb_8bit", 2},
                                             OptimizerStates{"adamw_8bit", 2},
                                             OptimizerStates{"sgd", 4},
                                             OptimizerStates{"adagrad", 4},
                                             OptimizerStates{"rmsprop", 4},
                                             OptimizerStates{"lion", 4}};

}  // namespace

double optimizer_state_bytes(ConfigReader& config, const std::string& path, const std::string& name) {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto* row = std::ranges::find(all_optimizer_states, lower, &OptimizerStates::name);
  if (row != all_optimizer_states.end()) return row->bytes;
  std::vector<std::string_view> known;
  for (const OptimizerStates& one : all_optimizer_states) known.push_back(one.name);
  config.fail(path, fmt::format("what the optimizer `{}` keeps is unknown", name),
              netmodels::accepted_names(lower, known));
  return 0;
}

std::string short_value(const json& value) {
  constexpr std::size_t most = 60;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

}  // namespace calibrate::imports
