// Sentences and tables of lost time.
#include "sim/fit/step_loss_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
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

/// "8 workers", "4 replicas of 16 GPUs".
std::string workers_text(const StepLoss& loss) {
  return loss.gpus == 1 ? fmt::format("{} workers", loss.workers)
                        : fmt::format("{} replicas of {} GPUs", loss.workers, loss.gpus);
}

/// "8 workers do the work of 3.0 (38 %): a step takes 255 ms, and 95.7 ms on one worker."
std::string summary(const StepLoss& loss) {
  const std::string arm = loss.arm.empty() ? "" : fmt::format("`{}`: ", loss.arm);
  const std::string_view single = loss.gpus == 1 ? "on one worker" : "on one replica";
  return fmt::format("{}{} do the work of {:.2g} ({}): a step takes {}, and {} {}.", arm, workers_text(loss),
                     loss.workers * loss.efficiency(), efficiency_text(loss.efficiency()),
                     step_text(loss.step), step_text(loss.alone),
                     loss.is_uneven ? "if each worked by itself" : single);
}

/// How far the prediction is from what was measured, and what explains it; empty where nothing was measured.
std::string measured_text(const StepLoss& loss) {
  if (loss.step == loss.predicted) return "";
  std::string text = fmt::format("predicted: {} ({:+.0f} %) on the network as stated",
                                 step_text(loss.predicted), 100 * (loss.predicted / loss.step - 1));
  if (loss.network)
    text += fmt::format("; {}`{}: {}` in place of {} explains the measured step",
                        loss.network->is_faster ? "only a faster network, " : "", loss.network->key,
                        loss.network->value, loss.network->stated);
  return text + ".";
}

std::string range_text(const StepLoss& loss) {
  if (!loss.range) return "";
  const auto& [low, high] = *loss.range;
  return fmt::format("over the published range of the network's goodput, {} to {}: {} to {}.", low.what,
                     high.what, efficiency_text(low.efficiency), efficiency_text(high.efficiency));
}

/// A share in whole percent, as predictions are no closer.
Cell percent(double share) { return std::int64_t{std::llround(100 * share)}; }

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
      ColumnOf<LostLine>{"share", "of the step (%)", Measure::none,
                         [](const LostLine& l) -> Cell { return percent(l.lost->time / l.step); }},
  };
  std::vector<LostLine> lines;
  constexpr double shown = 1e-3;
  for (const LostTime& lost : loss.lost) {
    if (std::abs(lost.time / loss.step) >= shown) lines.push_back({&lost, loss.step});
  }
  return command_line::fill(std::span<const ColumnOf<LostLine>>(columns), std::span<const LostLine>(lines));
}

/// A step on another network.
struct OtherLine {
  const OtherStep* step;
};

constexpr ColumnOf<OtherLine> what_column{"with", "with", Measure::none,
                                          [](const OtherLine& l) -> Cell { return l.step->what; }};
constexpr ColumnOf<OtherLine> step_column{"step_time_s", "step", Measure::time,
                                          [](const OtherLine& l) -> Cell { return l.step->step.count; }};
constexpr ColumnOf<OtherLine> percent_column{
    "efficiency_percent", "efficiency (%)", Measure::none,
    [](const OtherLine& l) -> Cell { return percent(l.step->efficiency); }};

std::vector<OtherLine> ceiling_lines(const StepLoss& loss) {
  std::vector<OtherLine> lines;
  for (const OtherStep& ceiling : loss.ceilings) lines.push_back({&ceiling});
  return lines;
}

Table ceiling_table(const StepLoss& loss) {
  static constexpr std::array columns{what_column, step_column, percent_column};
  return command_line::fill(std::span<const ColumnOf<OtherLine>>(columns),
                            std::span<const OtherLine>(ceiling_lines(loss)));
}

/// A row of CSV: a part of the lost time, or another step.
struct AnyLine {
  std::string kind;
  std::string what;
  std::optional<double> lost;
  const OtherStep* step = nullptr;
  bool is_at_least = false;
};

template <class Get>
Cell of_step(const AnyLine& line, Get get) {
  return line.step == nullptr ? Cell() : Cell(get(*line.step));
}

Table all_lines(const StepLoss& loss) {
  static constexpr std::array columns{
      ColumnOf<AnyLine>{"kind", "kind", Measure::none, [](const AnyLine& l) -> Cell { return l.kind; }},
      ColumnOf<AnyLine>{"what", "what", Measure::none, [](const AnyLine& l) -> Cell { return l.what; }},
      ColumnOf<AnyLine>{"lost_s", "lost", Measure::time,
                        [](const AnyLine& l) -> Cell { return l.lost ? Cell(*l.lost) : Cell(); }},
      ColumnOf<AnyLine>{
          "step_time_s", "step", Measure::time,
          [](const AnyLine& l) { return of_step(l, [](const auto& s) { return s.step.count; }); }},
      ColumnOf<AnyLine>{
          "samples_per_second", "samples/s", Measure::none,
          [](const AnyLine& l) { return of_step(l, [](const auto& s) { return s.samples_per_second; }); }},
      ColumnOf<AnyLine>{
          "efficiency", "efficiency", Measure::share,
          [](const AnyLine& l) { return of_step(l, [](const auto& s) { return s.efficiency; }); }},
      ColumnOf<AnyLine>{"step_is", "step is", Measure::none, [](const AnyLine& l) {
                          return of_step(l, [&](const auto&) {
                            return std::string(l.is_at_least ? "at least" : "about");
                          });
                        }}};
  std::vector<AnyLine> lines;
  for (const LostTime& lost : loss.lost)
    lines.push_back({"lost", std::string(lost.key), lost.time.count, nullptr, false});
  for (const OtherStep& ceiling : loss.ceilings)
    lines.push_back({"network", ceiling.what, std::nullopt, &ceiling, false});
  for (const StepRemedy& remedy : loss.remedies)
    lines.push_back({std::string(describe(remedy.kind)), remedy.result.what, std::nullopt, &remedy.result,
                     remedy.is_at_least});
  return command_line::fill(std::span<const ColumnOf<AnyLine>>(columns), std::span<const AnyLine>(lines));
}

/// "at most 82 % with lossy gradients: compression.method=fp16 (a step of 116 ms)"
std::string remedy_text(const StepRemedy& remedy) {
  return fmt::format("{}{} with {}: {} (a step of {})", remedy.is_at_least ? "at most " : "",
                     efficiency_text(remedy.result.efficiency), describe(remedy.kind), remedy.result.what,
                     step_text(remedy.result.step));
}

/// Changes that were simulated without gain.
std::string without_gain(const StepLoss& loss) {
  std::vector<std::string> names;
  for (const std::string& tried : loss.tried) {
    if (std::ranges::none_of(loss.remedies, [&](const StepRemedy& one) { return one.result.what == tried; }))
      names.push_back(tried);
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

std::string remedies_text(const StepLoss& loss) {
  if (loss.tried.empty())
    return report::wrap(
        "No change was simulated: changes are tried for arms that apply whole gradients in every step, and "
        "this one does not, or can have none of them.");
  const std::string others = without_gain(loss);
  if (loss.remedies.empty())
    return report::wrap(fmt::format("Simulated, and faster by no more than {}, which counts as a tie: {}.",
                                    scenario::tie_text, others));
  std::string text = "what helps, each change simulated:\n";
  bool learns_alike = true;
  for (const StepRemedy& remedy : loss.remedies) {
    text += report::wrap("  " + remedy_text(remedy));
    learns_alike = learns_alike && remedy.kind == ChangeKind::exact;
  }
  if (!others.empty()) text += report::wrap("Simulated as well, without more gain: " + others + ".");
  if (learns_alike) return text;
  return text +
         report::wrap(
             "Samples of lossy gradients, larger batches and local steps may teach less each; `sim run` with "
             "a `learner` predicts it.");
}

std::string loss_text(const StepLoss& loss) {
  std::string text = report::wrap(summary(loss));
  for (const std::string& sentence : {measured_text(loss), range_text(loss)}) {
    if (!sentence.empty()) text += report::wrap(sentence);
  }
  if (const Table lost = lost_table(loss); !lost.rows.empty())
    text += "\n" + text_table(lost, report::line_width);
  text += "\n" + text_table(ceiling_table(loss), report::line_width) + "\n";
  text += remedies_text(loss);
  if (loss.has_changes) text += report::wrap("Later changes of the network are left out.");
  if (!loss.is_alone_measured && loss.gpus == 1 && !loss.is_uneven)
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
  object["rows"] = command_line::rows_json(all_lines(loss));
}

}  // namespace

command_line::Document step_loss_document(const StepLoss& loss, const std::string& file) {
  return {.text = [&loss] { return loss_text(loss); },
          .rows = [&loss] { return all_lines(loss); },
          .put_json = [&loss, file](nlohmann::ordered_json& object) { put_loss(loss, file, object); }};
}

}  // namespace sim::fit
