// The table of a sweep, and its front.
#include "sim/sweep/sweep_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include "command_line/table.hpp"
#include "netmodels/quantity.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/tie.hpp"
#include "sim/sweep/sweep_objectives.hpp"

namespace sim::sweep {

// Sorts by one figure, and keeps rows that improve the other.

std::vector<std::size_t> front(const Figures& x, const Figures& y, bool more_x_is_better,
                               bool more_y_is_better) {
  struct Place {
    double x;
    double y;
    std::size_t row;
  };
  std::vector<Place> places;
  for (std::size_t row = 0; row < x.size(); ++row) {
    if (x[row] && y[row])
      places.push_back({more_x_is_better ? -*x[row] : *x[row], more_y_is_better ? -*y[row] : *y[row], row});
  }
  std::ranges::sort(places, {}, [](const Place& place) { return std::tie(place.x, place.y, place.row); });
  std::vector<std::size_t> rows;
  double best = std::numeric_limits<double>::infinity();
  for (const Place& place : places) {
    if (place.y >= best) continue;
    best = place.y;
    rows.push_back(place.row);
  }
  return rows;
}

// Taking the rows of a sweep apart.

namespace {

constexpr std::string_view not_compared_key = "not_compared";

using command_line::Cell;
using command_line::Measure;
using command_line::number_of;
using command_line::Table;
using netmodels::Result;

std::string cell_text(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : *text;
}

std::optional<double> plain_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class Q>
std::optional<double> quantity(const std::string& text) {
  const auto value = netmodels::parse<Q>(text);
  return value ? std::optional(value->count) : std::nullopt;
}

template <class Read>
std::optional<std::vector<double>> read_all(const std::vector<std::string>& texts, Read read) {
  std::vector<double> values;
  for (const std::string& text : texts) {
    const std::optional<double> value = read(text);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// Column with the title and measure of the metric with this key.
command_line::Column heading_of(const std::string& key) {
  for (const report::Metric& metric : report::metrics())
    if (metric.key == key) return {key, std::string(metric.title), metric.measure};
  return {key, key, Measure::none};
}

bool varies(const Figures& values) {
  return std::ranges::any_of(values, [&](const auto& value) { return value != values.front(); });
}

void take_axes(SweepTable& table) {
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    const auto measured = measure_axis(table.axes[axis]);
    if (!measured) continue;
    std::map<std::string, double> known;
    for (std::size_t i = 0; i < measured->values.size(); ++i)
      known[table.axes[axis].values[i]] = measured->values[i];
    const std::string& key = table.axes[axis].key;
    FigureColumn column{{key, key, measured->measure}, {}};
    for (const std::string& value : table.values[axis]) column.values.emplace_back(known.at(value));
    table.axis_figures.push_back(std::move(column));
  }
}

/// Time per sample of all workers together, with the time outside of steps.
std::optional<double> time_per_sample(const SweepTable& table, std::size_t row) {
  std::array<double, 4> figures{};
  constexpr std::array<std::string_view, 4> keys{"total_time_s", "steps", "step_time_s",
                                                 "throughput_samples_per_s"};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const FigureColumn* column = table.find(keys[i]);
    if (column == nullptr || !column->values[row]) return std::nullopt;
    figures[i] = *column->values[row];
  }
  return figures[0] / (figures[1] * figures[2] * figures[3]);
}

/// Per point, the arm that beats all others that can be compared by more than a tie.
void find_fastest(SweepTable& table) {
  struct Leaders {
    double best = 0;    ///< time per sample of `row`
    double second = 0;  ///< time per sample of the next
    std::size_t row = 0;
  };
  std::map<std::size_t, Leaders> points;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool competes = table.not_compared[row].empty();
    const auto time = table.times.emplace_back(competes ? time_per_sample(table, row) : std::nullopt);
    if (!time) continue;
    const auto [point, fresh] =
        points.emplace(table.point[row], Leaders{*time, std::numeric_limits<double>::infinity(), row});
    if (fresh) continue;
    Leaders& leaders = point->second;
    if (*time < leaders.best)
      leaders = {*time, leaders.best, row};
    else
      leaders.second = std::min(leaders.second, *time);
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto found = points.find(table.point[row]);
    if (found == points.end()) {
      table.fastest.emplace_back();
      continue;
    }
    const Leaders& leaders = found->second;
    const bool alike = leaders.second <= leaders.best * (1 + scenario::tie);
    table.fastest.push_back(alike ? std::string(no_single_arm) : table.arms[leaders.row]);
  }
}

/// Columns of a stored table.
struct StoredColumns {
  std::size_t failure;
  std::size_t arm;
  std::optional<std::size_t> reason;
  std::vector<std::size_t> figures;
};

void take_failed(SweepTable& table, const std::vector<Cell>& cells, const StoredColumns& columns) {
  FailedPoint& failed =
      table.failed.emplace_back(FailedPoint{cells[0], {}, cell_text(cells[columns.failure])});
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis)
    failed.values.push_back(cell_text(cells[1 + axis]));
}

void take_completed(SweepTable& table, const std::vector<Cell>& cells, bool same_point,
                    const StoredColumns& columns) {
  table.point.push_back(table.point.empty() ? 0 : table.point.back() + (same_point ? 0 : 1));
  table.arms.push_back(cell_text(cells[columns.arm]));
  table.not_compared.push_back(columns.reason ? cell_text(cells[*columns.reason]) : "");
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis)
    table.values[axis].push_back(cell_text(cells[1 + axis]));
  auto figure = table.figures.begin();
  for (const std::size_t column : columns.figures) (figure++)->values.push_back(number_of(cells[column]));
}

/// Rows of completed points go into columns, the others to the failed ones.
void take_rows(SweepTable& table, const Table& stored) {
  const std::size_t failure = stored.columns.size() - 1;
  StoredColumns columns{
      failure, column_of(stored, "arm").value_or(failure), column_of(stored, not_compared_key), {}};
  table.values.resize(table.axes.size());
  for (std::size_t column = 1 + table.axes.size(); column < failure; ++column) {
    if (column == columns.arm || column == columns.reason) continue;
    columns.figures.push_back(column);
    table.figures.push_back({heading_of(stored.columns[column].key), {}});
  }
  for (std::size_t row = 0; row < stored.rows.size(); ++row) {
    const std::vector<Cell>& cells = stored.rows[row];
    if (!std::holds_alternative<std::monostate>(cells[failure])) {
      take_failed(table, cells, columns);
      continue;
    }
    const bool same_point = !table.point.empty() && row > 0 && cells[0] == stored.rows[row - 1][0];
    take_completed(table, cells, same_point, columns);
  }
}

tl::unexpected<netmodels::Error> damaged(const std::string& file, const std::string& what) {
  return tl::unexpected(netmodels::Error{file, "is damaged: " + what, "sweep again into another file"});
}

/// Every completed point has its arms, and on each axis a value of that axis.
Result<void> check_rows(const std::vector<SweepAxis>& axes, const Table& stored, const std::string& file) {
  const auto arm = column_of(stored, "arm");
  std::vector<std::set<std::string>> known;
  known.reserve(axes.size());
  for (const SweepAxis& axis : axes) known.emplace_back(axis.values.begin(), axis.values.end());
  for (const std::vector<Cell>& cells : stored.rows) {
    if (!std::holds_alternative<std::monostate>(cells.back())) continue;
    const auto number = static_cast<std::int64_t>(number_of(cells[0]).value_or(0));
    if (!arm || !std::holds_alternative<std::string>(cells[*arm]))
      return damaged(file, fmt::format("point {} was simulated but has no result", number));
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::string value = cell_text(cells[1 + axis]);
      if (known[axis].contains(value)) continue;
      return damaged(file, fmt::format("`{}` at point {} is not a value of the axis `{}`", value, number,
                                       axes[axis].key));
    }
  }
  return {};
}

/// The rows of the file; SQLite's error on missing columns is an Error of the file.
Result<Table> read_rows(const SweepStore& store, const std::string& file) {
  try {
    return store.table(report::keys_not_at(report::in_charts));
  } catch (const std::runtime_error& error) {
    return damaged(file, error.what());
  }
}

}  // namespace

const FigureColumn* SweepTable::find(std::string_view key) const {
  const auto found =
      std::ranges::find_if(figures, [&](const FigureColumn& c) { return c.heading.key == key; });
  return found == figures.end() ? nullptr : &*found;
}

Figures SweepTable::compared(const FigureColumn& column) const {
  Figures found = column.values;
  for (std::size_t row = 0; row < rows(); ++row)
    if (!not_compared[row].empty()) found[row].reset();
  return found;
}

std::optional<std::size_t> best_row(const SweepTable& table, const FigureColumn& column, bool more_is_better,
                                    const std::string& arm) {
  std::optional<std::size_t> best;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!column.values[row] || !table.not_compared[row].empty()) continue;
    if (!arm.empty() && table.arms[row] != arm) continue;
    const bool better = !best || (more_is_better ? *column.values[row] > *column.values[*best]
                                                 : *column.values[row] < *column.values[*best]);
    if (better) best = row;
  }
  return best;
}

std::optional<MeasuredAxis> measure_axis(const SweepAxis& axis) {
  if (auto values = read_all(axis.values, plain_number)) return MeasuredAxis{Measure::none, *values};
  if (auto values = read_all(axis.values, quantity<netmodels::Seconds>))
    return MeasuredAxis{Measure::time, *values};
  if (auto values = read_all(axis.values, quantity<netmodels::Bytes>))
    return MeasuredAxis{Measure::size, *values};
  if (auto values = read_all(axis.values, quantity<netmodels::Bandwidth>))
    return MeasuredAxis{Measure::rate, *values};
  return std::nullopt;
}

Result<SweepTable> sweep_table(const SweepStore& store, const std::string& file) {
  SweepTable table;
  table.axes = store.identity().axes;
  GRADSIM_TRY(rows, read_rows(store, file));
  if (const auto whole = check_rows(table.axes, *rows, file); !whole) return tl::unexpected(whole.error());
  take_rows(table, *rows);
  take_axes(table);
  find_fastest(table);
  add_figures_per_sample(table);
  std::erase_if(table.figures, [](const FigureColumn& column) { return !varies(column.values); });
  return table;
}

}  // namespace sim::sweep
