// The parts of a sweep's report.
#include "sim/sweep/sweep_page.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "sim/scenario/tie.hpp"
#include "sim/sweep/sweep_crossover.hpp"
#include "sim/sweep/sweep_objectives.hpp"
#include "sim/sweep/sweep_table.hpp"

namespace sim::sweep {
namespace {

using command_line::Cell;
using command_line::Column;
using command_line::Measure;
using command_line::Table;
using report::Chart;
using report::ChartKind;
using report::Section;

constexpr std::size_t most_colours = 12;  // values that a reader can distinguish
constexpr std::size_t most_failed = 200;  // rows of the table of failures
constexpr std::size_t most_front = 50;    // rows of the table of a front

Cell cell_of(const std::optional<double>& figure) {
  if (figure) return *figure;
  return std::monostate{};
}

/// "cluster.workers = 8, seed = 1".
std::string point_text(const SweepTable& table, std::size_t row) {
  std::string text;
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis)
    text += fmt::format("{}{} = {}", axis == 0 ? "" : ", ", table.axes[axis].key, table.values[axis][row]);
  return text;
}

/// Names of arms in the order in which they first occur.
std::vector<std::string> arms_of(const SweepTable& table) {
  std::vector<std::string> arms;
  std::set<std::string> known;
  for (const std::string& arm : table.arms)
    if (known.insert(arm).second) arms.push_back(arm);
  return arms;
}

/// The number of completed points.
std::size_t points_of(const SweepTable& table) {
  std::size_t points = 0;
  for (std::size_t row = 0; row < table.rows(); ++row)
    points += row == 0 || table.point[row] != table.point[row - 1] ? 1 : 0;
  return points;
}

/// Number of points in which each arm is the fastest.
std::map<std::string, std::size_t> wins_of(const SweepTable& table) {
  std::map<std::string, std::size_t> wins;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool first = row == 0 || table.point[row] != table.point[row - 1];
    if (first && !table.fastest[row].empty()) ++wins[table.fastest[row]];
  }
  return wins;
}

/// "`topk` is the fastest at 14 of 27 points, `dense` at 13."
std::string winners(const SweepTable& table) {
  std::vector<std::pair<std::string, std::size_t>> wins;
  for (const auto& win : wins_of(table)) wins.push_back(win);
  std::ranges::stable_sort(wins, std::greater<>(), &std::pair<std::string, std::size_t>::second);
  std::string text;
  std::size_t ties = 0;
  for (const auto& [arm, count] : wins) {
    if (arm == no_single_arm)
      ties = count;
    else
      text += text.empty() ? fmt::format("By time per sample `{}` is the fastest arm at {} of {} points", arm,
                                         count, points_of(table))
                           : fmt::format(", `{}` at {}", arm, count);
  }
  if (text.empty())
    return fmt::format("By time per sample no arm is fastest at any of {} points.", points_of(table));
  return text + (ties == 0 ? "." : fmt::format("; at {} arms tie within {}.", ties, scenario::tie_text));
}

/// "`apart` is left out at 3 of 4 points: hardly merges.", for each arm and reason.
std::vector<std::string> left_out(const SweepTable& table) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (!table.not_compared[row].empty()) ++counts[{table.arms[row], table.not_compared[row]}];
  std::vector<std::string> sentences;
  for (const auto& [what, count] : counts)
    sentences.push_back(fmt::format("`{}` is not compared at {} of {} points: {}.", what.first, count,
                                    points_of(table), what.second));
  return sentences;
}

std::string extremes(const SweepTable& table) {
  constexpr int digits = 4;
  const bool per_step = compares_equal_work(table, "step_time_s");
  const FigureColumn* time = table.find(per_step ? "step_time_s" : "sample_time_s");
  if (time == nullptr) return "";
  const auto fast = best_row(table, *time, false, "");
  const auto slow = best_row(table, *time, true, "");
  if (!fast || !slow) return "";
  const auto describe = [&](std::size_t row) {
    return fmt::format("{} (`{}` at {})", netmodels::print(netmodels::Seconds{*time->values[row]}, digits),
                       table.arms[row], point_text(table, row));
  };
  return fmt::format("The shortest {} is {}, the longest {}.", per_step ? "step" : "time per sample",
                     describe(*fast), describe(*slow));
}

/// A column that a table of the best points shows.
struct Best {
  std::string_view key;
  std::string_view title;
  bool more_is_better;
};
constexpr std::array bests{Best{"step_time_s", "shortest step", false},
                           Best{"sample_time_s", "least time/sample", false},
                           Best{"total_time_s", "shortest run", false},
                           Best{"target_time_s", "soonest at target", false},
                           Best{"sent_bytes", "lowest sent/worker", false},
                           Best{"sample_sent_bytes", "lowest sent/worker and sample", false},
                           Best{"best_accuracy", "best accuracy", true},
                           Best{"cost_usd", "lowest cost (USD)", false},
                           Best{"sample_cost_usd", "lowest cost/sample (USD)", false}};

/// The columns of which a table of the best points shows the best, and whether more is better.
std::vector<std::pair<const FigureColumn*, Best>> best_columns(const SweepTable& table) {
  std::vector<std::pair<const FigureColumn*, Best>> columns;
  for (const Best& best : bests) {
    const FigureColumn* column = table.find(best.key);
    if (column != nullptr && compares_equal_work(table, best.key)) columns.emplace_back(column, best);
  }
  return columns;
}

/// One row per arm: its best figures, and where the first of them was found.
Table best_table(const SweepTable& table) {
  Table result;
  result.columns = {{"arm", "arm", Measure::none},
                    {"points", "points", Measure::none},
                    {"fastest", "fastest at", Measure::none}};
  const auto columns = best_columns(table);
  for (const auto& [column, best] : columns)
    result.columns.push_back({std::string(best.key), std::string(best.title), column->heading.measure});
  const std::string where = columns.empty() ? "" : std::string(columns.front().second.title);
  for (const SweepAxis& axis : table.axes)
    result.columns.push_back({axis.key, where + " at " + axis.key, Measure::none});
  const auto wins = wins_of(table);
  for (const std::string& arm : arms_of(table)) {
    std::vector<Cell>& row = result.rows.emplace_back();
    row.emplace_back(arm);
    row.emplace_back(static_cast<std::int64_t>(std::ranges::count(table.arms, arm)));
    const auto won = wins.find(arm);
    row.emplace_back(static_cast<std::int64_t>(won == wins.end() ? 0 : won->second));
    std::optional<std::size_t> first;
    for (const auto& [column, best] : columns) {
      const auto found = best_row(table, *column, best.more_is_better, arm);
      if (!first) first = found;
      row.push_back(found ? cell_of(column->values[*found]) : Cell());
    }
    for (const auto& values : table.values) row.push_back(first ? Cell(values[*first]) : Cell());
  }
  return result;
}

/// A column of the drawn rows.
template <class Get>
void put(Table& result, const std::vector<std::size_t>& rows, Column heading, Get get) {
  result.columns.push_back(std::move(heading));
  result.rows.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) result.rows[i].push_back(get(rows[i]));
}

/// Axes as texts have separate keys besides the same axes as numbers.
std::string text_key(const SweepAxis& axis) { return axis.key + " as text"; }

/// Whether any arm is not compared somewhere.
bool leaves_out(const SweepTable& table) {
  return std::ranges::any_of(table.not_compared, [](const std::string& why) { return !why.empty(); });
}

Table drawn(const SweepTable& table, const std::vector<std::size_t>& rows) {
  Table result;
  put(result, rows, {"arm", "arm", Measure::none}, [&](std::size_t row) -> Cell { return table.arms[row]; });
  put(result, rows, {"fastest", "fastest arm there", Measure::none},
      [&](std::size_t row) -> Cell { return table.fastest[row]; });
  if (leaves_out(table))
    put(result, rows, {"not_compared", "not compared", Measure::none},
        [&](std::size_t row) -> Cell { return table.not_compared[row]; });
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    put(result, rows, {text_key(table.axes[axis]), table.axes[axis].key, Measure::none},
        [&](std::size_t row) -> Cell { return table.values[axis][row]; });
  }
  for (const auto* columns : {&table.axis_figures, &table.figures}) {
    for (const FigureColumn& column : *columns)
      put(result, rows, column.heading, [&](std::size_t row) { return cell_of(column.values[row]); });
  }
  return result;
}

std::vector<std::string> sentences(std::string_view text) {
  return text.empty() ? std::vector<std::string>{} : std::vector{std::string(text)};
}

/// Assembles the parts of the page.
class Builder {
 public:
  explicit Builder(const SweepTable& table)
      : table_(table),
        rows_(sample_rows(table, 2 + table.axes.size() + table.axis_figures.size() + table.figures.size())),
        arms_(arms_of(table)) {
    naming_columns_.emplace_back("arm");
    colours_.emplace_back("arm");
    if (arms_.size() > 1) colours_.emplace_back("fastest");
    if (leaves_out(table)) colours_.emplace_back("not_compared");
    for (const SweepAxis& axis : table.axes) {
      naming_columns_.push_back(text_key(axis));
      if (axis.values.size() > 1 && axis.values.size() <= most_colours) colours_.push_back(text_key(axis));
    }
  }

  report::Page page(const SweepIdentity& identity, const std::string& name) {
    page_.title = name + ", a sweep of " + identity.file;
    page_.question = identity.question;
    add_missing(identity);
    add_answers();
    add_axes(identity);
    if (table_.rows() > 0) {
      page_.sections.push_back({.title = "Best of each arm",
                                .sentences = sentences(work_text(table_)),
                                .table = best_table(table_)});
      add_map();
      add_scatter();
      add_fronts();
      page_.data.emplace_back("results", drawn(table_, rows_));
    }
    if (!table_.failed.empty()) add_failed();
    page_.sections.push_back({.title = "The scenario, resolved", .folded = identity.scenario});
    return std::move(page_);
  }

 private:
  /// Adds what is missing, first: it may turn the answer round.
  void add_missing(const SweepIdentity& identity) {
    const std::size_t tried = points_of(table_) + table_.failed.size();
    if (tried >= identity.points) return;
    page_.answers.push_back(
        fmt::format("The sweep is incomplete: {} of {} points are left; continue by --resume.",
                    identity.points - tried, identity.points));
  }

  void add_answers() {
    const std::size_t before = page_.answers.size();
    if (table_.rows() == 0) page_.answers.emplace_back("No point was simulated to its end.");
    if (arms_.size() > 1 && !wins_of(table_).empty()) page_.answers.push_back(winners(table_));
    std::ranges::move(left_out(table_), std::back_inserter(page_.answers));
    std::ranges::move(crossovers(table_), std::back_inserter(page_.answers));
    if (const std::string text = extremes(table_); !text.empty()) page_.answers.push_back(text);
    if (page_.answers.size() == before) page_.answers.emplace_back("All points have the same step time.");
  }

  void add_axes(const SweepIdentity& identity) {
    Section section{.title = "Axes"};
    section.sentences = {fmt::format("Design: {}. {} of {} points were simulated, {} failed.",
                                     identity.design, points_of(table_), identity.points,
                                     table_.failed.size())};
    Table result;
    result.columns = {
        {"axis", "key", Measure::none}, {"count", "values", Measure::none}, {"values", "", Measure::none}};
    constexpr std::size_t most = 12;
    for (const SweepAxis& axis : table_.axes) {
      std::string text;
      for (std::size_t i = 0; i < std::min(most, axis.values.size()); ++i)
        text += (i == 0 ? "" : ", ") + axis.values[i];
      if (axis.values.size() > most) text += ", ... " + axis.values.back();
      result.rows.push_back({axis.key, static_cast<std::int64_t>(axis.values.size()), text});
    }
    section.table = std::move(result);
    page_.sections.push_back(std::move(section));
  }

  /// The fastest arm over two axes.
  void add_map() {
    std::vector<std::string> axes;
    for (const FigureColumn& column : table_.axis_figures)
      if (varies(column)) axes.push_back(column.heading.key);
    if (axes.size() < 2 || arms_.size() < 2) return;
    Chart chart{.kind = ChartKind::map,
                .data = "results",
                .x = axes,
                .by = {"fastest"},
                .naming_columns = naming_columns_,
                .thinned = is_thinned()};
    for (const SweepAxis& axis : table_.axes)
      if (axis.values.size() > 1) chart.filters.push_back(text_key(axis));
    chart.y = axes;
    std::rotate(chart.y.begin(), chart.y.begin() + 1, chart.y.end());
    page_.sections.push_back({.title = "Fastest arm over the axes",
                              .sentences = {"By time per sample, with the time outside of steps."},
                              .chart = std::move(chart)});
  }

  static bool varies(const FigureColumn& column) {
    return std::ranges::any_of(column.values,
                               [&](const auto& value) { return value != column.values.front(); });
  }

  void add_scatter() {
    std::vector<std::string> axes;
    std::vector<std::string> results;
    for (const FigureColumn& column : table_.axis_figures) axes.push_back(column.heading.key);
    for (const FigureColumn& column : table_.figures) results.push_back(column.heading.key);
    if (results.empty()) return;
    const auto step = std::ranges::find(results, "step_time_s");
    if (step != results.end()) std::rotate(results.begin(), step, step + 1);
    Chart chart{.kind = ChartKind::scatter,
                .data = "results",
                .x = axes,
                .y = results,
                .by = colours_,
                .naming_columns = naming_columns_,
                .thinned = is_thinned()};
    chart.x.insert(chart.x.end(), results.begin(), results.end());
    chart.y.insert(chart.y.end(), axes.begin(), axes.end());
    page_.sections.push_back(
        {.title = "Any figure against any other", .sentences = thinning(), .chart = std::move(chart)});
  }

  /// Equal work against equal work; then, where runs are of unequal work, the outcome of more work.
  void add_fronts() {
    const std::vector<Objective> known = objectives_of(table_);
    if (known.size() >= 2) {
      std::vector<Objective> others = known;
      std::rotate(others.begin(), others.begin() + 1, others.end());
      add_front("Pareto front", work_text(table_), known, others);
    }
    const std::vector<Objective> spent = spent_of(table_);
    const std::vector<Objective> reached = reached_of(table_);
    if (!spent.empty() && !reached.empty()) add_front("Quality over time and cost", "", spent, reached);
  }

  void add_front(const std::string& title, std::string_view sentence, const std::vector<Objective>& x,
                 const std::vector<Objective>& y) {
    Chart chart{.kind = ChartKind::front,
                .data = "results",
                .by = colours_,
                .naming_columns = naming_columns_,
                .thinned = is_thinned()};
    for (const Objective& objective : x) chart.x.emplace_back(objective.key);
    for (const Objective& objective : y) {
      chart.y.emplace_back(objective.key);
      if (objective.more_is_better) chart.greatest.emplace_back(objective.key);
    }
    page_.sections.push_back({.title = title,
                              .sentences = sentences(sentence),
                              .chart = std::move(chart),
                              .table = front_table(x.front(), y.front())});
  }

  [[nodiscard]] Table front_table(const Objective& x, const Objective& y) const {
    const FigureColumn& x_column = *table_.find(x.key);
    const FigureColumn& y_column = *table_.find(y.key);
    std::vector<std::size_t> rows =
        front(table_.compared(x_column), table_.compared(y_column), x.more_is_better, y.more_is_better);
    rows.resize(std::min(rows.size(), most_front));
    Table result;
    put(result, rows, {"arm", "arm", Measure::none},
        [&](std::size_t row) -> Cell { return table_.arms[row]; });
    for (std::size_t axis = 0; axis < table_.axes.size(); ++axis) {
      put(result, rows, {table_.axes[axis].key, table_.axes[axis].key, Measure::none},
          [&](std::size_t row) -> Cell { return table_.values[axis][row]; });
    }
    for (const FigureColumn* column : {&x_column, &y_column})
      put(result, rows, column->heading, [&](std::size_t row) { return cell_of(column->values[row]); });
    return result;
  }

  [[nodiscard]] bool is_thinned() const { return rows_.size() < table_.rows(); }

  [[nodiscard]] std::vector<std::string> thinning() const {
    if (!is_thinned()) return {};
    return {fmt::format(
        "Of {} rows, {} are drawn: those on the front of any two objectives (of a very long front, an even "
        "sample), those at an end of a column, and an even sample of the others. `sim sweep --db FILE "
        "--export csv` prints all.",
        table_.rows(), rows_.size())};
  }

  void add_failed() {
    Section section{.title = "Points that failed"};
    Table result;
    result.columns.push_back({"point", "point", Measure::none});
    for (const SweepAxis& axis : table_.axes) result.columns.push_back({axis.key, axis.key, Measure::none});
    result.columns.push_back({"failure", "message", Measure::none});
    for (const FailedPoint& failed : table_.failed) {
      if (result.rows.size() == most_failed) break;
      std::vector<Cell>& row = result.rows.emplace_back();
      row.push_back(failed.point);
      for (const std::string& value : failed.values) row.emplace_back(value);
      row.emplace_back(failed.message);
    }
    if (table_.failed.size() > most_failed)
      section.sentences = {fmt::format("The first {} of {}.", most_failed, table_.failed.size())};
    section.table = std::move(result);
    page_.sections.push_back(std::move(section));
  }

  const SweepTable& table_;
  std::vector<std::size_t> rows_;  ///< rows that are drawn
  std::vector<std::string> arms_;
  std::vector<std::string> naming_columns_;
  std::vector<std::string> colours_;
  report::Page page_;
};

}  // namespace

netmodels::Result<report::Page> sweep_page(const SweepStore& store, const std::filesystem::path& file) {
  GRADSIM_TRY(table, sweep_table(store, file.string()));
  return Builder(*table).page(store.identity(), file.filename().string());
}

}  // namespace sim::sweep
