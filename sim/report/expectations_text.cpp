// The text of compared figures: the table, the counts, and missed bounds.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "command_line/table.hpp"
#include "command_line/text_table.hpp"
#include "netmodels/percent.hpp"
#include "sim/report/expectations.hpp"
#include "sim/report/metric.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;
using command_line::Table;

namespace {

std::string print_figure(const scenario::Expectation& expected, double value) {
  constexpr int digits = 5;
  if (expected.over) return fmt::format("{:.{}g}", value, digits);
  const Metric* row = find_metric(expected.metric);
  const Measure measure = row == nullptr ? Measure::none : row->measure;
  if (measure == Measure::time) return netmodels::print(netmodels::Seconds{value}, digits);
  if (measure == Measure::size) return netmodels::print(netmodels::Bytes{value}, digits);
  return fmt::format("{:.{}g}", value, digits);
}

std::string judgement(const ExpectedFigure& figure) {
  if (!figure.ours) return figure.missing;
  if (!figure.judged()) {
    if (figure.with_others) return "with others";
    return figure.has_bound() && !figure.within_bounds() ? "out of bound, not judged" : "not judged";
  }
  return figure.within_bounds() ? "within" : "MISSED";
}

/// "step_time", "method_share of topk", "throughput over `dense`".
std::string name_of(const scenario::Expectation& expected) {
  std::string name = expected.metric;
  if (expected.of) name += " of " + *expected.of;
  if (expected.over) name += " over `" + *expected.over + "`";
  return name;
}

/// The published figure or bound.
std::string theirs(const scenario::Expectation& expected) {
  if (expected.value) return print_figure(expected, *expected.value);
  std::string text;
  if (expected.at_least) text = "at least " + print_figure(expected, *expected.at_least);
  if (expected.at_most)
    text += (text.empty() ? "at most " : ", at most ") + print_figure(expected, *expected.at_most);
  return text;
}

/// How far ours may be from it.
std::string bound(const scenario::Expectation& expected) {
  std::vector<std::string> parts;
  if (expected.within) parts.push_back(netmodels::short_percent(*expected.within, 2));
  if (expected.at_least) parts.push_back(">= " + print_figure(expected, *expected.at_least));
  if (expected.at_most) parts.push_back("<= " + print_figure(expected, *expected.at_most));
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

using ExpectedRow = ExpectedFigure;

constexpr std::array expectation_columns{
    ColumnOf<ExpectedRow>{"arm", "arm", Measure::none,
                          [](const ExpectedRow& r) -> Cell { return r.expected->arm; }},
    ColumnOf<ExpectedRow>{
        "phase", "phase", Measure::none,
        [](const ExpectedRow& r) -> Cell { return r.expected->phase.value_or("whole run"); }},
    ColumnOf<ExpectedRow>{"metric", "metric", Measure::none,
                          [](const ExpectedRow& r) -> Cell { return name_of(*r.expected); }},
    ColumnOf<ExpectedRow>{"theirs", "published", Measure::none,
                          [](const ExpectedRow& r) -> Cell { return theirs(*r.expected); }},
    ColumnOf<ExpectedRow>{
        "ours", "predicted", Measure::none,
        [](const ExpectedRow& r) -> Cell { return r.ours ? print_figure(*r.expected, *r.ours) : "-"; }},
    ColumnOf<ExpectedRow>{"relative_error", "error", Measure::none,
                          [](const ExpectedRow& r) -> Cell {
                            const auto error = r.relative_error();
                            return error ? fmt::format("{:+.2f} %", 100 * *error) : "-";
                          }},
    ColumnOf<ExpectedRow>{"within", "bound", Measure::none,
                          [](const ExpectedRow& r) -> Cell { return bound(*r.expected); }},
    ColumnOf<ExpectedRow>{"judgement", "", Measure::none,
                          [](const ExpectedRow& r) -> Cell { return judgement(r); }},
};

/// The sources, each once.
std::vector<std::string> sources(const std::vector<ExpectedRow>& figures) {
  std::vector<std::string> list;
  for (const ExpectedRow& row : figures) {
    const std::string line = "source: " + row.expected->source;
    if (std::ranges::find(list, line) == list.end()) list.push_back(line);
  }
  return list;
}

std::string describe(const MeanError& mean) {
  return fmt::format("mean error of {} over {} figures of `{}`: {:.2f} % (bound {}){}", mean.bound->metric,
                     mean.figures, mean.bound->arms, 100 * mean.mean,
                     netmodels::short_percent(mean.bound->within, 2), mean.met() ? "" : " MISSED");
}

std::string describe(const BestAgreement& best) {
  return fmt::format("best along `{}` by {}: right in {} of {} (bound {}){}", best.bound->axis,
                     best.bound->metric, best.right, best.combinations, best.bound->at_least,
                     best.met() ? "" : " MISSED");
}

/// How the scenario used the published figures, and how many predictions are judged.
std::string describe_roles(const std::vector<ExpectedRow>& figures) {
  const auto count = [&](auto has) { return std::ranges::count_if(figures, has); };
  const auto inputs = count([](const ExpectedRow& row) { return row.is(scenario::FigureRole::input); });
  const auto fitted = count([](const ExpectedRow& row) { return row.is(scenario::FigureRole::fitted); });
  const auto unjudged = count([](const ExpectedRow& row) { return row.unjudged_prediction(); });
  return fmt::format("{} figures: {} inputs, {} fitted, {} predicted, of which {} not judged", figures.size(),
                     inputs, fitted, static_cast<std::ptrdiff_t>(figures.size()) - inputs - fitted, unjudged);
}

/// Why figures are not judged, each reason once.
std::vector<std::string> reasons(const std::vector<ExpectedRow>& figures) {
  std::vector<std::pair<std::string, int>> counts;
  for (const ExpectedRow& row : figures) {
    if (!row.expected->reason) continue;
    const auto known = std::ranges::find(counts, *row.expected->reason, &std::pair<std::string, int>::first);
    if (known == counts.end())
      counts.emplace_back(*row.expected->reason, 1);
    else
      ++known->second;
  }
  std::vector<std::string> lines;
  for (const auto& [reason, figures_with_it] : counts)
    lines.push_back(fmt::format("not judged, {} {}: {}", figures_with_it,
                                figures_with_it == 1 ? "figure" : "figures", reason));
  return lines;
}

std::string describe_judged(const ExpectationReport& report) {
  int judged = 0;
  int met = 0;
  for (const ExpectedFigure& figure : report.figures) {
    if (!figure.judged()) continue;
    ++judged;
    met += figure.within_bounds() ? 1 : 0;
  }
  if (judged == 0) return "";
  return fmt::format("within their bound: {} of {} figures", met, judged);
}

}  // namespace

Table expectations_table(const ExpectationReport& report) {
  Table table = fill(std::span<const ColumnOf<ExpectedRow>>(expectation_columns),
                     std::span<const ExpectedRow>(report.figures));
  constexpr std::array<std::string_view, 1> phase{"phase"};
  if (std::ranges::none_of(report.figures,
                           [](const ExpectedRow& row) { return row.expected->phase.has_value(); }))
    table = without(table, phase);
  return table;
}

std::vector<std::string> expectations_notes(const ExpectationReport& report) {
  std::vector<std::string> lines = sources(report.figures);
  if (report.seeds > 1) lines.push_back(fmt::format("predictions are means over {} seeds", report.seeds));
  if (!report.figures.empty()) lines.push_back(describe_roles(report.figures));
  for (std::string& reason : reasons(report.figures)) lines.push_back(std::move(reason));
  if (const std::string judged = describe_judged(report); !judged.empty()) lines.push_back(judged);
  for (const MeanError& mean : report.mean_errors) lines.push_back(describe(mean));
  for (const BestAgreement& best : report.best) {
    lines.push_back(describe(best));
    for (const std::string& wrong : best.wrong) lines.push_back("  " + wrong);
  }
  return lines;
}

std::string expectations_text(const ExpectationReport& report) {
  if (report.empty()) return "";
  std::string text = "compared with published figures\n";
  if (!report.figures.empty()) text += text_table(expectations_table(report));
  for (const std::string& line : expectations_notes(report)) text += line + "\n";
  return text + "\n";
}

std::vector<std::string> missed(const ExpectationReport& report) {
  std::vector<std::string> list;
  for (const ExpectedFigure& figure : report.figures) {
    if (figure.met() != false) continue;
    const scenario::Expectation& expected = *figure.expected;
    const auto error = figure.relative_error();
    std::string what = ": " + judgement(figure);
    if (figure.ours) what = " is " + print_figure(expected, *figure.ours);
    if (error) what = fmt::format(" is {:+.2f} % off", 100 * *error);
    list.push_back(fmt::format("{}: {} of `{}`{}; accepted: {}", expected.where, name_of(expected),
                               expected.arm, what, bound(expected)));
  }
  for (const MeanError& mean : report.mean_errors) {
    if (!mean.met()) list.push_back(mean.bound->where + ": " + describe(mean));
  }
  for (const BestAgreement& best : report.best) {
    if (!best.met()) list.push_back(best.bound->where + ": " + describe(best));
  }
  return list;
}

}  // namespace sim::report
