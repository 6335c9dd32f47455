// Fuzz targets of what a scenario is made of: its text, files that it names, databases of sweeps, platform
// files.
#pragma once

#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "learning/learners/convergence_model.hpp"
#include "learning/learners/record_file.hpp"
#include "sim/engine/platform.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/device_file.hpp"
#include "sim/scenario/input_files.hpp"
#include "sim/scenario/study.hpp"
#include "sim/sweep/sweep_store.hpp"
#include "tests/fuzz/demand.hpp"
#include "tests/source_tree.hpp"

namespace fuzz {

/// A file of this process with these bytes; the folder goes with the process.
class WrittenInput {
 public:
  /// @param name  of the file, by whose ending readers may tell what it is
  static std::filesystem::path put(const char* name, std::string_view bytes) {
    static const WrittenInput kept;
    std::filesystem::path path = kept.folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  ~WrittenInput() {
    if (getpid() == owner_) std::filesystem::remove_all(folder_);  // and not in a child of it
  }
  WrittenInput(const WrittenInput&) = delete;
  WrittenInput& operator=(const WrittenInput&) = delete;

 private:
  WrittenInput() : folder_(memory_folder() / ("gradsim_fuzz." + std::to_string(getpid()))), owner_(getpid()) {
    std::filesystem::create_directories(folder_);
  }
  /// Where files cost no disk.
  static std::filesystem::path memory_folder() {
    return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
  }
  std::filesystem::path folder_;
  pid_t owner_;
};

/// Whether a result was refused, which needs a reason.
template <typename T>
bool is_refused(const netmodels::Result<T>& result) {
  if (!result) demand(!result.error().what.empty());
  return !result;
}

/// A scenario is refused, or its resolved text is read as the same study again.
inline void scenario(std::string_view text) {
  namespace scenario = sim::scenario;
  const std::filesystem::path data = tests::source_dir() + "/scenarios";
  const auto metrics = sim::report::expectable_metrics();
  const auto read = scenario::read_study(WrittenInput::put("case.yaml", text), {}, data, metrics);
  if (is_refused(read)) return;
  const std::string printed = scenario::print_study(*read);
  const auto again = scenario::read_study(WrittenInput::put("again.yaml", printed), {}, data, metrics);
  demand(again.has_value());
  demand(again->study.arms.size() == read->study.arms.size());
}

/// A record is refused, or printed and read as the same.
inline void record(std::string_view text) {
  namespace learners = learning::learners;
  const auto read = learners::parse_record(text, "record");
  if (is_refused(read)) return;
  const auto again = learners::parse_record(learners::print_record(*read), "again");
  demand(again && *again == *read);
}

/// A fitted convergence model is refused, or gives finite progress.
inline void law(std::string_view text) {
  namespace learners = learning::learners;
  const auto read = learners::parse_law(text, "law");
  if (is_refused(read)) return;
  for (const double progress : {0.0, 0.5, 1.0}) {
    demand(std::isfinite(learners::noise_scale(*read, progress)));
    const double step = learners::progress_of_step(*read, progress, 64, 1);
    demand(std::isfinite(step) && step >= 0);
  }
}

inline void layer_table(std::string_view text) {
  const auto layers = sim::scenario::read_layers(WrittenInput::put("layers.csv", text));
  if (is_refused(layers)) return;
  demand(!layers->empty());
  for (const netmodels::Layer& layer : *layers) demand(!layer.name.empty() && layer.parameters >= 0);
}

/// A device is refused, or its rates are above 0 and finite.
inline void device(std::string_view text) {
  namespace scenario = sim::scenario;
  const auto path = WrittenInput::put("device.yaml", text);
  const auto value = scenario::Value::scalar(path.string(), scenario::Origin());
  const auto read = scenario::load_device(value, tests::source_dir() + "/scenarios");
  if (is_refused(read)) return;
  demand(std::isfinite(read->peak.count) && read->peak.count > 0);
  demand(std::isfinite(read->memory_bandwidth.count) && read->memory_bandwidth.count > 0);
}

/// A database is refused, or read, or SQLite says in the middle what is wrong with it.
inline void sweep_database(std::string_view bytes) {
  const auto path = WrittenInput::put("sweep.db", bytes);
  std::filesystem::remove(path.string() + "-wal");
  std::filesystem::remove(path.string() + "-journal");
  try {
    const auto store = sim::sweep::SweepStore::open(path);
    if (is_refused(store)) return;
    demand(store->done().size() <= bytes.size());
    (void)store->is_sound();
    (void)store->table();
  } catch (const std::exception& error) {
    demand(*error.what() != '\0');
  }
}

/// SimGrid takes a platform file or refuses it, in a process of its own.
inline void platform(std::string_view bytes) {
  const auto path = WrittenInput::put("platform.xml", bytes);
  (void)is_refused(sim::engine::try_platform_file(path.string(), [] {
    return std::vector<std::string>{"a", "b"};
  }));
}

/// A target by its name.
struct Target {
  std::string_view name;
  void (*run)(std::string_view);
};

inline constexpr std::array targets_of_sim{
    Target{"scenario", scenario},       Target{"record", record}, Target{"law", law},
    Target{"layer_table", layer_table}, Target{"device", device}, Target{"sweep_database", sweep_database},
    Target{"platform", platform}};

}  // namespace fuzz
