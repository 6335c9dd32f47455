// The place in the scenario of an engine error: looks the key up in the tree that the arm was read from.
#include "sim/error_place.hpp"

#include <algorithm>
#include <string_view>

#include "sim/language/place.hpp"

namespace sim {
namespace {

/// The key whose value the error is about: the one it names, or the one that names the file it is about.
std::string key_of(const netmodels::Error& error, const scenario::Cluster& cluster) {
  const std::string* platform = platform_file(cluster.topology);
  return platform != nullptr && error.where == *platform ? "cluster.topology.file" : error.where;
}

/// Whether the first part of the path is a key that was written.
bool is_written(const language::Value& tree, std::string_view path) {
  return !path.empty() && tree.find(path.substr(0, path.find_first_of(".["))) != nullptr;
}

}  // namespace

netmodels::Error placed(netmodels::Error error, const std::string& file, const std::string& arm,
                        const scenario::Reading& reading) {
  const std::string who = "arm `" + arm + "`: ";
  const auto& arms = reading.study.arms;
  const auto found = std::ranges::find(arms, arm, &scenario::Scenario::name);
  if (found != arms.end()) {
    const std::string key = key_of(error, found->cluster);
    const language::Value& tree = reading.arms[static_cast<std::size_t>(found - arms.begin())];
    if (is_written(tree, key)) {
      error.what = who + "`" + key + "`: " + (key == error.where ? "" : error.where + ": ") + error.what;
      error.where = language::place_of(tree, key);
      return error;
    }
  }
  error.what = who + (error.where.empty() ? "" : "`" + error.where + "`: ") + error.what;
  error.where = file;
  return error;
}

}  // namespace sim
