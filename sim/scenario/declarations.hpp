// Every declaration of what settings need, offer and rule out: for hints, the support matrix and tests.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "settings/demands.hpp"

namespace sim::scenario {

/// A key, a word of a key, or a condition on the keys of a map.
struct Declared {
  std::string path;     ///< `cluster.failures`, with `[]` behind lists
  std::string label;    ///< as messages name it, with its quotes
  std::string example;  ///< as a scenario writes it; the path alone where a value of its own is needed
  bool is_word = false;
  bool is_condition = false;             ///< it depends on the values of several keys
  std::vector<std::string> owners = {};  ///< labels of the rows that it is a setting of; empty: of any
  settings::Demands demands;
};

/// Of all keys of an arm, in the order in which they are described; those that declare nothing are left out,
/// words of a key of which another declares something are not.
std::span<const Declared> declarations();

}  // namespace sim::scenario
