// Figures held against others', printed: the table, the counts, and what is not kept.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sim/output/expectations.hpp"
#include "sim/output/sheet.hpp"
#include "sim/output/table.hpp"
#include "sim/scenario/metric.hpp"

namespace sim::output {
namespace {

std::string print_figure(const std::string& metric, double value) {
  constexpr int digits = 5;
  const auto row = scenario::find_metric(metric);
  const auto unit = row ? (*row)->unit : scenario::MetricUnit::number;
  if (unit == scenario::MetricUnit::time) return netmodels::print(netmodels::Seconds{value}, digits);
  if (unit == scenario::MetricUnit::size) return netmodels::print(netmodels::Bytes{value}, digits);
  return fmt::format("{:.{}g}", value, digits);
}

std::string percent(double share) { return fmt::format("{:.2g} %", 100 * share); }

std::string judgement(const ExpectedFigure& figure) {
  if (!figure.ours) return figure.missing;
  if (!figure.expected->within) return "not judged";
  return figure.met() ? "within" : "MISSED";
}

using Row = ExpectedFigure;

constexpr std::array columns{
    Column<Row>{"arm", "arm", Measure::none, [](const Row& r) -> Cell { return r.expected->arm; }},
    Column<Row>{"phase", "phase", Measure::none,
                [](const Row& r) -> Cell { return r.expected->phase.value_or("whole run"); }},
    Column<Row>{"metric", "metric", Measure::none, [](const Row& r) -> Cell { return r.expected->metric; }},
    Column<Row>{"theirs", "theirs", Measure::none,
                [](const Row& r) -> Cell { return print_figure(r.expected->metric, r.expected->value); }},
    Column<Row>{
        "ours", "ours", Measure::none,
        [](const Row& r) -> Cell { return r.ours ? print_figure(r.expected->metric, *r.ours) : "-"; }},
    Column<Row>{"relative_error", "error", Measure::none,
                [](const Row& r) -> Cell {
                  const auto error = r.relative_error();
                  return error ? fmt::format("{:+.2f} %", 100 * *error) : "-";
                }},
    Column<Row>{"within", "bound", Measure::none,
                [](const Row& r) -> Cell { return r.expected->within ? percent(*r.expected->within) : "-"; }},
    Column<Row>{"judgement", "", Measure::none, [](const Row& r) -> Cell { return judgement(r); }},
};

/// The figures as a table; the column of phases only where some figure is of a phase.
std::string figures_table(const std::vector<Row>& figures) {
  Sheet sheet = fill(std::span<const Column<Row>>(columns), std::span<const Row>(figures));
  constexpr std::array<std::string_view, 1> phase{"phase"};
  if (std::ranges::none_of(figures, [](const Row& row) { return row.expected->phase.has_value(); }))
    sheet = without(sheet, phase);
  return table(sheet);
}

/// Who says so, each source once.
std::string sources(const std::vector<Row>& figures) {
  std::vector<std::string> list;
  for (const Row& row : figures) {
    if (std::ranges::find(list, row.expected->source) == list.end()) list.push_back(row.expected->source);
  }
  std::string text;
  for (const std::string& source : list) text += "theirs: " + source + "\n";
  return text;
}

std::string describe(const MeanError& mean) {
  return fmt::format("mean error of {} over {} figures of `{}`: {:.2f} % (bound {}){}", mean.bound->metric,
                     mean.figures, mean.bound->arms, 100 * mean.mean, percent(mean.bound->within),
                     mean.met() ? "" : " MISSED");
}

std::string describe(const BestAgreement& best) {
  return fmt::format("best along `{}` by {}: right in {} of {} (bound {}){}", best.bound->axis,
                     best.bound->metric, best.right, best.combinations, best.bound->at_least,
                     best.met() ? "" : " MISSED");
}

std::string describe_judged(const ExpectationReport& report) {
  int judged = 0;
  int met = 0;
  for (const ExpectedFigure& figure : report.figures) {
    if (!figure.expected->within) continue;
    ++judged;
    met += figure.met() ? 1 : 0;
  }
  if (judged == 0) return "";
  return fmt::format("within their bound: {} of {} figures\n", met, judged);
}

}  // namespace

std::string expectations_text(const ExpectationReport& report) {
  if (report.empty()) return "";
  std::string text = "held against what others found\n";
  if (!report.figures.empty()) text += figures_table(report.figures) + sources(report.figures);
  text += describe_judged(report);
  for (const MeanError& mean : report.mean_errors) text += describe(mean) + "\n";
  for (const BestAgreement& best : report.best) {
    text += describe(best) + "\n";
    for (const std::string& wrong : best.wrong) text += "  " + wrong + "\n";
  }
  return text + "\n";
}

std::vector<std::string> missed(const ExpectationReport& report) {
  std::vector<std::string> list;
  for (const ExpectedFigure& figure : report.figures) {
    if (figure.met()) continue;
    const auto error = figure.relative_error();
    const std::string what =
        error ? fmt::format(" is {:+.2f} % off", 100 * *error) : ": " + judgement(figure);
    list.push_back(fmt::format("{}: {} of `{}`{}; accepted: {}", figure.expected->where,
                               figure.expected->metric, figure.expected->arm, what,
                               percent(figure.expected->within.value_or(0))));
  }
  for (const MeanError& mean : report.mean_errors) {
    if (!mean.met()) list.push_back(mean.bound->where + ": " + describe(mean));
  }
  for (const BestAgreement& best : report.best) {
    if (!best.met()) list.push_back(best.bound->where + ": " + describe(best));
  }
  return list;
}

}  // namespace sim::output
