// Means over seeds, and arms compared on common seeds.
#include "sim/report/seed_report.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/text_table.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/exclusion.hpp"
#include "sim/report/seed_figures.hpp"
#include "sim/report/seed_statistics.hpp"
#include "sim/report/terminal_text.hpp"

namespace sim::report {
namespace {

using command_line::Cell;
using command_line::Measure;
using command_line::Table;

constexpr std::size_t most_groups = 12;  ///< that have sentences of their own

bool has_target(const SimulatedArm& arm) { return arm.scenario->learner.target.has_value(); }

/// "170.7 ms (170.1 ms to 171.2 ms)", or the value alone where all seeds agree.
std::string mean_text(const BySeed& values, const SeedFigure& what) {
  const std::vector<double> list = known(values);
  if (list.empty()) return "-";
  if (list.size() == 1) return what.print(list.front());
  const SeedMean mean = mean_over_seeds(list);
  const std::string text = what.print(mean.mean);
  if (what.print(mean.low) == text && what.print(mean.high) == text) return text;
  return fmt::format("{} ({} to {})", text, what.print(mean.low), what.print(mean.high));
}

/// The mean where every seed reaches the target, else "25.4 s, 7 of 10" with the median of those that do.
std::string target_text(const BySeed& values) {
  const std::vector<double> list = known(values);
  if (list.empty()) return fmt::format("never in {}", values.size());
  if (list.size() == values.size()) return mean_text(values, target_figure);
  return fmt::format("{}, {} of {}", target_figure.print(median(list)), list.size(), values.size());
}

/// Values of two arms on the seeds that both have.
struct PairedValues {
  std::vector<double> one;
  std::vector<double> other;
  std::vector<double> differences;  ///< of the other minus the one
};

PairedValues paired(const BySeed& one, const BySeed& other) {
  PairedValues values;
  for (std::size_t seed = 0; seed < one.size(); ++seed) {
    if (!one[seed] || !other[seed]) continue;
    values.one.push_back(*one[seed]);
    values.other.push_back(*other[seed]);
    values.differences.push_back(*other[seed] - *one[seed]);
  }
  return values;
}

double mean_value(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// How a difference is compared and put into words.
struct SeedQuestion {
  const SeedFigure* figure;
  std::string what;       ///< "time to 95 % accuracy"
  std::string better;     ///< "less"
  double sign;            ///< 1 where less is better, -1 where more is
  bool relative;          ///< in percent of the other arm's mean; false: in percentage points
  std::string worth;      ///< the difference that a study should be able to show
  double worth_size = 0;  ///< the same, as a number
};

std::string size_text(double difference, const SeedQuestion& asked) {
  return fmt::format("{:.2g} {}", 100 * difference, asked.relative ? "%" : "points");
}

constexpr std::string_view to_target = "time to the target";

/// A sentence on two arms, and which of them is better beyond chance; empty: neither.
struct SeedVerdict {
  std::string text;
  std::string better;
  std::string what;  ///< they are compared in
};

/// Two arms, of which `one` has the better mean.
SeedVerdict difference_between(const std::string& one, const std::string& other, const PairedValues& values,
                               const SeedQuestion& asked) {
  const double unit = asked.relative ? mean_value(values.other) : 1;
  std::vector<double> gains;
  for (const double difference : values.differences) gains.push_back(asked.sign * difference / unit);
  const SeedMean gain = mean_over_seeds(gains);
  const std::string figures = fmt::format("{} against {}", asked.figure->print(mean_value(values.one)),
                                          asked.figure->print(mean_value(values.other)));
  const std::string interval =
      fmt::format("95 % interval {} to {}", size_text(gain.low, asked), size_text(gain.high, asked));
  const std::size_t seeds = gains.size();
  if (gain.low > 0)
    return {fmt::format("`{}` has {} {} than `{}` in {} seeds: {}, {} ({}).", one, asked.better, asked.what,
                        other, seeds, figures, size_text(gain.mean, asked), interval),
            one, asked.what};
  const std::size_t needed = seeds_to_show(gains, asked.worth_size);
  const std::string power = needed <= seeds
                                ? fmt::format("{} seeds would show one of {}", seeds, asked.worth)
                                : fmt::format("about {} seeds would show one of {}", needed, asked.worth);
  return {fmt::format("no difference in {} seen between `{}` and `{}` with {} seeds: {}, {} ({}); {}.",
                      asked.what, one, other, seeds, figures, size_text(gain.mean, asked), interval, power),
          "", asked.what};
}

/// An arm and its values over the seeds.
struct SeedArm {
  const SimulatedArm* arm;
  BySeed values;
};

/// Arms that differ along the compared axis only; without axes all arms.
struct SeedGroup {
  std::string where;  ///< the values of the other axes; empty: there are none
  std::vector<const SimulatedArm*> arms;
};

std::string group_of(const SimulatedStudy& study, const SimulatedArm& arm) {
  const std::size_t axes = study.study->axes.size();
  return axes == 0 ? "" : along(arm.result.name, axes, compared_axis(*study.study));
}

/// In the order of their first arms.
std::vector<SeedGroup> groups_of(const SimulatedStudy& study) {
  std::vector<SeedGroup> groups;
  for (const SimulatedArm& arm : study.arms) {
    const std::string where = group_of(study, arm);
    auto place = std::ranges::find(groups, where, &SeedGroup::where);
    if (place == groups.end()) place = groups.insert(groups.end(), {where, {}});
    place->arms.push_back(&arm);
  }
  return groups;
}

/// Best mean first; arms without a value in every seed are left out, and where the question is about speed,
/// arms that are not compared, or train in another world than the first.
std::vector<SeedArm> ranked(const SimulatedStudy& study, const SeedGroup& group, const SeedQuestion& asked) {
  std::vector<SeedArm> arms;
  const SimulatedArm* first = nullptr;  // that is compared
  for (const SimulatedArm* arm : group.arms) {
    if (asked.figure == &sample_figure) {
      if (!why_not_compared(*arm).empty()) continue;
      if (first == nullptr) first = arm;
      if (!same_world(*first, *arm)) continue;
    }
    BySeed values = values_of(study, arm->result.name, *asked.figure);
    if (known(values).size() == study.seeds.size()) arms.push_back({arm, std::move(values)});
  }
  std::ranges::stable_sort(arms, {},
                           [&](const SeedArm& arm) { return asked.sign * mean_value(known(arm.values)); });
  return arms;
}

/// The best arm against the next, and against the first of the group, which is what others are compared with.
std::vector<SeedVerdict> compared_with_best(const SimulatedStudy& study, const SeedGroup& group,
                                            const SeedQuestion& asked) {
  std::vector<SeedVerdict> sentences;
  const std::vector<SeedArm> arms = ranked(study, group, asked);
  for (std::size_t other = 1; other < arms.size(); ++other) {
    if (other > 1 && arms[other].arm != group.arms.front()) continue;
    sentences.push_back(difference_between(arms[0].arm->result.name, arms[other].arm->result.name,
                                           paired(arms[0].values, arms[other].values), asked));
  }
  return sentences;
}

/// Whether `one` reaches its target before `other`: 1, or -1 for after; 0 where neither reaches it.
int sooner(const std::optional<double>& one, const std::optional<double>& other) {
  if (!one && !other) return 0;
  if (!one || !other) return one ? 1 : -1;
  return *one < *other ? 1 : *one > *other ? -1 : 0;
}

/// Of arms that do not reach the target in every seed: who is ahead how often.
SeedVerdict ahead_of(const SeedArm& one, const SeedArm& other) {
  std::size_t ahead = 0;
  std::size_t decided = 0;
  for (std::size_t seed = 0; seed < one.values.size(); ++seed) {
    const int first = sooner(one.values[seed], other.values[seed]);
    ahead += first > 0 ? 1 : 0;
    decided += first != 0 ? 1 : 0;
  }
  const double chance = sign_test(ahead, decided);
  constexpr double significant = 0.05;
  const std::string facts =
      fmt::format("`{}` reaches the target before `{}` in {} of {} seeds (sign test: p = {:.2g})",
                  one.arm->result.name, other.arm->result.name, ahead, decided, chance);
  const bool shown = chance < significant;
  return {facts + (shown ? "." : ": no difference seen."), shown ? one.arm->result.name : "",
          std::string(to_target)};
}

/// Arms that reach the target most often, then soonest, first.
std::vector<SeedArm> ranked_by_target(const SimulatedStudy& study, const SeedGroup& group) {
  std::vector<SeedArm> arms;
  for (const SimulatedArm* arm : group.arms)
    if (has_target(*arm)) arms.push_back({arm, values_of(study, arm->result.name, target_figure)});
  const auto order = [](const SeedArm& arm) {
    const std::vector<double> list = known(arm.values);
    return std::pair(-std::ssize(list), list.empty() ? 0 : median(list));
  };
  std::ranges::stable_sort(arms, {}, order);
  return arms;
}

std::vector<SeedVerdict> target_verdicts(const SimulatedStudy& study, const SeedGroup& group) {
  const std::vector<SeedArm> arms = ranked_by_target(study, group);
  if (arms.size() < 2 || known(arms[0].values).empty()) return {};
  const bool always = known(arms[1].values).size() == study.seeds.size();
  if (!always) return {ahead_of(arms[0], arms[1])};
  return compared_with_best(study, group,
                            {&target_figure, std::string(to_target), "less", 1, true, "5 %", 0.05});
}

/// First the times to the target, then the accuracy, or without a learner the time per sample.
std::vector<SeedVerdict> verdicts_of(const SimulatedStudy& study, const SeedGroup& group) {
  const SeedQuestion accuracy{
      &accuracy_figure, "accuracy (mean of the last five tests)", "more", -1, false, "1 point", 0.01};
  const SeedQuestion time{&sample_figure, "time per sample", "less", 1, true, "5 %", 0.05};
  std::vector<SeedVerdict> found = target_verdicts(study, group);
  std::vector<SeedVerdict> more = compared_with_best(study, group, accuracy);
  if (more.empty() && found.empty()) more = compared_with_best(study, group, time);
  std::ranges::move(more, std::back_inserter(found));
  return found;
}

/// Of one question, how often each value of the compared axis is best beyond chance.
struct Wins {
  std::map<std::string, std::size_t> of;
  std::size_t judged = 0;
  std::size_t none = 0;
};

/// By question, in the order in which they are asked; in each group the best arm against the next.
std::vector<std::pair<std::string, Wins>> wins_of(const SimulatedStudy& study,
                                                  const std::vector<std::vector<SeedVerdict>>& groups) {
  const std::size_t axis = compared_axis(*study.study);
  std::vector<std::pair<std::string, Wins>> found;
  for (const std::vector<SeedVerdict>& verdicts : groups) {
    std::string_view last;
    for (const SeedVerdict& verdict : verdicts) {
      if (std::exchange(last, verdict.what) == verdict.what) continue;
      auto place = std::ranges::find(found, verdict.what, &std::pair<std::string, Wins>::first);
      if (place == found.end()) place = found.insert(found.end(), {verdict.what, {}});
      Wins& wins = place->second;
      ++wins.judged;
      if (verdict.better.empty())
        ++wins.none;
      else
        ++wins.of[axis_values(verdict.better, study.study->axes.size())[axis]];
    }
  }
  return found;
}

/// A sentence for each question.
std::vector<std::string> summaries(const SimulatedStudy& study,
                                   const std::vector<std::vector<SeedVerdict>>& groups) {
  std::vector<std::string> sentences;
  for (const auto& [what, wins] : wins_of(study, groups)) {
    std::string text;
    for (const auto& [value, count] : wins.of) text += fmt::format("`{}` in {}, ", value, count);
    sentences.push_back(fmt::format(
        "better than chance in {} along `{}`, of {} combinations with {} seeds: {}none in {}.", what,
        study.study->axes[compared_axis(*study.study)], wins.judged, study.seeds.size(), text, wins.none));
  }
  return sentences;
}

}  // namespace

std::string seeds_text(const SimulatedStudy& study) {
  if (study.seeds.empty()) return "";
  const bool learns = std::ranges::any_of(
      study.arms, [](const SimulatedArm& arm) { return arm.result.learning.has_value(); });
  const bool targets = std::ranges::any_of(study.arms, has_target);
  Table table;
  table.columns = {{"arm", "arm", Measure::none}};
  std::vector<const SeedFigure*> figures{&step_figure, &total_figure};
  if (learns) figures.push_back(&accuracy_figure);
  for (const SeedFigure* what : figures)
    table.columns.push_back({std::string(what->key), std::string(what->title), Measure::none});
  if (targets) table.columns.push_back({"target", "to target, reached", Measure::none});
  for (const SimulatedArm& arm : study.arms) {
    std::vector<Cell>& row = table.rows.emplace_back();
    row.emplace_back(arm.result.name);
    for (const SeedFigure* what : figures)
      row.emplace_back(mean_text(values_of(study, arm.result.name, *what), *what));
    if (targets)
      row.emplace_back(has_target(arm) ? target_text(values_of(study, arm.result.name, target_figure)) : "-");
  }
  return wrap(
             fmt::format("{} seeds, {} to {}: means with 95 % intervals (bootstrap over seeds); to the "
                         "target: where some "
                         "seeds miss it, the median of those that reach it. All other tables are of seed {}.",
                         study.seeds.size(), study.seeds.front().seed, study.seeds.back().seed,
                         study.seeds.front().seed)) +
         command_line::text_table(table) + "\n";
}

std::vector<std::string> seed_verdicts(const SimulatedStudy& study) {
  std::vector<std::string> sentences;
  if (study.seeds_agree)
    sentences.emplace_back(
        "The next seed gives the same figures in every column: nothing random shows in this study, and one "
        "seed is reported.");
  if (study.seeds.empty()) return sentences;
  const std::vector<SeedGroup> groups = groups_of(study);
  std::vector<std::vector<SeedVerdict>> found;
  for (const SeedGroup& group : groups) found.push_back(verdicts_of(study, group));
  if (groups.size() > most_groups) {
    std::ranges::move(summaries(study, found), std::back_inserter(sentences));
    return sentences;
  }
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const std::string& where = groups[group].where;
    for (const SeedVerdict& verdict : found[group])
      sentences.push_back((where.empty() ? "" : where + ": ") + verdict.text);
  }
  return sentences;
}

nlohmann::ordered_json seeds_json(const SimulatedStudy& study) {
  nlohmann::ordered_json arms = nlohmann::ordered_json::array();
  if (study.seeds.empty()) return arms;
  for (const SimulatedArm& arm : study.arms) {
    nlohmann::ordered_json object{{"arm", arm.result.name}, {"seeds", study.seeds.size()}};
    for (const SeedFigure* what :
         {&step_figure, &total_figure, &accuracy_figure, &target_figure, &sample_figure}) {
      const std::vector<double> list = known(values_of(study, arm.result.name, *what));
      if (list.size() < 2) continue;
      const SeedMean mean = mean_over_seeds(list);
      object[std::string(what->key)] = {{"mean", mean.mean},
                                        {"low", mean.low},
                                        {"high", mean.high},
                                        {"median", median(list)},
                                        {"seeds", list.size()}};
    }
    arms.push_back(std::move(object));
  }
  return arms;
}

namespace {

/// Null where the arms have fewer than two common seeds.
nlohmann::ordered_json difference_json(const SimulatedStudy& study, const std::string& arm,
                                       const std::string& other, const SeedFigure& what) {
  const PairedValues values = paired(values_of(study, arm, what), values_of(study, other, what));
  if (values.differences.size() < 2) return {};
  const SeedMean mean = mean_over_seeds(values.differences);
  return {{"arm", arm},
          {"other", other},
          {"figure", what.key},
          {"difference", mean.mean},
          {"low", mean.low},
          {"high", mean.high},
          {"excludes_zero", mean.low > 0 || mean.high < 0},
          {"seeds", values.differences.size()}};
}

}  // namespace

nlohmann::ordered_json seed_differences_json(const SimulatedStudy& study) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  constexpr std::size_t most_arms = 8;
  if (study.seeds.empty()) return list;
  for (const auto& [where, arms] : groups_of(study)) {
    const std::size_t firsts = arms.size() <= most_arms ? arms.size() : 1;
    for (std::size_t arm = 0; arm < firsts; ++arm) {
      for (std::size_t other = arm + 1; other < arms.size(); ++other) {
        for (const SeedFigure* what : {&sample_figure, &accuracy_figure, &target_figure}) {
          auto found = difference_json(study, arms[arm]->result.name, arms[other]->result.name, *what);
          if (!found.is_null()) list.push_back(std::move(found));
        }
      }
    }
  }
  return list;
}

std::string one_seed_note(const SimulatedStudy& study) {
  const auto trains = [](const SimulatedArm& arm) {
    return arm.scenario->learner.kind->traits.trains && arm.result.learning &&
           !arm.result.learning->curve.empty();
  };
  if (!study.seeds.empty() || std::ranges::count_if(study.arms, trains) < 2) return "";
  return "One seed was run: arms that are close in accuracy or in time to a target change order with it. "
         "`--seeds 5` "
         "says which differences are more than chance.";
}

}  // namespace sim::report
