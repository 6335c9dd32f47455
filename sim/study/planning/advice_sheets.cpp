// Fills the sheets of an advice.
#include "sim/study/planning/advice_sheets.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/study/planning/advice_reasons.hpp"

namespace sim::study::planning {
namespace {

using output::Cell;
using output::Column;
using output::Measure;
using output::Sheet;

Cell cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

/// One configuration in its rank.
struct Row {
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
    Column<Row>{"rank", "rank", Measure::none, [](const Row& r) -> Cell { return r.rank; }},
    Column<Row>{"workers", "workers", Measure::none,
                [](const Row& r) -> Cell { return std::int64_t{r.at().workers}; }},
    Column<Row>{"batch", "batch", Measure::none,
                [](const Row& r) -> Cell { return std::int64_t{r.at().batch}; }},
    Column<Row>{"profiled", "profiled", Measure::none,
                [](const Row& r) -> Cell {
                  return std::string(r.advised->search.has_profile(r.index) ? "yes" : "no");
                }},
    Column<Row>{"predicted_time_s", "predicted time", Measure::time,
                [](const Row& r) -> Cell { return r.predicted().time.count; }},
    Column<Row>{"predicted_cost_usd", "predicted cost (USD)", Measure::none,
                [](const Row& r) -> Cell { return r.predicted().cost.count; }},
    Column<Row>{"true_time_s", "true time", Measure::time,
                [](const Row& r) -> Cell { return cell(count_of(r.truth().time)); }},
    Column<Row>{"true_cost_usd", "true cost (USD)", Measure::none,
                [](const Row& r) -> Cell { return cell(count_of(r.truth().cost)); }},
    Column<Row>{
        "time_error", "time error", Measure::share,
        [](const Row& r) -> Cell { return cell(error(r.predicted().time.count, count_of(r.truth().time))); }},
    Column<Row>{
        "cost_error", "cost error", Measure::share,
        [](const Row& r) -> Cell { return cell(error(r.predicted().cost.count, count_of(r.truth().cost))); }},
    Column<Row>{"reason", "reason", Measure::none,
                [](const Row& r) -> Cell { return reason(*r.advised, r.index); }},
};

/// One way to come to a configuration.
struct Way {
  std::string method;
  std::optional<std::int64_t> profiled;
  std::optional<double> explored;
  std::optional<double> search_time;
  std::string chosen;
  std::optional<Outcome> outcome;
};

Cell outcome_cell(const Way& way, double (*get)(const Outcome&)) {
  return way.outcome ? Cell(get(*way.outcome)) : Cell();
}

constexpr std::array way_columns{
    Column<Way>{"method", "search", Measure::none, [](const Way& w) -> Cell { return w.method; }},
    Column<Way>{"profiled", "profiles", Measure::none,
                [](const Way& w) -> Cell { return w.profiled ? Cell(*w.profiled) : Cell(); }},
    Column<Way>{"explored", "explored", Measure::share,
                [](const Way& w) -> Cell { return cell(w.explored); }},
    Column<Way>{"search_time_s", "search time", Measure::time,
                [](const Way& w) -> Cell { return cell(w.search_time); }},
    Column<Way>{"chosen", "chosen", Measure::none, [](const Way& w) -> Cell { return w.chosen; }},
    Column<Way>{"total_time_s", "total time", Measure::time,
                [](const Way& w) { return outcome_cell(w, [](const Outcome& o) { return o.time.count; }); }},
    Column<Way>{"total_cost_usd", "total cost (USD)", Measure::none,
                [](const Way& w) { return outcome_cell(w, [](const Outcome& o) { return o.cost.count; }); }},
    Column<Way>{"search_time_share", "search adds", Measure::share,
                [](const Way& w) { return outcome_cell(w, [](const Outcome& o) { return o.search_time; }); }},
    Column<Way>{
        "time_over_oracle", "time over oracle", Measure::share,
        [](const Way& w) { return outcome_cell(w, [](const Outcome& o) { return o.time_over_oracle; }); }},
    Column<Way>{
        "cost_over_oracle", "cost over oracle", Measure::share,
        [](const Way& w) { return outcome_cell(w, [](const Outcome& o) { return o.cost_over_oracle; }); }},
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

/// Of one sheet; the keys keep seconds.
Sheet in_unit(Sheet sheet, TimeUnit unit) {
  if (unit == TimeUnit::seconds) return sheet;
  constexpr double seconds_per_hour = 3600;
  for (std::size_t column = 0; column < sheet.headings.size(); ++column) {
    output::Heading& heading = sheet.headings[column];
    if (heading.measure != Measure::time) continue;
    heading.measure = Measure::none;
    heading.title += " (h)";
    for (auto& row : sheet.rows) {
      if (double* value = std::get_if<double>(&row[column])) *value /= seconds_per_hour;
    }
  }
  return sheet;
}

}  // namespace

Sheet configuration_sheet(const Advised& advised, TimeUnit unit) {
  std::vector<Row> rows;
  for (const std::size_t index : ranked(advised))
    rows.push_back({&advised, index, static_cast<std::int64_t>(rows.size()) + 1});
  return in_unit(fill(std::span<const Column<Row>>(configuration_columns), std::span<const Row>(rows)), unit);
}

Sheet search_sheet(const Advised& advised, TimeUnit unit) {
  std::vector<Way> ways{way_of(advised, advised.search)};
  for (const SearchResult& baseline : advised.baselines) ways.push_back(way_of(advised, baseline));
  if (advised.oracle) {
    SearchResult knows_all;
    knows_all.chosen = advised.oracle;
    ways.push_back({"oracle", {}, {}, {}, named(advised, advised.oracle), advised.outcome(knows_all)});
    ways.push_back({"arbitrary", {}, {}, {}, "mean of all", advised.arbitrary()});
  }
  return in_unit(fill(std::span<const Column<Way>>(way_columns), std::span<const Way>(ways)), unit);
}

}  // namespace sim::study::planning
