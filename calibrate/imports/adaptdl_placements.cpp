// AdaptDL's step times per placement and local batch.
#include "calibrate/imports/adaptdl_placements.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "calibrate/files/csv_rows.hpp"
#include "calibrate/files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::Result;

constexpr double least_time = 1e-9;  // seconds
constexpr std::array<std::string_view, 4> counted_columns = {"num_nodes", "num_replicas", "local_bsz",
                                                             "step_time"};
constexpr std::array<std::string_view, 3> listed_columns = {"placement", "local_bsz", "step_time"};

Result<AdaptdlStep> read_counted(const files::CsvRow& row, std::string_view source) {
  GRADSIM_TRY(nodes, files::count_in(row, 0, source));
  GRADSIM_TRY(replicas, files::count_in(row, 1, source));
  GRADSIM_TRY(batch, files::number_in(row, 2, 1, source));
  GRADSIM_TRY(time, files::number_in(row, 3, least_time, source));
  const fits::Placement placement{*nodes, *replicas, *batch};
  return AdaptdlStep{fmt::format("{} x {}", placement.nodes, placement.replicas), {placement, {*time}}};
}

Result<AdaptdlStep> read_listed(const files::CsvRow& row, std::string_view source) {
  const std::string_view digits = row.cells[0];
  const bool is_list =
      !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '1' && c <= '9'; });
  if (!is_list)
    return netmodels::refuse(files::place_of(row, 0, source),
                             fmt::format("`{}` in column `{}` is no placement", digits, listed_columns[0]),
                             "a digit from 1 to 9 for the GPUs of each node");
  fits::Placement placement{static_cast<int>(digits.size()), 0, 1};
  for (const char digit : digits) placement.replicas += digit - '0';
  GRADSIM_TRY(batch, files::number_in(row, 1, 1, source));
  GRADSIM_TRY(time, files::number_in(row, 2, least_time, source));
  placement.local_batch = *batch;
  return AdaptdlStep{std::string(digits), {placement, {*time}}};
}

}  // namespace

Result<std::vector<AdaptdlStep>> read_adaptdl_placements(std::string_view text, std::string_view source) {
  const bool is_counted = text.starts_with(counted_columns.front());
  GRADSIM_TRY(rows, is_counted ? files::read_csv_rows(text, counted_columns, source)
                               : files::read_csv_rows(text, listed_columns, source));
  std::vector<AdaptdlStep> steps;
  for (const files::CsvRow& row : *rows) {
    GRADSIM_TRY(step, is_counted ? read_counted(row, source) : read_listed(row, source));
    steps.push_back(std::move(*step));
  }
  return steps;
}

}  // namespace calibrate::imports
