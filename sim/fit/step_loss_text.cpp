// Sentences and tables of lost time.
#include "sim/fit/step_loss_text.hpp"

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/table_json.hpp"
#include "command_line/text_table.hpp"
#include "sim/report/terminal_text.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::fit {
namespace {

using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;
using command_line::Table;

constexpr int digits = 3;

std::string step_text(netmodels::Seconds step) { return netmodels::print(step, digits); }

std::string efficiency_text(double efficiency) { return fmt::format("{:.0f} %", 100 * efficiency); }

/// "8 workers do the work of 3.0 (38 %): a step takes 255 ms, and 95.7 ms on one worker."
std::string summary(const StepLoss& loss) {
  const std::string arm = loss.arm.empty() ? "" : fmt::format("`{}`: ", loss.arm);
  return fmt::format("{}{} workers do the work of {:.1f} ({}): a step takes {}, and {} on one worker.", arm,
                     loss.workers, loss.workers * loss.efficiency(), efficiency_text(loss.efficiency()),
                     step_text(loss.step), step_text(loss.alone));
}

/// How far the prediction is from what was measured, and what explains it; empty where nothing was measured.
std::string measured_text(const StepLoss& loss) {
  if (loss.step == loss.predicted) return "";
  std::string text = fmt::format("predicted: {} ({:+.0f} %) on the network as stated",
                                 step_text(loss.predicted), 100 * (loss.predicted / loss.step - 1));
  if (loss.network)
    text += fmt::format("; `{}: {}` in place of {} explains the measured step", loss.network->key,
                        loss.network->value, loss.network->stated);
  return text + ".";
}

std::string range_text(const StepLoss& loss) {
  if (!loss.range) return "";
  const auto& [low, high] = *loss.range;
  return fmt::format("over the published range of the network's goodput, {} to {}: {} to {}.", low.what,
                     high.what, efficiency_text(low.efficiency), efficiency_text(high.efficiency));
}

/// A share to a tenth of a percent, as predictions are no closer.
double rounded(double share) {
  constexpr double steps = 1000;
  return std::round(share * steps) / steps;
}

/// A part of the lost time with the step that it is part of.
struct LostLine {
  const LostTime* lost;
  netmodels::Seconds step;
};

Table lost_table(const StepLoss& loss) {
  static constexpr std::array columns{
      ColumnOf<LostLine>{"lost", "lost by", Measure::none,
                         [](const LostLine& l) -> Cell { return std::string(l.lost->what); }},
      ColumnOf<LostLine>{"time_s", "time", Measure::time,
                         [](const LostLine& l) -> Cell { return l.lost->time.count; }},
      ColumnOf<LostLine>{"share", "of the step", Measure::share,
                         [](const LostLine& l) -> Cell { return rounded(l.lost->time / l.step); }},
  };
  std::vector<LostLine> lines;
  constexpr double shown = 1e-3;
  for (const LostTime& lost : loss.lost) {
    if (std::abs(lost.time / loss.step) >= shown) lines.push_back({&lost, loss.step});
  }
  return command_line::fill(std::span<const ColumnOf<LostLine>>(columns), std::span<const LostLine>(lines));
}

/// A step under other circumstances, and the kind of change that leads to it.
struct OtherLine {
  std::string group;
  const OtherStep* step;
  bool is_at_least = false;
};

constexpr ColumnOf<OtherLine> group_column{"kind", "changes", Measure::none,
                                           [](const OtherLine& l) -> Cell { return l.group; }};
constexpr ColumnOf<OtherLine> what_column{"with", "with", Measure::none,
                                          [](const OtherLine& l) -> Cell { return l.step->what; }};
constexpr ColumnOf<OtherLine> step_column{"step_time_s", "step", Measure::time,
                                          [](const OtherLine& l) -> Cell { return l.step->step.count; }};
constexpr ColumnOf<OtherLine> efficiency_column{
    "efficiency", "efficiency", Measure::share,
    [](const OtherLine& l) -> Cell { return rounded(l.step->efficiency); }};

std::vector<OtherLine> ceiling_lines(const StepLoss& loss) {
  std::vector<OtherLine> lines;
  for (const OtherStep& ceiling : loss.ceilings) lines.push_back({"the network", &ceiling});
  return lines;
}

std::vector<OtherLine> remedy_lines(const StepLoss& loss) {
  std::vector<OtherLine> lines;
  for (const StepRemedy& remedy : loss.remedies)
    lines.push_back({std::string(describe(remedy.kind)), &remedy.result, remedy.is_at_least});
  return lines;
}

Table ceiling_table(const StepLoss& loss) {
  static constexpr std::array columns{what_column, step_column, efficiency_column};
  return command_line::fill(std::span<const ColumnOf<OtherLine>>(columns),
                            std::span<const OtherLine>(ceiling_lines(loss)));
}

Table all_steps(const StepLoss& loss) {
  static constexpr std::array columns{
      group_column,
      what_column,
      step_column,
      ColumnOf<OtherLine>{"samples_per_second", "samples/s", Measure::none,
                          [](const OtherLine& l) -> Cell { return l.step->samples_per_second; }},
      ColumnOf<OtherLine>{"efficiency", "efficiency", Measure::share,
                          [](const OtherLine& l) -> Cell { return l.step->efficiency; }},
      ColumnOf<OtherLine>{"step_is", "step is", Measure::none, [](const OtherLine& l) -> Cell {
                            return std::string(l.is_at_least ? "at least" : "about");
                          }}};
  std::vector<OtherLine> lines = ceiling_lines(loss);
  for (OtherLine& line : remedy_lines(loss)) lines.push_back(std::move(line));
  return command_line::fill(std::span<const ColumnOf<OtherLine>>(columns), std::span<const OtherLine>(lines));
}

/// "at most 82 % with lossy gradients: compression.method=fp16 (a step of 116 ms)"
std::string remedy_text(const StepRemedy& remedy) {
  return fmt::format("{}{} with {}: {} (a step of {})", remedy.is_at_least ? "at most " : "",
                     efficiency_text(remedy.result.efficiency), describe(remedy.kind), remedy.result.what,
                     step_text(remedy.result.step));
}

std::string remedies_text(const StepLoss& loss) {
  if (!loss.has_trials)
    return report::wrap("No changes were tried: they are compared with steps that apply whole gradients.");
  if (loss.remedies.empty())
    return report::wrap(fmt::format(
        "None of the changes that were tried (overlap, collective, buckets, compression, larger batches, "
        "local steps) is faster by more than {:.3g} %, the error of predictions.",
        100 * scenario::tie));
  std::string text = "what helps, each change simulated:\n";
  bool learns_alike = true;
  for (const StepRemedy& remedy : loss.remedies) {
    text += report::wrap("  " + remedy_text(remedy));
    learns_alike = learns_alike && remedy.kind == ChangeKind::exact;
  }
  if (learns_alike) return text;
  return text + report::wrap(
                    "Samples of lossy gradients, larger batches and local steps may teach less each; "
                    "`sim run` with a `learner` predicts it.");
}

std::string loss_text(const StepLoss& loss) {
  std::string text = report::wrap(summary(loss));
  for (const std::string& sentence : {measured_text(loss), range_text(loss)}) {
    if (!sentence.empty()) text += report::wrap(sentence);
  }
  if (!loss.lost.empty()) text += "\n" + text_table(lost_table(loss), report::line_width);
  text += "\n" + text_table(ceiling_table(loss), report::line_width) + "\n";
  text += remedies_text(loss);
  if (!loss.is_alone_measured)
    text += report::wrap("The step of one worker is predicted; --alone takes a measured one.");
  return text;
}

void put_loss(const StepLoss& loss, const std::string& file, nlohmann::ordered_json& object) {
  object["scenario"] = file;
  if (!loss.arm.empty()) object["arm"] = loss.arm;
  object["workers"] = loss.workers;
  object["efficiency"] = loss.efficiency();
  object["step_time_s"] = loss.step.count;
  object["alone_s"] = loss.alone.count;
  object["predicted_s"] = loss.predicted.count;
  if (loss.network)
    object["network"] = {
        {"key", loss.network->key}, {"value", loss.network->value}, {"stated", loss.network->stated}};
  if (loss.range) object["efficiency_range"] = {loss.range->first.efficiency, loss.range->second.efficiency};
  object["lost"] = nlohmann::ordered_json::object();
  for (const LostTime& lost : loss.lost) object["lost"][std::string(lost.key)] = lost.time.count;
  object["steps"] = command_line::rows_json(all_steps(loss));
}

}  // namespace

command_line::Document step_loss_document(const StepLoss& loss, const std::string& file) {
  return {.text = [&loss] { return loss_text(loss); },
          .rows = [&loss] { return all_steps(loss); },
          .put_json = [&loss, file](nlohmann::ordered_json& object) { put_loss(loss, file, object); }};
}

}  // namespace sim::fit
