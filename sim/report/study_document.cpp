// A study as a document, beginning with its answer.
#include "sim/report/study_document.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "command_line/output_format.hpp"
#include "command_line/table_json.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/cost.hpp"
#include "sim/report/crossover_verdict.hpp"
#include "sim/report/exclusion.hpp"
#include "sim/report/first_screen.hpp"
#include "sim/report/goodput_verdict.hpp"
#include "sim/report/metric.hpp"
#include "sim/report/origins.hpp"
#include "sim/report/reason_text.hpp"
#include "sim/report/result_warnings.hpp"
#include "sim/report/seed_json.hpp"
#include "sim/report/seed_report.hpp"
#include "sim/report/seed_verdict.hpp"
#include "sim/report/terminal_text.hpp"
#include "sim/report/uncertainty_report.hpp"
#include "sim/scenario/device_mismatch.hpp"
#include "sim/scenario/execution.hpp"

namespace sim::report {

// Choosing the sentence that answers.

namespace {

bool has_target(const SimulatedStudy& study) {
  return std::ranges::any_of(study.arms, [](const SimulatedArm& arm) {
    return arm.result.learning && !arm.result.learning->curve.empty() && arm.scenario->learner.target;
  });
}

/// The part of a step that takes most, with its share: "compute, 81 % of the step".
std::string largest_part(const engine::Parts& parts) {
  const std::array<std::pair<const char*, netmodels::Seconds>, 5> all{{{"compute", parts.compute},
                                                                       {"waiting", parts.wait},
                                                                       {"compression", parts.compress},
                                                                       {"exchange", parts.exchange},
                                                                       {"streams", parts.stream_wait}}};
  const auto most = std::ranges::max_element(all, {}, &std::pair<const char*, netmodels::Seconds>::second);
  return fmt::format("{}, {:.0f} % of the step", most->first, 100 * (most->second / parts.total()));
}

/// Largest share of a run: a part of its steps, or the time outside of them.
std::string largest_share(const engine::ArmResult& run) {
  const double outside = run.time.count > 0 ? run.outside_steps / run.time : 0;
  if (outside > 0.5)
    return fmt::format("time outside steps (probes, lost work, recoveries), {:.3g} % of the run",
                       100 * outside);
  return largest_part(run.whole.parts);
}

std::string one_arm(const SimulatedArm& arm) {
  constexpr int digits = 4;
  const engine::PhaseResult& whole = arm.result.whole;
  const auto other = scenario::device_mismatch(arm.scenario->work.device, arm.scenario->stated->device);
  const std::string condition =
      other ? fmt::format("if `{}` computed as `{}` does, ", other->cluster, other->timed) : "";
  const auto cost = cost_of(arm, arm.result.time);
  return fmt::format("{}`{}` takes {} per step and {} in all{}; most of it goes to {}.", condition,
                     arm.result.name, netmodels::print(whole.step_time(), digits),
                     netmodels::print(arm.result.time, digits), cost ? ", for " + usd_text(cost->count) : "",
                     largest_share(arm.result));
}

}  // namespace

std::string answer(const SimulatedStudy& study) {
  if (study.arms.empty()) return "No arm was simulated to its end.";
  if (const auto seeds = seed_verdicts(study); !seeds.empty() && !study.seeds_agree) return seeds.front();
  if (study.uncertain && !study.uncertain->inputs.empty())
    if (const auto uncertain = uncertainty_verdicts(study); !uncertain.empty()) return uncertain.front();
  if (has_target(study)) return learning_verdicts(study).front();
  const bool several = !comparisons(study).empty();
  if (several) return verdicts(study).front();
  const auto compared =
      std::ranges::find_if(study.arms, [](const SimulatedArm& arm) { return why_not_compared(arm).empty(); });
  return one_arm(compared == study.arms.end() ? study.arms.front() : *compared);
}

// A simulated study as a document: its text, and JSON for data that only a tree can hold.

namespace {

using Json = nlohmann::ordered_json;

std::string_view to_text(engine::Ending ending) {
  switch (ending) {
    case engine::Ending::finished: return "finished";
    case engine::Ending::stopped_by_failure: return "stopped by a failure";
    case engine::Ending::diverged: return "stopped: the loss became NaN";
    case engine::Ending::interrupted: return "interrupted";
  }
  return "";
}

Json collectives(const engine::PhaseResult& phase) {
  Json steps = Json::object();
  for (const auto& [name, count] : phase.collectives) {
    if (!name.empty()) steps[name] = count;  // a single worker exchanges nothing
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

Json phase_json(const RunPart& row) {
  Json phase = Json::object();
  command_line::put_row(phase, metric_table(std::span(&row, 1), in_phases), 0);
  phase["steps_by_collective"] = collectives(*row.phase);
  phase["steps_by_method"] = methods(*row.phase);
  phase["steps_by_ratio"] = ratios(*row.phase);
  return phase;
}

Json events(const engine::ArmResult& result) {
  Json list = Json::array();
  for (const engine::Event& event : result.events)
    list.push_back(Json::object({{"at_s", event.at.count}, {"what", reason_text(event.what)}}));
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

Json arm_json(const SimulatedStudy& study, const SimulatedArm& arm) {
  const RunPart whole{&study, &arm, &arm.result.whole, true};
  Json object = Json::object();
  command_line::put_row(object, metric_table(std::span(&whole, 1), in_arms), 0);
  object["steps_by_collective"] = collectives(arm.result.whole);
  object["steps_by_method"] = methods(arm.result.whole);
  object["steps_by_ratio"] = ratios(arm.result.whole);
  object["step_time_alone_s"] = arm.result.compute_alone.count;
  object["workload"] = arm.scenario->work.workload.name;
  object["workload_provenance"] = compute_origin(arm.scenario->work.workload);
  const std::string goodput = goodput_origin(*arm.scenario);
  object["network"] = goodput.empty() ? Json() : Json(goodput);
  object["workers"] = arm.scenario->cluster.workers;
  object["seed"] = arm.scenario->simulation.seed;
  object["ending"] = to_text(arm.result.ending);
  object["batches"] = arm.result.batches;
  const std::string library = library_origin(arm.scenario->work, arm.scenario->cluster,
                                             arm.scenario->exchange, arm.scenario->simulation.evaluator);
  object["library"] = library.empty() ? Json() : Json(library);
  object["execution"] =
      scenario::describe_execution(arm.scenario->work, arm.scenario->cluster, arm.scenario->exchange);
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
                       {"judged_with_others", figure.with_others},
                       {"reason", or_null(figure.expected->reason)},
                       {"role", settings::name_of(figure.expected->role)},
                       {"missing", figure.missing.empty() ? Json() : Json(figure.missing)},
                       {"met", or_null(figure.met())},
                       {"source", figure.expected->source}});
}

Json expectations_json(const ExpectationReport& report) {
  Json object = Json::object();
  object["met"] = or_null(report.met());
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

/// A row for each bandwidth and arm; the most is left out where none is known.
Json curve_json(const SimulatedStudy& study, const BandwidthWinners& found) {
  Json rows = Json::array();
  for (const TimesAtBandwidth& at : found.curve) {
    for (std::size_t i = 0; i < at.times.size(); ++i) {
      Json row = Json::object({{"bits_per_s", 8 * at.bandwidth.count},
                               {"arm", study.arms[found.arms[i]].result.name},
                               {"time_per_sample_s", at.times[i].assumed.count},
                               {"least_s", at.times[i].least.count}});
      if (std::isfinite(at.times[i].most.count)) row["most_s"] = at.times[i].most.count;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// By the assumed time of compressing.
Json crossovers_json(const SimulatedStudy& study) {
  Json worlds = Json::array();
  for (const BandwidthWinners& found : study.by_bandwidth) {
    Json winners = Json::array();
    for (const netmodels::FastestFrom& entry : found.assumed) {
      winners.push_back(Json::object({{"arm", study.arms[found.arms[entry.candidate]].result.name},
                                      {"from_bits_per_s", 8 * entry.from.count},
                                      {"tie_from_bits_per_s", 8 * entry.tie_from.count},
                                      {"tie_to_bits_per_s", 8 * entry.tie_to.count}}));
    }
    worlds.push_back(Json::object({{"goodput_of", owner_of_goodput(study, found.arms)},
                                   {"lowest_bits_per_s", 8 * found.low.count},
                                   {"highest_bits_per_s", 8 * found.high.count},
                                   {"winners", std::move(winners)},
                                   {"times", curve_json(study, found)}}));
  }
  return worlds;
}

void put_study(Json& object, const JudgedStudy& study) {
  object["scenario"] = study.played->file;
  object["question"] = study.played->study->question;
  object["answer"] = answer(*study.played);
  object["arms"] = Json::array();
  for (const SimulatedArm& arm : study.played->arms) object["arms"].push_back(arm_json(*study.played, arm));
  object["verdicts"] = seed_verdicts(*study.played);
  for (std::string& sentence : uncertainty_verdicts(*study.played))
    object["verdicts"].push_back(std::move(sentence));
  for (std::string& sentence : verdicts(*study.played)) object["verdicts"].push_back(std::move(sentence));
  for (std::string& sentence : learning_verdicts(*study.played))
    object["verdicts"].push_back(std::move(sentence));
  for (std::string& sentence : goodput_verdicts(*study.played))
    object["verdicts"].push_back(std::move(sentence));
  for (std::string& sentence : crossover_verdicts(*study.played))
    object["verdicts"].push_back(std::move(sentence));
  object["over_seeds"] = seeds_json(*study.played);
  object["seed_differences"] = seed_differences_json(*study.played);
  object["seed_tiers"] = seed_tiers_json(*study.played);
  object["uncertainty"] = uncertainty_json(*study.played);
  object["fastest_by_bandwidth"] = crossovers_json(*study.played);
  object["expectations"] = expectations_json(*study.expectations);
  object["warnings"] = all_warnings(*study.played);
  object["left_out"] = Json::array();
  for (const std::string_view clause : left_out()) object["left_out"].push_back(clause);
}

constexpr std::string_view legend =
    "Means per step: compute, wait, compress and exchange (the part that is not hidden) add up to the "
    "step; busy is the communication time, hidden or not; efficiency is throughput over that of as many "
    "workers of speed 1 that exchange nothing.";

constexpr std::string_view replica_legend =
    "compute holds the exchanges inside a replica (in replicas) and the waits for its pipeline (bubble), and "
    "efficiency "
    "counts both as useful: it shows what the exchanges between replicas cost.";

bool has_replicas(const SimulatedStudy& study) {
  return std::ranges::any_of(
      study.arms, [](const SimulatedArm& arm) { return arm.scenario->work.workload.replica.has_value(); });
}

constexpr std::string_view learning_legend =
    "last 5 tests is the learner's mean accuracy in them; gain is ||g_c||^2 / ||g_e||^2, the energy that "
    "compression keeps, mean over the steps that sent gradients; noise scale is the gradient noise scale "
    "in samples, last known value.";

constexpr std::string_view streams_legend =
    "stream wait, the delay of the slowest worker by missing samples, is part of the step, too; the buffer "
    "holds the samples left in stream buffers at the end of the run, of the fullest device in samples, of "
    "all in bytes; without `streams.waiting_counts`, as in ScaDLES' released code, samples that arrive "
    "while workers wait are not in it.";

bool streams(const SimulatedStudy& study) {
  return std::ranges::any_of(study.arms,
                             [](const SimulatedArm& arm) { return arm.result.buffer.has_value(); });
}

bool learns(const SimulatedStudy& study) {
  return std::ranges::any_of(study.arms,
                             [](const SimulatedArm& arm) { return arm.result.learning.has_value(); });
}

/// The tables of all phases and what their columns mean, every verdict with its reason, published figures,
/// and where each number comes from.
std::string details_text(const SimulatedStudy& study, const ExpectationReport& expectations,
                         std::size_t width) {
  std::string text = seeds_text(study) + uncertainty_text(study);
  text += comparison_text(study, width) + wrap(legend) + (has_replicas(study) ? wrap(replica_legend) : "") +
          (streams(study) ? wrap(streams_legend) : "") + (learns(study) ? wrap(learning_legend) : "") + "\n" +
          learning_text(study);
  std::vector<std::string> sentences = seed_verdicts(study);
  std::ranges::move(uncertainty_verdicts(study), std::back_inserter(sentences));
  const std::string seed = study.seeds.empty() ? "" : fmt::format("seed {}: ", study.seeds.front().seed);
  for (const std::string& sentence : learning_verdicts(study)) sentences.push_back(seed + sentence);
  if (std::string note = one_seed_note(study); !note.empty()) sentences.push_back(std::move(note));
  std::ranges::move(verdicts(study), std::back_inserter(sentences));
  std::ranges::move(goodput_verdicts(study), std::back_inserter(sentences));
  std::ranges::move(crossover_verdicts(study), std::back_inserter(sentences));
  for (const std::string& sentence : sentences) text += wrap(sentence);
  if (!sentences.empty()) text += "\n";
  text += expectations_text(expectations);
  for (const std::string& line : origins(study)) text += wrap(line);
  return text;
}

std::string study_text(const JudgedStudy& study, const Screen& screen) {
  const std::string first = first_screen(study, screen);
  return screen.details ? first + "\n" + details_text(*study.played, *study.expectations, screen.width)
                        : first;
}

}  // namespace

namespace {

/// The comparison with the warnings of the study in every row.
command_line::Table rows_with_warnings(const SimulatedStudy& study) {
  command_line::Table table = comparison_table(study);
  table.columns.push_back({"warnings", "warnings", command_line::Measure::none});
  const std::vector<std::string> warnings = all_warnings(study);
  const command_line::Cell all =
      warnings.empty() ? command_line::Cell() : fmt::format("{}", fmt::join(warnings, "; "));
  for (auto& row : table.rows) row.push_back(all);
  return table;
}

}  // namespace

command_line::Document study_document(const JudgedStudy& study, const Screen& screen) {
  return {.text = [study, screen] { return study_text(study, screen); },
          .rows = [study] { return rows_with_warnings(*study.played); },
          .put_json = [study](nlohmann::ordered_json& object) { put_study(object, study); }};
}

std::string study_json(const JudgedStudy& study) {
  return command_line::print("json", study_document(study));
}

}  // namespace sim::report
