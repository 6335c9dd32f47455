// Prints advice on policies in three formats.
#include "sim/study/policy_advice/policy_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/output/csv.hpp"
#include "sim/output/json.hpp"
#include "sim/output/table.hpp"
#include "sim/output/wrap.hpp"
#include "sim/scenario/fields_policy_advice.hpp"
#include "sim/study/policy_advice/policy_ranking.hpp"
#include "sim/study/policy_advice/policy_reasons.hpp"

namespace sim::study::policy_advice {
namespace {

using Json = nlohmann::ordered_json;
using output::Cell;
using output::Column;
using output::Measure;
using output::Sheet;

constexpr std::size_t most_rows = 30;
constexpr double seconds_per_hour = 3600;

/// A candidate in its rank; one that was not played has neither rank nor outcome.
struct Row {
  const AdvisedPolicies* advised;
  const scenario::PolicyCandidate* candidate;
  const StepsToTarget* steps;
  std::optional<std::int64_t> rank;
  std::optional<std::size_t> played;
  std::optional<netmodels::Seconds> at_least;

  [[nodiscard]] const AdvisedPolicy* policy() const { return played ? &advised->played[*played] : nullptr; }
};

Cell cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

/// A figure of one that was played.
template <class Get>
Cell of_played(const Row& row, Get get) {
  if (row.policy() == nullptr) return {};
  return get(*row.policy());
}

template <class Q>
Cell count_of(const std::optional<Q>& value) {
  return value ? Cell(value->count) : Cell();
}

const PolicyOutcome& on_best(const AdvisedPolicy& policy) {
  return *std::ranges::min_element(policy.outcomes, {}, &PolicyOutcome::time);
}

std::string reason_of(const Row& row) {
  if (row.played) return policy_reason(*row.advised, *row.played);
  return "not simulated: by closed forms another is ahead in every state of the network";
}

constexpr std::array columns{
    Column<Row>{"rank", "rank", Measure::none,
                [](const Row& r) -> Cell { return r.rank ? Cell(*r.rank) : Cell(); }},
    Column<Row>{"synchronisation", "synchronisation", Measure::none,
                [](const Row& r) -> Cell { return r.candidate->synchronisation; }},
    Column<Row>{"compression", "compression", Measure::none,
                [](const Row& r) -> Cell { return r.candidate->compression; }},
    Column<Row>{"ratio", "ratio", Measure::share, [](const Row& r) { return cell(r.candidate->ratio); }},
    Column<Row>{"collective", "collective", Measure::none,
                [](const Row& r) -> Cell { return r.candidate->collective; }},
    Column<Row>{"batch", "batch", Measure::none,
                [](const Row& r) -> Cell { return std::int64_t{r.candidate->batch}; }},
    Column<Row>{"evaluated_by", "evaluated by", Measure::none,
                [](const Row& r) -> Cell { return std::string(r.played ? "simulation" : "closed form"); }},
    Column<Row>{"time_s", "time", Measure::time,
                [](const Row& r) {
                  return of_played(r, [](const AdvisedPolicy& p) -> Cell { return p.at_worst().time.count; });
                }},
    Column<Row>{"time_margin_s", "+/-", Measure::time,
                [](const Row& r) {
                  return of_played(r, [](const AdvisedPolicy& p) -> Cell {
                    return p.at_worst().margin.count > 0 ? Cell(p.at_worst().margin.count) : Cell();
                  });
                }},
    Column<Row>{"worst_network", "worst network", Measure::none,
                [](const Row& r) {
                  return of_played(r, [&](const AdvisedPolicy& p) -> Cell {
                    return r.advised->question->networks[p.worst];
                  });
                }},
    Column<Row>{"best_time_s", "at best", Measure::time,
                [](const Row& r) {
                  return of_played(r, [](const AdvisedPolicy& p) -> Cell { return on_best(p).time.count; });
                }},
    Column<Row>{"cost_usd", "cost (USD)", Measure::none,
                [](const Row& r) {
                  return of_played(r, [](const AdvisedPolicy& p) { return count_of(p.at_worst().cost); });
                }},
    Column<Row>{"at_least_time_s", "at least", Measure::time,
                [](const Row& r) { return count_of(r.at_least); }},
    Column<Row>{"over_dense", "over dense", Measure::none,
                [](const Row& r) {
                  return of_played(r,
                                   [&](const AdvisedPolicy& p) { return cell(over_dense(*r.advised, p)); });
                }},
    Column<Row>{"step_time_s", "step", Measure::time,
                [](const Row& r) {
                  return of_played(
                      r, [](const AdvisedPolicy& p) -> Cell { return p.at_worst().played.step.count; });
                }},
    Column<Row>{"steps", "steps", Measure::none,
                [](const Row& r) -> Cell { return static_cast<std::int64_t>(r.steps->steps + 0.5); }},
    Column<Row>{"steps_known", "steps are", Measure::none,
                [](const Row& r) -> Cell { return std::string(to_string(r.steps->known)); }},
    Column<Row>{"best_accuracy", "best accuracy", Measure::share,
                [](const Row& r) { return cell(r.steps->accuracy); }},
    Column<Row>{"sent_bytes", "sent", Measure::size,
                [](const Row& r) {
                  return of_played(r,
                                   [](const AdvisedPolicy& p) { return count_of(p.at_worst().sent_by_all); });
                }},
    Column<Row>{"reason", "reason", Measure::none, [](const Row& r) -> Cell { return reason_of(r); }},
};

std::vector<Row> rows_of(const AdvisedPolicies& advised) {
  std::vector<Row> rows;
  for (const std::size_t index : ranked(advised)) {
    const AdvisedPolicy& policy = advised.played[index];
    rows.push_back(
        {&advised, policy.candidate, &policy.steps, static_cast<std::int64_t>(rows.size()) + 1, index, {}});
  }
  for (const PrunedPolicy& policy : advised.pruned)
    rows.push_back({&advised, policy.candidate, &policy.steps, {}, {}, policy.at_least});
  return rows;
}

/// Whether two rows differ in the name of their compression alone, as far as anything here can tell.
bool alike(const AdvisedPolicy& one, const AdvisedPolicy& other) {
  constexpr double rounding = 1e-9;
  const scenario::PolicyCandidate& a = *one.candidate;
  const scenario::PolicyCandidate& b = *other.candidate;
  return a.synchronisation_entry == b.synchronisation_entry && a.ratio == b.ratio &&
         a.collective == b.collective && a.batch == b.batch && one.steps.known == StepsKnown::assumed &&
         other.steps.known == StepsKnown::assumed &&
         std::abs(one.at_worst().time / other.at_worst().time - 1) < rounding;
}

/// What a person wants to see: of each course the best collective, of those that are alike the first, and the
/// best dense one in any case.
struct Shown {
  std::vector<Row> rows;
  std::vector<std::size_t> alike;  ///< how many more each row stands for
  std::size_t more = 0;            ///< rows beyond the most that are shown
};

/// Every course once, with its best collective; rows come by rank.
std::vector<Row> best_of_courses(const AdvisedPolicies& advised) {
  std::vector<Row> best;
  for (Row& row : rows_of(advised)) {
    if (!row.played) continue;
    const auto same = [&](const Row& other) { return same_course(*row.candidate, *other.candidate); };
    if (std::ranges::none_of(best, same)) best.push_back(std::move(row));
  }
  return best;
}

Shown shown(const AdvisedPolicies& advised) {
  Shown shown;
  for (Row& row : best_of_courses(advised)) {
    const auto twin = std::ranges::find_if(
        shown.rows, [&](const Row& other) { return alike(*row.policy(), *other.policy()); });
    if (twin != shown.rows.end()) {
      ++shown.alike[static_cast<std::size_t>(twin - shown.rows.begin())];
    } else if (shown.rows.size() < most_rows || advised.best_dense == row.played) {
      shown.rows.push_back(std::move(row));
      shown.alike.push_back(0);
    } else {
      ++shown.more;
    }
  }
  return shown;
}

/// Columns that are empty, or that say of every row what is no figure, tell nothing.
Sheet legible(Sheet sheet) {
  std::vector<std::string_view> idle{"evaluated_by", "at_least_time_s"};
  constexpr std::array<std::string_view, 4> choices{"synchronisation", "batch", "worst_network",
                                                    "steps_known"};
  for (std::size_t column = 0; column < sheet.headings.size(); ++column) {
    const std::string& key = sheet.headings[column].key;
    const Cell& first = sheet.rows.front()[column];
    const bool same = std::ranges::all_of(sheet.rows, [&](const auto& row) { return row[column] == first; });
    const bool empty = same && std::holds_alternative<std::monostate>(first);
    if (empty || (same && std::ranges::find(choices, key) != choices.end())) idle.push_back(key);
  }
  return without(std::move(sheet), idle);
}

Sheet table_sheet(const Shown& shown) {
  Sheet sheet = output::fill(std::span<const Column<Row>>(columns), std::span<const Row>(shown.rows));
  const auto name = std::ranges::find(sheet.headings, "compression", &output::Heading::key);
  const auto column = static_cast<std::size_t>(name - sheet.headings.begin());
  for (std::size_t row = 0; row < shown.rows.size(); ++row) {
    if (shown.alike[row] == 0) continue;
    std::get<std::string>(sheet.rows[row][column]) += fmt::format(" and {} alike", shown.alike[row]);
  }
  return legible(std::move(sheet));
}

Sheet in_hours(Sheet sheet, netmodels::Seconds advice) {
  if (advice.count < seconds_per_hour) return sheet;
  constexpr std::array<std::string_view, 3> long_times{"time_s", "time_margin_s", "best_time_s"};
  for (std::size_t column = 0; column < sheet.headings.size(); ++column) {
    output::Heading& heading = sheet.headings[column];
    if (std::ranges::find(long_times, heading.key) == long_times.end()) continue;
    heading.measure = Measure::none;
    heading.title += " (h)";
    for (auto& row : sheet.rows) {
      if (double* value = std::get_if<double>(&row[column])) *value /= seconds_per_hour;
    }
  }
  return sheet;
}

/// The best network is told where there are several.
Sheet for_networks(Sheet sheet, const AdvisedPolicies& advised) {
  constexpr std::array<std::string_view, 2> of_several{"worst_network", "best_time_s"};
  return advised.question->networks.size() > 1 ? std::move(sheet) : without(std::move(sheet), of_several);
}

Json json_of(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return nullptr;
        else
          return value;
      },
      cell);
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
  std::string line = fmt::format("{}: {}", scenario::name_of(bound.metric),
                                 judged.ours ? fmt::format("{:.4g}", *judged.ours) : "not known");
  if (bound.at_least) line += fmt::format(", at least {:.4g}", *bound.at_least);
  if (bound.at_most) line += fmt::format(", at most {:.4g}", *bound.at_most);
  return line + (judged.met() ? "" : " (missed)") + "; " + bound.source;
}

}  // namespace

bool JudgedPolicyBound::met() const {
  return ours && (!bound->at_least || *ours >= *bound->at_least) &&
         (!bound->at_most || *ours <= *bound->at_most);
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
    if (!bound.met()) lines.push_back(bound.bound->where + ": " + bound_line(bound));
  }
  return lines;
}

Sheet policy_sheet(const AdvisedPolicies& advised) {
  const std::vector<Row> rows = rows_of(advised);
  return output::fill(std::span<const Column<Row>>(columns), std::span<const Row>(rows));
}

std::string policy_text(const AdvisedPolicies& advised) {
  std::string text = output::wrap(advised.question->question) + "\n";
  text += output::wrap(fmt::format("advice ({}): {}", scenario::name_of(advised.question->advice.objective),
                                   policy_sentence(advised)));
  const AdvisedPolicy& first = advised.played[ranked(advised).front()];
  const Shown rows = shown(advised);
  text += "\n" + table(in_hours(for_networks(table_sheet(rows), advised), first.at_worst().time));
  if (rows.more > 0) text += fmt::format("and {} more\n", rows.more);
  text += "\n";
  const bool twins = std::ranges::any_of(rows.alike, [](std::size_t count) { return count > 0; });
  text +=
      output::wrap(std::string("each row has the best collective of its kind; --format csv shows all") +
                   (twins ? "; alike: as many bytes and as long to compress, as far as is known here" : ""));
  for (const std::string& note : policy_notes(advised)) text += output::wrap(note);
  const std::vector<JudgedPolicyBound> bounds = judge(advised);
  if (!bounds.empty()) text += "\nheld against bounds\n";
  for (const JudgedPolicyBound& bound : bounds) text += output::wrap(bound_line(bound));
  return text;
}

std::string policy_csv(const AdvisedPolicies& advised) {
  const Sheet sheet = policy_sheet(advised);
  return csv_header(sheet) + csv_rows(sheet);
}

std::string policy_json(const AdvisedPolicies& advised, const std::string& file) {
  Json object = Json::object({{"schema_version", output::json_schema_version},
                              {"scenario", file},
                              {"question", advised.question->question},
                              {"objective", scenario::name_of(advised.question->advice.objective)},
                              {"advice", policy_sentence(advised)},
                              {"networks", advised.question->networks},
                              {"learner", advised.learner},
                              {"candidates", Json::array()},
                              {"left_out", Json::array()},
                              {"notes", policy_notes(advised)},
                              {"bounds", Json::array()},
                              {"warnings", advised.question->warnings}});
  const Sheet sheet = policy_sheet(advised);
  for (const auto& row : sheet.rows) {
    Json& candidate = object["candidates"].emplace_back(Json::object());
    for (std::size_t column = 0; column < row.size(); ++column)
      candidate[sheet.headings[column].key] = json_of(row[column]);
  }
  for (const scenario::LeftOut& left : advised.left_out)
    object["left_out"].push_back(
        Json::object({{"combinations", left.combinations}, {"reason", left.reason}}));
  for (const JudgedPolicyBound& judged : judge(advised)) {
    const scenario::PolicyBound& bound = *judged.bound;
    object["bounds"].push_back(Json::object({{"metric", scenario::name_of(bound.metric)},
                                             {"ours", json_of(cell(judged.ours))},
                                             {"at_least", json_of(cell(bound.at_least))},
                                             {"at_most", json_of(cell(bound.at_most))},
                                             {"met", judged.met()},
                                             {"source", bound.source}}));
  }
  return object.dump(2) + "\n";
}

}  // namespace sim::study::policy_advice
