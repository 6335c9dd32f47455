// Fuzz targets of what a scenario is made of: its text, files that it names, databases of sweeps, platform
// files.
#pragma once

#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "learning/learners/convergence_model.hpp"
#include "learning/learners/record_file.hpp"
#include "sim/engine/simgrid.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/study.hpp"
#include "sim/sweep/sweep_store.hpp"
#include "tests/fuzz/demand.hpp"
#include "tests/fuzz/sim/file_targets.hpp"
#include "tests/fuzz/sim/written_input.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/source_tree.hpp"

namespace fuzz {

/// A scenario is refused, or its resolved text is read as the same study again.
inline void scenario(std::string_view text) {
  const std::filesystem::path data = tests::source_dir() + "/scenarios";
  const auto metrics = sim::report::expectable_metrics();
  const auto read = sim::scenario::read_study(WrittenInput::put("case.yaml", text), {}, data, metrics);
  if (is_refused(read)) return;
  const std::string printed = sim::scenario::print_study(*read);
  const auto again = sim::scenario::read_study(WrittenInput::put("again.yaml", printed), {}, data, metrics);
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
  const auto layers = sim::inputs::read_layers(WrittenInput::put("layers.csv", text));
  if (is_refused(layers)) return;
  demand(!layers->empty());
  for (const netmodels::Layer& layer : *layers) demand(!layer.name.empty() && layer.parameters >= 0);
}

/// A device is refused, or its rates are above 0 and finite.
inline void device(std::string_view text) {
  const auto path = WrittenInput::put("device.yaml", text);
  const auto value = sim::language::Value::scalar(path.string(), sim::language::Origin());
  const auto read = sim::inputs::load_device(value, tests::source_dir() + "/scenarios");
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
  (void)is_refused(sim::engine::simgrid_module().try_file(path.string(), [](const std::vector<std::string>&) {
    return std::vector<std::string>{"a", "b"};
  }));
}

inline constexpr std::array targets_of_sim{Target{"scenario", scenario},
                                           Target{"record", record},
                                           Target{"law", law},
                                           Target{"layer_table", layer_table},
                                           Target{"device", device},
                                           Target{"sweep_database", sweep_database},
                                           Target{"platform", platform},
                                           Target{"model_config", model_config},
                                           Target{"kernel_costs", kernel_costs},
                                           Target{"collective_times", collective_times},
                                           Target{"nccl_measured", nccl_measured},
                                           Target{"step_figures", step_figures},
                                           Target{"link_trace", link_trace},
                                           Target{"profile_table", profile_table},
                                           Target{"transport", transport},
                                           Target{"stack", stack},
                                           Target{"text_dataset", text_dataset},
                                           Target{"csv_dataset", csv_dataset}};

}  // namespace fuzz
