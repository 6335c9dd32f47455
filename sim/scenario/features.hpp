// The settings of one arm that need, offer or rule out something, as they are declared beside their keys.
#pragma once

#include <string>
#include <vector>

#include "settings/demands.hpp"
#include "settings/type.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

/// Another word that a key could have.
struct Alternative {
  std::string text;  ///< as a scenario writes it: `synchronisation: bsp`; empty: the key is left out
  settings::Demands demands;
};

/// A setting of an arm and its declaration.
struct Feature {
  std::string path;   ///< of the key: `cluster.failures[0].worker`
  std::string label;  ///< as messages name it, with its quotes
  settings::Demands demands;
  std::string word = {};                       ///< of a list, where it names a row: `qwz`
  std::vector<Alternative> alternatives = {};  ///< other words of its key; empty where it has none

  /// What a hint leaves out in its place: a row's name, or the whole item of a list.
  [[nodiscard]] std::string leave_out() const;
};

/// Keys that a tree states otherwise than by default, chosen words and rows, and declarations of structs.
/// @param type    of the struct
/// @param target  the struct, as the tree filled it
/// @param tree    what it was read from; `path` is where it is in the file
/// @returns those that declare anything, in the order in which keys are described
std::vector<Feature> features_of(const settings::Type& type, void* target, const language::Value& tree,
                                 const std::string& path = "");

template <class T>
std::vector<Feature> features_of(T& target, const language::Value& tree) {
  return features_of(settings::type_of<T>(), &target, tree);
}

}  // namespace sim::scenario
