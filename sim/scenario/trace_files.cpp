// Reads series over time from CSV files: bandwidth and latency, and the rates of streams.
#include "sim/scenario/trace_files.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "files/input_file.hpp"
#include "sim/language/table_file.hpp"
#include "sim/language/text_file.hpp"

namespace sim::scenario {

// Bandwidth and latency over time, from a CSV file.

namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::string_view link_time_column = "time_s";
constexpr std::string_view bandwidth_column = "bandwidth_bit_per_s";
constexpr std::string_view latency_column = "latency_s";
constexpr std::size_t most_trace_bytes = 8'000'000;

/// The first line that is not a comment.
std::string_view header_of(std::string_view text) {
  while (text.starts_with('#')) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// The columns to expect: the existing ones, or all where there is only time.
std::vector<std::string_view> columns_in(std::string_view header) {
  std::vector<std::string_view> columns{link_time_column};
  for (const std::string_view column : {bandwidth_column, latency_column}) {
    if (header.find(column) != std::string_view::npos) columns.push_back(column);
  }
  if (columns.size() == 1) return {link_time_column, bandwidth_column, latency_column};
  return columns;
}

Result<LinkTrace::Point> read_point(const language::TableFile& table, std::size_t row,
                                    const std::vector<std::string_view>& columns) {
  LinkTrace::Point point;
  for (const std::string_view column : columns) {
    GRADSIM_TRY(number, table.number(row, column));
    if (column == link_time_column) point.at = netmodels::Seconds{*number};
    if (column == latency_column) point.latency = netmodels::Seconds{*number};
    if (column != bandwidth_column) continue;
    if (*number <= 0) {
      return refuse(table.where(row, column),
                    "column `bandwidth_bit_per_s` is 0, so no data would ever arrive",
                    "a number above 0; let a link fail by `failures`");
    }
    constexpr double bits_per_byte = 8;
    point.bandwidth = netmodels::Bandwidth{*number / bits_per_byte};
  }
  return point;
}

}  // namespace

Result<std::vector<LinkTrace::Point>> read_trace(const std::filesystem::path& path) {
  GRADSIM_TRY(text, files::read_text(path, {most_trace_bytes}));
  const std::vector<std::string_view> columns = columns_in(header_of(*text));
  GRADSIM_TRY(table, language::TableFile::read(path, columns));
  std::vector<LinkTrace::Point> points;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    GRADSIM_TRY(point, read_point(*table, row, columns));
    if (!points.empty() && point->at <= points.back().at) {
      return refuse(table->where(row, link_time_column),
                    "time `" + table->text(row, link_time_column) + "` does not increase",
                    "write increasing times");
    }
    points.push_back(*point);
  }
  return points;
}

// Reading rows, each a change of one stream.

namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::string_view stream_time_column = "time_s";
constexpr std::string_view worker_column = "worker";
constexpr std::string_view rate_column = "rate_samples_per_s";

Result<StreamRateChange> read_change(const language::TableFile& table, std::size_t row, int workers) {
  GRADSIM_TRY(time, table.number(row, stream_time_column));
  GRADSIM_TRY(worker, table.count(row, worker_column));
  GRADSIM_TRY(rate, table.number(row, rate_column));
  if (*worker >= workers) {
    return refuse(table.where(row, worker_column), fmt::format("unknown worker {}", *worker),
                  fmt::format("accepted: 0 to {}", workers - 1));
  }
  if (*rate <= 0) {
    return refuse(table.where(row, rate_column),
                  "column `rate_samples_per_s` is 0, so a batch might never arrive", "a number above 0");
  }
  return StreamRateChange{{*time}, {static_cast<int>(*worker)}, {}, *rate};
}

}  // namespace

Result<std::vector<StreamRateChange>> read_stream_trace(const std::filesystem::path& path, int workers) {
  GRADSIM_TRY(table,
              language::TableFile::read(path, std::array{stream_time_column, worker_column, rate_column}));
  std::vector<StreamRateChange> changes;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    GRADSIM_TRY(change, read_change(*table, row, workers));
    if (!changes.empty() && change->at < changes.back().at) {
      return refuse(
          table->where(row, stream_time_column),
          "time `" + table->text(row, stream_time_column) + "` is earlier than that of the row above it",
          "write rows in order of time");
    }
    changes.push_back(*change);
  }
  return changes;
}

}  // namespace sim::scenario
