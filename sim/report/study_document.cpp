// Results as JSON: the same columns as CSV, and what only a tree can hold.
#include "sim/output/json.hpp"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "sim/output/answer.hpp"
#include "sim/output/comparison.hpp"
#include "sim/output/learning.hpp"
#include "sim/output/origins.hpp"
#include "sim/output/verdict.hpp"

namespace sim::output {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  if (const auto* value = std::get_if<double>(&cell)) return *value;
  return nullptr;
}

void put_row(Json& object, const Sheet& sheet, std::size_t row) {
  for (std::size_t column = 0; column < sheet.headings.size(); ++column) {
    object[sheet.headings[column].key] = to_json(sheet.rows[row][column]);
  }
}

/// In JSON these stand elsewhere: once for the study, or as numbers of their own.
constexpr std::array<std::string_view, 4> not_in_arms{"scenario", "phase", "collectives", "methods"};
constexpr std::array<std::string_view, 11> not_in_phases{
    "scenario",       "arm",           "collectives", "compute_time_origin", "compression_time_origin",
    "learner",        "priced_closed", "priced_path", "priced_simgrid",      "priced_reused",
    "priced_measured"};
constexpr std::array<std::string_view, 17> also_not_in_phases{
    "methods",        "batch_changes",      "buffer_samples", "fullest_buffer_samples", "buffer_bytes",
    "streamed_bytes", "experiment_steps",   "priced_audited", "outside_steps_time_s",   "local_step_share",
    "accuracy",       "best_accuracy",      "target_time_s",  "target_steps",           "target_bytes",
    "gain",           "noise_scale_samples"};

std::string_view to_text(engine::Ending ending) {
  switch (ending) {
    case engine::Ending::finished: return "finished";
    case engine::Ending::stopped_by_failure: return "stopped by a failure";
    case engine::Ending::interrupted: return "interrupted";
  }
  return "";
}

Json collectives(const engine::PhaseResult& phase) {
  Json steps = Json::object();
  for (const auto& [name, count] : phase.collectives) {
    if (!name.empty()) steps[name] = count;  // a worker alone exchanges nothing
  }
  return steps;
}

Json methods(const engine::PhaseResult& phase) {
  Json steps = Json::object();
  for (const auto& [name, count] : phase.methods) steps[name] = count;
  return steps;
}

/// By ratio, rising.
Json ratios(const engine::PhaseResult& phase) {
  Json list = Json::array();
  for (const auto& [ratio, count] : phase.ratios)
    list.push_back(Json::object({{"ratio", ratio}, {"steps", count}}));
  return list;
}

Json phase_json(const ComparisonRow& row) {
  Json phase = Json::object();
  put_row(phase,
          without(without(fill(comparison_columns(), std::span(&row, 1)), not_in_phases), also_not_in_phases),
          0);
  phase["steps_by_collective"] = collectives(*row.phase);
  phase["steps_by_method"] = methods(*row.phase);
  phase["steps_by_ratio"] = ratios(*row.phase);
  return phase;
}

Json events(const engine::ArmResult& result) {
  Json list = Json::array();
  for (const engine::Event& event : result.events)
    list.push_back(Json::object({{"at_s", event.at.count}, {"what", event.what}}));
  return list;
}

/// Every test of the model.
Json curve(const engine::ArmResult& result) {
  Json list = Json::array();
  if (!result.learning) return list;
  for (const engine::Evaluated& test : result.learning->curve) {
    list.push_back(
        Json::object({{"steps", test.steps},
                      {"epoch", test.epoch},
                      {"time_s", test.at.count},
                      {"sent_by_all_bytes", test.sent_by_all ? Json(test.sent_by_all->count) : Json()},
                      {"loss", test.loss ? Json(*test.loss) : Json()},
                      {"accuracy", test.accuracy}}));
  }
  return list;
}

Json arm_json(const PlayedStudy& study, const PlayedArm& arm) {
  const ComparisonRow whole{&study, &arm, &arm.result.whole, true};
  Json object = Json::object();
  put_row(object, without(fill(comparison_columns(), std::span(&whole, 1)), not_in_arms), 0);
  object["steps_by_collective"] = collectives(arm.result.whole);
  object["steps_by_method"] = methods(arm.result.whole);
  object["steps_by_ratio"] = ratios(arm.result.whole);
  object["step_time_alone_s"] = arm.result.compute_alone.count;
  object["workload"] = arm.scenario->workload.name;
  object["workload_provenance"] = compute_origin(*arm.scenario);
  object["workers"] = arm.scenario->cluster.workers;
  object["seed"] = arm.scenario->seed;
  object["ending"] = to_text(arm.result.ending);
  object["batches"] = arm.result.batches;
  object["events"] = events(arm.result);
  object["accuracy_curve"] = curve(arm.result);
  object["phases"] = Json::array();
  for (const engine::PhaseResult& phase : arm.result.phases) {
    object["phases"].push_back(phase_json({&study, &arm, &phase, arm.result.phases.size() == 1}));
  }
  return object;
}

template <class Optional>
Json or_null(const Optional& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json figure_json(const ExpectedFigure& figure) {
  return Json::object({{"arm", figure.expected->arm},
                       {"metric", figure.expected->metric},
                       {"phase", or_null(figure.expected->phase)},
                       {"of", or_null(figure.expected->of)},
                       {"over", or_null(figure.expected->over)},
                       {"theirs", or_null(figure.expected->value)},
                       {"ours", or_null(figure.ours)},
                       {"relative_error", or_null(figure.relative_error())},
                       {"within", or_null(figure.expected->within)},
                       {"at_least", or_null(figure.expected->at_least)},
                       {"at_most", or_null(figure.expected->at_most)},
                       {"judged", figure.judged()},
                       {"missing", figure.missing.empty() ? Json() : Json(figure.missing)},
                       {"met", figure.met()},
                       {"source", figure.expected->source}});
}

Json expectations_json(const ExpectationReport& report) {
  Json object = Json::object();
  object["met"] = report.met();
  for (const char* list : {"figures", "mean_errors", "best_along"}) object[list] = Json::array();
  for (const ExpectedFigure& figure : report.figures) object["figures"].push_back(figure_json(figure));
  for (const MeanError& mean : report.mean_errors) {
    object["mean_errors"].push_back(Json::object({{"arms", mean.bound->arms},
                                                  {"metric", mean.bound->metric},
                                                  {"figures", mean.figures},
                                                  {"mean_relative_error", mean.mean},
                                                  {"within", mean.bound->within},
                                                  {"met", mean.met()}}));
  }
  for (const BestAgreement& best : report.best) {
    object["best_along"].push_back(Json::object({{"axis", best.bound->axis},
                                                 {"metric", best.bound->metric},
                                                 {"right", best.right},
                                                 {"combinations", best.combinations},
                                                 {"at_least", best.bound->at_least},
                                                 {"wrong", best.wrong},
                                                 {"met", best.met()}}));
  }
  return object;
}

void put_study(Json& object, const JudgedStudy& study) {
  object["scenario"] = study.played->file;
  object["question"] = study.played->study->question;
  object["answer"] = answer(*study.played);
  object["arms"] = Json::array();
  for (const PlayedArm& arm : study.played->arms) object["arms"].push_back(arm_json(*study.played, arm));
  object["verdicts"] = verdicts(*study.played);
  for (std::string& sentence : learning_verdicts(*study.played))
    object["verdicts"].push_back(std::move(sentence));
  object["expectations"] = expectations_json(*study.expectations);
  object["warnings"] = study.played->study->warnings;
  object["left_out"] = Json::array();
  for (const std::string_view clause : left_out()) object["left_out"].push_back(clause);
}

Json versioned() { return Json::object({{"schema_version", json_schema_version}}); }

/// Names that came in as something else than UTF-8 were refused when they were read.
std::string print(const Json& object) { return object.dump(2) + "\n"; }

}  // namespace

std::string study_json(const JudgedStudy& study) {
  Json object = versioned();
  put_study(object, study);
  return print(object);
}

std::string studies_json(std::span<const JudgedStudy> studies) {
  Json object = versioned();
  object["studies"] = Json::array();
  for (const JudgedStudy& study : studies) put_study(object["studies"].emplace_back(Json::object()), study);
  return print(object);
}

std::string sheet_json(const Sheet& sheet, const std::string& name) {
  Json object = versioned();
  object[name] = Json::array();
  for (std::size_t row = 0; row < sheet.rows.size(); ++row)
    put_row(object[name].emplace_back(Json::object()), sheet, row);
  return print(object);
}

std::string row_json(const Sheet& sheet) {
  Json object = versioned();
  put_row(object, sheet, 0);
  return print(object);
}

}  // namespace sim::output
