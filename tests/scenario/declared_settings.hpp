// Settings that state one declaration, by the entries of the key audit.
#pragma once

#include <string>
#include <vector>

#include "sim/language/value.hpp"
#include "sim/scenario/declarations.hpp"

namespace tests {

/// Settings of a word by its example, of a key by the value of its entry; empty: the declaration has none.
/// @param keys  the map of tests/audit/keys.yaml
inline std::vector<std::string> settings_of(const sim::scenario::Declared& declared,
                                            const sim::language::Value& keys) {
  if (declared.is_condition) return {};
  if (declared.is_word) {
    const std::size_t colon = declared.example.find(": ");
    return {declared.example.substr(0, colon) + "=" + declared.example.substr(colon + 2)};
  }
  const sim::language::Value* entry = keys.find(declared.path);
  if (entry == nullptr) return {};
  std::vector<std::string> settings;
  if (const sim::language::Value* with = entry->find("with"))
    for (const sim::language::Value& setting : with->items()) settings.push_back(setting.text());
  settings.push_back(declared.path + "=" + entry->find("value")->text());
  return settings;
}

}  // namespace tests
