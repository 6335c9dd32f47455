// Percentiles of figures, wins, and the inputs that decide.
#include "sim/report/uncertainty_report.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "command_line/text_table.hpp"
#include "netmodels/percent.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/seed_figures.hpp"
#include "sim/report/terminal_text.hpp"
#include "sim/report/uncertain_verdict.hpp"
#include "sim/report/uncertainty_statistics.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::report {
namespace {

using command_line::Column;
using command_line::Measure;
using command_line::Table;
using nlohmann::ordered_json;

// Figures over samples.

/// One figure of an arm in every sample.
struct SampledFigure {
  const Column* column;
  std::string arm;
  double stated;
  Percentiles spread;
};

std::vector<double> sampled(const UncertainSamples& samples, const std::string& arm, std::string_view key) {
  std::vector<double> values;
  for (const Table& rows : samples.rows)
    if (const auto value = figure_in(rows, arm, key)) values.push_back(*value);
  return values;
}

bool varies(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  constexpr double rounding = 1e-9;
  return high - low > rounding * std::max(std::abs(low), std::abs(high));
}

/// Figure by figure, those of all arms under each other; those that are the same in all samples are left out.
std::vector<SampledFigure> varying_figures(const SimulatedStudy& study, const Table& stated) {
  const UncertainSamples& samples = *study.uncertain;
  std::vector<SampledFigure> figures;
  for (const Column& column : stated.columns) {
    for (const SimulatedArm& arm : study.arms) {
      const std::vector<double> values = sampled(samples, arm.result.name, column.key);
      const auto as_stated = figure_in(stated, arm.result.name, column.key);
      if (!as_stated || values.empty() || !varies(values)) continue;
      figures.push_back({&column, arm.result.name, *as_stated, percentiles_of(values)});
    }
  }
  return figures;
}

std::string number_text(double value, Measure measure) {
  constexpr int digits = 4;
  switch (measure) {
    case Measure::time: return netmodels::print(netmodels::Seconds{value}, digits);
    case Measure::size: return netmodels::print(netmodels::Bytes{value}, digits);
    case Measure::rate: return netmodels::print(netmodels::Bandwidth{value}, digits);
    case Measure::share: return netmodels::percent(value, 2);
    case Measure::none: break;
  }
  return fmt::format("{:.4g}", value);
}

std::string figures_text(const SimulatedStudy& study) {
  const Table stated = whole_run_rows(study);
  const std::vector<std::string_view> hidden = hidden_columns(stated);
  Table table;
  for (const char* title : {"figure", "arm", "as stated", "median", "5 %", "95 %"})
    table.columns.push_back({title, title, Measure::none});
  for (const SampledFigure& row : varying_figures(study, stated)) {
    if (std::ranges::find(hidden, row.column->key) != hidden.end()) continue;
    const Measure measure = row.column->measure;
    table.rows.push_back({row.column->title, row.arm, number_text(row.stated, measure),
                          number_text(row.spread.median, measure), number_text(row.spread.low, measure),
                          number_text(row.spread.high, measure)});
  }
  return table.rows.empty() ? "" : command_line::text_table(table) + "\n";
}

std::string inputs_text(const UncertainSamples& samples) {
  Table table;
  for (const char* title : {"input", "range", "stated in"})
    table.columns.push_back({title, title, Measure::none});
  for (const DrawnInput& input : samples.inputs)
    table.rows.push_back(
        {input.name, input.text, input.origin.empty() ? "published or measured" : input.origin});
  return command_line::text_table(table) + "\n";
}

// Which arm wins, and what decides it.

/// Words of the figure that decides.
struct ChoiceWords {
  std::string_view best;
  std::string_view spent;
};

ChoiceWords choice_words(const SimulatedStudy& study) {
  return &sample_figure_of(study) == &sample_cost_figure ? ChoiceWords{"cheapest", "cost"}
                                                         : ChoiceWords{"fastest", "time"};
}

/// Arms that compete, and their times or costs of one sample of training in every run.
struct UncertainChoice {
  std::string where;  ///< as in a comparison
  std::vector<std::string> arms;
  Costs costs;
  ChoiceWords words;
};

bool of_whole_runs(const Comparison& comparison) {
  return std::ranges::all_of(comparison.candidates, [](const Candidate& candidate) {
    return candidate.phase == &candidate.arm->result.whole;
  });
}

/// Whole runs with at least two arms that have a time in every sample, and no mere least time.
std::vector<UncertainChoice> choices(const SimulatedStudy& study) {
  std::vector<UncertainChoice> list;
  for (const Comparison& comparison : comparisons(study)) {
    if (!of_whole_runs(comparison)) continue;
    UncertainChoice choice{
        comparison.where == "whole run" ? "" : comparison.where, {}, {}, choice_words(study)};
    for (const Candidate& candidate : comparison.candidates) {
      if (has_least_time_only(candidate)) continue;
      std::vector<double> times;
      for (const Table& rows : study.uncertain->rows)
        if (const auto time = sample_figure_of(study).get(rows, candidate.name())) times.push_back(*time);
      if (times.size() != study.uncertain->rows.size()) continue;
      choice.arms.push_back(candidate.name());
      choice.costs.push_back(std::move(times));
    }
    if (choice.arms.size() > 1) list.push_back(std::move(choice));
  }
  return list;
}

/// Samples in which each arm is the fastest, and those in which the two fastest tie.
struct Wins {
  std::vector<std::size_t> by_arm;
  std::size_t ties = 0;
};

Wins wins_of(const UncertainChoice& choice) {
  Wins wins{std::vector<std::size_t>(choice.arms.size()), 0};
  const std::size_t samples = choice.costs.front().size();
  for (std::size_t sample = 0; sample < samples; ++sample) {
    std::vector<std::pair<double, std::size_t>> times;
    for (std::size_t arm = 0; arm < choice.arms.size(); ++arm)
      times.emplace_back(choice.costs[arm][sample], arm);
    std::ranges::partial_sort(times, times.begin() + 2);
    ++wins.by_arm[times[0].second];
    if (times[1].first <= times[0].first * (1 + scenario::tie)) ++wins.ties;
  }
  return wins;
}

std::string share_text(std::size_t part, std::size_t whole) {
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.3g} %", percent);
}

/// "`topk` is the fastest in 83 % of 200 samples, `dense` in 17 %"
std::string wins_text(const UncertainChoice& choice, const Wins& wins) {
  const std::size_t samples = choice.costs.front().size();
  std::vector<std::size_t> order;
  for (std::size_t arm = 0; arm < choice.arms.size(); ++arm)
    if (wins.by_arm[arm] > 0) order.push_back(arm);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t arm) { return wins.by_arm[arm]; });
  std::string text = fmt::format("`{}` is the {} in ", choice.arms[order[0]], choice.words.best) +
                     (order.size() == 1 ? fmt::format("all {} samples", samples)
                                        : fmt::format("{} of {} samples",
                                                      share_text(wins.by_arm[order[0]], samples), samples));
  for (std::size_t i = 1; i < order.size(); ++i)
    text += fmt::format(", `{}` in {}", choice.arms[order[i]], share_text(wins.by_arm[order[i]], samples));
  if (wins.ties > 0)
    text += fmt::format("; in {} the two {} differ by less than predictions err ({})",
                        share_text(wins.ties, samples), choice.words.best, scenario::tie_text);
  return text + ".";
}

/// An input, and by what share of the mean time choosing gets better where it is known.
struct WorthKnowing {
  const DrawnInput* input;
  double share;
};

double mean_cost(const UncertainChoice& choice) {
  const auto& best = choice.costs[best_on_average(choice.costs)];
  double sum = 0;
  for (const double cost : best) sum += cost;
  return sum / static_cast<double>(best.size());
}

/// Highest value first.
std::vector<WorthKnowing> worth_knowing(const UncertainSamples& samples, const UncertainChoice& choice) {
  const double mean = mean_cost(choice);
  std::vector<WorthKnowing> list;
  for (const DrawnInput& input : samples.inputs) {
    const bool differs =
        input.values.size() >= 8 && std::ranges::min(input.values) < std::ranges::max(input.values);
    if (differs) list.push_back({&input, value_of_knowing(input.values, choice.costs) / mean});
  }
  std::ranges::stable_sort(list, std::greater{}, &WorthKnowing::share);
  return list;
}

std::string quoted_name(const DrawnInput& input) {
  return input.origin.empty() ? "the " + input.name : "`" + input.name + "`";
}

/// What would settle the choice; empty where every sample agrees.
std::string settling_text(const UncertainSamples& samples, const UncertainChoice& choice) {
  const double all = value_of_all(choice.costs) / mean_cost(choice);
  constexpr double worth_saying = 1e-4;  // share of the time
  if (all < worth_saying) return "";
  std::string text = fmt::format(
      "What would settle it: `{}` is the {} on average; choosing with all inputs known saves {} of the {}",
      choice.arms[best_on_average(choice.costs)], choice.words.best, netmodels::short_percent(all, 2),
      choice.words.spent);
  constexpr std::size_t most = 3;
  constexpr double part_of_all = 0.01;
  std::size_t named = 0;
  for (const WorthKnowing& worth : worth_knowing(samples, choice)) {
    if (named == most || worth.share < part_of_all * all) break;
    const std::string how =
        worth.input->measure.empty() ? "" : fmt::format(" (measure it: {})", worth.input->measure);
    text += fmt::format("; {} alone saves {}{}", quoted_name(*worth.input),
                        netmodels::short_percent(worth.share, 2), how);
    ++named;
  }
  return text + (named == 0 ? "; none of them alone saves 1 % of that." : ".");
}

/// Arms of whole runs that win no sample, as only a least time of theirs is known.
std::string not_judged_text(const SimulatedStudy& study) {
  std::vector<std::string> names;
  for (const Comparison& comparison : comparisons(study)) {
    if (!of_whole_runs(comparison)) continue;
    for (const Candidate& candidate : comparison.candidates)
      if (has_least_time_only(candidate)) names.push_back("`" + candidate.name() + "`");
  }
  constexpr std::size_t most_names = 8;
  if (names.empty()) return "";
  const std::string who = names.size() > most_names ? fmt::format("{} arms", names.size())
                                                    : fmt::format("{}", fmt::join(names, ", "));
  return fmt::format(
      "Left out of the samples: {}, because only a least time of compressing is known; measure it by "
      "`calibrate probe kernels`, or state `compression.time`.",
      who);
}

constexpr std::size_t most_choices = 4;  // more are counted

/// In how many comparisons one arm wins in every sample.
std::string count_text(const std::vector<UncertainChoice>& list, std::size_t samples) {
  const auto certain = [&](const UncertainChoice& choice) {
    return std::ranges::max(wins_of(choice).by_arm) == samples;
  };
  return fmt::format("one arm wins in all {} samples in {} of {} combinations.", samples,
                     std::ranges::count_if(list, certain), list.size());
}

std::string not_drawn_text(const scenario::Study& study) {
  const std::size_t count = study.uncertain.size();
  if (count == 0) return "";
  return fmt::format(
      "{} stated with a range: {} value{} used, and no range was drawn; `--samples 200` draws from {}.",
      count == 1 ? "`" + study.uncertain.front().key + "` is" : fmt::format("{} inputs are", count),
      count == 1 ? "its" : "their", count == 1 ? " is" : "s are", count == 1 ? "it" : "them");
}

}  // namespace

std::string uncertainty_text(const SimulatedStudy& study) {
  if (!study.uncertain || study.uncertain->rows.empty()) return "";
  const UncertainSamples& samples = *study.uncertain;
  std::string text =
      wrap(fmt::format("{} samples of {} uncertain input{}: the middle value and the range of nine samples "
                       "out of ten. All other tables are of the stated values.",
                       samples.rows.size(), samples.inputs.size(), samples.inputs.size() == 1 ? "" : "s")) +
      figures_text(study) + inputs_text(samples);
  if (samples.seeds > 1)
    text += wrap(
        fmt::format("Each sample runs with one of {} seeds, in turn, so that the ranges hold what the seeds "
                    "change as well.",
                    samples.seeds));
  if (!samples.not_drawn.empty())
    text +=
        wrap(fmt::format("Not drawn, as only stated inputs are: {}.", fmt::join(samples.not_drawn, "; ")));
  if (!samples.without_range.empty())
    text += wrap(
        fmt::format("Not drawn, as their range is unknown: {}.", fmt::join(samples.without_range, "; ")));
  return text + "\n";
}

std::vector<std::string> uncertainty_verdicts(const SimulatedStudy& study) {
  if (!study.uncertain) {
    const std::string note = not_drawn_text(*study.study);
    return note.empty() ? std::vector<std::string>{} : std::vector{note};
  }
  if (study.uncertain->inputs.empty())
    return {
        "No input has a range, so that nothing was drawn; a range is written as "
        "`bandwidth: {value: 4 Gbit/s, range: [3 Gbit/s, 5 Gbit/s]}`."};
  if (study.uncertain->rows.empty()) return {};
  const std::vector<UncertainChoice> list = choices(study);
  std::vector<std::string> sentences;
  if (std::string note = not_judged_text(study); !note.empty()) sentences.push_back(std::move(note));
  if (list.size() > most_choices) {
    sentences.push_back(count_text(list, study.uncertain->rows.size()));
    return sentences;
  }
  for (const UncertainChoice& choice : list) {
    const std::string where = choice.where.empty() ? "" : choice.where + ": ";
    sentences.push_back(where + wins_text(choice, wins_of(choice)));
    if (std::string settling = settling_text(*study.uncertain, choice); !settling.empty())
      sentences.push_back(where + settling);
  }
  return sentences;
}

namespace {

ordered_json inputs_json(const UncertainSamples& samples) {
  ordered_json list = ordered_json::array();
  for (const DrawnInput& input : samples.inputs)
    list.push_back(
        ordered_json{{"input", input.name},
                     {"range", input.text},
                     {"origin", input.origin.empty() ? ordered_json() : ordered_json(input.origin)},
                     {"measure", input.measure.empty() ? ordered_json() : ordered_json(input.measure)},
                     {"arms", input.arms}});
  return list;
}

ordered_json figures_json(const SimulatedStudy& study) {
  ordered_json list = ordered_json::array();
  const Table stated = whole_run_rows(study);
  for (const SampledFigure& row : varying_figures(study, stated))
    list.push_back(ordered_json{{"arm", row.arm},
                                {"figure", row.column->key},
                                {"as_stated", row.stated},
                                {"median", row.spread.median},
                                {"percentile_5", row.spread.low},
                                {"percentile_95", row.spread.high}});
  return list;
}

ordered_json choice_json(const UncertainSamples& samples, const UncertainChoice& choice) {
  const auto count = static_cast<double>(choice.costs.front().size());
  const Wins wins = wins_of(choice);
  ordered_json arms = ordered_json::array();
  for (std::size_t arm = 0; arm < choice.arms.size(); ++arm)
    arms.push_back(ordered_json{{"arm", choice.arms[arm]},
                                {"win_share", static_cast<double>(wins.by_arm[arm]) / count}});
  ordered_json worth = ordered_json::array();
  for (const WorthKnowing& known : worth_knowing(samples, choice))
    worth.push_back(ordered_json{{"input", known.input->name}, {"saved_time_share", known.share}});
  return {{"where", choice.where.empty() ? ordered_json() : ordered_json(choice.where)},
          {"arms", std::move(arms)},
          {"tie_share", static_cast<double>(wins.ties) / count},
          {"best_on_average", choice.arms[best_on_average(choice.costs)]},
          {"saved_time_share_with_all_known", value_of_all(choice.costs) / mean_cost(choice)},
          {"worth_knowing", std::move(worth)}};
}

}  // namespace

ordered_json uncertainty_json(const SimulatedStudy& study) {
  if (!study.uncertain) return {};
  const UncertainSamples& samples = *study.uncertain;
  ordered_json compared = ordered_json::array();
  if (!samples.rows.empty())
    for (const UncertainChoice& choice : choices(study)) compared.push_back(choice_json(samples, choice));
  return {{"samples", samples.rows.size()},
          {"inputs", inputs_json(samples)},
          {"not_drawn", samples.not_drawn},
          {"without_range", samples.without_range},
          {"figures", samples.rows.empty() ? ordered_json::array() : figures_json(study)},
          {"choices", std::move(compared)}};
}

}  // namespace sim::report
