// A grid of times, the tests before each, and sentences on the target.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/text_table.hpp"
#include "netmodels/percent.hpp"
#include "sim/report/cost.hpp"
#include "sim/report/study_document.hpp"
#include "sim/report/terminal_text.hpp"
#include "sim/report/uncertain_verdict.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::Measure;
using command_line::Table;

namespace {

using engine::Evaluated;
using netmodels::Seconds;

bool tested(const SimulatedArm& arm) { return arm.result.learning && !arm.result.learning->curve.empty(); }

/// The next of 1, 2, 5, 10, 20, 50, ... times any power of ten above `value`.
double next_round(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  constexpr double rounding = 1e-9;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (value < factor * power * (1 - rounding)) return factor * power;
  }
  return 10 * power;
}

/// Multiples of one round number, about ten.
std::vector<double> even_grid(double end) {
  constexpr double rows = 10;
  const double step = next_round(end / rows);
  std::vector<double> grid;
  for (double row = 1; (row - 1) * step < end; ++row) grid.push_back(row * step);
  return grid;
}

/// Each time about twice the one before: for arms of which some are many times as fast as others.
std::vector<double> doubling_grid(double first, double end) {
  std::vector<double> grid{next_round(first)};
  while (grid.back() < end) grid.push_back(next_round(grid.back()));
  return grid;
}

std::vector<double> time_grid(const SimulatedStudy& study) {
  double first = std::numeric_limits<double>::infinity();
  double end = 0;
  for (const SimulatedArm& arm : study.arms) {
    if (!tested(arm)) continue;
    first = std::min(first, arm.result.learning->curve.front().at.count);
    end = std::max(end, arm.result.learning->curve.back().at.count);
  }
  if (!(end > 0)) return {};
  constexpr double far_apart = 25;
  return first > 0 && end > far_apart * first ? doubling_grid(first, end) : even_grid(end);
}

Cell accuracy_at(const SimulatedArm& arm, double time) {
  const auto& curve = arm.result.learning->curve;
  const auto& unknown = arm.result.learning->unknown_since;
  if (unknown && time >= unknown->count) return {};
  const auto after =
      std::ranges::upper_bound(curve, time, {}, [](const Evaluated& test) { return test.at.count; });
  return after == curve.begin() ? Cell() : Cell(std::prev(after)->accuracy);
}

std::string time_text(Seconds time) {
  constexpr int digits = 4;
  return netmodels::print(time, digits);
}

std::string bytes_text(const Evaluated& test) {
  constexpr int digits = 3;
  return test.sent_by_all ? " and " + netmodels::print(*test.sent_by_all, digits) + " sent by all workers"
                          : "";
}

std::string reached_text(const SimulatedArm& arm) {
  const Evaluated& target = *arm.result.learning->target;
  const auto cost = cost_of(arm, target.at);
  return fmt::format("`{}` after {} ({} steps{}{})", arm.result.name, time_text(target.at), target.steps,
                     cost ? ", " + usd_text(cost->count) : "", bytes_text(target));
}

/// "94 % accuracy", "a loss of 1.8".
std::string text_of(const scenario::Target& target) {
  return target.accuracy ? netmodels::percent(*target.accuracy, 2) + " accuracy"
                         : fmt::format("a loss of {:g}", *target.loss);
}

/// Of what a target is stated in: "94.49 %", "1.853".
std::string best_text(const scenario::Target& target, const engine::LearningResult& learned) {
  if (target.accuracy) return netmodels::percent(*learned.best_accuracy, 2);
  return learned.best_loss ? fmt::format("{:.4g}", *learned.best_loss) : "not known";
}

/// "`dense` (best 94.49 %)", one after another.
std::string with_best(const scenario::Target& target, const std::vector<const SimulatedArm*>& arms) {
  std::string text;
  for (const SimulatedArm* arm : arms) {
    text += fmt::format("{}`{}` (best {})", text.empty() ? "" : ", ", arm->result.name,
                        best_text(target, *arm->result.learning));
  }
  return text;
}

/// Arms with the same target.
struct TargetGroups {
  std::vector<const SimulatedArm*> reached;  ///< in the order in which they reach it
  std::vector<const SimulatedArm*> never;
  std::vector<const SimulatedArm*> unknown;
};

TargetGroups target_groups(const std::vector<const SimulatedArm*>& arms) {
  TargetGroups groups;
  for (const SimulatedArm* arm : arms) {
    const engine::LearningResult& learned = *arm->result.learning;
    (learned.target ? groups.reached : learned.unknown_since ? groups.unknown : groups.never).push_back(arm);
  }
  std::ranges::stable_sort(groups.reached, {}, [](const auto* arm) { return spent_to_target(*arm); });
  return groups;
}

/// Arms with the same target, in the order in which they reach it.
std::string target_verdict(const scenario::Target& target, const std::vector<const SimulatedArm*>& arms) {
  const auto [reached, never, unknown] = target_groups(arms);
  std::string text = text_of(target);
  std::string separator = " is reached by ";
  for (const SimulatedArm* arm : reached) text += std::exchange(separator, ", ") + reached_text(*arm);
  if (!never.empty())
    text += (reached.empty() ? " is never reached: " : "; never by ") + with_best(target, never);
  if (!unknown.empty()) {
    text += (reached.empty() && never.empty() ? " is unknown for " : "; unknown for ") +
            with_best(target, unknown) + ", whose learner does not predict accuracy to the end";
  }
  return text + ".";
}

/// Takes the arms out of the list of which only a least time of compressing is known, as they may reach the
/// target later; none where that is true of all.
std::vector<const SimulatedArm*> take_out_floors(std::vector<const SimulatedArm*>& reached) {
  const auto judged = [](const SimulatedArm* arm) { return !has_least_time_only(whole_run(*arm)); };
  if (std::ranges::none_of(reached, judged)) return {};
  std::vector<const SimulatedArm*> floors;
  std::ranges::remove_copy_if(reached, std::back_inserter(floors), judged);
  std::erase_if(reached, std::not_fn(judged));
  return floors;
}

std::string floors_text(const std::vector<const SimulatedArm*>& floors) {
  std::string text;
  for (const SimulatedArm* arm : floors)
    text += fmt::format("{}`{}` after at least {}", text.empty() ? "; not judged: " : ", ", arm->result.name,
                        time_text(arm->result.learning->target->at));
  return text.empty() ? text : text + ", as no longest time of compressing is known";
}

/// Takes out arms that have no cost where cost decides. @returns their clause; empty where there are none
std::string take_out_unpaid(std::vector<const SimulatedArm*>& reached) {
  std::string text;
  for (const SimulatedArm* arm : reached) {
    if (std::isinf(spent_to_target(*arm)))
      text += fmt::format("{}`{}`", text.empty() ? "; without a cost, as failures come too often: " : ", ",
                          arm->result.name);
  }
  std::erase_if(reached, [](const SimulatedArm* arm) { return std::isinf(spent_to_target(*arm)); });
  return text;
}

/// "`a` after 18.5 s", "`a` for 3.21 USD, after 18.5 s".
std::string first_text(const SimulatedArm& arm) {
  const std::string after = "after " + time_text(arm.result.learning->target->at);
  if (!decides_by_cost(arm)) return fmt::format("`{}` {}", arm.result.name, after);
  return fmt::format("`{}` for {}, {}", arm.result.name, usd_text(spent_to_target(arm)), after);
}

/// "`a` after 18.5 s, a tie with `b`, `c` (up to 7.5 % later); then `d` after 26 s, 2 more".
std::string first_to_reach(const std::vector<const SimulatedArm*>& reached) {
  constexpr std::size_t most = 3;
  const double best = spent_to_target(*reached.front());
  std::vector<std::string> tied;
  std::vector<std::string> later;
  for (const SimulatedArm* arm : std::span(reached).subspan(1)) {
    if (spent_to_target(*arm) <= best * (1 + scenario::tie))
      tied.push_back("`" + arm->result.name + "`");
    else
      later.push_back(first_text(*arm));
  }
  std::string text = first_text(*reached.front());
  if (!tied.empty())
    text += fmt::format(", a tie with {} (up to {} {})", fmt::join(tied, ", "), scenario::tie_text,
                        decides_by_cost(*reached.front()) ? "more" : "later");
  for (std::size_t i = 0; i < std::min(most, later.size()); ++i)
    text += (i == 0 ? "; then " : ", ") + later[i];
  return text + (later.size() > most ? fmt::format(", {} more", later.size() - most) : "");
}

/// Whose accuracy, over whose time.
std::string title(const SimulatedStudy& study) {
  std::vector<std::string> learners;
  std::vector<std::string> workloads;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const SimulatedArm& arm : study.arms) {
    if (!tested(arm)) continue;
    add(learners, arm.result.learner);
    add(workloads, arm.scenario->work.workload.name);
  }
  return fmt::format("accuracy on the test set of the learner ({}), over the simulated time of {}",
                     learners.size() == 1 ? learners.front() : "several, listed below",
                     fmt::format("{}", fmt::join(workloads, ", ")));
}

}  // namespace

Table accuracy_over_time(const SimulatedStudy& study) {
  Table table;
  table.columns.push_back({"time_s", "time", Measure::time});
  for (const SimulatedArm& arm : study.arms) {
    if (tested(arm)) table.columns.push_back({arm.result.name, arm.result.name, Measure::share});
  }
  const std::vector<double> grid = time_grid(study);
  for (const double time : grid) {
    std::vector<Cell>& row = table.rows.emplace_back();
    row.emplace_back(time);
    for (const SimulatedArm& arm : study.arms) {
      if (tested(arm)) row.push_back(accuracy_at(arm, time));
    }
  }
  return table;
}

std::string learning_text(const SimulatedStudy& study) {
  constexpr std::size_t most_columns = 12;  // more arms than fit side by side are in the CSV
  const Table table = accuracy_over_time(study);
  if (table.rows.empty() || table.columns.size() > most_columns + 1) return "";
  return wrap(title(study)) + text_table(table) + "\n";
}

namespace {

/// Different targets of tested arms, in the order of the arms.
std::vector<scenario::Target> targets_of(const SimulatedStudy& study) {
  std::vector<scenario::Target> targets;
  for (const SimulatedArm& arm : study.arms) {
    const auto& target = arm.scenario->learner.target;
    if (!tested(arm) || !target) continue;
    if (std::ranges::find(targets, *target) == targets.end()) targets.push_back(*target);
  }
  return targets;
}

/// "`dense` 71.20 %, `topk` 70.85 %"; empty where no arm was tested.
std::string last_accuracies(const SimulatedStudy& study) {
  std::string text;
  for (const SimulatedArm& arm : study.arms) {
    if (!tested(arm)) continue;
    const auto& accuracy = arm.result.learning->last_accuracy;
    text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", arm.result.name,
                        accuracy ? netmodels::percent(*accuracy, 2) : "not known");
  }
  return text;
}

/// Of the arms whose target is a loss; empty where there are none.
std::string least_losses(const SimulatedStudy& study) {
  std::string text;
  for (const SimulatedArm& arm : study.arms) {
    const auto& target = arm.scenario->learner.target;
    if (!tested(arm) || !target || !target->loss) continue;
    text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", arm.result.name,
                        best_text(*target, *arm.result.learning));
  }
  return text;
}

}  // namespace

namespace {

/// The tested arms that share a target.
std::vector<const SimulatedArm*> arms_with(const SimulatedStudy& study, const scenario::Target& target) {
  std::vector<const SimulatedArm*> arms;
  for (const SimulatedArm& arm : study.arms) {
    if (tested(arm) && arm.scenario->learner.target == target) arms.push_back(&arm);
  }
  return arms;
}

}  // namespace

std::vector<std::string> short_target_verdicts(const SimulatedStudy& study) {
  std::vector<std::string> sentences;
  for (const scenario::Target& target : targets_of(study)) {
    auto [reached, never, unknown] = target_groups(arms_with(study, target));
    const std::vector<const SimulatedArm*> floors = take_out_floors(reached);
    const std::string unpaid = take_out_unpaid(reached);
    if (reached.empty()) {
      sentences.push_back(target_verdict(target, arms_with(study, target)));
      continue;
    }
    std::string text = fmt::format("{} is reached by {}", text_of(target), first_to_reach(reached)) +
                       floors_text(floors) + unpaid;
    if (!never.empty()) text += "; never by " + with_best(target, never);
    if (!unknown.empty()) text += "; unknown for " + with_best(target, unknown);
    sentences.push_back(text + ".");
  }
  return sentences;
}

std::vector<std::string> learning_verdicts(const SimulatedStudy& study) {
  std::vector<std::string> sentences;
  for (const scenario::Target& target : targets_of(study))
    sentences.push_back(target_verdict(target, arms_with(study, target)));
  if (const std::string losses = least_losses(study); !losses.empty())
    sentences.push_back("Least loss of a test: " + losses + ".");
  if (const std::string last = last_accuracies(study); !last.empty())
    sentences.push_back("Final accuracy, mean of the last five tests: " + last + ".");
  return sentences;
}

}  // namespace sim::report
