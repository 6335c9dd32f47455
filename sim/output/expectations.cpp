// Our figures held against published ones: single figures, mean errors, and who is best.
#include "sim/output/expectations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <ranges>

#include <fmt/format.h>

#include "sim/output/contest.hpp"
#include "sim/scenario/expectations.hpp"
#include "sim/scenario/metric.hpp"

namespace sim::output {
namespace {

using engine::PhaseResult;

/// What a metric is computed from.
struct Source {
  const PlayedArm& arm;
  const PhaseResult& phase;
  bool whole;
  const std::string& of;
};

struct MetricRow {
  std::string_view name;
  std::optional<double> (*get)(const Source&);
};

using Figure = std::optional<double>;

/// What outlives all steps: probes, lost work and recoveries belong to the whole run only.
double total_time(const Source& s) { return s.whole ? s.arm.result.time.count : s.phase.time.count; }

Figure epoch_time(const Source& s) {
  const double samples = s.phase.samples_per_second * s.phase.time.count;
  return total_time(s) * static_cast<double>(s.arm.scenario->training.samples) / samples;
}

Figure speedup(const Source& s) {
  return s.phase.samples_per_second * s.arm.result.compute_alone.count / s.arm.scenario->training.batch;
}

Figure count(const std::optional<netmodels::Bytes>& bytes) {
  return bytes ? Figure(bytes->count) : std::nullopt;
}

/// A figure of what was learned; of the whole run only.
template <class Get>
Figure learned(const Source& s, Get get) {
  if (!s.whole || !s.arm.result.learning) return std::nullopt;
  return get(*s.arm.result.learning);
}

using Learned = engine::LearningResult;

Figure local_step_share(const Source& s) {
  if (!s.whole || s.phase.steps == 0) return std::nullopt;
  return static_cast<double>(s.arm.result.local_steps) / static_cast<double>(s.phase.steps);
}

/// Steps that sent gradients.
std::int64_t steps_with_gradients(const PhaseResult& phase) {
  std::int64_t steps = 0;
  for (const auto& [ratio, count] : phase.ratios) steps += count;
  return steps;
}

Figure share_of(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::int64_t count_of(const std::map<std::string, std::int64_t>& uses, const std::string& name) {
  const auto found = uses.find(name);
  return found == uses.end() ? 0 : found->second;
}

Figure compressed_step_share(const Source& s) {
  const std::int64_t all = steps_with_gradients(s.phase);
  return share_of(all - count_of(s.phase.methods, "none"), all);
}

Figure ratio_share(const Source& s) {
  const auto range = *scenario::parse_ratio_range(s.of);
  std::int64_t inside = 0;
  for (const auto& [ratio, count] : s.phase.ratios) {
    constexpr double rounding = 1e-9;  // of three digits
    if (ratio >= range.least * (1 - rounding) && ratio <= range.most * (1 + rounding)) inside += count;
  }
  return share_of(inside, steps_with_gradients(s.phase));
}

Figure batch_changes(const Source& s) {
  return s.whole ? Figure(static_cast<double>(s.arm.result.batch_changes)) : std::nullopt;
}

Figure global_batch(const Source& s) {
  const std::vector<int>& batches = s.arm.result.batches;
  return s.whole ? Figure(std::accumulate(batches.begin(), batches.end(), 0.0)) : std::nullopt;
}

/// What streams have left in the end.
Figure buffered(const Source& s, double engine::BufferState::*figure) {
  return s.whole && s.arm.result.buffer ? Figure((*s.arm.result.buffer).*figure) : std::nullopt;
}

constexpr std::array metric_rows{
    MetricRow{"step_time", [](const Source& s) -> Figure { return s.phase.step_time().count; }},
    MetricRow{"compute_time", [](const Source& s) -> Figure { return s.phase.parts.compute.count; }},
    MetricRow{"compress_time", [](const Source& s) -> Figure { return s.phase.parts.compress.count; }},
    MetricRow{"exchange_time", [](const Source& s) -> Figure { return s.phase.exchange_busy.count; }},
    MetricRow{"wait_time", [](const Source& s) -> Figure { return s.phase.parts.wait.count; }},
    MetricRow{"stream_wait_time", [](const Source& s) -> Figure { return s.phase.parts.stream_wait.count; }},
    MetricRow{"exposed_time", [](const Source& s) -> Figure { return s.phase.parts.exchange.count; }},
    MetricRow{"total_time", [](const Source& s) -> Figure { return total_time(s); }},
    MetricRow{"epoch_time", epoch_time},
    MetricRow{"sent_bytes", [](const Source& s) { return count(s.phase.sent); }},
    MetricRow{"total_bytes", [](const Source& s) { return count(s.phase.sent_by_all); }},
    MetricRow{"throughput", [](const Source& s) -> Figure { return s.phase.samples_per_second; }},
    MetricRow{"scaling_efficiency", [](const Source& s) -> Figure { return s.phase.scaling_efficiency; }},
    MetricRow{"speedup", speedup},
    MetricRow{"steps", [](const Source& s) -> Figure { return static_cast<double>(s.phase.steps); }},
    MetricRow{"local_step_share", local_step_share},
    MetricRow{"compressed_step_share", compressed_step_share},
    MetricRow{"mean_ratio", [](const Source& s) -> Figure { return s.phase.mean_ratio; }},
    MetricRow{"collective_share",
              [](const Source& s) { return share_of(count_of(s.phase.collectives, s.of), s.phase.steps); }},
    MetricRow{"method_share",
              [](const Source& s) {
                return share_of(count_of(s.phase.methods, s.of), steps_with_gradients(s.phase));
              }},
    MetricRow{"ratio_share", ratio_share},
    MetricRow{"accuracy",
              [](const Source& s) { return learned(s, [](const Learned& l) { return l.last_accuracy; }); }},
    MetricRow{"best_accuracy",
              [](const Source& s) { return learned(s, [](const Learned& l) { return l.best_accuracy; }); }},
    MetricRow{"target_time",
              [](const Source& s) {
                return learned(
                    s, [](const Learned& l) { return l.target ? Figure(l.target->at.count) : std::nullopt; });
              }},
    MetricRow{"target_steps",
              [](const Source& s) {
                return learned(s, [](const Learned& l) {
                  return l.target ? Figure(static_cast<double>(l.target->steps)) : std::nullopt;
                });
              }},
    MetricRow{"target_bytes",
              [](const Source& s) {
                return learned(s, [](const Learned& l) {
                  return l.target ? count(l.target->sent_by_all) : std::nullopt;
                });
              }},
    MetricRow{"batch_changes", batch_changes},
    MetricRow{"global_batch", global_batch},
    MetricRow{"buffer_samples", [](const Source& s) { return buffered(s, &engine::BufferState::samples); }},
    MetricRow{"fullest_buffer_samples",
              [](const Source& s) { return buffered(s, &engine::BufferState::fullest); }},
    MetricRow{"buffer_bytes",
              [](const Source& s) -> Figure {
                return s.whole && s.arm.result.buffer ? Figure(s.arm.result.buffer->bytes.count)
                                                      : std::nullopt;
              }},
    MetricRow{"streamed_bytes",
              [](const Source& s) { return s.whole ? count(s.arm.result.streamed) : std::nullopt; }},
    MetricRow{"gain",
              [](const Source& s) { return learned(s, [](const Learned& l) { return l.mean_gain; }); }},
    MetricRow{"noise_scale",
              [](const Source& s) { return learned(s, [](const Learned& l) { return l.noise_scale; }); }},
};

const PlayedArm* find_arm(const PlayedStudy& study, const std::string& name) {
  const auto found =
      std::ranges::find_if(study.arms, [&](const PlayedArm& arm) { return arm.result.name == name; });
  return found == study.arms.end() ? nullptr : &*found;
}

std::string phase_labels(const PlayedArm& arm) {
  std::string labels;
  for (const PhaseResult& phase : arm.result.phases)
    labels += (labels.empty() ? "`" : ", `") + phase.label + "`";
  return labels;
}

std::string why_missing(const scenario::Expectation& expected, const PlayedArm& arm) {
  const std::string not_counted = "a printed form sends no messages that could be counted";
  if (expected.metric == "sent_bytes" || expected.metric == "total_bytes") return not_counted;
  if (expected.phase) return "it is known of the whole run only";
  if (!arm.result.learning) return "the arm has no learner";
  if (!expected.metric.starts_with("target")) return "the learner does not know it";
  return arm.result.learning->target ? not_counted : "the target was not reached";
}

/// The figure of one arm, or why there is none.
ExpectedFigure look_up(const PlayedStudy& study, const scenario::Expectation& expected,
                       const std::string& name) {
  const PlayedArm* arm = find_arm(study, name);
  if (arm == nullptr) return {&expected, std::nullopt, "the arm was not played"};
  const PhaseResult* phase = &arm->result.whole;
  if (expected.phase) {
    const auto found = std::ranges::find(arm->result.phases, *expected.phase, &PhaseResult::label);
    if (found == arm->result.phases.end())
      return {&expected, std::nullopt, "no such phase; there are: " + phase_labels(*arm)};
    phase = &*found;
  }
  if (phase->steps == 0) return {&expected, std::nullopt, "no step was played"};
  const auto ours = figure_of(expected.metric, *arm, *phase, !expected.phase, expected.of.value_or(""));
  return {&expected, ours, ours ? "" : why_missing(expected, *arm)};
}

ExpectedFigure hold(const PlayedStudy& study, const scenario::Expectation& expected) {
  ExpectedFigure held = look_up(study, expected, expected.arm);
  if (!expected.over || !held.ours) return held;
  const ExpectedFigure other = look_up(study, expected, *expected.over);
  if (!other.ours) return {&expected, std::nullopt, "`" + *expected.over + "`: " + other.missing};
  if (*other.ours == 0) return {&expected, std::nullopt, "`" + *expected.over + "` has 0"};
  held.ours = *held.ours / *other.ours;
  return held;
}

MeanError mean_error(const std::vector<ExpectedFigure>& figures, const scenario::MeanErrorBound& bound) {
  MeanError mean{&bound};
  double sum = 0;
  for (const ExpectedFigure& figure : figures) {
    if (figure.expected->metric != bound.metric || !scenario::matches(bound.arms, figure.expected->arm) ||
        !figure.expected->value)
      continue;
    const auto error = figure.relative_error();
    sum += error ? std::abs(*error) : 1;  // a figure that is missing counts as wholly wrong
    ++mean.figures;
  }
  if (mean.figures > 0) mean.mean = sum / mean.figures;
  return mean;
}

using Figures = std::vector<const ExpectedFigure*>;

BestAgreement best_along(const PlayedStudy& study, const std::vector<ExpectedFigure>& figures,
                         const scenario::BestAlongAxis& bound) {
  BestAgreement agreement{&bound};
  const auto& axes = study.study->axes;
  const auto axis = static_cast<std::size_t>(std::ranges::find(axes, bound.axis) - axes.begin());
  std::map<std::string, Figures> combinations;
  for (const ExpectedFigure& figure : figures) {
    if (figure.expected->metric != bound.metric || !figure.ours || !figure.expected->value) continue;
    combinations[along(figure.expected->arm, axes.size(), axis)].push_back(&figure);
  }
  for (const auto& [name, rows] : combinations) {
    const auto ours = *std::ranges::min_element(rows, {}, [](const auto* row) { return *row->ours; });
    const auto theirs =
        *std::ranges::min_element(rows, {}, [](const auto* row) { return *row->expected->value; });
    ++agreement.combinations;
    if (*ours->expected->value <= *theirs->expected->value)
      ++agreement.right;
    else
      agreement.wrong.push_back(
          fmt::format("{}: ours `{}`, theirs `{}`", name, ours->expected->arm, theirs->expected->arm));
  }
  return agreement;
}

}  // namespace

std::optional<double> ExpectedFigure::relative_error() const {
  if (!ours || !expected->value) return std::nullopt;
  return (*ours - *expected->value) / *expected->value;
}

bool ExpectedFigure::within_bounds() const {
  if (!ours) return false;
  const bool near = !expected->within || std::abs(*relative_error()) <= *expected->within;
  const bool enough = !expected->at_least || *ours >= *expected->at_least;
  return near && enough && (!expected->at_most || *ours <= *expected->at_most);
}

bool ExpectationReport::met() const {
  const auto kept = [](const auto& row) { return row.met(); };
  return std::ranges::all_of(figures, kept) && std::ranges::all_of(mean_errors, kept) &&
         std::ranges::all_of(best, kept);
}

std::optional<double> figure_of(const std::string& metric, const PlayedArm& arm, const PhaseResult& phase,
                                bool whole, const std::string& of) {
  const auto row = std::ranges::find(metric_rows, metric, &MetricRow::name);
  if (row == metric_rows.end()) return std::nullopt;
  return row->get({arm, phase, whole, of});
}

ExpectationReport judge(const PlayedStudy& study) {
  ExpectationReport report;
  for (const auto& expected : study.study->expectations) report.figures.push_back(hold(study, expected));
  for (const auto& bound : study.study->mean_errors)
    report.mean_errors.push_back(mean_error(report.figures, bound));
  for (const auto& bound : study.study->best_along)
    report.best.push_back(best_along(study, report.figures, bound));
  return report;
}

}  // namespace sim::output
