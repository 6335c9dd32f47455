// Turns members of an object into words.
#include "sim/serve/arguments.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace sim::serve {
namespace {

using netmodels::Result;
using nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// A member that is no option.
struct Member {
  std::string_view name;
  bool (ordered_json::*has_type)() const noexcept;
  std::string_view type;
};

constexpr std::array members{
    Member{"arguments", &ordered_json::is_array, "a list of words"},
    Member{"input", &ordered_json::is_string, "text"},
    Member{"progress", &ordered_json::is_boolean, "true or false"},
    Member{"set", &ordered_json::is_object, "an object of keys and values"},
};

netmodels::Error wrong_type(const std::string& name, std::string_view expected) {
  return {"params." + name, "wrong type", "expected " + std::string(expected)};
}

/// Text as it is; numbers and the rest as JSON, which is YAML too.
std::string word_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Result<void> add_words(const ordered_json& list, Words& words) {
  for (const ordered_json& word : list) {
    if (!word.is_primitive() || word.is_null())
      return tl::unexpected(wrong_type("arguments", "a list of words"));
    words.push_back(word_of(word));
  }
  return {};
}

void add_settings(const ordered_json& settings, Words& words) {
  for (const auto& [key, value] : settings.items()) {
    words.emplace_back("--set");
    words.push_back(key + "=" + word_of(value));
  }
}

Result<void> add_option(const std::string& name, const ordered_json& value, Words& words) {
  if (value.is_null() || value == false) return {};
  if (value.is_array()) {
    for (const ordered_json& one : value) {
      if (auto added = add_option(name, one, words); !added) return added;
    }
    return {};
  }
  if (value.is_object()) return tl::unexpected(wrong_type(name, "text, a number, true, false or a list"));
  std::string option = "--" + name;
  std::ranges::replace(option, '_', '-');
  words.push_back(std::move(option));
  if (value != true) words.push_back(word_of(value));
  return {};
}

}  // namespace

Result<Words> command_words(const ordered_json& params) {
  Words words;
  for (const auto& [name, value] : params.items()) {
    const auto member = std::ranges::find(members, name, &Member::name);
    if (member == members.end()) {
      if (auto added = add_option(name, value, words); !added) return tl::unexpected(added.error());
      continue;
    }
    if (!(value.*member->has_type)()) return tl::unexpected(wrong_type(name, member->type));
    if (name == "set") add_settings(value, words);
    if (name != "arguments") continue;
    if (auto added = add_words(value, words); !added) return tl::unexpected(added.error());
  }
  return words;
}

}  // namespace sim::serve
