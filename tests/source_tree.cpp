// The path of the source tree, compiled only into this file so that no other object depends on where the
// tree lies.
#include "tests/source_tree.hpp"

namespace tests {

std::string source_dir() { return GRADSIM_SOURCE_DIR; }

}  // namespace tests
