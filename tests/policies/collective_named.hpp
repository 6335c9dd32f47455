// Collectives by name, for tests of policies that choose among them.
#pragma once

#include <string_view>

#include "netmodels/collective.hpp"

namespace policies {

/// The collective, which must exist.
inline const netmodels::Collective* collective_named(std::string_view name) {
  return *netmodels::find_collective(name);
}

}  // namespace policies
