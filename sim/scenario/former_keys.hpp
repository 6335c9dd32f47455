// Keys that were renamed: the former name is accepted for one release, with a warning.
#pragma once

#include <string>
#include <vector>

#include "sim/language/value.hpp"

namespace sim::scenario {

/// Gives keys with a former name (`settings::Key::former`) the present one, wherever they are in the scenario
/// and in the overrides of its arms. Where both are written, the former one stays, and is an unknown key to
/// the reader of the map.
/// @param root  of one file, or of `--set`, before it is laid over another
/// @returns a warning with its place for each
std::vector<std::string> rename_former_keys(language::Value& root);

}  // namespace sim::scenario
