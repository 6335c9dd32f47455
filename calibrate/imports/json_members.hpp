// Looking into JSON that another program wrote: what is missing or of another kind is nothing, never an
// error.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace calibrate::imports {

/// The first existing member under one of its spellings; null where there is none or `object` is none.
inline const nlohmann::json& member(const nlohmann::json& object, std::initializer_list<const char*> names) {
  static const nlohmann::json none;
  if (!object.is_object()) return none;
  for (const char* name : names) {
    const auto found = object.find(name);
    if (found != object.end()) return *found;
  }
  return none;
}

inline const nlohmann::json& member(const nlohmann::json& object, const char* name) {
  return member(object, {name});
}

/// The text; nothing where the value is none.
inline std::optional<std::string> as_text(const nlohmann::json& value) {
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

/// The text; an empty one where the value is none.
inline std::string text_or_empty(const nlohmann::json& value) { return as_text(value).value_or(""); }

}  // namespace calibrate::imports
