// What the files hold that a scenario names: a sweep goes on only where they are the same.
#pragma once

#include <string>

#include "sim/scenario/value.hpp"

namespace sim::sweep {

/// One YAML comment a file, in the order of their paths: `# PATH: 1234 bytes, 0123456789abcdef`, with a hash.
/// @param resolved  a scenario as it is printed: its files have whole paths
/// Leaves out: shipped files that go by a name alone (the program's version stands for them); values that are
/// whole paths for another reason are told, too.
std::string contents_of_files(const scenario::Value& resolved);

}  // namespace sim::sweep
