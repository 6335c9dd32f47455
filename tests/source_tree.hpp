// Root of the source tree, for tests and benchmarks that read files of it.
#pragma once

#include <string>

namespace tests {

/// The root of the source tree that the program was built from: an absolute path that does not end in a
/// slash.
std::string source_dir();

}  // namespace tests
