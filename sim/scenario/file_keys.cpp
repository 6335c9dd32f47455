// The keys of a scenario that name files: their paths, and the places of the files.
#include "sim/scenario/file_keys.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/language/text_file.hpp"
#include "sim/scenario/compression.hpp"
#include "sim/scenario/overlay.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;

/// The new value of a key that names a file.
using Change = std::function<language::Value(const language::Value&)>;

language::Value with_text(const language::Value& value, const fs::path& path) {
  return language::Value::scalar(path.string(), value.origin(), value.quoted());
}

language::Value whole(const language::Value& value) {
  return with_text(value, fs::absolute(value.text()).lexically_normal());
}

void change(language::Value* value, const Change& changed) {
  if (value != nullptr && value->is_scalar() && !value->text().empty()) *value = changed(*value);
}

/// A name of something shipped stays.
void change_path(language::Value* value, const Change& changed) {
  if (value != nullptr && value->is_scalar() && language::is_path(value->text())) change(value, changed);
}

void change_cluster(language::Value& cluster, const Change& changed) {
  if (language::Value* topology = cluster.find("topology")) change(topology->find("file"), changed);
  change(cluster.find("collective_times"), changed);
  change_path(cluster.find("device"), changed);
  for (const std::string_view key : {"fabric", "inner_fabric"}) {
    if (language::Value* fabric = cluster.find(key)) change_path(fabric->find("transport"), changed);
  }
  language::Value* traces = cluster.find("traces");
  if (traces == nullptr || !traces->is_list()) return;
  std::vector<language::Value> items = traces->items();
  for (language::Value& trace : items) change(trace.find("file"), changed);
  *traces = language::Value::list(std::move(items), traces->origin());
}

/// A shipped learner goes by its name.
bool is_shipped_learner(const language::Value& file, const fs::path& data_dir) {
  std::error_code failed;
  return !language::is_path(file.text()) &&
         fs::exists(data_dir / "learners" / (file.text() + ".csv"), failed);
}

void change_learner(language::Value& learner, const Change& changed, const fs::path& data_dir) {
  language::Value* file = learner.find("file");
  if (file != nullptr && file->is_scalar() && !is_shipped_learner(*file, data_dir)) change(file, changed);
  language::Value* dataset = learner.find("dataset");
  if (dataset == nullptr) return;
  for (const std::string_view key : {"path", "test_path"}) change(dataset->find(key), changed);
}

void change_compression(language::Value& compression, const Change& changed) {
  language::Value* file = compression.find("kernel_times");
  if (file != nullptr && file->is_scalar() && file->text() == measure_word) return;
  change(file, changed);
}

void change_streams(language::Value& streams, const Change& changed) {
  change(streams.find("trace"), changed);
}

void change_workload(language::Value& workload, const Change& changed) {
  for (const std::string_view key : {"layers", "config", "graph"}) change(workload.find(key), changed);
  for (const std::string_view key : {"model", "device", "stack"}) change_path(workload.find(key), changed);
  language::Value* times = workload.find("times");
  if (times == nullptr) return;
  change(times->find("measured"), changed);
  for (const std::string_view device : {"device", "roofline"}) change_path(times->find(device), changed);
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
  change_path(tree.find("workload"), found);
  if (language::Value* cluster = tree.find("cluster")) change_cluster(*cluster, found);
  if (language::Value* streams = tree.find("streams")) change_streams(*streams, found);
  if (language::Value* compression = tree.find("compression")) change_compression(*compression, found);
  if (language::Value* learner = tree.find("learner")) change_learner(*learner, found, data_dir);
}

void write_out_files(language::Value& tree, const fs::path& data_dir) {
  if (language::Value* workload = tree.find("workload")) {
    const fs::path folder = folder_of(*workload);
    change_workload(*workload, [&](const language::Value& value) {
      return whole(with_text(value, language::find_file(value.text(), {folder_of(value), folder})));
    });
  }
  if (language::Value* cluster = tree.find("cluster")) write_out_base(*cluster, data_dir);
  find_files(tree, data_dir);
  change_path(tree.find("workload"), whole);
  if (language::Value* cluster = tree.find("cluster")) change_cluster(*cluster, whole);
  if (language::Value* streams = tree.find("streams")) change_streams(*streams, whole);
  if (language::Value* compression = tree.find("compression")) change_compression(*compression, whole);
  if (language::Value* learner = tree.find("learner")) change_learner(*learner, whole, data_dir);
}

}  // namespace sim::scenario
