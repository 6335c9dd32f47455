// Tables of a fitted step.
#include "sim/fit/step_fit_text.hpp"

#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "command_line/table_json.hpp"
#include "command_line/text_table.hpp"
#include "sim/report/terminal_text.hpp"

namespace sim::fit {
namespace {

using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;
using command_line::Table;

/// An unknown with the fit that it belongs to.
struct UnknownLine {
  const StepFit* fit;
  const FittedUnknown* unknown;

  [[nodiscard]] bool identified() const { return unknown->found.identified; }
  /// What the unknown is known by, in a few words.
  [[nodiscard]] std::string origin() const {
    if (identified()) return fmt::format("{}", fmt::join(fit->rests_on(*unknown), ", "));
    return unknown->prior.source.empty() ? "the scenario" : unknown->prior.source;
  }
  [[nodiscard]] std::string printed(double value) const {
    return identified() ? unknown->row->print(value) : "-";
  }
  [[nodiscard]] Cell number(double value) const { return identified() ? Cell(value) : Cell(); }
};

std::string stated_or_none(const FittedUnknown& unknown) {
  return unknown.stated ? unknown.row->print(*unknown.stated) : "-";
}

/// Values with their units: those of a column differ.
constexpr std::array text_columns{
    ColumnOf<UnknownLine>{"unknown", "unknown", Measure::none,
                          [](const UnknownLine& l) -> Cell { return l.unknown->name(); }},
    ColumnOf<UnknownLine>{"value", "value", Measure::none,
                          [](const UnknownLine& l) -> Cell {
                            return l.identified() ? l.printed(l.unknown->found.value) : "not identified";
                          }},
    ColumnOf<UnknownLine>{"low", "from", Measure::none,
                          [](const UnknownLine& l) -> Cell { return l.printed(l.unknown->low()); }},
    ColumnOf<UnknownLine>{"high", "to (95 %)", Measure::none,
                          [](const UnknownLine& l) -> Cell { return l.printed(l.unknown->high()); }},
    ColumnOf<UnknownLine>{"stated", "scenario", Measure::none,
                          [](const UnknownLine& l) -> Cell { return stated_or_none(*l.unknown); }},
    ColumnOf<UnknownLine>{"rests_on", "rests on", Measure::none,
                          [](const UnknownLine& l) -> Cell { return l.origin(); }},
};

constexpr std::array row_columns{
    ColumnOf<UnknownLine>{"unknown", "unknown", Measure::none,
                          [](const UnknownLine& l) -> Cell { return std::string(l.unknown->row->name()); }},
    ColumnOf<UnknownLine>{
        "arm", "arm", Measure::none,
        [](const UnknownLine& l) -> Cell { return l.unknown->arm.empty() ? Cell() : Cell(l.unknown->arm); }},
    ColumnOf<UnknownLine>{"key", "key", Measure::none,
                          [](const UnknownLine& l) -> Cell { return std::string(l.unknown->row->key); }},
    ColumnOf<UnknownLine>{"unit", "unit", Measure::none,
                          [](const UnknownLine& l) -> Cell { return std::string(l.unknown->row->unit); }},
    ColumnOf<UnknownLine>{
        "identified", "identified", Measure::none,
        [](const UnknownLine& l) -> Cell { return std::string(l.identified() ? "yes" : "no"); }},
    ColumnOf<UnknownLine>{"value", "value", Measure::none,
                          [](const UnknownLine& l) -> Cell { return l.number(l.unknown->found.value); }},
    ColumnOf<UnknownLine>{"low", "from", Measure::none,
                          [](const UnknownLine& l) -> Cell { return l.number(l.unknown->low()); }},
    ColumnOf<UnknownLine>{"high", "to", Measure::none,
                          [](const UnknownLine& l) -> Cell { return l.number(l.unknown->high()); }},
    ColumnOf<UnknownLine>{
        "stated", "scenario", Measure::none,
        [](const UnknownLine& l) -> Cell { return l.unknown->stated ? Cell(*l.unknown->stated) : Cell(); }},
    ColumnOf<UnknownLine>{"rests_on", "rests on", Measure::none,
                          [](const UnknownLine& l) -> Cell { return l.origin(); }},
};

std::string kind_text(const scenario::StepFigure& figure) {
  if (figure.allreduce) return "all-reduce of " + netmodels::print(*figure.bytes);
  return figure.alone ? "step alone" : "step";
}

double relative_error(const ExplainedFigure& f) { return f.explained / f.measured.figure.time() - 1; }

constexpr std::array figure_columns{
    ColumnOf<ExplainedFigure>{"figure", "figure", Measure::none,
                              [](const ExplainedFigure& f) -> Cell { return f.measured.name; }},
    ColumnOf<ExplainedFigure>{"what", "what", Measure::none,
                              [](const ExplainedFigure& f) -> Cell { return kind_text(f.measured.figure); }},
    ColumnOf<ExplainedFigure>{"arm", "arm", Measure::none,
                              [](const ExplainedFigure& f) -> Cell { return f.measured.arm; }},
    ColumnOf<ExplainedFigure>{
        "workers", "workers", Measure::none,
        [](const ExplainedFigure& f) -> Cell { return std::int64_t{f.measured.scenario.cluster.workers}; }},
    ColumnOf<ExplainedFigure>{
        "measured_s", "measured", Measure::time,
        [](const ExplainedFigure& f) -> Cell { return f.measured.figure.time().count; }},
    ColumnOf<ExplainedFigure>{"explained_s", "explained", Measure::time,
                              [](const ExplainedFigure& f) -> Cell { return f.explained.count; }},
    ColumnOf<ExplainedFigure>{"error", "error", Measure::share,
                              [](const ExplainedFigure& f) -> Cell { return relative_error(f); }},
    ColumnOf<ExplainedFigure>{"within", "within", Measure::share,
                              [](const ExplainedFigure& f) -> Cell { return f.measured.figure.within; }},
};

template <class Columns>
Table unknown_table(const StepFit& fit, const Columns& columns) {
  std::vector<UnknownLine> lines;
  for (const FittedUnknown& unknown : fit.unknowns) lines.push_back({&fit, &unknown});
  return command_line::fill(std::span<const ColumnOf<UnknownLine>>(columns),
                            std::span<const UnknownLine>(lines));
}

Table figure_table(const StepFit& fit) {
  return command_line::fill(std::span<const ColumnOf<ExplainedFigure>>(figure_columns),
                            std::span<const ExplainedFigure>(fit.figures));
}

std::string fit_text(const StepFit& fit, const std::string& file) {
  std::string text = report::wrap(fmt::format("{}, explained by {}", file, fit.scenario)) + "\n";
  text += command_line::text_table(unknown_table(fit, text_columns)) + "\n";
  text += command_line::text_table(figure_table(fit));
  const std::vector<std::string> notes = fit.notes();
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += report::wrap(note);
  return text;
}

}  // namespace

command_line::Document fit_document(const StepFit& fit, const std::string& file) {
  return {.text = [fit, file] { return fit_text(fit, file); },
          .rows = [fit] { return unknown_table(fit, row_columns); },
          .put_json =
              [fit, file](nlohmann::ordered_json& object) {
                object["measured_steps"] = file;
                object["scenario"] = fit.scenario;
                object["unknowns"] = command_line::rows_json(unknown_table(fit, row_columns));
                object["figures"] = command_line::rows_json(figure_table(fit));
                object["notes"] = fit.notes();
              }};
}

}  // namespace sim::fit
