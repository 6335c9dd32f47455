// Fills the tables of an advice.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/advise/advice_text.hpp"

namespace sim::advise {
namespace {

using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;
using command_line::Table;

Cell number_cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

/// One configuration in its rank.
struct ConfigurationRow {
  const Advised* advised;
  std::size_t index;
  std::int64_t rank;

  [[nodiscard]] const policies::Configuration& at() const { return advised->arm->grid[index]; }
  [[nodiscard]] const policies::Prediction& predicted() const { return advised->search.predicted[index]; }
  [[nodiscard]] const Truth& truth() const { return advised->truths[index]; }
};

template <class Q>
std::optional<double> count_of(const std::optional<Q>& value) {
  return value ? std::optional(value->count) : std::nullopt;
}

/// Mere rounding counts as none, so that no error reads -0.
std::optional<double> error(double predicted, const std::optional<double>& truth) {
  constexpr double rounding = 1e-9;
  if (!truth) return std::nullopt;
  const double off = predicted / *truth - 1;
  return std::abs(off) < rounding ? 0 : off;
}

constexpr std::array configuration_columns{
    ColumnOf<ConfigurationRow>{"rank", "rank", Measure::none,
                               [](const ConfigurationRow& r) -> Cell { return r.rank; }},
    ColumnOf<ConfigurationRow>{
        "workers", "workers", Measure::none,
        [](const ConfigurationRow& r) -> Cell { return std::int64_t{r.at().workers}; }},
    ColumnOf<ConfigurationRow>{"batch", "batch", Measure::none,
                               [](const ConfigurationRow& r) -> Cell { return std::int64_t{r.at().batch}; }},
    ColumnOf<ConfigurationRow>{"profiled", "profiled", Measure::none,
                               [](const ConfigurationRow& r) -> Cell {
                                 return std::string(r.advised->search.has_profile(r.index) ? "yes" : "no");
                               }},
    ColumnOf<ConfigurationRow>{"predicted_time_s", "predicted time", Measure::time,
                               [](const ConfigurationRow& r) -> Cell { return r.predicted().time.count; }},
    ColumnOf<ConfigurationRow>{"predicted_cost_usd", "predicted cost (USD)", Measure::none,
                               [](const ConfigurationRow& r) -> Cell { return r.predicted().cost.count; }},
    ColumnOf<ConfigurationRow>{
        "true_time_s", "true time", Measure::time,
        [](const ConfigurationRow& r) -> Cell { return number_cell(count_of(r.truth().time)); }},
    ColumnOf<ConfigurationRow>{
        "true_cost_usd", "true cost (USD)", Measure::none,
        [](const ConfigurationRow& r) -> Cell { return number_cell(count_of(r.truth().cost)); }},
    ColumnOf<ConfigurationRow>{"time_error", "time error", Measure::share,
                               [](const ConfigurationRow& r) -> Cell {
                                 return number_cell(
                                     error(r.predicted().time.count, count_of(r.truth().time)));
                               }},
    ColumnOf<ConfigurationRow>{"cost_error", "cost error", Measure::share,
                               [](const ConfigurationRow& r) -> Cell {
                                 return number_cell(
                                     error(r.predicted().cost.count, count_of(r.truth().cost)));
                               }},
    ColumnOf<ConfigurationRow>{"reason", "reason", Measure::none,
                               [](const ConfigurationRow& r) -> Cell { return reason(*r.advised, r.index); }},
};

/// One way to reach a configuration.
struct Way {
  std::string method;
  std::optional<std::int64_t> profiled;
  std::optional<double> explored;
  std::optional<double> search_time;
  std::string chosen;
  std::optional<Outcome> outcome;
};

Cell outcome_cell(const Way& way, std::optional<double> (*get)(const Outcome&)) {
  return way.outcome ? number_cell(get(*way.outcome)) : Cell();
}

constexpr std::array way_columns{
    ColumnOf<Way>{"method", "search", Measure::none, [](const Way& w) -> Cell { return w.method; }},
    ColumnOf<Way>{"profiled", "profiles", Measure::none,
                  [](const Way& w) -> Cell { return w.profiled ? Cell(*w.profiled) : Cell(); }},
    ColumnOf<Way>{"explored", "explored", Measure::share,
                  [](const Way& w) -> Cell { return number_cell(w.explored); }},
    ColumnOf<Way>{"search_time_s", "search time", Measure::time,
                  [](const Way& w) -> Cell { return number_cell(w.search_time); }},
    ColumnOf<Way>{"chosen", "chosen", Measure::none, [](const Way& w) -> Cell { return w.chosen; }},
    ColumnOf<Way>{"total_time_s", "total time", Measure::time,
                  [](const Way& w) {
                    return outcome_cell(
                        w, [](const Outcome& o) -> std::optional<double> { return o.time.count; });
                  }},
    ColumnOf<Way>{"total_cost_usd", "total cost (USD)", Measure::none,
                  [](const Way& w) {
                    return outcome_cell(
                        w, [](const Outcome& o) -> std::optional<double> { return o.cost.count; });
                  }},
    ColumnOf<Way>{"search_time_share", "search adds", Measure::share,
                  [](const Way& w) {
                    return outcome_cell(
                        w, [](const Outcome& o) -> std::optional<double> { return o.search_time; });
                  }},
    ColumnOf<Way>{"time_over_oracle", "time over oracle", Measure::share,
                  [](const Way& w) {
                    return outcome_cell(
                        w, [](const Outcome& o) -> std::optional<double> { return o.time_over_oracle; });
                  }},
    ColumnOf<Way>{"cost_over_oracle", "cost over oracle", Measure::share,
                  [](const Way& w) {
                    return outcome_cell(
                        w, [](const Outcome& o) -> std::optional<double> { return o.cost_over_oracle; });
                  }},
};

std::string named(const Advised& advised, const std::optional<std::size_t>& index) {
  if (!index) return "none";
  const policies::Configuration& at = advised.arm->grid[*index];
  return fmt::format("{} x batch {}", at.workers, at.batch);
}

Way way_of(const Advised& advised, const SearchResult& search) {
  const auto profiled = static_cast<std::int64_t>(search.profiled.size());
  return {search.method,
          profiled,
          static_cast<double>(profiled) / static_cast<double>(advised.truths.size()),
          search.time.count,
          named(advised, search.chosen),
          advised.outcome(search)};
}

/// Of one table; the keys keep seconds.
Table in_unit(Table table, TimeUnit unit) {
  if (unit == TimeUnit::seconds) return table;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    command_line::Column& heading = table.columns[column];
    if (heading.measure != Measure::time) continue;
    heading.measure = Measure::none;
    heading.title += " (h)";
    for (auto& row : table.rows) {
      if (double* value = std::get_if<double>(&row[column])) *value /= netmodels::seconds_per_hour;
    }
  }
  return table;
}

}  // namespace

Table configuration_table(const Advised& advised, TimeUnit unit) {
  std::vector<ConfigurationRow> rows;
  for (const std::size_t index : ranked(advised))
    rows.push_back({&advised, index, static_cast<std::int64_t>(rows.size()) + 1});
  return in_unit(fill(std::span<const ColumnOf<ConfigurationRow>>(configuration_columns),
                      std::span<const ConfigurationRow>(rows)),
                 unit);
}

Table search_table(const Advised& advised, TimeUnit unit) {
  std::vector<Way> ways{way_of(advised, advised.search)};
  for (const SearchResult& baseline : advised.baselines) ways.push_back(way_of(advised, baseline));
  if (advised.oracle) {
    SearchResult knows_all;
    knows_all.chosen = advised.oracle;
    ways.push_back({"oracle", {}, {}, {}, named(advised, advised.oracle), advised.outcome(knows_all)});
    ways.push_back({"arbitrary", {}, {}, {}, "mean of all", advised.arbitrary()});
  }
  return in_unit(fill(std::span<const ColumnOf<Way>>(way_columns), std::span<const Way>(ways)), unit);
}

}  // namespace sim::advise
