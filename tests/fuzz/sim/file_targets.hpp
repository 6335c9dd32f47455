// Fuzz targets of the files that a scenario, a fit or a learner names, beside those of targets.hpp.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "learning/datasets/readers.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/transformer.hpp"
#include "sim/fit/nccl_measured.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/inputs/model_config.hpp"
#include "sim/inputs/stack_file.hpp"
#include "sim/inputs/transport_file.hpp"
#include "sim/scenario/step_figures.hpp"
#include "sim/scenario/trace_files.hpp"
#include "tests/fuzz/sim/written_input.hpp"
#include "tests/source_tree.hpp"

namespace fuzz {

/// Whether a figure may be a time or a rate.
inline bool is_positive(double value) { return std::isfinite(value) && value > 0; }

inline std::string data_folder() { return tests::source_dir() + "/scenarios"; }

inline sim::language::Value path_value(const std::filesystem::path& path) {
  return sim::language::Value::scalar(path.string(), sim::language::Origin());
}

/// A `config.json` is refused, or describes a model whose widths are at least 1.
inline void model_config(std::string_view text) {
  const auto read = sim::inputs::read_model_config(WrittenInput::put("config.json", text), 512);
  if (is_refused(read)) return;
  demand(read->model.layers >= 1 && read->model.hidden >= 1 && read->model.heads >= 1 &&
         read->model.vocabulary >= 1);
}

inline void kernel_costs(std::string_view text) {
  const auto read = sim::inputs::read_kernel_costs(WrittenInput::put("kernels.yaml", text));
  if (is_refused(read)) return;
  demand(!read->rows.empty());
  for (const auto& row : read->rows) {
    const auto time = row.cost.time(1e6, 0.01);
    demand(std::isfinite(time.count) && time.count >= 0);
  }
}

inline void collective_times(std::string_view text) {
  const auto read = sim::inputs::read_collective_times(WrittenInput::put("times.yaml", text));
  if (is_refused(read)) return;
  for (const auto& row : *read) demand(row.ranks >= 2 && row.smallest <= row.largest);
}

inline void nccl_measured(std::string_view text) {
  const auto read = sim::fit::read_nccl_measured(WrittenInput::put("measured.yaml", text));
  if (is_refused(read)) return;
  demand(read->ranks.value_or(2) >= 2);
  for (const auto& point : read->points)
    demand(is_positive(point.size.count) && is_positive(point.time.count));
}

inline void step_figures(std::string_view text) {
  const auto read = sim::scenario::read_step_figures(WrittenInput::put("steps.yaml", text), data_folder());
  if (is_refused(read)) return;
  demand(!read->measured.empty());
  for (const auto& figure : read->measured) demand(is_positive(figure.time().count) && figure.within > 0);
}

inline void link_trace(std::string_view text) {
  const auto read = sim::scenario::read_trace(WrittenInput::put("trace.csv", text));
  if (is_refused(read)) return;
  double before = -1;
  for (const auto& point : *read) {
    demand(point.at.count > before && (point.bandwidth || point.latency));
    before = point.at.count;
    if (point.bandwidth) demand(is_positive(point.bandwidth->count));
  }
}

inline void profile_table(std::string_view text) {
  const auto read = sim::inputs::read_profile_table(WrittenInput::put("profiles.csv", text));
  if (is_refused(read)) return;
  for (const auto& row : *read) demand(row.step || row.time);
}

/// A transport is refused, or what it delivers is a share of the line rate.
inline void transport(std::string_view text) {
  const auto path = WrittenInput::put("transport.yaml", text);
  const auto read = sim::inputs::load_transport(path_value(path), data_folder());
  if (is_refused(read)) return;
  for (const auto& row : read->goodput)
    demand(row.shares.low > 0 && row.shares.low <= row.shares.mid && row.shares.mid <= row.shares.high);
}

inline void stack(std::string_view text) {
  const auto path = WrittenInput::put("stack.yaml", text);
  const auto read = sim::inputs::read_stack(path_value(path), data_folder());
  if (!is_refused(read)) demand(!read->name.empty());
}

/// A data set is refused, or every label is below its number of classes.
inline void check_dataset(const netmodels::Result<learning::datasets::Dataset>& read) {
  if (is_refused(read)) return;
  demand(read->classes >= 2 && read->train.count() > 0 && read->test.count() > 0);
  for (const auto* samples : {&read->train, &read->test})
    for (std::size_t i = 0; i < samples->count(); ++i) demand(samples->label(i) < read->classes);
}

inline void text_dataset(std::string_view text) {
  check_dataset(learning::datasets::load_text(WrittenInput::put("text.txt", text), 8));
}

inline void csv_dataset(std::string_view text) {
  check_dataset(learning::datasets::load_csv({.path = WrittenInput::put("table.data", text).string()}));
}

}  // namespace fuzz
