// Writes a tree of values as YAML, with the origin of each value behind it.
#pragma once

#include <string>
#include <string_view>

#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// Block YAML; lists of single values stand on one line. Reading it back gives the same contents.
std::string print_tree(const Value& root);

/// A scalar as YAML: plain where it cannot be mistaken, in double quotes otherwise.
std::string yaml_scalar(std::string_view text, bool quoted);

}  // namespace sim::scenario
