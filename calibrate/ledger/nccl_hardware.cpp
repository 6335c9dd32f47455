// Rules by which described hardware, with none or a few measured sizes, predicts NCCL's times.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "calibrate/ledger/nccl_tables.hpp"
#include "calibrate/ledger/rules.hpp"
#include "netmodels/nccl/time.hpp"

namespace calibrate::ledger {
namespace {

namespace nccl = netmodels::nccl;
using netmodels::refuse;
using netmodels::Result;

/// Predicts the points of a table that are not among `left_out`.
Result<void> predict_table(const NcclTable& table, std::optional<nccl::Measured> measured,
                           const std::vector<std::size_t>& left_out, std::vector<Prediction>& predictions) {
  nccl::Hardware hardware = table.machine->hardware;
  hardware.measured = std::move(measured);
  const auto model = nccl::Model::make(hardware, table.group);
  if (!model)
    return refuse(table.path, fmt::format("`{}`: {}", model.error().where, model.error().what),
                  model.error().hint);
  for (std::size_t i = 0; i < table.measured.points.size(); ++i) {
    if (std::ranges::find(left_out, i) != left_out.end()) continue;
    const measurements::MeasuredPoint& point = table.measured.points[i];
    const auto time = model->time(table.operation, point.size);
    if (!time) return refuse(table.path, time.error().what, time.error().hint);
    predictions.push_back({file_name(table.path), size_label(point.size), "s", point.size, point.time.count,
                           time->total().count});
  }
  return {};
}

/// Indices of `count` of n sorted sizes, spread evenly, the first and the last among them.
std::vector<std::size_t> spread_over(std::size_t n, std::size_t count) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(static_cast<std::size_t>(
        std::lround(static_cast<double>(i) * static_cast<double>(n - 1) / static_cast<double>(count - 1))));
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

/// @param count  of the points that the model is corrected by, by the table's number of points
template <class Count>
Result<std::vector<Prediction>> predict_other_sizes(const Evidence& evidence, Count count) {
  GRADSIM_TRY(machines, read_nccl_machines(evidence));
  GRADSIM_TRY(tables, read_nccl_tables(evidence.measured, *machines));
  std::vector<Prediction> predictions;
  for (const NcclTable& table : *tables) {
    const std::size_t n = table.measured.points.size();
    const std::size_t seen = count(n);
    constexpr std::size_t least = 2;
    if (n <= std::max(seen, least))
      return refuse(table.path, fmt::format("{} sizes leave none to predict", n), "measure at least 3");
    const auto chosen = spread_over(n, std::max(seen, least));
    GRADSIM_TRY(done, predict_table(table, table.points(chosen), chosen, predictions));
  }
  return predictions;
}

}  // namespace

Result<std::vector<Prediction>> predict_nccl_hardware(const Evidence& evidence) {
  GRADSIM_TRY(machines, read_nccl_machines(evidence));
  GRADSIM_TRY(tables, read_nccl_tables(evidence.measured, *machines));
  std::vector<Prediction> predictions;
  for (const NcclTable& table : *tables) {
    GRADSIM_TRY(done, predict_table(table, std::nullopt, {}, predictions));
  }
  return predictions;
}

Result<std::vector<Prediction>> predict_nccl_two_sizes(const Evidence& evidence) {
  return predict_other_sizes(evidence, [](std::size_t) { return std::size_t{2}; });
}

Result<std::vector<Prediction>> predict_nccl_half(const Evidence& evidence) {
  return predict_other_sizes(evidence, [](std::size_t n) { return (n + 1) / 2; });
}

Result<std::vector<Prediction>> predict_nccl_other_table(const Evidence& evidence) {
  GRADSIM_TRY(machines, read_nccl_machines(evidence));
  GRADSIM_TRY(seen, read_nccl_tables(evidence.seen, *machines));
  GRADSIM_TRY(tables, read_nccl_tables(evidence.measured, *machines));
  if (seen->size() != 1)
    return refuse("", fmt::format("{} tables are seen", seen->size()),
                  "name one table, of which the smallest and the largest size are taken");
  const NcclTable& other = seen->front();
  const nccl::Measured ends = other.points(spread_over(other.measured.points.size(), 2));
  std::vector<Prediction> predictions;
  for (const NcclTable& table : *tables) {
    if (other.operation == table.operation && other.measured.ranks == table.measured.ranks)
      return refuse(table.path, "`seen` holds the same collective on as many ranks",
                    "name a table of another collective or of other ranks");
    GRADSIM_TRY(done, predict_table(table, ends, {}, predictions));
  }
  return predictions;
}

}  // namespace calibrate::ledger
