// The keys of a scenario that name files: their paths, and the places of the files.
#include "sim/scenario/file_keys.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "files/input_file.hpp"
#include "sim/language/place.hpp"
#include "sim/language/text_file.hpp"
#include "sim/scenario/compression.hpp"
#include "sim/scenario/overlay.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;

/// The new value of a key that names a file.
using Change = std::function<language::Value(const language::Value&)>;

/// New values of keys by what they accept.
struct Changes {
  Change file;  ///< a file alone
  Change path;  ///< a name of something shipped, or a path
};

/// The same for all.
Changes all_by(const Change& changed) { return {changed, changed}; }

language::Value with_text(const language::Value& value, const fs::path& path) {
  return language::Value::scalar(path.string(), value.origin(), value.quoted());
}

language::Value whole(const language::Value& value) {
  return with_text(value, fs::absolute(value.text()).lexically_normal());
}

void change_file(language::Value* value, const Changes& changes) {
  if (value != nullptr && value->is_scalar() && !value->text().empty()) *value = changes.file(*value);
}

/// A name of something shipped stays.
void change_path(language::Value* value, const Changes& changes) {
  if (value != nullptr && value->is_scalar() && language::is_path(value->text()))
    *value = changes.path(*value);
}

void change_cluster(language::Value& cluster, const Changes& changes) {
  if (language::Value* topology = cluster.find("topology")) change_file(topology->find("file"), changes);
  change_file(cluster.find("collective_times"), changes);
  change_path(cluster.find("device"), changes);
  for (const std::string_view key : {"fabric", "inner_fabric"}) {
    if (language::Value* fabric = cluster.find(key)) change_path(fabric->find("transport"), changes);
  }
  language::Value* traces = cluster.find("traces");
  if (traces == nullptr || !traces->is_list()) return;
  std::vector<language::Value> items = traces->items();
  for (language::Value& trace : items) change_file(trace.find("file"), changes);
  *traces = language::Value::list(std::move(items), traces->origin());
}

/// A shipped learner goes by its name.
bool is_shipped_learner(const language::Value& file, const fs::path& data_dir) {
  std::error_code failed;
  return !language::is_path(file.text()) &&
         fs::exists(data_dir / "learners" / (file.text() + ".csv"), failed);
}

void change_learner(language::Value& learner, const Changes& changes, const fs::path& data_dir) {
  language::Value* file = learner.find("file");
  if (file != nullptr && file->is_scalar() && !is_shipped_learner(*file, data_dir))
    change_file(file, changes);
}

/// Samples, which a run needs and a check does not.
void change_data(language::Value& learner, const Changes& changes) {
  language::Value* dataset = learner.find("dataset");
  if (dataset == nullptr) return;
  for (const std::string_view key : {"path", "test_path"}) change_file(dataset->find(key), changes);
}

void change_compression(language::Value& compression, const Changes& changes) {
  language::Value* file = compression.find("kernel_times");
  if (file != nullptr && file->is_scalar() && file->text() == measure_word) return;
  change_file(file, changes);
}

void change_streams(language::Value& streams, const Changes& changes) {
  change_file(streams.find("trace"), changes);
}

void change_workload(language::Value& workload, const Changes& changes) {
  for (const std::string_view key : {"layers", "config", "graph"}) change_file(workload.find(key), changes);
  for (const std::string_view key : {"model", "device", "stack"}) change_path(workload.find(key), changes);
  language::Value* times = workload.find("times");
  if (times == nullptr) return;
  change_file(times->find("measured"), changes);
  for (const std::string_view device : {"device", "roofline"}) change_path(times->find(device), changes);
}

/// All but the files of a workload that a map describes, and samples.
void change_others(language::Value& tree, const fs::path& data_dir, const Changes& changes) {
  change_path(tree.find("workload"), changes);
  if (language::Value* cluster = tree.find("cluster")) change_cluster(*cluster, changes);
  if (language::Value* streams = tree.find("streams")) change_streams(*streams, changes);
  if (language::Value* compression = tree.find("compression")) change_compression(*compression, changes);
  if (language::Value* learner = tree.find("learner")) change_learner(*learner, changes, data_dir);
}

/// `cluster: NAME`, or `use: NAME` in a cluster, where it is not a shipped cluster.
void write_out_base(language::Value& cluster, const fs::path& data_dir) {
  language::Value* use = cluster.is_scalar() ? &cluster : cluster.find("use");
  if (use == nullptr) return;
  const auto file = cluster_file(*use, data_dir);
  if (!file || file->parent_path() == data_dir / "clusters") return;
  *use = whole(with_text(*use, *file));
}

}  // namespace

void find_files(language::Value& tree, const fs::path& data_dir) {
  const auto found = [&](const language::Value& value) {
    return with_text(value, language::find_file(value.text(), {folder_of(value), data_dir}));
  };
  change_others(tree, data_dir, all_by(found));
  if (language::Value* learner = tree.find("learner")) change_data(*learner, all_by(found));
}

std::vector<netmodels::Error> find_missing_files(const language::Value& tree, const fs::path& data_dir) {
  std::vector<netmodels::Error> missing;
  fs::path folder = data_dir;
  const auto check = [&](const language::Value& value) {
    const fs::path file = language::find_file(value.text(), {folder_of(value), folder});
    std::error_code failed;
    if (!fs::exists(file, failed)) {
      const std::string place = value.origin().text();
      missing.push_back(
          {place,
           fmt::format("`{}`: `{}`: file not found", language::path_at(tree, place), value.text()),
           files::nearest_file(file),
           {},
           {}});
    }
    return value;
  };
  const auto check_path = [&](const language::Value& value) {
    return value.text().ends_with(".yaml") ? check(value) : value;
  };
  const Changes checks{check, check_path};
  language::Value copy = tree;
  change_others(copy, data_dir, checks);
  language::Value* workload = copy.find("workload");
  if (workload == nullptr || !workload->is_map()) return missing;
  folder = folder_of(*workload);
  change_workload(*workload, checks);
  return missing;
}

void write_out_files(language::Value& tree, const fs::path& data_dir) {
  if (language::Value* workload = tree.find("workload")) {
    const fs::path folder = folder_of(*workload);
    change_workload(*workload, all_by([&](const language::Value& value) {
      return whole(with_text(value, language::find_file(value.text(), {folder_of(value), folder})));
    }));
  }
  if (language::Value* cluster = tree.find("cluster")) write_out_base(*cluster, data_dir);
  find_files(tree, data_dir);
  change_others(tree, data_dir, all_by(whole));
  if (language::Value* learner = tree.find("learner")) change_data(*learner, all_by(whole));
}

}  // namespace sim::scenario
