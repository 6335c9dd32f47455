// Turns members of an object into words.
#include "sim/serve/arguments.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/ranges.h>

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
    Member{"policies", &ordered_json::is_object, "an object of names and hashes"},
    Member{"progress", &ordered_json::is_boolean, "true or false"},
    Member{"set", &ordered_json::is_object, "an object of keys and values"},
};

netmodels::Error wrong_type(const std::string& name, std::string_view expected) {
  return {"params." + name, "wrong type", "expected " + std::string(expected)};
}

/// Whether YAML reads the text as it is: words, numbers and units.
bool is_plain(const std::string& text) {
  const auto is_word = [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view("_./%+*-").find(static_cast<char>(letter)) != std::string_view::npos;
  };
  if (text.empty() || !is_word(static_cast<unsigned char>(text.front())) || text.back() == ' ' ||
      text.front() == '*' || text.front() == '%')
    return false;
  return text != "-" &&
         std::ranges::all_of(text, [&](unsigned char letter) { return letter == ' ' || is_word(letter); });
}

std::string flow_yaml(const ordered_json& value);

std::string flow_member(const std::string& key, const ordered_json& value) {
  return (is_plain(key) ? key : ordered_json(key).dump()) + ": " + flow_yaml(value);
}

/// The value on one line of YAML.
std::string flow_yaml(const ordered_json& value) {
  if (value.is_string())
    return is_plain(value.get_ref<const std::string&>()) ? value.get<std::string>() : value.dump();
  if (value.is_primitive()) return value.dump();
  std::vector<std::string> parts;
  for (const auto& [key, member] : value.items())
    parts.push_back(value.is_object() ? flow_member(key, member) : flow_yaml(member));
  return fmt::format("{}{}{}", value.is_object() ? '{' : '[', fmt::join(parts, ", "),
                     value.is_object() ? '}' : ']');
}

/// Text as it is; numbers and the rest as YAML.
std::string word_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : flow_yaml(value);
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
    if (name == "input") {
      if (!value.is_string() && !value.is_object())
        return tl::unexpected(wrong_type(name, "text or an object"));
      continue;
    }
    if (member == members.end()) {
      if (auto added = add_option(name, value, words); !added) return tl::unexpected(added.error());
      continue;
    }
    if (!(value.*member->has_type)()) return tl::unexpected(wrong_type(name, member->type));
    if (name == "set") add_settings(value, words);
    if (name != "arguments") continue;
    if (auto added = add_words(value, words); !added) return tl::unexpected(added.error());
  }
  if (params.contains("input") && std::ranges::find(words, "-") == words.end())
    return netmodels::refuse("params.input", "no word names standard input", "add `-` to `arguments`");
  return words;
}

bool asks_for_progress(const ordered_json& params) {
  const auto progress = params.find("progress");
  return progress != params.end() && *progress == true;
}

std::string input_text(const ordered_json& params) {
  const auto input = params.find("input");
  return input == params.end() ? "" : word_of(*input);
}

}  // namespace sim::serve
