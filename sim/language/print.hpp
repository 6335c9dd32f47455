// A tree of values with every default written in, as YAML with the origin of each value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "settings/type.hpp"
#include "sim/language/value.hpp"

namespace sim::language {

// Writes every default into a tree of values, in the order in which keys are described.

/// The value with the defaults of everything that maps in it leave out: described keys first, each as written
/// or by default, then all other keys.
/// @param type  of the value
/// @param over  what arms lay over it: where one names another kind or method, the defaults that only the one
///              below has are left out, as the arm could not take them
Value with_defaults(const Value& value, const settings::Type& type,
                    const std::vector<const Value*>& over = {});

template <class T>
Value with_defaults(const Value& value, const std::vector<const Value*>& over = {}) {
  return with_defaults(value, settings::type_of<T>(), over);
}

// Writes a tree of values as YAML, with the origin of each value after it.

/// Block YAML; lists of single values are on one line. Reading it back gives the same contents.
std::string print_tree(const Value& root);

/// The value as flow YAML, such as `{latency: 1 ms, bandwidth: 10 Gbit/s}`.
std::string print_on_one_line(const Value& value);

/// A scalar as YAML: plain where it cannot be mistaken, in double quotes otherwise.
std::string yaml_scalar(std::string_view text, bool quoted);

}  // namespace sim::language
