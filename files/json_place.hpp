// Places of keys in a JSON text, whose parser forgets them.
#pragma once

#include <string>
#include <string_view>

namespace files {

/// `source:line:column` of a key.
/// @param path  keys joined by dots; of a key that is missing, the place of the last one on the way to it
/// @param json  valid JSON; another text ends the search where it is none
std::string place_of_key(std::string_view source, std::string_view json, std::string_view path);

}  // namespace files
