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
  bool is_required = false;                    ///< the key cannot be left out
  bool is_local = false;                       ///< its offers reach the keys of its own map alone

  /// What a hint leaves out in its place: a row's name, or the whole item of a list.
  [[nodiscard]] std::string leave_out() const;
};

/// Whether the other words of each key are listed, as hints need them.
enum class OtherWords { left_out, listed };

/// Keys that a tree states otherwise than by default, chosen words and rows, and declarations of structs.
/// @param type    of the struct
/// @param target  the struct, as the tree filled it
/// @param tree    what it was read from
/// @returns those that declare anything, in the order in which keys are described
std::vector<Feature> features_of(const settings::Type& type, void* target, const language::Value& tree,
                                 OtherWords words = OtherWords::left_out);

template <class T>
std::vector<Feature> features_of(T& target, const language::Value& tree,
                                 OtherWords words = OtherWords::left_out) {
  return features_of(settings::type_of<T>(), &target, tree, words);
}

}  // namespace sim::scenario
