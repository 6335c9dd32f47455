// vTrain's look-up tables of all-reduces, and its measured iterations of Megatron-DeepSpeed.
#include "calibrate/imports/vtrain.hpp"

#include <array>

#include <fmt/format.h>

#include "files/csv_rows.hpp"
#include "files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::array<std::string_view, 2> table_columns = {"size(B)", "time(ns)"};
constexpr std::array<std::string_view, 10> iteration_columns = {
    "global batch",       "micro batch",      "hidden size",
    "attention heads",    "# layers",         "sequence length",
    "tensor parallelism", "data parallelism", "pipeline parallelism",
    "iteration time (ms)"};
constexpr std::size_t first_way = 6;  // tensor, data and pipeline parallelism

/// The number after `GPU` in the file's name.
Result<int> ranks_in(const std::string& source) {
  const std::string name = files::file_name(source);
  const std::size_t mark = name.find("GPU");
  const std::string digits =
      mark == std::string::npos ? "" : name.substr(mark + 3, name.find('_', mark) - mark - 3);
  const auto ranks = files::read_integer(digits);
  if (ranks && *ranks >= 2 && *ranks <= 1'000'000) return static_cast<int>(*ranks);
  return refuse(source, "the file name does not state the number of ranks",
                "name it as in AR_GPU4_1M_1024M_LUT");
}

/// Refuses a second header, which reads like a comment: another file follows.
Result<void> refuse_second_header(std::string_view text, std::string_view mark, std::string_view source) {
  const std::vector<std::string_view> lines = files::lines_of(text);
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (lines[i].starts_with(mark) && lines[i].substr(mark.size()) == lines.front())
      return refuse(files::place(source, static_cast<int>(i) + 1, 1), "the header is repeated",
                    "give each file by itself");
  return {};
}

}  // namespace

bool is_vtrain_table(std::string_view text) { return text.starts_with(table_columns.front()); }

Result<measurements::Measurements> import_vtrain_table(std::string_view text, const std::string& source) {
  GRADSIM_TRY(ranks, ranks_in(source));
  GRADSIM_TRY(rows, files::read_csv_rows(text, table_columns, source));
  measurements::Measurements measured;
  measured.operation = *measurements::find_operation("all_reduce");
  measured.ranks = *ranks;
  measured.nodes = 1;
  measured.facts.source = files::file_name(source);
  for (const files::CsvRow& row : *rows) {
    GRADSIM_TRY(size, files::number_in(row, 0, 1, source));
    GRADSIM_TRY(time, files::number_in(row, 1, 1, source));
    measured.points.push_back({{*size}, {*time / 1e9}});
  }
  if (const auto checked = check(measured); !checked)
    return refuse(source, checked.error().what, checked.error().hint);
  return measured;
}

Result<std::vector<VtrainIteration>> read_vtrain_iterations(std::string_view text, std::string_view source) {
  constexpr std::string_view mark = "# ";  // the header begins like a comment
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  if (auto once = refuse_second_header(text, mark, source); !once) return tl::unexpected(once.error());
  GRADSIM_TRY(rows, files::read_csv_rows(text, iteration_columns, source));
  std::vector<VtrainIteration> iterations;
  for (const files::CsvRow& row : *rows) {
    std::array<double, iteration_columns.size()> n{};
    for (std::size_t i = 0; i < n.size(); ++i) {
      GRADSIM_TRY(number, files::number_in(row, i, i + 1 < n.size() ? 1 : 1e-6, source));
      n[i] = *number;
    }
    std::array<int, 3> ways{};
    for (std::size_t i = 0; i < ways.size(); ++i) {
      GRADSIM_TRY(count, files::count_in(row, first_way + i, source));
      ways[i] = *count;
    }
    iterations.push_back({n[0], n[1], n[2], n[3], n[4], n[5], ways[0], ways[1], ways[2], {n[9] / 1e3}});
  }
  return iterations;
}

}  // namespace calibrate::imports
