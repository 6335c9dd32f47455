// The figures of all arms side by side: which rows there are, and which columns the text has.
#include <algorithm>
#include <iterator>
#include <span>

#include "command_line/text_table.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/metric.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::Column;
using command_line::ColumnOf;
using command_line::Measure;
using command_line::Table;

namespace {

/// Nothing to see: 0, or no figure at all.
bool is_idle(const Cell& cell) {
  const double* value = std::get_if<double>(&cell);
  const std::int64_t* count = std::get_if<std::int64_t>(&cell);
  return std::holds_alternative<std::monostate>(cell) || (value != nullptr && *value == 0) ||
         (count != nullptr && *count == 0);
}

/// No row has anything to see in one column.
bool all_idle(const Table& table, std::string_view key) {
  const auto column = column_of(table, key);
  return !column || std::ranges::all_of(table.rows, [&](const auto& row) { return is_idle(row[*column]); });
}

/// Where the scenario names the collective, the table need not.
bool chooses_collective(const SimulatedArm& arm) {
  return policies::chooses_collective(arm.scenario->exchange.collective);
}

bool chooses_ratio(const SimulatedArm& arm) {
  return scenario::decided_by_step(arm.scenario->exchange.compression);
}

/// The columns that the table of some arms leaves out.
std::vector<std::string_view> hidden_in_text(const SimulatedStudy& study, std::span<const RunPart> parts) {
  std::vector<std::string_view> hidden = hidden_columns(metric_table(parts));
  const bool collective = std::ranges::any_of(study.arms, chooses_collective);
  const bool ratio = std::ranges::any_of(study.arms, chooses_ratio);
  for (const Metric& metric : metrics()) {
    if ((metric.in_text == InText::if_collective_chosen && !collective) ||
        (metric.in_text == InText::if_ratio_chosen && !ratio))
      hidden.push_back(metric.key);
  }
  return hidden;
}

std::string section(const std::string& title, std::span<const RunPart> parts,
                    std::span<const std::string_view> hidden, std::size_t width) {
  return (title.empty() ? "" : title + "\n") + text_table(without(metric_table(parts), hidden), width) + "\n";
}

/// Labels of phases in the order in which they first occur.
std::vector<std::string> labels(const std::vector<RunPart>& parts) {
  std::vector<std::string> found;
  for (const RunPart& part : parts) {
    if (!part.whole && std::ranges::find(found, part.phase->label) == found.end())
      found.push_back(part.phase->label);
  }
  return found;
}

/// Of each arm its phases, where there are several, then the whole run.
std::vector<RunPart> parts_of(const SimulatedStudy& study) {
  std::vector<RunPart> parts;
  for (const SimulatedArm& arm : study.arms) {
    if (arm.result.phases.size() > 1) {
      for (const engine::PhaseResult& phase : arm.result.phases)
        parts.push_back({&study, &arm, &phase, false});
    }
    parts.push_back({&study, &arm, &arm.result.whole, true});
  }
  return parts;
}

}  // namespace

Table comparison_table(const SimulatedStudy& study) { return metric_table(parts_of(study)); }

std::vector<std::string_view> hidden_columns(const Table& table) {
  std::vector<std::string_view> hidden;
  for (const Metric& metric : metrics()) {
    if (metric.in_text == InText::never ||
        (metric.in_text == InText::unless_idle && all_idle(table, metric.key)))
      hidden.push_back(metric.key);
  }
  return hidden;
}

std::string comparison_text(const SimulatedStudy& study, std::size_t width) {
  const std::vector<RunPart> parts = parts_of(study);
  const std::vector<std::string_view> hidden = hidden_in_text(study, parts);
  std::string text;
  const auto print_where = [&](const std::string& title, const auto& wanted) {
    std::vector<RunPart> chosen;
    std::ranges::copy_if(parts, std::back_inserter(chosen), wanted);
    text += section(title, chosen, hidden, width);
  };
  const std::vector<std::string> phases = labels(parts);
  for (const std::string& label : phases) {
    print_where(label, [&](const RunPart& part) { return !part.whole && part.phase->label == label; });
  }
  print_where(phases.empty() ? "" : "whole run", [](const RunPart& part) { return part.whole; });
  return text;
}

}  // namespace sim::report
