// Chooses what a screen has room for.
#include "sim/report/first_screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/text_table.hpp"
#include "sim/report/crossover_verdict.hpp"
#include "sim/report/exclusion.hpp"
#include "sim/report/goodput_verdict.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/seed_verdict.hpp"
#include "sim/report/terminal_text.hpp"
#include "sim/report/uncertainty_report.hpp"

namespace sim::report {
namespace {

using command_line::Cell;
using command_line::Table;

constexpr std::size_t most_arms = 6;
constexpr std::size_t most_columns = 6;  ///< besides the arm's name

/// Keys of metrics, those first that answer; further ones only where arms differ in them.
constexpr std::array<std::string_view, 3> wanted_columns{"target_time_s", "step_time_s",
                                                         "throughput_samples_per_s"};
constexpr std::array<std::string_view, 13> further_columns{"accuracy",
                                                           "exposed_time_s",
                                                           "compress_time_s",
                                                           "wait_time_s",
                                                           "compute_time_s",
                                                           "sent_bytes",
                                                           "between_nodes_bytes",
                                                           "worker_memory_bytes",
                                                           "local_step_share",
                                                           "expected_time_s",
                                                           "total_time_s",
                                                           "scaling_efficiency",
                                                           "steps"};

bool has_figure(const Cell& cell) { return !std::holds_alternative<std::monostate>(cell); }

bool is_empty(const Table& table, std::size_t column) {
  return std::ranges::none_of(table.rows, [&](const auto& row) { return has_figure(row[column]); });
}

/// Whether two rows have figures that a reader would tell apart.
bool differs(const Table& table, std::size_t column) {
  constexpr double visible = 0.01;
  constexpr double rounding = 1e-9;  // of a sum of times; less is no figure of any column
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  bool any = false;
  bool none = false;
  for (const auto& row : table.rows) {
    const auto number = command_line::number_of(row[column]);
    (number ? any : none) = true;
    if (!number) continue;
    least = std::min(least, *number);
    most = std::max(most, *number);
  }
  return any && (none || most - least > visible * std::max(std::abs(most), std::abs(least)) + rounding);
}

bool is_idle(const Table& table, std::size_t column) {
  return std::ranges::all_of(
      table.rows, [&](const auto& row) { return command_line::number_of(row[column]).value_or(0) == 0; });
}

/// Keys of the columns of a screen, in no order.
std::vector<std::string_view> chosen_columns(const Table& table) {
  std::vector<std::string_view> chosen{"arm"};
  const auto add = [&](std::string_view key, auto shows) {
    const auto column = command_line::column_of(table, key);
    if (column && chosen.size() <= most_columns && shows(*column)) chosen.push_back(key);
  };
  for (const std::string_view key : wanted_columns)
    add(key, [&](std::size_t column) { return !is_empty(table, column); });
  const bool one = table.rows.size() == 1;
  for (const std::string_view key : further_columns)
    add(key, [&](std::size_t column) { return one ? !is_idle(table, column) : differs(table, column); });
  return chosen;
}

std::size_t longest_line(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    longest = std::max(longest, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

Table only(const Table& table, const std::vector<std::string_view>& keys) {
  std::vector<std::string_view> hidden;
  for (const command_line::Column& column : table.columns)
    if (std::ranges::find(keys, column.key) == keys.end()) hidden.push_back(column.key);
  return command_line::without(table, hidden);
}

/// As many of the chosen columns as fit, the first ones in any case.
std::string table_text(const Table& table, std::size_t width) {
  std::vector<std::string_view> keys = chosen_columns(table);
  constexpr std::size_t least = 3;
  std::string text = command_line::text_table(only(table, keys));
  while (longest_line(text) > width && keys.size() > least) {
    keys.pop_back();
    text = command_line::text_table(only(table, keys));
  }
  return text;
}

/// Whether only a least time of an arm's compressing is known.
bool has_least_time(const SimulatedArm& arm) {
  return arm.result.compression_level == scenario::CostLevel::floor ||
         arm.result.compression_level == scenario::CostLevel::unknown;
}

/// Arms in the order of the answer: to the target, where a learner has one, else per sample; then those of
/// which only a least time is known, and those that are not compared.
std::vector<const SimulatedArm*> in_order(const SimulatedStudy& study) {
  const auto key = [&](const SimulatedArm* arm) {
    const auto& learned = arm->result.learning;
    const engine::PhaseResult& whole = arm->result.whole;
    const bool reaches = learned && learned->target;
    const bool misses = learned && arm->scenario->learner.target && !reaches;
    const double samples = whole.samples_per_second * whole.time.count;
    const double time = reaches ? learned->target->at.count : arm->result.time.count / samples;
    return std::tuple(!why_not_compared(*arm).empty(), has_least_time(*arm), misses, time);
  };
  std::vector<const SimulatedArm*> arms;
  for (const SimulatedArm& arm : study.arms) arms.push_back(&arm);
  std::ranges::stable_sort(arms, {}, key);
  return arms;
}

std::string arms_text(const SimulatedStudy& study, std::size_t width) {
  const std::vector<const SimulatedArm*> arms = in_order(study);
  std::vector<RunPart> parts;
  for (const SimulatedArm* arm : arms) {
    if (parts.size() == most_arms) break;
    parts.push_back({&study, arm, &arm->result.whole, true});
  }
  std::string text = table_text(metric_table(parts), width);
  if (arms.size() > parts.size()) text += fmt::format("{} more\n", arms.size() - parts.size());
  return text;
}

/// The sentences that answer, the first of them the headline.
std::vector<std::string> answers(const SimulatedStudy& study) {
  std::vector<std::string> sentences;
  if (const auto seeds = seed_verdicts(study); !seeds.empty()) sentences.push_back(seeds.front());
  if (const auto uncertain = uncertainty_verdicts(study); !uncertain.empty())
    sentences.push_back(uncertain.front());
  std::vector<std::string> winners = short_target_verdicts(study);
  if (winners.empty()) winners = short_verdicts(study);
  std::ranges::move(winners, std::back_inserter(sentences));
  if (sentences.empty()) sentences.push_back(answer(study));
  for (const BandwidthWinners& found : study.by_bandwidth)
    if (std::string text = short_crossover(study, found); !text.empty()) sentences.push_back(std::move(text));
  std::ranges::move(goodput_verdicts(study), std::back_inserter(sentences));
  return sentences;
}

/// "published figures: 5 of 6 within their bands"; empty where none are judged.
std::string published_text(const ExpectationReport& report) {
  const auto judged = std::ranges::count_if(report.figures, &ExpectedFigure::judged);
  const auto met = std::ranges::count_if(report.figures,
                                         [](const ExpectedFigure& figure) { return figure.met() == true; });
  if (report.empty()) return "";
  if (judged == 0) return "published figures: by --details";
  return fmt::format("published figures: {} of {} within their bands, by --details", met, judged);
}

/// Different texts of arms, in the order in which they first occur.
template <class TextOf>
std::string texts_of(const SimulatedStudy& study, TextOf text_of) {
  constexpr std::size_t most = 2;
  std::vector<std::string> texts;
  for (const SimulatedArm& arm : study.arms) {
    std::string text = text_of(arm);
    if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  const std::size_t more = texts.size() > most ? texts.size() - most : 0;
  texts.resize(texts.size() - more);
  return fmt::format("{}{}", fmt::join(texts, " or "), more > 0 ? fmt::format(" or {} others", more) : "");
}

std::string compute_text(const SimulatedArm& arm) {
  const netmodels::Workload& workload = arm.scenario->workload;
  return fmt::format("{} on {}", netmodels::to_string(workload.origin), workload.device);
}

std::string_view level_name(scenario::CostLevel level) {
  switch (level) {
    case scenario::CostLevel::stated: return "stated";
    case scenario::CostLevel::kernels: return "measured kernels";
    case scenario::CostLevel::framework: return "published";
    case scenario::CostLevel::floor: return "a floor";
    case scenario::CostLevel::unknown: return "unknown";
  }
  return "";
}

std::string compressing_text(const SimulatedArm& arm) {
  return arm.result.compression_time_origin == "none" ? ""
                                                      : std::string(level_name(arm.result.compression_level));
}

std::string network_text(const SimulatedArm& arm) {
  const scenario::Cluster& cluster = arm.scenario->cluster;
  if (cluster.workers == 1) return "";
  if (!cluster.measured.empty()) return "measured collectives";
  if (cluster.nccl) return "as NCCL chooses";
  return cluster.link_range ? "usual goodput of " + cluster.link_range->name : "links as stated";
}

std::string inputs_text(const SimulatedStudy& study) {
  std::string text = "inputs: computing: " + texts_of(study, compute_text);
  if (const std::string compressing = texts_of(study, compressing_text); !compressing.empty())
    text += "; compressing: " + compressing;
  if (const std::string network = texts_of(study, network_text); !network.empty())
    text += "; network: " + network;
  const bool learns = std::ranges::any_of(
      study.arms, [](const SimulatedArm& arm) { return arm.result.learning.has_value(); });
  return text + (learns ? "" : "; accuracy: not predicted") + ". More: --details";
}

}  // namespace

std::string first_screen(const JudgedStudy& study, const Screen& screen) {
  const SimulatedStudy& played = *study.played;
  std::string text;
  const auto add = [&](const std::string& paragraph) { text += wrap(paragraph, screen.width); };
  if (!played.study->question.empty()) text += wrap(played.study->question, screen.width) + "\n";
  if (!played.arms.empty()) text += arms_text(played, screen.width) + "\n";
  for (const std::string& sentence : answers(played)) add(sentence);
  for (const std::string& warning : played.study->warnings) add("warning: " + warning);
  if (const std::string published = published_text(*study.expectations); !published.empty()) add(published);
  if (!played.arms.empty()) add(inputs_text(played));
  return text;
}

}  // namespace sim::report
