// Reads a scenario file into the study that the engine plays.
#include "sim/scenario/study.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sim/scenario/arms.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/checks_batching.hpp"
#include "sim/scenario/checks_exchange.hpp"
#include "sim/scenario/checks_learner.hpp"
#include "sim/scenario/checks_measured.hpp"
#include "sim/scenario/collective_times_file.hpp"
#include "sim/scenario/defaults.hpp"
#include "sim/scenario/device_file.hpp"
#include "sim/scenario/expectations.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/file_keys.hpp"
#include "sim/scenario/kernel_times_file.hpp"
#include "sim/scenario/overlay.hpp"
#include "sim/scenario/place.hpp"
#include "sim/scenario/planning_file.hpp"
#include "sim/scenario/print.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/stream_trace_file.hpp"
#include "sim/scenario/trace_file.hpp"
#include "sim/scenario/workload_file.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;
using netmodels::Error;
using netmodels::Result;

/// The whole file with its bases, its cluster and what `--set` said.
Result<Document> resolve(const fs::path& file, std::span<const std::string> texts, const fs::path& data_dir) {
  auto document = read_with_bases(file, data_dir);
  if (!document) return document;
  const auto settings = read_settings(texts);
  if (!settings) return tl::unexpected(settings.error());
  if (auto known = check_settings(*settings, document->root); !known) return tl::unexpected(known.error());
  auto laid = lay_over(std::move(document->root), *settings, data_dir);
  if (!laid) return tl::unexpected(laid.error());
  Value root = settle_overrides(std::move(*laid), *settings);
  if (Value* cluster = root.find("cluster")) {
    auto expanded = expand_cluster(*cluster, data_dir);
    if (!expanded) return tl::unexpected(expanded.error());
    *cluster = std::move(*expanded);
  }
  return Document{std::move(root), std::move(document->question)};
}

/// Reads arms one after the other; workloads, which many arms share, are read once each.
class ArmReader {
 public:
  explicit ArmReader(fs::path data_dir) : data_dir_(std::move(data_dir)) {}

  /// @param tree  of the arm as it was laid; becomes the tree as it was read
  Result<Scenario> read(const std::string& name, Value& tree) {
    if (Value* cluster = tree.find("cluster")) {
      auto expanded = expand_cluster(*cluster, data_dir_);
      if (!expanded) return tl::unexpected(expanded.error());
      *cluster = std::move(*expanded);
    }
    find_files(tree, data_dir_);
    Scenario scenario;
    scenario.name = name;
    if (auto done = fill(scenario, tree); !done) return tl::unexpected(done.error());
    for (std::string& doubt : doubts(scenario, tree)) doubts_.insert(std::move(doubt));
    for (std::string& doubt : learner_doubts(scenario, tree)) doubts_.insert(std::move(doubt));
    for (std::string& doubt : measured_doubts(scenario, tree)) doubts_.insert(std::move(doubt));
    return scenario;
  }

  [[nodiscard]] std::vector<std::string> take_doubts() const { return {doubts_.begin(), doubts_.end()}; }

 private:
  Result<void> fill(Scenario& scenario, const Value& tree) {
    Reader reader(tree, "");
    describe(reader, scenario);
    if (auto finished = reader.finish(); !finished) return finished;
    if (auto loaded = load(*tree.find("workload"), scenario.workload); !loaded) return loaded;
    if (auto found = find_device(scenario); !found) return found;
    if (auto checked = check_cluster(scenario.cluster, tree); !checked) return checked;
    if (auto checked = check_measured(scenario.cluster, tree); !checked) return checked;
    if (auto checked = check_training(scenario, tree); !checked) return checked;
    if (auto checked = check_exchange(scenario, tree); !checked) return checked;
    if (auto checked = check_learner(scenario, tree); !checked) return checked;
    if (auto checked = check_batching(scenario, tree); !checked) return checked;
    settle_training(scenario, tree);
    settle_batching(scenario);
    settle_learner(scenario, tree);
    if (auto loaded = load_stream_trace(scenario, tree); !loaded) return loaded;
    if (auto loaded = load_measured_times(scenario, tree); !loaded) return loaded;
    return load_traces(scenario.cluster, tree);
  }

  /// A run that is given by its steps alone is one epoch.
  static void settle_training(Scenario& scenario, const Value& tree) {
    Training& training = scenario.training;
    if (find_path(tree, "training.samples") || known_samples(scenario.learner)) return;
    double step = 0;
    for (int worker = 0; worker < scenario.cluster.workers; ++worker)
      step += batch_of(training, static_cast<std::uint32_t>(worker));
    training.samples = static_cast<std::int64_t>(step * static_cast<double>(*training.steps));
    training.epochs = 1;
  }

  Result<void> load(const Value& value, netmodels::Workload& workload) {
    const std::string key = value.is_scalar() ? value.text() : value.origin().text();
    auto known = workloads_.find(key);
    if (known == workloads_.end() || !value.is_scalar()) {
      auto loaded = load_workload(value, data_dir_);
      if (!loaded) return tl::unexpected(loaded.error());
      known = workloads_.insert_or_assign(key, std::move(*loaded)).first;
    }
    workload = known->second;
    return {};
  }

  /// The workload's device sets the floor of compression times, where a file describes it.
  Result<void> find_device(Scenario& scenario) {
    const std::string& name = scenario.workload.device;
    if (!devices_.contains(name)) {
      std::optional<netmodels::Device>& device = devices_[name];
      const std::vector<std::string> known = list_devices(data_dir_);
      if (std::ranges::find(known, name) != known.end()) {
        auto loaded = load_device(Value::scalar(name, Origin("workload")), data_dir_);
        if (!loaded) return tl::unexpected(loaded.error());
        device = std::move(*loaded);
      }
    }
    scenario.device = devices_[name];
    return {};
  }

  static Result<void> load_stream_trace(Scenario& scenario, const Value& tree) {
    if (!scenario.streams || scenario.streams->trace.empty()) return {};
    Streams& streams = *scenario.streams;
    std::vector<StreamRateChange> changes;
    auto kept = keep(read_stream_trace(streams.trace, scenario.cluster.workers), streams.trace, changes, tree,
                     "streams.trace");
    if (!kept) return kept;
    std::ranges::move(changes, std::back_inserter(streams.changes));
    std::ranges::stable_sort(streams.changes, {}, &StreamRateChange::at);
    return {};
  }

  /// @param key  that names the file, for the refusal of a file as a whole
  template <class T>
  static Result<void> keep(Result<T> read, const std::string& file, T& target, const Value& tree,
                           const std::string& key) {
    if (!read && read.error().where == file)
      return refuse_at(tree, key, "`" + file + "`: " + read.error().what, read.error().mend);
    if (!read) return tl::unexpected(read.error());
    target = std::move(*read);
    return {};
  }

  static Result<void> load_measured_times(Scenario& scenario, const Value& tree) {
    Cluster& cluster = scenario.cluster;
    if (const std::string& file = cluster.collective_times; !file.empty()) {
      auto kept = keep(read_collective_times(file), file, cluster.measured, tree, "cluster.collective_times");
      if (!kept) return kept;
    }
    const std::string& file = scenario.compression.kernel_times;
    if (file.empty()) return {};
    KernelCosts costs;
    if (auto kept = keep(read_kernel_costs(file), file, costs, tree, "compression.kernel_times"); !kept)
      return kept;
    scenario.compression.kernel_device = std::move(costs.device);
    scenario.compression.kernels = std::move(costs.rows);
    return {};
  }

  static Result<void> load_traces(Cluster& cluster, const Value& tree) {
    for (std::size_t i = 0; i < cluster.traces.size(); ++i) {
      LinkTrace& trace = cluster.traces[i];
      const std::string key = item("cluster.traces", i);
      if (auto kept = keep(read_trace(trace.file), trace.file, trace.points, tree, key + ".file"); !kept)
        return kept;
      if (trace.period && trace.points.back().at >= *trace.period) {
        return refuse_at(tree, key + ".period", "the trace is longer than its period",
                         "write a period above " + netmodels::print(trace.points.back().at));
      }
    }
    return {};
  }

  fs::path data_dir_;
  std::map<std::string, netmodels::Workload> workloads_;
  std::map<std::string, std::optional<netmodels::Device>>
      devices_;  ///< by name; nothing where no file has it
  std::set<std::string> doubts_;
};

Error in_arm(Error error, const std::string& arm) {
  if (arm != only_arm) error.what += " (in the arm `" + arm + "`)";
  return error;
}

/// The tree as it is printed: defaults written out, and what belongs to the study behind it.
Value resolved_tree(const Value& root, const fs::path& data_dir) {
  Value scenario = root;
  for (const std::string_view key : study_keys) scenario.erase(key);
  write_out_files(scenario, data_dir);
  Value tree = with_defaults<Scenario>(scenario);
  for (const std::string_view key : study_keys) {
    if (const Value* value = root.find(key)) tree.set(key, *value);
  }
  if (Value* planning = tree.find("planning")) *planning = resolved_planning(*planning, data_dir);
  if (Value* compare = tree.find("compare")) {
    for (Member& arm : compare->members()) write_out_files(arm.value, data_dir);
  }
  if (Value* axes = tree.find("axes")) {
    for (Member& axis : axes->members()) {
      for (Member& value : axis.value.members()) write_out_files(value.value, data_dir);
    }
  }
  return tree;
}

/// Where the times of a workload come from, as a comment.
std::string workload_line(const netmodels::Workload& workload) {
  std::string line =
      fmt::format("# workload {}: {} layers, {} parameters; times: {}", workload.name, workload.layers.size(),
                  workload.parameters(), netmodels::to_string(workload.origin));
  if (!workload.device.empty()) line += ", " + workload.device;
  if (!workload.provenance.empty()) line += " (" + workload.provenance + ")";
  std::ranges::replace(line, '\n', ' ');
  return line + "\n";
}

}  // namespace

Result<Reading> read_study(const fs::path& file, std::span<const std::string> settings,
                           const fs::path& data_dir) {
  const auto document = resolve(file, settings, data_dir);
  if (!document) return tl::unexpected(document.error());
  auto arms = spread_arms(document->root, data_dir);
  if (!arms) return tl::unexpected(arms.error());
  Reading reading;
  reading.study.question = document->question;
  reading.study.axes = arms->axes;
  ArmReader reader(data_dir);
  for (ArmTree& arm : arms->arms) {
    auto scenario = reader.read(arm.name, arm.tree);
    if (!scenario) return tl::unexpected(in_arm(std::move(scenario.error()), arm.name));
    reading.study.arms.push_back(std::move(*scenario));
    reading.arms.push_back(std::move(arm.tree));
  }
  reading.study.warnings = reader.take_doubts();
  if (document->question.empty()) {
    reading.study.warnings.insert(reading.study.warnings.begin(),
                                  file.string() + ":1:1: line 1 asks no question; write it as a comment");
  }
  if (const Value* expect = document->root.find("expect")) {
    if (auto done = read_expectations(*expect, reading.study); !done) return tl::unexpected(done.error());
  }
  reading.resolved = resolved_tree(document->root, data_dir);
  return reading;
}

std::string print_study(const Reading& reading) {
  std::string head = reading.study.question.empty() ? "" : "# " + reading.study.question + "\n";
  std::set<std::string> told;
  for (const Scenario& arm : reading.study.arms) {
    const std::string line = workload_line(arm.workload);
    if (told.insert(line).second) head += line;
  }
  return head + print_tree(reading.resolved);
}

}  // namespace sim::scenario
