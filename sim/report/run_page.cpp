// The parts of a run's report, from the arms down to where the numbers come from.
#include "sim/report/run_page.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "command_line/table.hpp"
#include "files/byte_stream.hpp"
#include "files/input_file.hpp"
#include "files/output_folder.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/run_summary.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::column_of;
using command_line::Measure;
using command_line::number_of;
using command_line::Table;

namespace {

namespace fs = std::filesystem;
using netmodels::refuse;
using netmodels::Result;

/// Rows of series per arm: enough for a screen, and all arms together no more than a page should hold.
std::size_t rows_for(std::size_t arms) {
  constexpr std::size_t in_all = 4000;
  return std::clamp<std::size_t>(in_all / std::max<std::size_t>(1, arms), 20, 200);
}

/// Where the time of a step goes: the whole runs first, then state by state.
Table parts_of_steps(const RunSummary& summary) {
  Table table;
  table.columns = {{"phase", "state of the network", Measure::none}, {"arm", "arm", Measure::none}};
  for (const std::string_view part : keys_at(in_step_parts))
    table.columns.push_back(summary.arms.columns[*column_of(summary.arms, part)]);
  const auto put = [&](const Table& from, const std::vector<Cell>& row, const Cell& phase) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.push_back(phase);
    cells.push_back(row[*column_of(from, "arm")]);
    for (const std::string_view part : keys_at(in_step_parts)) cells.push_back(row[*column_of(from, part)]);
  };
  for (const auto& row : summary.arms.rows) put(summary.arms, row, "whole run");
  for (const auto& row : summary.phases.rows)
    put(summary.phases, row, row[*column_of(summary.phases, "phase")]);
  return table;
}

/// Of rows from one to another: every so many, the last, and those with the most accuracy and the least loss.
std::set<std::size_t> thinned(const Table& tests, std::size_t first, std::size_t end) {
  constexpr std::size_t most = 400;
  const std::size_t every = (end - first + most - 1) / most;
  std::set<std::size_t> rows{end - 1};
  for (std::size_t row = first; row < end; row += every) rows.insert(row);
  for (const auto& [key, sign] : {std::pair{"accuracy", -1}, std::pair{"loss", 1}}) {
    const std::size_t column = *column_of(tests, key);
    std::optional<std::pair<double, std::size_t>> best;
    for (std::size_t row = first; row < end; ++row) {
      const auto value = number_of(tests.rows[row][column]);
      if (value && (!best || sign * *value < best->first)) best = {sign * *value, row};
    }
    if (best) rows.insert(best->second);
  }
  return rows;
}

/// Of each arm as many tests as a chart can hold, the best among them.
Table thinned(const Table& tests) {
  Table table{tests.columns, {}};
  for (std::size_t first = 0; first < tests.rows.size();) {
    std::size_t end = first;
    while (end < tests.rows.size() && tests.rows[end][0] == tests.rows[first][0]) ++end;
    for (const std::size_t row : thinned(tests, first, end)) table.rows.push_back(tests.rows[row]);
    first = end;
  }
  return table;
}

bool any_value(const Table& table, std::string_view key) {
  const std::size_t column = *column_of(table, key);
  return std::ranges::any_of(table.rows, [column](const std::vector<Cell>& row) {
    return !std::holds_alternative<std::monostate>(row[column]);
  });
}

/// Whether a column has several values.
bool varies(const Table& table, std::string_view key) {
  const std::size_t column = *column_of(table, key);
  return std::ranges::any_of(
      table.rows, [&](const std::vector<Cell>& row) { return row[column] != table.rows.front()[column]; });
}

bool draws_steps(const Section& section) { return section.chart && section.chart->data == "steps"; }

double sum_of(const std::vector<Cell>& row, const std::vector<std::size_t>& columns) {
  double sum = 0;
  for (const std::size_t column : columns) sum += number_of(row[column]).value_or(0);
  return sum;
}

/// Whether the longest step hides the parts of the shortest one on a linear axis.
bool differ_widely(const Table& table, const std::vector<std::size_t>& parts) {
  constexpr double factor = 10;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const auto& row : table.rows) {
    const double sum = sum_of(row, parts);
    least = std::min(least, sum);
    most = std::max(most, sum);
  }
  return most > factor * least && least > 0;
}

/// Replaces the parts of each row by their shares of the row's sum.
void take_shares(Table& table, const std::vector<std::size_t>& parts) {
  for (const std::size_t column : parts) table.columns[column].measure = Measure::share;
  for (auto& row : table.rows) {
    const double sum = sum_of(row, parts);
    for (const std::size_t column : parts) {
      if (const auto value = number_of(row[column])) row[column] = *value / sum;
    }
  }
}

/// Assembles the parts of a page.
class Builder {
 public:
  Builder(const RunSummary& summary, StepSeries series) : summary_(summary), series_(std::move(series)) {}

  Page page(const std::string& resolved_scenario) {
    page_.title = summary_.scenario;
    page_.question = summary_.question;
    page_.answers = {summary_.answer};
    std::ranges::copy_if(summary_.verdicts, std::back_inserter(page_.answers),
                         [&](const std::string& sentence) { return sentence != summary_.answer; });
    page_.warnings = summary_.warnings;
    add_picture();
    if (!summary_.arms.rows.empty()) add_arms();
    add_runs(summary_.seeds, "seeds", "Means with their 95 % intervals, of the seeds that have the figure.");
    add_runs(summary_.samples, "samples", "Medians, with the 5th and the 95th percentile.");
    add_accuracy();
    add_series();
    add_shares();
    add_expectations();
    if (!summary_.events.rows.empty())
      page_.sections.push_back({.title = "Events", .table = summary_.events});
    add_origins();
    page_.sections.push_back({.title = "The scenario, resolved", .folded = resolved_scenario});
    return std::move(page_);
  }

 private:
  /// The time of each arm over the bandwidth between nodes.
  void add_picture() {
    if (summary_.by_bandwidth.rows.empty()) return;
    page_.data.emplace_back("by_bandwidth", summary_.by_bandwidth);
    Section picture{.title = "Time per sample against bandwidth",
                    .chart = Chart{.data = "by_bandwidth",
                                   .x = {"bandwidth_bytes_per_s"},
                                   .y = {"time_per_sample_s"},
                                   .by = {"arm"},
                                   .wide_x = true,
                                   .stripes = summary_.bandwidth_ties}};
    if (!summary_.bandwidth_ties.empty())
      picture.sentences = {
          "Shaded: where the fastest arm and the next tie. Bands: other times of compressing."};
    page_.picture = std::move(picture);
  }

  void add_arms() {
    page_.sections.push_back(
        {.title = "Arms", .table = without(summary_.arms, hidden_columns(summary_.arms))});
    Table steps = parts_of_steps(summary_);
    const std::vector<std::string_view> step_parts = keys_at(in_step_parts);
    Section parts{.title = "Time of a step"};
    parts.sentences = {
        "Mean per step: compute, wait for the slowest worker, exposed compression and exposed "
        "communication."};
    std::vector<std::size_t> columns;
    for (const std::string_view key : step_parts)
      if (const auto column = column_of(steps, key)) columns.push_back(*column);
    if (differ_widely(steps, columns)) {
      take_shares(steps, columns);
      parts.sentences.emplace_back("Shares of each step, as the longest takes over 10 times the shortest.");
    }
    page_.data.emplace_back("parts", std::move(steps));
    parts.chart = Chart{
        .kind = ChartKind::bars,
        .data = "parts",
        .y = {step_parts.begin(), step_parts.end()},
        .by = {"arm"},
    };
    if (!summary_.phases.rows.empty()) parts.chart->filters = {"phase"};
    if (!summary_.phases.rows.empty()) parts.table = phases_table();
    page_.sections.push_back(std::move(parts));
  }

  /// One chart for each figure of runs with other seeds or other inputs.
  void add_runs(const Table& runs, const std::string& name, const char* sentence) {
    if (runs.rows.empty()) return;
    page_.data.emplace_back(name, runs);
    for (const command_line::Column& column : runs.columns) {
      if (column.title.empty() || column.key == "arm" || column.key == name) continue;
      page_.sections.push_back(
          {.title = fmt::format("Over {} {}: {}", std::get<std::int64_t>(runs.rows.front()[1]), name,
                                column.title),
           .sentences = {sentence},
           .chart = Chart{.kind = ChartKind::bars, .data = name, .y = {column.key}, .by = {"arm"}}});
    }
  }

  /// State by state, arms under each other.
  [[nodiscard]] Table phases_table() const {
    std::vector<std::string_view> hidden = hidden_columns(summary_.phases);
    std::erase(hidden, "phase");
    Table table = without(summary_.phases, hidden);
    const std::size_t phase = *column_of(table, "phase");
    std::vector<std::string> order;
    for (const auto& row : table.rows) {
      const auto& label = std::get<std::string>(row[phase]);
      if (std::ranges::find(order, label) == order.end()) order.push_back(label);
    }
    std::ranges::stable_sort(table.rows, {}, [&](const std::vector<Cell>& row) {
      return std::ranges::find(order, std::get<std::string>(row[phase])) - order.begin();
    });
    return table;
  }

  void add_accuracy() {
    if (summary_.tests.rows.empty()) return;
    page_.data.emplace_back("tests", thinned(summary_.tests));
    Chart chart{.data = "tests", .x = {"time_s", "epoch", "steps"}, .y = {"accuracy"}, .by = {"arm"}};
    if (any_value(summary_.tests, "sent_by_all_bytes")) chart.x.emplace_back("sent_by_all_bytes");
    if (any_value(summary_.tests, "loss")) chart.y.emplace_back("loss");
    Section section{.title = "Accuracy against simulated time", .chart = std::move(chart)};
    const std::size_t left_out = summary_.tests.rows.size() - page_.data.back().second.rows.size();
    if (left_out > 0) {
      section.sentences = {fmt::format(
          "Of {} tests, an even sample is drawn, and of each arm those with the highest accuracy and the "
          "lowest loss.",
          summary_.tests.rows.size())};
    }
    page_.sections.push_back(std::move(section));
  }

  /// The quantities that changed from step to step.
  void add_series() {
    const std::vector<std::string> over_epochs{"epoch", "start_s", "step"};
    const std::vector<std::string> over_time{"start_s", "epoch", "step"};
    add_series(
        "Step time over training", over_epochs,
        {"step_time_s", "exchange_time_s", "wait_time_s", "sent_bytes", "workers", "samples", "staleness"});
    add_series("Compression over training", over_epochs, {"ratio", "gain"});
    if (has_several(summary_.collectives))
      add_series("Collective over training", over_epochs, {"collective"});
    if (has_several(summary_.methods)) add_series("Compressor over training", over_epochs, {"method"});
    add_series("Network over time", over_time, {"bandwidth_bytes_per_s", "latency_s"},
               "Between neighbouring workers at the start of each step: the smallest bandwidth, the largest "
               "latency.");
    add_series("Buffers of the streams", over_time, {"buffer_samples", "buffer_bytes", "stream_wait_time_s"},
               "Samples left in stream buffers, of all devices.");
    add_series("Statistics of the learner", over_epochs, {"loss", "noise_scale_samples"});
    const bool drawn = std::ranges::any_of(page_.sections, [](const Section& section) {
      return section.chart && section.chart->data == "steps";
    });
    if (drawn) page_.data.emplace_back("steps", std::move(series_.table));
  }

  /// @param x  the possible axes
  /// @param y  keys of which those are drawn that the run has
  void add_series(const std::string& title, const std::vector<std::string>& x,
                  const std::vector<std::string>& y, const std::string& note = "") {
    Chart chart{.data = "steps", .x = x, .by = {"arm"}};
    std::ranges::copy_if(y, std::back_inserter(chart.y), [&](const std::string& key) {
      return series_.has(key) && (key == "step_time_s" || varies(series_.table, key));
    });
    if (chart.y.empty() || series_.table.rows.size() < 2) return;
    Section section{.title = title, .chart = std::move(chart)};
    if (!note.empty()) section.sentences.push_back(note);
    const bool first = std::ranges::none_of(page_.sections, draws_steps);
    if (first && series_.most_in_a_row > 1) {
      section.sentences.push_back(fmt::format(
          "{} steps are more than a chart can show. Here and below each point summarises up to {} of them: "
          "the line is their mean, the band their minimum and maximum, a name the most frequent one.",
          series_.steps, series_.most_in_a_row));
    }
    page_.sections.push_back(std::move(section));
  }

  void add_shares() {
    const auto add = [this](const char* title, const char* name, Table table) {
      Chart chart{.kind = ChartKind::bars, .data = name, .by = {"arm"}};
      for (std::size_t column = 1; column < table.columns.size(); ++column)
        chart.y.push_back(table.columns[column].key);
      page_.sections.push_back({.title = title, .chart = std::move(chart), .table = table});
      page_.data.emplace_back(name, std::move(table));
    };
    if (has_several(summary_.ratios))
      add("Share of steps by compression ratio", "ratios", ratio_shares(summary_.ratios));
    if (has_several(summary_.collectives))
      add("Share of steps by collective", "collectives", use_shares(summary_.collectives));
    if (has_several(summary_.methods))
      add("Share of steps by compressor", "methods", use_shares(summary_.methods));
  }

  void add_expectations() {
    const ExpectationReport& report = summary_.expected.report;
    if (report.empty()) return;
    Section section{.title = "Compared with published figures", .sentences = expectations_notes(report)};
    Table errors;
    errors.columns = {{"figure", "figure", Measure::none},
                      {"relative_error", "predicted over published, minus 1", Measure::share}};
    for (const ExpectedFigure& figure : report.figures) {
      const auto error = figure.relative_error();
      if (!error) continue;
      const auto& phase = figure.expected->phase;
      errors.rows.push_back(
          {figure.expected->arm + ", " + figure.expected->metric + (phase ? ", " + *phase : ""), *error});
    }
    if (!errors.rows.empty()) {
      section.chart =
          Chart{.kind = ChartKind::bars, .data = "errors", .y = {"relative_error"}, .by = {"figure"}};
      page_.data.emplace_back("errors", std::move(errors));
    }
    if (!report.figures.empty()) section.table = expectations_table(report);
    page_.sections.push_back(std::move(section));
  }

  void add_origins() {
    Section section{.title = "Sources of the numbers", .sentences = summary_.origins};
    if (!summary_.left_out.empty())
      section.sentences.push_back(fmt::format("Left out: {}.", fmt::join(summary_.left_out, "; ")));
    page_.sections.push_back(std::move(section));
  }

  const RunSummary& summary_;
  StepSeries series_;
  Page page_;
};

constexpr std::size_t most_steps_bytes = std::size_t{1} << 40;  // read line by line

Result<std::string> text_of(const fs::path& path) {
  std::error_code unknown;
  if (fs::exists(path, unknown)) return files::read_text(path);
  return refuse(path.parent_path().string(), "has no " + path.filename().string(),
                "name a folder that `sim run FILE --out DIR` filled");
}

}  // namespace

Result<Page> run_page(const RunTexts& run) {
  GRADSIM_TRY(summary, read_run_summary(run.summary, run.folder + "/summary.json"));
  GRADSIM_TRY(series,
              read_step_series(run.steps, run.folder + "/steps.csv", rows_for(summary->arms.rows.size())));
  return Builder(*summary, std::move(*series)).page(run.resolved_scenario);
}

Result<Page> run_page(const fs::path& folder) {
  GRADSIM_TRY(summary, text_of(folder / "summary.json"));
  GRADSIM_TRY(resolved, text_of(folder / "scenario.resolved.yaml"));
  if (files::OutputFolder::is_incomplete(folder)) {
    return refuse(folder.string(), "the last run into it was killed while its files were put in place",
                  "run it again by `sim run FILE --out " + folder.string() + "`");
  }
  const fs::path file = folder / "steps.csv";
  if (!fs::exists(file)) return tl::unexpected(text_of(file).error());
  GRADSIM_TRY(readable, files::check_input(file, {most_steps_bytes}));
  files::FileStream steps(file.string());
  auto page = run_page({*summary, *resolved, steps, folder.string()});
  if (const auto cause = steps.failure())
    return tl::unexpected(files::unreadable_file(file.string(), *cause));
  return page;
}

}  // namespace sim::report
