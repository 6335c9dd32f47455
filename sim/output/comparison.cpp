// The figures of all arms side by side: the columns, and which rows there are.
#include "sim/output/comparison.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "sim/output/table.hpp"

namespace sim::output {
namespace {

using Row = ComparisonRow;

Cell seconds(netmodels::Seconds value) { return value.count; }
Cell count(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// What outlives all steps: probes, lost work and recoveries belong to the whole run only.
netmodels::Seconds total_time(const Row& row) { return row.whole ? row.arm->result.time : row.phase->time; }

/// Printed forms have no messages that could be counted.
Cell bytes(const std::optional<netmodels::Bytes>& sent) { return sent ? Cell(sent->count) : Cell(); }

/// With their shares where there are several; steps without a name use none of them.
std::string names_of(std::map<std::string, std::int64_t> uses) {
  uses.erase("");
  std::int64_t all = 0;
  for (const auto& [name, steps] : uses) all += steps;
  std::string names;
  for (const auto& [name, steps] : uses) {
    names += (names.empty() ? "" : " ") + name;
    const double share = 100 * static_cast<double>(steps) / static_cast<double>(all);
    if (uses.size() > 1) names += fmt::format(" {:.1f} %", share);
  }
  return names;
}

/// Empty where a worker alone has nothing to exchange.
Cell collectives(const Row& row) { return names_of(row.phase->collectives); }

/// Empty where no gradients are sent.
Cell methods(const Row& row) { return names_of(row.phase->methods); }

/// SelSync's LSSR: steps without an exchange, as a share of all.
Cell local_step_share(const Row& row) {
  if (!row.whole || row.phase->steps == 0) return {};
  return static_cast<double>(row.arm->result.local_steps) / static_cast<double>(row.phase->steps);
}

/// A figure of what was learned in the whole run.
template <class Get>
Cell learned(const Row& row, Get get) {
  if (!row.whole || !row.arm->result.learning) return {};
  const auto figure = get(*row.arm->result.learning);
  return figure ? Cell(static_cast<double>(*figure)) : Cell();
}

using Learned = engine::LearningResult;
using Buffer = engine::BufferState;

/// What streams have left in the end.
template <class Get>
Cell buffered(const Row& row, Get get) {
  if (!row.whole || !row.arm->result.buffer) return {};
  return get(*row.arm->result.buffer);
}

/// What the first test that reached the target says.
template <class Get>
Cell at_target(const Row& row, Get get) {
  return learned(row, [&](const Learned& result) -> std::optional<double> {
    return result.target ? get(*result.target) : std::optional<double>();
  });
}

std::optional<double> sent_until(const engine::Evaluated& test) {
  return test.sent_by_all ? std::optional(test.sent_by_all->count) : std::nullopt;
}

constexpr std::array columns{
    Column<Row>{"scenario", "scenario", Measure::none, [](const Row& r) -> Cell { return r.study->file; }},
    Column<Row>{"arm", "arm", Measure::none, [](const Row& r) -> Cell { return r.arm->result.name; }},
    Column<Row>{"phase", "phase", Measure::none,
                [](const Row& r) -> Cell { return r.whole ? "whole run" : r.phase->label; }},
    Column<Row>{"steps", "steps", Measure::none, [](const Row& r) -> Cell { return r.phase->steps; }},
    Column<Row>{"step_time_s", "step", Measure::time,
                [](const Row& r) { return seconds(r.phase->step_time()); }},
    Column<Row>{"step_margin_s", "+/-", Measure::time,
                [](const Row& r) { return r.phase->margin.count > 0 ? seconds(r.phase->margin) : Cell(); }},
    Column<Row>{"compute_time_s", "compute", Measure::time,
                [](const Row& r) { return seconds(r.phase->parts.compute); }},
    Column<Row>{"wait_time_s", "wait", Measure::time,
                [](const Row& r) { return seconds(r.phase->parts.wait); }},
    Column<Row>{"compress_time_s", "compress", Measure::time,
                [](const Row& r) { return seconds(r.phase->parts.compress); }},
    Column<Row>{"stream_wait_time_s", "stream wait", Measure::time,
                [](const Row& r) { return seconds(r.phase->parts.stream_wait); }},
    Column<Row>{"exposed_time_s", "exchange", Measure::time,
                [](const Row& r) { return seconds(r.phase->parts.exchange); }},
    Column<Row>{"exchange_time_s", "busy", Measure::time,
                [](const Row& r) { return seconds(r.phase->exchange_busy); }},
    Column<Row>{"sent_bytes", "sent/worker", Measure::size,
                [](const Row& r) { return bytes(r.phase->sent); }},
    Column<Row>{"throughput_samples_per_s", "samples/s", Measure::none,
                [](const Row& r) -> Cell { return r.phase->samples_per_second; }},
    Column<Row>{"scaling_efficiency", "efficiency", Measure::share,
                [](const Row& r) -> Cell { return r.phase->scaling_efficiency; }},
    Column<Row>{"total_time_s", "total", Measure::time, [](const Row& r) { return seconds(total_time(r)); }},
    Column<Row>{
        "outside_steps_time_s", "outside steps", Measure::time,
        [](const Row& r) { return seconds(r.whole ? r.arm->result.outside_steps : netmodels::Seconds{}); }},
    Column<Row>{"collectives", "collective", Measure::none, collectives},
    Column<Row>{"methods", "sent", Measure::none, methods},
    Column<Row>{"mean_ratio", "mean ratio", Measure::share,
                [](const Row& r) -> Cell { return r.phase->mean_ratio; }},
    Column<Row>{"experiment_steps", "experiments", Measure::none,
                [](const Row& r) -> Cell { return r.whole ? Cell(r.arm->result.experiment_steps) : Cell(); }},
    Column<Row>{"local_step_share", "local steps", Measure::share, local_step_share},
    Column<Row>{"batch_changes", "batch changes", Measure::none,
                [](const Row& r) -> Cell { return r.whole ? Cell(r.arm->result.batch_changes) : Cell(); }},
    Column<Row>{"buffer_samples", "buffered samples", Measure::none,
                [](const Row& r) { return buffered(r, [](const Buffer& b) { return b.samples; }); }},
    Column<Row>{"fullest_buffer_samples", "fullest buffer", Measure::none,
                [](const Row& r) { return buffered(r, [](const Buffer& b) { return b.fullest; }); }},
    Column<Row>{"buffer_bytes", "buffer", Measure::size,
                [](const Row& r) { return buffered(r, [](const Buffer& b) { return b.bytes.count; }); }},
    Column<Row>{"streamed_bytes", "streamed", Measure::size,
                [](const Row& r) { return r.whole ? bytes(r.arm->result.streamed) : Cell(); }},
    Column<Row>{"accuracy", "last 5 tests", Measure::share,
                [](const Row& r) { return learned(r, [](const Learned& l) { return l.last_accuracy; }); }},
    Column<Row>{"best_accuracy", "best accuracy", Measure::share,
                [](const Row& r) { return learned(r, [](const Learned& l) { return l.best_accuracy; }); }},
    Column<Row>{"target_time_s", "to target", Measure::time,
                [](const Row& r) {
                  return at_target(r, [](const engine::Evaluated& e) { return std::optional(e.at.count); });
                }},
    Column<Row>{"target_steps", "steps to target", Measure::none,
                [](const Row& r) {
                  return at_target(r, [](const engine::Evaluated& e) {
                    return std::optional(static_cast<double>(e.steps));
                  });
                }},
    Column<Row>{"target_bytes", "bytes to target", Measure::size,
                [](const Row& r) { return at_target(r, sent_until); }},
    Column<Row>{"gain", "gain", Measure::none,
                [](const Row& r) { return learned(r, [](const Learned& l) { return l.mean_gain; }); }},
    Column<Row>{"noise_scale_samples", "noise scale", Measure::none,
                [](const Row& r) { return learned(r, [](const Learned& l) { return l.noise_scale; }); }},
    Column<Row>{"compute_time_origin", "compute time origin", Measure::none,
                [](const Row& r) -> Cell {
                  return std::string(netmodels::to_string(r.arm->scenario->workload.origin));
                }},
    Column<Row>{"compression_time_origin", "compression time origin", Measure::none,
                [](const Row& r) -> Cell { return r.arm->result.compression_time_origin; }},
    Column<Row>{"learner", "learner", Measure::none,
                [](const Row& r) -> Cell { return r.arm->result.learner; }},
    Column<Row>{"priced_closed", "closed", Measure::none,
                [](const Row& r) { return count(r.arm->result.evaluators.closed); }},
    Column<Row>{"priced_path", "path", Measure::none,
                [](const Row& r) { return count(r.arm->result.evaluators.path); }},
    Column<Row>{"priced_simgrid", "simgrid", Measure::none,
                [](const Row& r) { return count(r.arm->result.evaluators.simgrid); }},
    Column<Row>{"priced_reused", "reused", Measure::none,
                [](const Row& r) { return count(r.arm->result.evaluators.reused); }},
    Column<Row>{"priced_audited", "audited", Measure::none,
                [](const Row& r) { return count(r.arm->result.evaluators.audited); }},
    Column<Row>{"priced_measured", "measured", Measure::none,
                [](const Row& r) { return count(r.arm->result.evaluators.measured); }},
};

/// Columns that the notes below the table say in words, or that its headings say.
constexpr std::array<std::string_view, 16> told_elsewhere{
    "scenario",      "phase",          "compute_time_origin", "compression_time_origin",
    "learner",       "priced_closed",  "priced_path",         "priced_simgrid",
    "priced_reused", "priced_audited", "best_accuracy",       "target_steps",
    "target_bytes",  "buffer_samples", "streamed_bytes",      "priced_measured"};
constexpr std::array<std::string_view, 14> dropped_when_idle{"step_margin_s",
                                                             "stream_wait_time_s",
                                                             "batch_changes",
                                                             "fullest_buffer_samples",
                                                             "buffer_bytes",
                                                             "wait_time_s",
                                                             "compress_time_s",
                                                             "outside_steps_time_s",
                                                             "local_step_share",
                                                             "experiment_steps",
                                                             "accuracy",
                                                             "target_time_s",
                                                             "gain",
                                                             "noise_scale_samples"};

/// Nothing to see: 0, or no figure at all.
bool is_idle(const Cell& cell) {
  const double* value = std::get_if<double>(&cell);
  const std::int64_t* count = std::get_if<std::int64_t>(&cell);
  return std::holds_alternative<std::monostate>(cell) || (value != nullptr && *value == 0) ||
         (count != nullptr && *count == 0);
}

/// No row has anything to see in one column.
bool all_idle(const Sheet& sheet, std::string_view key) {
  const auto column = std::ranges::find(sheet.headings, key, &Heading::key) - sheet.headings.begin();
  if (column == std::ssize(sheet.headings)) return true;
  return std::ranges::all_of(sheet.rows,
                             [&](const auto& row) { return is_idle(row[static_cast<std::size_t>(column)]); });
}

/// Where the scenario names the collective, nobody needs to be told which it was.
bool chooses_collective(const PlayedArm& arm) { return arm.scenario->exchange.collective == "auto"; }

bool chooses_ratio(const PlayedArm& arm) { return scenario::decided_by_step(arm.scenario->compression); }

std::string section(const std::string& title, std::span<const Row> rows,
                    std::span<const std::string_view> untold) {
  const Sheet sheet = without(fill(comparison_columns(), rows), untold);
  return (title.empty() ? "" : title + "\n") + table(sheet) + "\n";
}

/// Labels of phases in the order in which they first occur.
std::vector<std::string> labels(const std::vector<Row>& rows) {
  std::vector<std::string> found;
  for (const Row& row : rows) {
    if (!row.whole && std::ranges::find(found, row.phase->label) == found.end())
      found.push_back(row.phase->label);
  }
  return found;
}

}  // namespace

std::span<const Column<Row>> comparison_columns() { return columns; }

std::vector<Row> rows_of(const PlayedStudy& study, const PlayedArm& arm) {
  std::vector<Row> rows;
  if (arm.result.phases.size() > 1) {
    for (const engine::PhaseResult& phase : arm.result.phases) rows.push_back({&study, &arm, &phase, false});
  }
  rows.push_back({&study, &arm, &arm.result.whole, true});
  return rows;
}

Sheet comparison(const PlayedStudy& study) {
  std::vector<Row> rows;
  for (const PlayedArm& arm : study.arms) std::ranges::copy(rows_of(study, arm), std::back_inserter(rows));
  return fill(comparison_columns(), std::span<const Row>(rows));
}

std::vector<std::string_view> untold_columns(const Sheet& sheet) {
  std::vector<std::string_view> keys(told_elsewhere.begin(), told_elsewhere.end());
  std::ranges::copy_if(dropped_when_idle, std::back_inserter(keys),
                       [&](std::string_view key) { return all_idle(sheet, key); });
  return keys;
}

std::string comparison_text(const PlayedStudy& study) {
  std::vector<Row> rows;
  for (const PlayedArm& arm : study.arms) std::ranges::copy(rows_of(study, arm), std::back_inserter(rows));
  std::vector<std::string_view> untold =
      untold_columns(fill(comparison_columns(), std::span<const Row>(rows)));
  if (std::ranges::none_of(study.arms, chooses_collective)) untold.push_back("collectives");
  if (std::ranges::none_of(study.arms, chooses_ratio)) {
    untold.push_back("methods");
    untold.push_back("mean_ratio");
  }
  std::string text;
  const auto print_where = [&](const std::string& title, const auto& wanted) {
    std::vector<Row> chosen;
    std::ranges::copy_if(rows, std::back_inserter(chosen), wanted);
    text += section(title, chosen, untold);
  };
  const std::vector<std::string> phases = labels(rows);
  for (const std::string& label : phases) {
    print_where(label, [&](const Row& row) { return !row.whole && row.phase->label == label; });
  }
  print_where(phases.empty() ? "" : "whole run", [](const Row& row) { return row.whole; });
  return text;
}

}  // namespace sim::output
