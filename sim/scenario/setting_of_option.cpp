// Searches the names of other programs, then the keys of a scenario.
#include "sim/scenario/setting_of_option.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "sim/language/value.hpp"
#include "sim/scenario/misplaced_keys.hpp"
#include "sim/scenario/words_of_others.hpp"

namespace sim::scenario {
namespace {

using language::Value;

/// "`--set training.steps=10`", in quotes where the value has blanks; VALUE and how it follows where no value
/// is known.
std::string setting(std::string_view key, std::string_view value, std::string_view how = {}) {
  if (value.empty())
    return fmt::format("`--set {}=VALUE`{}", key, how.empty() ? "" : fmt::format(" ({})", how));
  const std::string_view quote = value.find(' ') == std::string_view::npos ? "" : "'";
  return fmt::format("`--set {0}{1}={2}{0}`", quote, key, value);
}

std::string converted(const KeyOfOthers& row, std::string_view value) {
  if (row.convert == nullptr || value.empty()) return "";
  const Value root = Value::map({}, {});
  return row.convert(Value::scalar(std::string(value), {}), root).value_or("");
}

/// The key of a scenario that alone has the name; empty where there is none.
std::string only_key(const std::string& name) {
  const std::vector<std::string>* maps = maps_with_key(name);
  if (maps == nullptr || maps->size() != 1) return "";
  return maps->front().empty() ? name : fmt::format("{}.{}", maps->front(), name);
}

}  // namespace

std::string setting_of_option(std::string_view name, std::string_view value) {
  const auto row = std::ranges::find_if(keys_of_others(), [&](const KeyOfOthers& one) {
    return one.in.empty() && !one.key.empty() && is_same_word(one.name, name);
  });
  if (row != keys_of_others().end()) return setting(row->key, converted(*row, value), row->text);
  std::string word(name);
  std::ranges::replace(word, '-', '_');
  const std::string key = only_key(word);
  return key.empty() ? "" : setting(key, value);
}

}  // namespace sim::scenario
