// Reading summary.json.
#include "sim/report/run_summary.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_line/output_format.hpp"
#include "command_line/table_json.hpp"
#include "files/text_file.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/seed_figures.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::column_of;
using command_line::Measure;
using command_line::Table;

namespace {

using netmodels::refuse;
using netmodels::Result;
using Json = nlohmann::ordered_json;

constexpr const char* hint = "write it again: sim run FILE --out DIR";

template <class T>
std::optional<T> optional_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

/// "ring_allreduce", or with shares where there are several: "ring_allreduce 80.0 % tree_allreduce 20.0 %".
std::string in_words(const Json& uses) {
  std::int64_t all = 0;
  for (const auto& [name, steps] : uses.items()) all += steps.get<std::int64_t>();
  std::string words;
  for (const auto& [name, steps] : uses.items()) {
    words += (words.empty() ? "" : " ") + name;
    const double share = 100 * steps.get<double>() / static_cast<double>(all);
    if (uses.size() > 1) words += fmt::format(" {:.1f} %", share);
  }
  return words;
}

/// The columns of the comparison that an object holds, and the uses in words where their column belongs.
/// Columns that came with later versions may be missing, but then in every row.
class Rows {
 public:
  /// @param what  the label of a row, before the arm's name
  /// @param also  a column that every row must have besides the parts of a step
  Rows(std::string what, std::string_view also) : what_(std::move(what)), also_(also) {}

  Result<void> add(const Json& object, const std::string& arm, const std::string& source) {
    const bool first = table_.rows.empty();
    if (first) first_arm_ = arm;
    std::vector<Cell> cells;
    for (const Metric& metric : metrics()) {
      if (metric.key.empty()) continue;
      auto cell = find_cell(metric.key, object, arm);
      if (first && cell)
        table_.columns.push_back({std::string(metric.key), std::string(metric.title), metric.measure});
      const bool wanted = is_needed(metric.key) || column_of(table_, metric.key).has_value();
      if (!cell && wanted) return lacks(metric.key, arm, source);
      if (!cell) continue;
      if (!wanted) return lacks(metric.key, first_arm_, source);
      cells.push_back(std::move(*cell));
    }
    table_.rows.push_back(std::move(cells));
    return {};
  }
  [[nodiscard]] Table table() const { return table_; }

 private:
  static std::optional<Cell> find_cell(std::string_view key, const Json& object, const std::string& arm) {
    if (key == "arm") return Cell(arm);
    if (key == "collectives") return Cell(in_words(object.at("steps_by_collective")));
    if (key == "methods") return Cell(in_words(object.at("steps_by_method")));
    const auto found = object.find(key);
    if (found == object.end()) return std::nullopt;
    if (key == "phase") return Cell(found->get<std::string>());
    return command_line::cell_of(*found);
  }
  [[nodiscard]] bool is_needed(std::string_view key) const {
    return key == also_ || std::ranges::find(parts_of_step_, key) != parts_of_step_.end();
  }
  [[nodiscard]] Result<void> lacks(std::string_view key, const std::string& arm,
                                   const std::string& source) const {
    return refuse(source, fmt::format("lacks `{}` in {}`{}`", key, what_, arm), hint);
  }

  std::string what_;
  std::string_view also_;
  std::vector<std::string_view> parts_of_step_ = keys_at(in_step_parts);
  std::string first_arm_;
  Table table_;
};

void read_tests(const Json& arm, const std::string& name, Table& tests) {
  for (const Json& test : arm.at("accuracy_curve")) {
    std::vector<Cell>& row = tests.rows.emplace_back();
    row.emplace_back(name);
    for (std::size_t column = 1; column < tests.columns.size(); ++column)
      row.push_back(command_line::cell_of(test.at(tests.columns[column].key)));
  }
}

Uses<std::string> read_uses(const Json& object, const std::string& name) {
  Uses<std::string> uses{name};
  for (const auto& [what, steps] : object.items()) uses.steps.emplace_back(what, steps.get<std::int64_t>());
  return uses;
}

Uses<double> read_ratios(const Json& list, const std::string& name) {
  Uses<double> uses{name};
  for (const Json& use : list)
    uses.steps.emplace_back(use.at("ratio").get<double>(), use.at("steps").get<std::int64_t>());
  return uses;
}

Result<void> read_arms(const Json& list, const std::string& source, RunSummary& summary) {
  Rows arms("the arm ", "arm");
  Rows phases("a phase of the arm ", "phase");
  for (const Json& arm : list) {
    const auto name = arm.at("arm").get<std::string>();
    if (auto added = arms.add(arm, name, source); !added) return added;
    if (arm.at("phases").size() > 1) {
      for (const Json& phase : arm.at("phases"))
        if (auto added = phases.add(phase, name, source); !added) return added;
    }
    read_tests(arm, name, summary.tests);
    for (const Json& event : arm.at("events")) {
      summary.events.rows.push_back(
          {event.at("at_s").get<double>(), name, event.at("what").get<std::string>()});
    }
    summary.collectives.push_back(read_uses(arm.at("steps_by_collective"), name));
    summary.methods.push_back(read_uses(arm.at("steps_by_method"), name));
    summary.ratios.push_back(read_ratios(arm.at("steps_by_ratio"), name));
  }
  summary.arms = arms.table();
  summary.phases = phases.table();
  return {};
}

/// Arms of which the same is true share a sentence.
std::vector<std::string> read_origins(const Json& arms) {
  constexpr std::array<std::pair<const char*, const char*>, 5> facts{
      {{"workload_provenance", "Compute time"},
       {"compression_time_origin", "Compression time"},
       {"execution", "Execution"},
       {"learner", "Learner"},
       {"network", "Network"}}};
  std::vector<std::string> sentences;
  for (const auto& [key, what] : facts) {
    std::vector<std::pair<std::string, std::string>> groups;
    for (const Json& arm : arms) {
      const auto stated = arm.find(key);
      if (stated == arm.end() || stated->is_null()) continue;  // nothing to say of this arm's network
      const auto text = stated->get<std::string>();
      const std::string name = "`" + arm.at("arm").get<std::string>() + "`";
      const auto known = std::ranges::find(groups, text, &std::pair<std::string, std::string>::first);
      if (known == groups.end()) {
        groups.emplace_back(text, name);
      } else {
        known->second += ", " + name;
      }
    }
    for (const auto& [text, names] : groups)
      sentences.push_back(fmt::format("{}{}: {}.", what, groups.size() > 1 ? " of " + names : "", text));
  }
  return sentences;
}

scenario::FigureRole role_of(std::string_view name) {
  const auto roles = names_of(scenario::FigureRole{});
  const auto* found = std::ranges::find(roles, name, &settings::Named<scenario::FigureRole>::name);
  return found == roles.end() ? scenario::FigureRole::predicted : found->value;
}

void read_figure(const Json& json, ReadExpectations& expected) {
  scenario::Expectation& figure = expected.figures.emplace_back();
  figure.arm = json.at("arm").get<std::string>();
  figure.metric = json.at("metric").get<std::string>();
  figure.of = optional_at<std::string>(json, "of");
  figure.over = optional_at<std::string>(json, "over");
  figure.phase = optional_at<std::string>(json, "phase");
  figure.value = optional_at<double>(json, "theirs");
  figure.within = optional_at<double>(json, "within");
  figure.at_least = optional_at<double>(json, "at_least");
  figure.at_most = optional_at<double>(json, "at_most");
  figure.judged = json.at("judged").get<bool>();
  figure.reason = optional_at<std::string>(json, "reason");
  figure.role = role_of(optional_at<std::string>(json, "role").value_or("predicted"));
  figure.source = json.at("source").get<std::string>();
  expected.report.figures.push_back({&figure, optional_at<double>(json, "ours"),
                                     optional_at<std::string>(json, "missing").value_or(""),
                                     optional_at<bool>(json, "judged_with_others").value_or(false)});
}

void read_expectations(const Json& json, ReadExpectations& expected) {
  for (const Json& figure : json.at("figures")) read_figure(figure, expected);
  for (const Json& mean : json.at("mean_errors")) {
    expected.means.push_back({mean.at("arms").get<std::string>(), mean.at("metric").get<std::string>(),
                              mean.at("within").get<double>(), ""});
    expected.report.mean_errors.push_back({&expected.means.back(),
                                           mean.at("mean_relative_error").get<double>(),
                                           mean.at("figures").get<int>()});
  }
  for (const Json& best : json.at("best_along")) {
    expected.best.push_back({best.at("axis").get<std::string>(), best.at("metric").get<std::string>(),
                             best.at("at_least").get<int>(), ""});
    expected.report.best.push_back({&expected.best.back(), best.at("right").get<int>(),
                                    best.at("combinations").get<int>(),
                                    best.at("wrong").get<std::vector<std::string>>()});
  }
}

/// Figures that some arm has over its seeds.
Table read_seeds(const Json& arms) {
  constexpr std::array figures{&step_figure, &total_figure, &accuracy_figure, &target_figure};
  Table table;
  table.columns = {{"arm", "arm", Measure::none}, {"seeds", "seeds", Measure::none}};
  std::vector<const SeedFigure*> used;
  for (const SeedFigure* figure : figures) {
    const std::string key(figure->key);
    if (std::ranges::none_of(arms, [&](const Json& arm) { return arm.contains(key); })) continue;
    used.push_back(figure);
    const Measure measure = figure == &accuracy_figure ? Measure::share : Measure::time;
    table.columns.push_back({key, std::string(figure->title), measure});
    table.columns.push_back({key + "_least", "", measure});
    table.columns.push_back({key + "_most", "", measure});
  }
  for (const Json& arm : arms) {
    std::vector<Cell>& row = table.rows.emplace_back();
    row.emplace_back(arm.at("arm").get<std::string>());
    row.emplace_back(arm.at("seeds").get<std::int64_t>());
    for (const SeedFigure* figure : used) {
      const auto found = arm.find(figure->key);
      for (const char* part : {"mean", "low", "high"})
        row.push_back(found == arm.end() ? Cell() : command_line::cell_of(found->at(part)));
    }
  }
  return table;
}

/// Times of a step and of the run; an arm whose times are the same in all samples has its stated ones.
Table read_samples(const Json& uncertainty, const Table& arms) {
  constexpr std::array keys{"step_time_s", "total_time_s"};
  Table table;
  if (uncertainty.is_null() || uncertainty.at("figures").empty()) return table;
  table.columns = {{"arm", "arm", Measure::none}, {"samples", "samples", Measure::none}};
  for (const std::string key : keys) {
    table.columns.push_back(arms.columns[*column_of(arms, key)]);
    table.columns.push_back({key + "_least", "", Measure::time});
    table.columns.push_back({key + "_most", "", Measure::time});
  }
  for (const auto& arm : arms.rows) {
    const auto& name = std::get<std::string>(arm[*column_of(arms, "arm")]);
    std::vector<Cell>& row = table.rows.emplace_back();
    row.emplace_back(name);
    row.emplace_back(uncertainty.at("samples").get<std::int64_t>());
    for (const std::string key : keys) {
      const auto found = std::ranges::find_if(uncertainty.at("figures"), [&](const Json& figure) {
        return figure.at("arm") == name && figure.at("figure") == key;
      });
      const bool varies = found != uncertainty.at("figures").end();
      for (const char* part : {"median", "percentile_5", "percentile_95"})
        row.push_back(varies ? command_line::cell_of(found->at(part)) : arm[*column_of(arms, key)]);
    }
  }
  return table;
}

constexpr double bits_of_byte = 8;

/// Times of the first world that has them.
void read_bandwidths(const Json& worlds, RunSummary& summary) {
  summary.by_bandwidth.columns = {{"bandwidth_bytes_per_s", "goodput of each node", Measure::rate},
                                  {"arm", "arm", Measure::none},
                                  {"time_per_sample_s", "time per sample", Measure::time},
                                  {"time_per_sample_s_least", "", Measure::time},
                                  {"time_per_sample_s_most", "", Measure::time}};
  for (const Json& world : worlds) {
    const auto times = world.find("times");
    if (times == world.end() || times->empty()) continue;
    summary.by_bandwidth.columns.front().title = "goodput of each " + world.value("goodput_of", "node");
    for (const Json& row : *times) {
      const double time = row.at("time_per_sample_s").get<double>();
      summary.by_bandwidth.rows.push_back({row.at("bits_per_s").get<double>() / bits_of_byte,
                                           row.at("arm").get<std::string>(), time,
                                           row.at("least_s").get<double>(), row.value("most_s", time)});
    }
    for (const Json& winner : world.at("winners")) {
      if (winner == world.at("winners").front()) continue;  // the first one has no arm before it
      summary.bandwidth_ties.emplace_back(winner.at("tie_from_bits_per_s").get<double>() / bits_of_byte,
                                          winner.at("tie_to_bits_per_s").get<double>() / bits_of_byte);
    }
    return;
  }
}

Result<RunSummary> read(const Json& json, const std::string& source) {
  RunSummary summary;
  summary.scenario = json.at("scenario").get<std::string>();
  summary.question = json.at("question").get<std::string>();
  summary.answer = json.at("answer").get<std::string>();
  summary.verdicts = json.at("verdicts").get<std::vector<std::string>>();
  summary.left_out = json.at("left_out").get<std::vector<std::string>>();
  summary.tests.columns = {{"arm", "arm", Measure::none},
                           {"time_s", "simulated time", Measure::time},
                           {"epoch", "epoch", Measure::none},
                           {"steps", "steps", Measure::none},
                           {"sent_by_all_bytes", "sent by all workers", Measure::size},
                           {"accuracy", "accuracy on the test set", Measure::share},
                           {"loss", "loss on the test set (nats)", Measure::none}};
  summary.events.columns = {{"at_s", "simulated time", Measure::time},
                            {"arm", "arm", Measure::none},
                            {"what", "event", Measure::none}};
  if (auto arms = read_arms(json.at("arms"), source, summary); !arms) return tl::unexpected(arms.error());
  summary.warnings = json.at("warnings").get<std::vector<std::string>>();
  if (const auto found = json.find("fastest_by_bandwidth"); found != json.end())
    read_bandwidths(*found, summary);
  std::ranges::move(read_origins(json.at("arms")), std::back_inserter(summary.origins));
  read_expectations(json.at("expectations"), summary.expected);
  if (const auto seeds = json.find("over_seeds"); seeds != json.end()) summary.seeds = read_seeds(*seeds);
  if (const auto samples = json.find("uncertainty"); samples != json.end())
    summary.samples = read_samples(*samples, summary.arms);
  return summary;
}

}  // namespace

Result<RunSummary> read_run_summary(const std::string& text, const std::string& source) {
  try {
    const Json json = Json::parse(text);
    const auto version = json.find("schema_version");
    if (version == json.end() || !version->is_number_integer())
      return refuse(source, "has no schema_version", hint);
    if (*version != command_line::json_schema_version) {
      return refuse(source, fmt::format("has schema version {}", version->get<int>()),
                    fmt::format("this program reads version {}; ", command_line::json_schema_version) + hint);
    }
    return read(json, source);
  } catch (const Json::parse_error& error) {
    return refuse(files::place_of_byte(source, text, error.byte), "the JSON is invalid", hint);
  } catch (const Json::exception&) {
    return refuse(source, "was not written by `sim run --out`", hint);
  }
}

}  // namespace sim::report
