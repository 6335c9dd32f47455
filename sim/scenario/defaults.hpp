// Writes every default into a tree of values, in the order in which keys are described.
#pragma once

#include "settings/type.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// The value with the defaults of everything that maps in it leave out: described keys first, each as written
/// or by default, then whatever else stands there.
/// @param type  of the value
Value with_defaults(const Value& value, const settings::Type& type);

template <class T>
Value with_defaults(const Value& value) {
  return with_defaults(value, settings::type_of<T>());
}

}  // namespace sim::scenario
