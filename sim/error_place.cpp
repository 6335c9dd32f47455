// Where in the scenario stands what the engine refused: looks the key up in the resolved tree.
#include "sim/error_place.hpp"

namespace sim {
namespace {

/// The value of the key as the arm overrides it, or else as the scenario has it.
const scenario::Value* find_key(const scenario::Value& root, const std::string& arm, const std::string& key) {
  const scenario::Value* compare = root.find("compare");
  const scenario::Value* overrides = compare == nullptr ? nullptr : compare->find(arm);
  const scenario::Value* own = overrides == nullptr ? nullptr : scenario::find_path(*overrides, key);
  return own == nullptr ? scenario::find_path(root, key) : own;
}

/// The key whose value the error is about: the one it names, or the one that names the file it is about.
std::string key_of(const netmodels::Error& error, const scenario::Value& root, const std::string& arm) {
  const std::string file_key = "cluster.topology.file";
  const scenario::Value* file = find_key(root, arm, file_key);
  return file != nullptr && error.where.ends_with(file->text()) ? file_key : error.where;
}

}  // namespace

netmodels::Error placed(netmodels::Error error, const std::string& file, const std::string& arm,
                        const scenario::Reading& reading) {
  const std::string who = "arm `" + arm + "`: ";
  const std::string key = key_of(error, reading.resolved, arm);
  const scenario::Value* value = key.empty() ? nullptr : find_key(reading.resolved, arm, key);
  if (value == nullptr) {
    error.what = who + (error.where.empty() ? "" : error.where + ": ") + error.what;
    error.where = file;
  } else {
    error.what = who + "`" + key + "`: " + (key == error.where ? "" : error.where + ": ") + error.what;
    error.where = value->origin().text();
  }
  return error;
}

}  // namespace sim
