// The keys that the schema of scenarios names, each with values to try.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace audit {

/// Values that the schema gives of a key, in order, by its path, such as `cluster.link.latency`.
using Keys = std::map<std::string, std::vector<std::string>>;

/// Keys of single values of a scenario that `sim run` reads. Items of lists, keys that a user names and the
/// forms `{value, range, sd}` of a quantity are left out.
Keys schema_keys();

}  // namespace audit
