// Advice on policies as a document: its text, rows and JSON.
#include "sim/advise/policy_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/table_json.hpp"
#include "command_line/wrapped_table.hpp"
#include "sim/advise/policy_ranking.hpp"
#include "sim/report/terminal_text.hpp"
#include "sim/scenario/fields_planning.hpp"

namespace sim::advise {
namespace {

using Json = nlohmann::ordered_json;
using command_line::Cell;
using command_line::ColumnOf;
using command_line::Measure;
using command_line::Table;

constexpr std::size_t most_rows = 30;

/// A candidate with its rank; one that was not simulated has neither rank nor outcome.
struct PolicyRow {
  const AdvisedPolicies* advised;
  const scenario::PolicyCandidate* candidate;
  const StepsToTarget* steps;
  std::optional<std::int64_t> rank;
  std::optional<std::size_t> played;
  std::optional<netmodels::Seconds> at_least;

  [[nodiscard]] const AdvisedPolicy* policy() const { return played ? &advised->played[*played] : nullptr; }
};

Cell optional_cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

/// A figure of a simulated candidate.
template <class Get>
Cell of_played(const PolicyRow& row, Get get) {
  if (row.policy() == nullptr) return {};
  return get(*row.policy());
}

template <class Q>
Cell count_cell(const std::optional<Q>& value) {
  return value ? Cell(value->count) : Cell();
}

const PolicyOutcome& on_best(const AdvisedPolicy& policy) {
  return *std::ranges::min_element(policy.outcomes, {}, &PolicyOutcome::time);
}

std::string reason_of(const PolicyRow& row) {
  if (row.played) return policy_reason(*row.advised, *row.played);
  return "not simulated: by closed forms another is ahead in every state of the network";
}

constexpr std::array policy_columns{
    ColumnOf<PolicyRow>{"rank", "rank", Measure::none,
                        [](const PolicyRow& r) -> Cell { return r.rank ? Cell(*r.rank) : Cell(); }},
    ColumnOf<PolicyRow>{"synchronisation", "synchronisation", Measure::none,
                        [](const PolicyRow& r) -> Cell { return r.candidate->synchronisation; }},
    ColumnOf<PolicyRow>{"compression", "compression", Measure::none,
                        [](const PolicyRow& r) -> Cell { return r.candidate->compression; }},
    ColumnOf<PolicyRow>{"ratio", "ratio", Measure::share,
                        [](const PolicyRow& r) { return optional_cell(r.candidate->ratio); }},
    ColumnOf<PolicyRow>{"collective", "collective", Measure::none,
                        [](const PolicyRow& r) -> Cell { return r.candidate->collective; }},
    ColumnOf<PolicyRow>{"batch", "batch", Measure::none,
                        [](const PolicyRow& r) -> Cell { return std::int64_t{r.candidate->batch}; }},
    ColumnOf<PolicyRow>{
        "evaluated_by", "evaluated by", Measure::none,
        [](const PolicyRow& r) -> Cell { return std::string(r.played ? "simulation" : "closed form"); }},
    ColumnOf<PolicyRow>{"time_s", "time", Measure::time,
                        [](const PolicyRow& r) {
                          return of_played(
                              r, [](const AdvisedPolicy& p) -> Cell { return p.at_worst().time.count; });
                        }},
    ColumnOf<PolicyRow>{"time_margin_s", "+/-", Measure::time,
                        [](const PolicyRow& r) {
                          return of_played(r, [](const AdvisedPolicy& p) -> Cell {
                            return p.at_worst().margin.count > 0 ? Cell(p.at_worst().margin.count) : Cell();
                          });
                        }},
    ColumnOf<PolicyRow>{"time_if_least_s", "if compressing is fast", Measure::time,
                        [](const PolicyRow& r) {
                          return of_played(r, [](const AdvisedPolicy& p) -> Cell {
                            const auto& least = p.at_worst().least;
                            return least ? Cell(least->time.count) : Cell();
                          });
                        }},
    ColumnOf<PolicyRow>{"time_if_most_s", "if it is slow", Measure::time,
                        [](const PolicyRow& r) {
                          return of_played(r, [](const AdvisedPolicy& p) -> Cell {
                            const auto& most = p.at_worst().most;
                            return most && p.at_worst().played.later ? Cell(most->time.count) : Cell();
                          });
                        }},
    ColumnOf<PolicyRow>{"worst_network", "worst network", Measure::none,
                        [](const PolicyRow& r) {
                          return of_played(r, [&](const AdvisedPolicy& p) -> Cell {
                            return r.advised->question->networks[p.worst];
                          });
                        }},
    ColumnOf<PolicyRow>{"best_time_s", "at best", Measure::time,
                        [](const PolicyRow& r) {
                          return of_played(
                              r, [](const AdvisedPolicy& p) -> Cell { return on_best(p).time.count; });
                        }},
    ColumnOf<PolicyRow>{"cost_usd", "cost (USD)", Measure::none,
                        [](const PolicyRow& r) {
                          return of_played(
                              r, [](const AdvisedPolicy& p) { return count_cell(p.at_worst().cost); });
                        }},
    ColumnOf<PolicyRow>{"at_least_time_s", "at least", Measure::time,
                        [](const PolicyRow& r) { return count_cell(r.at_least); }},
    ColumnOf<PolicyRow>{"over_dense", "over dense", Measure::none,
                        [](const PolicyRow& r) {
                          return of_played(r, [&](const AdvisedPolicy& p) {
                            return optional_cell(over_dense(*r.advised, p));
                          });
                        }},
    ColumnOf<PolicyRow>{"step_time_s", "step", Measure::time,
                        [](const PolicyRow& r) {
                          return of_played(r, [](const AdvisedPolicy& p) -> Cell {
                            return p.at_worst().played.step.count;
                          });
                        }},
    ColumnOf<PolicyRow>{
        "steps", "steps", Measure::none,
        [](const PolicyRow& r) -> Cell { return static_cast<std::int64_t>(r.steps->steps + 0.5); }},
    ColumnOf<PolicyRow>{"steps_known", "steps are", Measure::none,
                        [](const PolicyRow& r) -> Cell { return std::string(to_string(r.steps->known)); }},
    ColumnOf<PolicyRow>{"best_accuracy", "best accuracy", Measure::share,
                        [](const PolicyRow& r) { return optional_cell(r.steps->accuracy); }},
    ColumnOf<PolicyRow>{"sent_bytes", "sent", Measure::size,
                        [](const PolicyRow& r) {
                          return of_played(
                              r, [](const AdvisedPolicy& p) { return count_cell(p.at_worst().sent_by_all); });
                        }},
    ColumnOf<PolicyRow>{"reason", "reason", Measure::none,
                        [](const PolicyRow& r) -> Cell { return reason_of(r); }},
};

std::vector<PolicyRow> rows_of(const AdvisedPolicies& advised) {
  std::vector<PolicyRow> rows;
  for (const std::size_t index : ranked(advised)) {
    const AdvisedPolicy& policy = advised.played[index];
    rows.push_back(
        {&advised, policy.candidate, &policy.steps, static_cast<std::int64_t>(rows.size()) + 1, index, {}});
  }
  for (const PrunedPolicy& policy : advised.pruned)
    rows.push_back({&advised, policy.candidate, &policy.steps, {}, {}, policy.at_least});
  return rows;
}

/// Whether two rows differ only in the name of their compression, by the figures here.
bool alike(const AdvisedPolicy& one, const AdvisedPolicy& other) {
  constexpr double rounding = 1e-9;
  const scenario::PolicyCandidate& a = *one.candidate;
  const scenario::PolicyCandidate& b = *other.candidate;
  return a.synchronisation_entry == b.synchronisation_entry && a.ratio == b.ratio &&
         a.collective == b.collective && a.batch == b.batch && one.steps.known == StepsKnown::assumed &&
         other.steps.known == StepsKnown::assumed &&
         std::abs(one.at_worst().time / other.at_worst().time - 1) < rounding;
}

/// The rows to show: of each course the best collective, of equal ones the first, and the
/// best dense one in any case.
struct Shown {
  std::vector<PolicyRow> rows;
  std::vector<std::size_t> alike;  ///< the number of further candidates that each row represents
  std::size_t more = 0;            ///< rows beyond the limit
};

/// Every course once, with its best collective; rows come by rank.
std::vector<PolicyRow> best_of_courses(const AdvisedPolicies& advised) {
  std::vector<PolicyRow> best;
  for (PolicyRow& row : rows_of(advised)) {
    if (!row.played) continue;
    const auto same = [&](const PolicyRow& other) { return same_course(*row.candidate, *other.candidate); };
    if (std::ranges::none_of(best, same)) best.push_back(std::move(row));
  }
  return best;
}

Shown shown(const AdvisedPolicies& advised) {
  Shown shown;
  for (PolicyRow& row : best_of_courses(advised)) {
    const auto like_it = std::ranges::find_if(
        shown.rows, [&](const PolicyRow& other) { return alike(*row.policy(), *other.policy()); });
    if (like_it != shown.rows.end()) {
      ++shown.alike[static_cast<std::size_t>(like_it - shown.rows.begin())];
    } else if (shown.rows.size() < most_rows || advised.best_dense == row.played) {
      shown.rows.push_back(std::move(row));
      shown.alike.push_back(0);
    } else {
      ++shown.more;
    }
  }
  return shown;
}

/// Leaves out columns that are empty, or whose texts are equal in all rows.
Table legible(Table table) {
  std::vector<std::string_view> idle{"evaluated_by", "at_least_time_s"};
  constexpr std::array<std::string_view, 4> choices{"synchronisation", "batch", "worst_network",
                                                    "steps_known"};
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const std::string& key = table.columns[column].key;
    const Cell& first = table.rows.front()[column];
    const bool same = std::ranges::all_of(table.rows, [&](const auto& row) { return row[column] == first; });
    const bool empty = same && std::holds_alternative<std::monostate>(first);
    if (empty || (same && std::ranges::find(choices, key) != choices.end())) idle.push_back(key);
  }
  return without(std::move(table), idle);
}

Table shown_table(const Shown& shown) {
  Table table = command_line::fill(std::span<const ColumnOf<PolicyRow>>(policy_columns),
                                   std::span<const PolicyRow>(shown.rows));
  const auto name = std::ranges::find(table.columns, "compression", &command_line::Column::key);
  const auto column = static_cast<std::size_t>(name - table.columns.begin());
  for (std::size_t row = 0; row < shown.rows.size(); ++row) {
    if (shown.alike[row] == 0) continue;
    std::get<std::string>(table.rows[row][column]) += fmt::format(" and {} alike", shown.alike[row]);
  }
  return legible(std::move(table));
}

Table in_hours(Table table, netmodels::Seconds advice) {
  if (advice.count < netmodels::seconds_per_hour) return table;
  constexpr std::array<std::string_view, 5> long_times{"time_s", "time_margin_s", "time_if_least_s",
                                                       "time_if_most_s", "best_time_s"};
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    command_line::Column& heading = table.columns[column];
    if (std::ranges::find(long_times, heading.key) == long_times.end()) continue;
    heading.measure = Measure::none;
    heading.title += " (h)";
    for (auto& row : table.rows) {
      if (double* value = std::get_if<double>(&row[column])) *value /= netmodels::seconds_per_hour;
    }
  }
  return table;
}

/// The best network is named where there are several.
Table for_networks(Table table, const AdvisedPolicies& advised) {
  constexpr std::array<std::string_view, 2> of_several{"worst_network", "best_time_s"};
  return advised.question->networks.size() > 1 ? std::move(table) : without(std::move(table), of_several);
}

std::optional<double> figure_of(const AdvisedPolicies& advised, scenario::PolicyMetric metric) {
  if (!advised.chosen) return std::nullopt;
  const AdvisedPolicy& chosen = advised.played[*advised.chosen];
  switch (metric) {
    case scenario::PolicyMetric::time: return chosen.at_worst().time.count;
    case scenario::PolicyMetric::cost:
      return chosen.at_worst().cost ? std::optional(chosen.at_worst().cost->count) : std::nullopt;
    case scenario::PolicyMetric::over_dense: return over_dense(advised, chosen);
  }
  return std::nullopt;
}

std::string bound_line(const JudgedPolicyBound& judged) {
  const scenario::PolicyBound& bound = *judged.bound;
  std::string line = fmt::format("{}: {}", settings::name_of(bound.metric),
                                 judged.ours ? fmt::format("{:.4g}", *judged.ours) : "not known");
  if (bound.at_least) line += fmt::format(", at least {:.4g}", *bound.at_least);
  if (bound.at_most) line += fmt::format(", at most {:.4g}", *bound.at_most);
  return line + (judged.met() == true ? "" : " (missed)") + "; " + bound.source;
}

}  // namespace

std::optional<bool> JudgedPolicyBound::met() const {
  if (!ours) return std::nullopt;
  return (!bound->at_least || *ours >= *bound->at_least) && (!bound->at_most || *ours <= *bound->at_most);
}

std::vector<JudgedPolicyBound> judge(const AdvisedPolicies& advised) {
  std::vector<JudgedPolicyBound> judged;
  for (const scenario::PolicyBound& bound : advised.question->bounds)
    judged.push_back({&bound, figure_of(advised, bound.metric)});
  return judged;
}

std::vector<std::string> missed(std::span<const JudgedPolicyBound> bounds) {
  std::vector<std::string> lines;
  for (const JudgedPolicyBound& bound : bounds) {
    if (bound.met() != true) lines.push_back(bound.bound->where + ": " + bound_line(bound));
  }
  return lines;
}

Table policy_table(const AdvisedPolicies& advised) {
  const std::vector<PolicyRow> rows = rows_of(advised);
  return command_line::fill(std::span<const ColumnOf<PolicyRow>>(policy_columns),
                            std::span<const PolicyRow>(rows));
}

namespace {

std::string answer_text(const AdvisedPolicies& advised, std::size_t width) {
  std::string text = report::wrap(advised.question->question) + "\n";
  text += report::wrap(fmt::format("advice ({}): {}", settings::name_of(advised.question->advice.objective),
                                   policy_sentence(advised)));
  const AdvisedPolicy& first = advised.played[ranked(advised).front()];
  const Shown rows = shown(advised);
  text +=
      "\n" + wrapped_table(in_hours(for_networks(shown_table(rows), advised), first.at_worst().time), width);
  if (rows.more > 0) text += fmt::format("and {} more\n", rows.more);
  text += "\n";
  const bool any_alike = std::ranges::any_of(rows.alike, [](std::size_t count) { return count > 0; });
  text += report::wrap(
      std::string("each row has the best collective of its kind; --format csv shows all") +
      (any_alike ? "; alike: as many bytes and as long to compress, as far as is known here" : ""));
  for (const std::string& note : policy_notes(advised)) text += report::wrap(note);
  const std::vector<JudgedPolicyBound> bounds = judge(advised);
  if (!bounds.empty()) text += "\ncompared with bounds\n";
  for (const JudgedPolicyBound& bound : bounds) text += report::wrap(bound_line(bound));
  return text;
}

void put_answer(Json& object, const AdvisedPolicies& advised, const std::string& file) {
  object["scenario"] = file;
  object["question"] = advised.question->question;
  object["objective"] = settings::name_of(advised.question->advice.objective);
  object["advice"] = policy_sentence(advised);
  object["networks"] = advised.question->networks;
  object["learner"] = advised.learner;
  object["candidates"] = command_line::rows_json(policy_table(advised));
  object["left_out"] = Json::array();
  object["notes"] = policy_notes(advised);
  object["bounds"] = Json::array();
  object["warnings"] = advised.question->warnings;
  for (const scenario::LeftOut& left : advised.left_out)
    object["left_out"].push_back(
        Json::object({{"combinations", left.combinations}, {"reason", left.reason}}));
  const auto or_null = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  for (const JudgedPolicyBound& judged : judge(advised)) {
    const scenario::PolicyBound& bound = *judged.bound;
    const std::optional<bool> met = judged.met();
    object["bounds"].push_back(Json::object({{"metric", settings::name_of(bound.metric)},
                                             {"ours", or_null(judged.ours)},
                                             {"at_least", or_null(bound.at_least)},
                                             {"at_most", or_null(bound.at_most)},
                                             {"met", met ? Json(*met) : Json(nullptr)},
                                             {"source", bound.source}}));
  }
}

}  // namespace

command_line::Document policy_document(const AdvisedPolicies& advised, const std::string& file,
                                       std::size_t width) {
  return {.text = [&advised, width] { return answer_text(advised, width); },
          .rows = [&advised] { return policy_table(advised); },
          .put_json = [&advised, file](Json& object) { put_answer(object, advised, file); }};
}

}  // namespace sim::advise
