// Reading rows, each a change of one stream.
#include "sim/scenario/stream_trace_file.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "sim/scenario/table_file.hpp"

namespace sim::scenario {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::string_view stream_time_column = "time_s";
constexpr std::string_view worker_column = "worker";
constexpr std::string_view rate_column = "rate_samples_per_s";

Result<StreamRateChange> read_change(const TableFile& table, std::size_t row, int workers) {
  GRADSIM_TRY(time, table.number(row, stream_time_column));
  GRADSIM_TRY(worker, table.count(row, worker_column));
  GRADSIM_TRY(rate, table.number(row, rate_column));
  if (*worker >= workers) {
    return refuse(table.where(row, worker_column), fmt::format("there is no worker {}", *worker),
                  fmt::format("accepted: 0 to {}", workers - 1));
  }
  if (*rate <= 0) {
    return refuse(table.where(row, rate_column),
                  "column `rate_samples_per_s` is 0, and a batch might be waited for without end",
                  "a number above 0");
  }
  return StreamRateChange{{*time}, {static_cast<int>(*worker)}, {}, *rate};
}

}  // namespace

Result<std::vector<StreamRateChange>> read_stream_trace(const std::filesystem::path& path, int workers) {
  GRADSIM_TRY(table, TableFile::read(path, std::array{stream_time_column, worker_column, rate_column}));
  std::vector<StreamRateChange> changes;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    GRADSIM_TRY(change, read_change(*table, row, workers));
    if (!changes.empty() && change->at < changes.back().at) {
      return refuse(
          table->where(row, stream_time_column),
          "time `" + table->text(row, stream_time_column) + "` comes before that of the row above it",
          "rows in order of time");
    }
    changes.push_back(*change);
  }
  return changes;
}

}  // namespace sim::scenario
