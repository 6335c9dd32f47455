// Chooses what a screen has room for.
#include "sim/report/first_screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/text_table.hpp"
#include "sim/report/compression_origin.hpp"
#include "sim/report/cost.hpp"
#include "sim/report/crossover_verdict.hpp"
#include "sim/report/exclusion.hpp"
#include "sim/report/goodput_verdict.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/result_warnings.hpp"
#include "sim/report/seed_verdict.hpp"
#include "sim/report/terminal_text.hpp"
#include "sim/report/uncertain_verdict.hpp"
#include "sim/report/uncertainty_report.hpp"
#include "sim/report/update_kind.hpp"

namespace sim::report {
namespace {

using command_line::Cell;
using command_line::Table;

constexpr std::size_t most_arms = 6;
constexpr std::size_t most_columns = 6;  ///< besides the arm's name

/// Keys of metrics, those first that answer; further ones only where arms differ in them.
constexpr std::array<std::string_view, 5> wanted_columns{"target_time_s", "target_cost_usd", "step_time_s",
                                                         "cost_usd", "throughput_samples_per_s"};
/// Parts of a step; those first whose times are furthest apart.
constexpr std::array<std::string_view, 5> step_columns{"exposed_time_s", "compress_time_s", "wait_time_s",
                                                       "stream_wait_time_s", "compute_time_s"};
constexpr std::array<std::string_view, 10> further_columns{"replica_exchange_time_s",
                                                           "replica_bubble_time_s",
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

/// The longest step of the table, in seconds.
double longest_step(const Table& table) {
  const std::size_t column = *command_line::column_of(table, "step_time_s");
  double longest = 0;
  for (const auto& row : table.rows)
    longest = std::max(longest, command_line::number_of(row[column]).value_or(0));
  return longest;
}

/// Figures of a column.
struct Extent {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  bool any = false;      ///< some row has a figure
  bool missing = false;  ///< some row has none
};

Extent extent_of(const Table& table, std::size_t column) {
  Extent extent;
  for (const auto& row : table.rows) {
    const auto number = command_line::number_of(row[column]);
    (number ? extent.any : extent.missing) = true;
    if (!number) continue;
    extent.least = std::min(extent.least, *number);
    extent.most = std::max(extent.most, *number);
  }
  return extent;
}

/// Whether two rows have figures that a reader would tell apart.
bool differs(const Table& table, std::size_t column) {
  constexpr double visible = 0.01;
  constexpr double of_step = 1e-4;  // shorter times decide nothing
  const bool is_time = table.columns[column].measure == command_line::Measure::time;
  const double negligible = is_time ? of_step * longest_step(table) : 0;
  const Extent extent = extent_of(table, column);
  const double largest = std::max(std::abs(extent.most), std::abs(extent.least));
  return extent.any && (extent.missing || extent.most - extent.least > visible * largest + negligible);
}

/// Whether one arm has visibly more than another, or there is a single one.
bool is_far_apart(const Table& table, std::size_t column) {
  constexpr double far = 1.15;
  const Extent extent = extent_of(table, column);
  return extent.any && (table.rows.size() == 1 || extent.most > far * extent.least);
}

/// Parts of a step, those first that differ most between arms, or take longest in a single one.
std::vector<std::string_view> ordered_parts(const Table& table) {
  const auto weight = [&](std::string_view key) {
    const auto column = command_line::column_of(table, key);
    const Extent extent = column ? extent_of(table, *column) : Extent{};
    if (!extent.any) return 0.0;
    return table.rows.size() == 1 ? extent.most : extent.most - extent.least;
  };
  std::vector<std::string_view> parts(step_columns.begin(), step_columns.end());
  std::ranges::stable_sort(parts, std::ranges::greater{}, weight);
  return parts;
}

bool is_idle(const Table& table, std::size_t column) {
  return std::ranges::all_of(
      table.rows, [&](const auto& row) { return command_line::number_of(row[column]).value_or(0) == 0; });
}

/// Whether the column is the other one times a constant, and so says nothing of its own.
bool is_multiple_of(const Table& table, std::size_t column, std::string_view other_key) {
  constexpr double rounding = 1e-6;
  const std::size_t other = *command_line::column_of(table, other_key);
  std::optional<double> factor;
  return std::ranges::all_of(table.rows, [&](const auto& row) {
    const auto own = command_line::number_of(row[column]);
    const auto others = command_line::number_of(row[other]);
    if (!own || !others || *others == 0) return !own && !others;
    if (!factor) factor = *own / *others;
    return std::abs(*own - *factor * *others) <= rounding * *own;
  });
}

/// Keys of the columns of a screen, those that are kept longest first.
std::vector<std::string_view> chosen_columns(const Table& table) {
  std::vector<std::string_view> chosen{"arm"};
  const auto add = [&](std::string_view key, auto shows) {
    const auto column = command_line::column_of(table, key);
    if (column && chosen.size() <= most_columns && shows(*column)) chosen.push_back(key);
  };
  for (const std::string_view key : wanted_columns)
    add(key, [&](std::size_t column) { return !is_empty(table, column); });
  add("thousand_samples_cost_usd", [&](std::size_t column) {
    return !is_empty(table, column) && !is_multiple_of(table, column, "cost_usd");
  });
  add("outside_steps_time_s", [&](std::size_t column) { return !is_idle(table, column); });
  const auto tells = [&](std::size_t column) {
    return table.rows.size() == 1 ? !is_idle(table, column) : differs(table, column);
  };
  const bool has_target = std::ranges::find(chosen, "target_time_s") != chosen.end();
  add("accuracy", [&](std::size_t column) { return has_target ? tells(column) : !is_empty(table, column); });
  for (const std::string_view key : ordered_parts(table)) add(key, tells);
  add("worker_memory_bytes", [&](std::size_t column) { return is_far_apart(table, column); });
  add("model_flops_utilisation", [&](std::size_t column) {
    const bool is_known = table.rows.size() > 1 && is_multiple_of(table, column, "throughput_samples_per_s");
    return tells(column) && !is_known;
  });
  for (const std::string_view key : further_columns) {
    if (std::ranges::find(chosen, key) == chosen.end()) add(key, tells);
  }
  return chosen;
}

/// In characters, not in bytes of UTF-8.
std::size_t longest_line(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto begins = [](char byte) { return (byte & 0xC0) != 0x80; };
    longest = std::max(longest, static_cast<std::size_t>(std::ranges::count_if(text.substr(0, end), begins)));
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

/// The place of an arm in the table: by the time or cost to the target where a learner has one, else per
/// sample.
struct ArmOrder {
  bool excluded;
  bool least_time;  ///< no longest time of compressing is known
  int target;       ///< 0: reached, 1: not reached, 2: there is none
  double spent;

  auto operator<=>(const ArmOrder&) const = default;
};

ArmOrder order_of(const SimulatedArm& arm) {
  const Candidate candidate = whole_run(arm);
  const auto& learned = arm.result.learning;
  const bool reaches = learned && learned->target;
  const int target = reaches ? 0 : learned && arm.scenario->learner.target ? 1 : 2;
  return {!why_not_compared(arm).empty(), has_least_time_only(candidate), target,
          reaches ? spent_to_target(arm) : spent_per_sample(candidate)};
}

std::vector<const SimulatedArm*> in_order(const SimulatedStudy& study) {
  std::vector<const SimulatedArm*> arms;
  for (const SimulatedArm& arm : study.arms) arms.push_back(&arm);
  std::ranges::stable_sort(arms, {}, [](const SimulatedArm* arm) { return order_of(*arm); });
  return arms;
}

/// The first arms, the best of the leading ones among them.
std::vector<const SimulatedArm*> shown_arms(const SimulatedStudy& study) {
  std::vector<const SimulatedArm*> arms = in_order(study);
  if (arms.size() <= most_arms) return arms;
  const std::vector<Comparison> list = comparisons(study);
  const ByUpdate first = list.empty() ? ByUpdate{} : by_update(list.front());
  if (!first.leading.empty()) {
    const auto leader = std::ranges::find(arms, first.leading.front().arm);
    if (leader >= arms.begin() + most_arms) arms[most_arms - 1] = *leader;
  }
  arms.resize(most_arms);
  return arms;
}

/// A name of a table in at most so many characters.
std::string shortened(const std::string& name) {
  constexpr std::size_t most = 30;
  return name.size() <= most ? name : name.substr(0, most - 3) + "...";
}

std::string arms_text(const SimulatedStudy& study, std::size_t width) {
  std::vector<RunPart> parts;
  for (const SimulatedArm* arm : shown_arms(study)) parts.push_back({&study, arm, &arm->result.whole, true});
  Table table = metric_table(parts);
  const std::size_t name = *command_line::column_of(table, "arm");
  for (auto& row : table.rows) row[name] = shortened(std::get<std::string>(row[name]));
  std::string text = table_text(table, width);
  if (study.arms.size() > parts.size()) text += fmt::format("{} more\n", study.arms.size() - parts.size());
  if (!study.seeds.empty())
    text += wrap(fmt::format("The table is of seed {}, the first of {}; --details has their means.",
                             study.seeds.front().seed, study.seeds.size()),
                 width);
  return text;
}

/// The sentences that answer, the first of them the headline.
std::vector<std::string> answers(const SimulatedStudy& study) {
  std::vector<std::string> sentences;
  if (const auto seeds = seed_verdicts(study); !seeds.empty()) sentences.push_back(seeds.front());
  if (const auto uncertain = uncertainty_verdicts(study); !uncertain.empty())
    sentences.push_back(uncertain.front());
  std::vector<std::string> winners = short_target_verdicts(study);
  const bool by_time = winners.empty();
  if (by_time) winners = short_verdicts(study);
  std::ranges::move(winners, std::back_inserter(sentences));
  if (comparisons(study).empty() && by_time) sentences.insert(sentences.begin(), answer(study));
  for (const BandwidthWinners& found : study.by_bandwidth)
    if (std::string text = short_crossover(study, found); !text.empty()) sentences.push_back(std::move(text));
  std::ranges::move(goodput_verdicts(study), std::back_inserter(sentences));
  return sentences;
}

/// "published figures: all 6 bounds are kept; by --details"; empty where there are none.
std::string published_text(const ExpectationReport& report) {
  if (report.empty()) return "";
  const auto judged =
      static_cast<std::size_t>(std::ranges::count_if(report.figures, &ExpectedFigure::judged)) +
      report.mean_errors.size() + report.best.size();
  if (!report.met()) return "published figures: none is judged; by --details";
  const std::size_t outside = missed(report).size();
  return outside == 0
             ? fmt::format("published figures: all {} bounds are kept; by --details", judged)
             : fmt::format("published figures: {} of {} bounds are missed; by --details", outside, judged);
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
  return fmt::format("{}{}", fmt::join(texts, " or "), more > 0 ? fmt::format(" or {} more", more) : "");
}

std::string compute_text(const SimulatedArm& arm) {
  const netmodels::Workload& workload = arm.scenario->work.workload;
  const bool is_recorded = workload.traced && workload.origin == netmodels::TimeOrigin::measured;
  if (is_recorded) return "durations of the graph";
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
  return compression_time_origin(arm) == no_compression
             ? ""
             : std::string(level_name(arm.result.compression_level));
}

/// Links that carry exchanges without a measured time.
std::string links_text(const scenario::Cluster& cluster) {
  if (cluster.nccl) return "as NCCL chooses";
  return cluster.link_range ? "usual goodput of " + cluster.link_range->name : "links as stated";
}

std::string network_text(const SimulatedArm& arm) {
  const scenario::Cluster& cluster = arm.scenario->cluster;
  const engine::EvaluatorCounts& by = arm.result.evaluators;
  if (cluster.workers == 1) return "";
  const bool uses_links = by.closed + by.path + by.simgrid + by.nccl + by.reused > 0;
  if (by.measured == 0) return links_text(cluster);
  return uses_links ? "partly measured collectives" : "measured collectives";
}

/// "4 machines at 55.04 USD/h (aws/p5.48xlarge, us-east-1, approx. 2026)".
std::string price_text(const SimulatedArm& arm) {
  const auto& rented = arm.scenario->rented;
  if (!rented) return "";
  constexpr int digits = 4;
  return fmt::format("{} machine{} at {} ({})", rented->count, rented->count == 1 ? "" : "s",
                     netmodels::print(rented->each, digits), rented->source);
}

std::string inputs_text(const SimulatedStudy& study) {
  std::string text = "inputs: computing: " + texts_of(study, compute_text);
  if (const std::string compressing = texts_of(study, compressing_text); !compressing.empty())
    text += "; compressing: " + compressing;
  if (const std::string network = texts_of(study, network_text); !network.empty())
    text += "; network: " + network;
  const bool learns = std::ranges::any_of(
      study.arms, [](const SimulatedArm& arm) { return arm.result.learning.has_value(); });
  if (const std::string price = texts_of(study, price_text); !price.empty()) text += "; price: " + price;
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
  for (const std::string& warning : all_warnings(played)) add("warning: " + warning);
  if (const std::string published = published_text(*study.expectations); !published.empty()) add(published);
  if (!played.arms.empty()) add(inputs_text(played));
  return text;
}

}  // namespace sim::report
