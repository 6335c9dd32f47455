// Reads and checks measured figures.
#include <algorithm>
#include <array>

#include "sim/inputs/input_files.hpp"
#include "sim/language/table_file.hpp"

namespace sim::inputs {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::array<std::string_view, 9> profile_columns{"job",    "workers", "batch",  "epochs",  "noise",
                                                          "step_s", "sync_s",  "time_h", "cost_usd"};

Result<std::optional<double>> read_figure(const language::TableFile& table, std::size_t row,
                                          std::string_view column) {
  if (table.text(row, column).empty()) return std::nullopt;
  GRADSIM_TRY(figure, table.number(row, column));
  if (*figure > 0) return *figure;
  return refuse(table.where(row, column), "column `" + std::string(column) + "` is 0",
                "write a number above 0, or leave the cell empty where it was not measured");
}

Result<int> read_size(const language::TableFile& table, std::size_t row, std::string_view column) {
  constexpr std::int64_t most = 1'000'000'000;
  GRADSIM_TRY(size, table.count(row, column));
  if (*size >= 1 && *size <= most) return static_cast<int>(*size);
  return refuse(table.where(row, column), "column `" + std::string(column) + "` is " + std::to_string(*size),
                "1 to 1000000000");
}

template <class Q>
std::optional<Q> scaled(const std::optional<double>& figure, double factor = 1) {
  return figure ? std::optional(Q{*figure * factor}) : std::nullopt;
}

Result<void> check(const language::TableFile& table, std::size_t row, const ProfileRow& read) {
  if (!read.step && !read.time) {
    return refuse(table.where(row, "step_s"), "neither `step_s` nor `time_h` is given",
                  "at least one of them");
  }
  if (!read.step && !read.epochs)
    return refuse(table.where(row, "epochs"), "step time cannot be derived from `time_h` without `epochs`",
                  "give `epochs` or `step_s`");
  if (read.sync && (!read.step || *read.sync >= *read.step))
    return refuse(table.where(row, "sync_s"), "`sync_s` is not below `step_s`", "less than `step_s`");
  if (read.noise && *read.noise > 1)
    return refuse(table.where(row, "noise"), "column `noise` is above 1", "gamma / K, at most 1");
  return {};
}

Result<ProfileRow> read_row(const language::TableFile& table, std::size_t row) {
  GRADSIM_TRY(workers, read_size(table, row, "workers"));
  GRADSIM_TRY(batch, read_size(table, row, "batch"));
  std::array<std::optional<double>, 6> figures;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    GRADSIM_TRY(figure, read_figure(table, row, profile_columns[i + 3]));
    figures[i] = *figure;
  }
  ProfileRow read{.job = table.text(row, "job"),
                  .configuration = {*workers, *batch},
                  .epochs = figures[0],
                  .noise = figures[1],
                  .step = scaled<netmodels::Seconds>(figures[2]),
                  .sync = scaled<netmodels::Seconds>(figures[3]),
                  .time = scaled<netmodels::Seconds>(figures[4], netmodels::seconds_per_hour),
                  .cost = scaled<netmodels::Dollars>(figures[5]),
                  .where = table.where(row, "job")};
  if (auto checked = check(table, row, read); !checked) return tl::unexpected(checked.error());
  return read;
}

}  // namespace

Result<std::vector<ProfileRow>> read_profile_table(const std::filesystem::path& path) {
  GRADSIM_TRY(table, language::TableFile::read(path, profile_columns));
  std::vector<ProfileRow> rows;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    GRADSIM_TRY(read, read_row(*table, row));
    const bool twice = std::ranges::any_of(rows, [&](const ProfileRow& earlier) {
      return earlier.job == read->job && earlier.configuration == read->configuration;
    });
    if (twice) return refuse(read->where, "duplicate configuration of `" + read->job + "`");
    rows.push_back(std::move(*read));
  }
  return rows;
}

}  // namespace sim::inputs
