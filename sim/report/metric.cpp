// The table of metrics, and how each is read from a result.
#include "sim/report/metric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "sim/report/collective_names.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/compression_origin.hpp"
#include "sim/report/cost.hpp"
#include "sim/report/replica_parts.hpp"
#include "sim/scenario/availability.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/replicas.hpp"

namespace sim::report {
namespace {

using command_line::Cell;
using command_line::Measure;
using language::ShareOf;

using Learned = engine::LearningResult;
using Buffer = engine::BufferState;
using Evaluators = engine::EvaluatorCounts;

Cell seconds(netmodels::Seconds value) { return value.count; }

/// Printed forms have no messages that could be counted.
Cell bytes(const std::optional<netmodels::Bytes>& sent) { return sent ? Cell(sent->count) : Cell(); }

/// Totals outside phases: probes, lost work and recoveries belong only to the whole run.
double total_time(const RunPart& part) {
  return part.whole ? part.arm->result.time.count : part.phase->time.count;
}

/// Infinite where the run cannot be expected to end: then no figure.
Cell expected_time(const RunPart& part) {
  if (!part.whole || !(part.arm->result.time.count > 0)) return {};
  const scenario::Scenario& arm = *part.arm->scenario;
  if (!arm.availability) return {};
  const auto run = scenario::run_with_failures(*arm.availability, cluster_as_stated(*arm.stated, arm.cluster),
                                               part.arm->result.time);
  return std::isfinite(run.expected.count) ? Cell(run.expected.count) : Cell();
}

/// Cost of the machines for a time of the whole run.
Cell usd_of(const RunPart& part, netmodels::Seconds run) {
  if (!part.whole) return {};
  const auto cost = cost_of(*part.arm, run);
  return cost ? Cell(cost->count) : Cell();
}

Cell thousand_samples_cost(const RunPart& part) {
  constexpr double samples = 1000;
  const auto cost = part.whole ? cost_of(*part.arm, part.arm->result.time) : std::nullopt;
  const double trained = part.phase->samples_per_second * part.phase->time.count;
  return cost && trained > 0 ? Cell(cost->count / trained * samples) : Cell();
}

Cell epoch_time(const RunPart& part) {
  const double samples = part.phase->samples_per_second * part.phase->time.count;
  return total_time(part) * static_cast<double>(part.arm->scenario->work.training.samples) / samples;
}

Cell speedup(const RunPart& part) {
  return part.phase->samples_per_second * part.arm->result.compute_alone.count /
         own_samples(part.arm->scenario->work.training);
}

/// A figure of a workload whose samples are tokens.
template <class Get>
Cell of_tokens(const RunPart& part, Get get) {
  const auto& sample = part.arm->scenario->work.workload.token_work;
  return sample ? Cell(get(*sample)) : Cell();
}

Cell share_of(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::int64_t count_of(const std::map<std::string, std::int64_t>& uses, std::string_view name) {
  const auto found = uses.find(std::string(name));
  return found == uses.end() ? 0 : found->second;
}

/// Steps that sent gradients.
std::int64_t steps_with_gradients(const engine::PhaseResult& phase) {
  std::int64_t steps = 0;
  for (const auto& [ratio, count] : phase.ratios) steps += count;
  return steps;
}

Cell compressed_step_share(const RunPart& part) {
  const std::int64_t all = steps_with_gradients(*part.phase);
  return share_of(all - count_of(part.phase->methods, "none"), all);
}

Cell ratio_share(const RunPart& part) {
  const auto range = *language::parse_ratio_range(part.of);
  std::int64_t inside = 0;
  for (const auto& [ratio, count] : part.phase->ratios) {
    constexpr double rounding = 1e-9;  // of three digits
    if (ratio >= range.least * (1 - rounding) && ratio <= range.most * (1 + rounding)) inside += count;
  }
  return share_of(inside, steps_with_gradients(*part.phase));
}

/// A figure of the whole run only.
template <class Get>
Cell of_run(const RunPart& part, Get get) {
  return part.whole ? Cell(get(part.arm->result)) : Cell();
}

/// A figure of merges in the whole run.
template <class Get>
Cell merged(const RunPart& part, Get get) {
  if (!part.whole || !part.arm->result.merging) return {};
  const std::optional<double> figure = get(*part.arm->result.merging);
  return figure ? Cell(*figure) : Cell();
}

/// A figure of learning in the whole run.
template <class Get>
Cell learned(const RunPart& part, Get get) {
  if (!part.whole || !part.arm->result.learning) return {};
  const std::optional<double> figure = get(*part.arm->result.learning);
  return figure ? Cell(*figure) : Cell();
}

/// The figures of the first test that reached the target.
template <class Get>
Cell at_target(const RunPart& part, Get get) {
  return learned(part, [&](const Learned& result) {
    return result.target ? std::optional<double>(get(*result.target)) : std::nullopt;
  });
}

std::optional<double> sent_until(const engine::Evaluated& test) {
  return test.sent_by_all ? std::optional(test.sent_by_all->count) : std::nullopt;
}

/// Samples left in stream buffers at the end.
template <class Get>
Cell buffered(const RunPart& part, Get get) {
  return part.whole && part.arm->result.buffer ? Cell(get(*part.arm->result.buffer)) : Cell();
}

/// How many exchanges one evaluator took part in.
Cell evaluated(const RunPart& part, std::uint64_t Evaluators::*count) {
  return static_cast<std::int64_t>(part.arm->result.evaluators.*count);
}

constexpr unsigned whole_runs = in_arms | in_sweeps | in_charts;
constexpr unsigned figures = whole_runs | in_phases;
constexpr unsigned step_parts = figures | in_step_parts;
constexpr unsigned facts = in_arms | in_sweeps;  ///< nothing that a chart would show
constexpr unsigned only_expected = 0;

constexpr std::array table{
    Metric{"scenario", "scenario", Measure::none, "", "the file, as given by the user",
           [](const RunPart& p) -> Cell { return p.study->file; }, 0, InText::never},
    Metric{"arm", "arm", Measure::none, "", "name of the arm",
           [](const RunPart& p) -> Cell { return p.arm->result.name; }, whole_runs},
    Metric{"phase", "phase", Measure::none, "", "part of the run between two changes, or the whole run",
           [](const RunPart& p) -> Cell { return p.whole ? "whole run" : p.phase->label; }, in_phases,
           InText::never},
    Metric{"steps", "steps", Measure::none, "steps", "steps of the whole run",
           [](const RunPart& p) -> Cell { return p.phase->steps; }, figures},
    Metric{"step_time_s", "step", Measure::time, "step_time", "mean time of one step",
           [](const RunPart& p) { return seconds(p.phase->step_time()); }, figures},
    Metric{"step_margin_s", "+/-", Measure::time, "",
           "half width of the confidence interval of the mean time of one step",
           [](const RunPart& p) { return p.phase->margin.count > 0 ? seconds(p.phase->margin) : Cell(); },
           figures, InText::unless_idle},
    Metric{"compute_time_s", "compute", Measure::time, "compute_time",
           "mean time per step in forward, backward, optimizer and host",
           [](const RunPart& p) { return seconds(p.phase->parts.compute); }, step_parts},
    Metric{"replica_exchange_time_s", "in replicas", Measure::time, "replica_exchange_time",
           "part of the compute time: exchanges between the devices of a replica",
           [](const RunPart& p) { return seconds(replica_exchanges(*p.arm)); }, figures, InText::unless_idle},
    Metric{"replica_bubble_time_s", "bubble", Measure::time, "replica_bubble_time",
           "part of the compute time: devices of a replica wait for the pipeline",
           [](const RunPart& p) { return seconds(replica_bubble(*p.arm)); }, figures, InText::unless_idle},
    Metric{"wait_time_s", "wait", Measure::time, "wait_time",
           "mean time per step that a worker waits for the others",
           [](const RunPart& p) { return seconds(p.phase->parts.wait); }, step_parts, InText::unless_idle},
    Metric{"compress_time_s", "compress", Measure::time, "compress_time",
           "mean time per step to compress and restore",
           [](const RunPart& p) { return seconds(p.phase->parts.compress); }, step_parts,
           InText::unless_idle},
    Metric{"stream_wait_time_s", "stream wait", Measure::time, "stream_wait_time",
           "mean time per step spent waiting for samples of streams",
           [](const RunPart& p) { return seconds(p.phase->parts.stream_wait); }, step_parts,
           InText::unless_idle},
    Metric{"exposed_time_s", "exchange", Measure::time, "exposed_time",
           "mean time per step that the exchange adds beyond the backward pass",
           [](const RunPart& p) { return seconds(p.phase->parts.exchange); }, step_parts},
    Metric{"exchange_time_s", "busy", Measure::time, "exchange_time",
           "mean communication time per step, hidden or not",
           [](const RunPart& p) { return seconds(p.phase->exchange_busy); }, figures},
    Metric{"sent_bytes", "sent/worker", Measure::size, "sent_bytes",
           "bytes that one worker sends per step, on average",
           [](const RunPart& p) { return bytes(p.phase->sent); }, figures},
    Metric{
        "between_nodes_bytes", "to other nodes", Measure::size, "between_nodes_bytes",
        "bytes that one worker sends to other nodes per step, on average, where nodes have several workers",
        [](const RunPart& p) { return bytes(p.phase->between_nodes); }, figures, InText::unless_idle},
    Metric{"", "", Measure::size, "total_bytes", "bytes that all workers send in the whole run",
           [](const RunPart& p) { return bytes(p.phase->sent_by_all); }, only_expected},
    Metric{"throughput_samples_per_s", "samples/s", Measure::none, "throughput",
           "samples per second of all workers",
           [](const RunPart& p) -> Cell { return p.phase->samples_per_second; }, figures},
    Metric{"throughput_tokens_per_s", "tokens/s", Measure::none, "tokens_per_second",
           "tokens per second of all workers, where the workload describes a transformer",
           [](const RunPart& p) {
             return of_tokens(
                 p, [&](const auto& sample) { return p.phase->samples_per_second * sample.tokens; });
           },
           figures, InText::unless_idle},
    Metric{"model_flops_utilisation", "MFU", Measure::share, "model_flops_utilisation",
           "model FLOPs per second, without those computed again, over the peak of all workers' devices",
           [](const RunPart& p) {
             return of_tokens(p, [&](const auto& sample) {
               return p.phase->samples_per_second * sample.work.count /
                      (p.arm->scenario->cluster.workers * sample.peak.count);
             });
           },
           figures, InText::unless_idle},
    Metric{"scaling_efficiency", "efficiency", Measure::share, "scaling_efficiency",
           "throughput over that of as many workers of speed 1 that exchange nothing",
           [](const RunPart& p) -> Cell { return p.phase->scaling_efficiency; }, figures},
    Metric{"", "", Measure::none, "speedup", "throughput over that of one worker", speedup, only_expected},
    Metric{"total_time_s", "total", Measure::time, "total_time",
           "time of the whole run, with probes and recoveries",
           [](const RunPart& p) -> Cell { return total_time(p); }, figures},
    Metric{"expected_time_s", "with failures", Measure::time, "expected_time",
           "expected time of the whole run with the failures and checkpoints of `availability`",
           expected_time, whole_runs, InText::unless_idle},
    Metric{"cost_usd", "cost (USD)", Measure::none, "cost",
           "cost of the whole run in US dollars, by `price`; with `availability`, of its expected time",
           [](const RunPart& p) { return usd_of(p, p.arm->result.time); }, whole_runs, InText::unless_idle},
    Metric{"thousand_samples_cost_usd", "per 1000 samples (USD)", Measure::none, "thousand_samples_cost",
           "the same for 1000 samples of all workers", thousand_samples_cost, whole_runs,
           InText::unless_idle},
    Metric{"", "", Measure::time, "epoch_time",
           "mean time of one epoch; over the whole run with probes and recoveries", epoch_time,
           only_expected},
    Metric{"outside_steps_time_s", "outside steps", Measure::time, "",
           "time of probes, lost work and recoveries",
           [](const RunPart& p) -> Cell { return p.whole ? p.arm->result.outside_steps.count : 0.0; },
           whole_runs, InText::unless_idle},
    Metric{"collectives", "collective", Measure::none, "",
           "collectives that were used, with their shares where there are several, or NCCL's algorithms",
           [](const RunPart& p) { return Cell(collective_names(p)); }, in_sweeps,
           InText::if_collective_chosen},
    Metric{"", "", Measure::share, "collective_share", "steps that used one collective, as a share of all",
           [](const RunPart& p) { return share_of(count_of(p.phase->collectives, p.of), p.phase->steps); },
           only_expected, InText::always, ShareOf::collective},
    Metric{"methods", "sent", Measure::none, "",
           "how gradients were sent, with shares where there are several methods",
           [](const RunPart& p) { return Cell(names_with_shares(p.phase->methods)); }, in_sweeps,
           InText::if_ratio_chosen},
    Metric{"", "", Measure::share, "method_share",
           "steps that sent gradients by one method, as a share of those that sent any",
           [](const RunPart& p) {
             return share_of(count_of(p.phase->methods, p.of), steps_with_gradients(*p.phase));
           },
           only_expected, InText::always, ShareOf::method},
    Metric{"", "", Measure::share, "ratio_share",
           "steps that sent gradients at such a ratio, as a share of those that sent any", ratio_share,
           only_expected, InText::always, ShareOf::ratios},
    Metric{"", "", Measure::share, "compressed_step_share",
           "steps that sent compressed gradients, as a share of those that sent any (CNC)",
           compressed_step_share, only_expected},
    Metric{"mean_ratio", "mean ratio", Measure::share, "mean_ratio",
           "compression ratio, mean over the steps that sent gradients",
           [](const RunPart& p) -> Cell { return p.phase->mean_ratio; }, figures, InText::if_ratio_chosen},
    Metric{"experiment_steps", "experiments", Measure::none, "", "steps that a policy spent on experiments",
           [](const RunPart& p) { return of_run(p, [](const auto& r) { return r.experiment_steps; }); },
           whole_runs, InText::unless_idle},
    Metric{"local_step_share", "local steps", Measure::share, "local_step_share",
           "steps without an exchange, as a share of all (LSSR)",
           [](const RunPart& p) {
             return p.whole ? share_of(p.arm->result.local_steps, p.phase->steps) : Cell();
           },
           whole_runs, InText::unless_idle},
    Metric{"merge_steps", "steps per merge", Measure::none, "merge_steps",
           "steps of a worker between two merges of the same values, on average; `decoupled_diloco`",
           [](const RunPart& p) { return merged(p, [](const auto& m) { return m.steps_apart; }); },
           whole_runs, InText::unless_idle},
    Metric{"merge_workers", "workers per merge", Measure::none, "merge_workers",
           "workers whose messages a merge had, on average; `decoupled_diloco`",
           [](const RunPart& p) { return merged(p, [](const auto& m) { return std::optional(m.workers); }); },
           whole_runs, InText::unless_idle},
    Metric{"batch_changes", "batch changes", Measure::none, "batch_changes",
           "how often a policy changed batches once training had begun",
           [](const RunPart& p) { return of_run(p, [](const auto& r) { return r.batch_changes; }); },
           whole_runs, InText::unless_idle},
    Metric{"", "", Measure::none, "global_batch", "samples of all workers in a step, at the end of the run",
           [](const RunPart& p) {
             return of_run(
                 p, [](const auto& r) { return std::accumulate(r.batches.begin(), r.batches.end(), 0.0); });
           },
           only_expected},
    Metric{"buffer_samples", "buffered samples", Measure::none, "buffer_samples",
           "samples left in stream buffers at the end of the run",
           [](const RunPart& p) { return buffered(p, [](const Buffer& b) { return b.samples; }); },
           whole_runs, InText::never},
    Metric{"fullest_buffer_samples", "fullest buffer", Measure::none, "fullest_buffer_samples",
           "the same, on the device with the most",
           [](const RunPart& p) { return buffered(p, [](const Buffer& b) { return b.fullest; }); },
           whole_runs, InText::unless_idle},
    Metric{"buffer_bytes", "buffer", Measure::size, "buffer_bytes", "bytes of these samples, of all devices",
           [](const RunPart& p) { return buffered(p, [](const Buffer& b) { return b.bytes.count; }); },
           whole_runs, InText::unless_idle},
    Metric{"streamed_bytes", "streamed", Measure::size, "streamed_bytes",
           "bytes delivered by streams in the whole run",
           [](const RunPart& p) { return p.whole ? bytes(p.arm->result.streamed) : Cell(); }, whole_runs,
           InText::never},
    Metric{"accuracy", "last 5 tests", Measure::share, "accuracy",
           "accuracy on the test set, mean of the last five tests",
           [](const RunPart& p) { return learned(p, [](const Learned& l) { return l.last_accuracy; }); },
           whole_runs, InText::unless_idle},
    Metric{"best_accuracy", "best accuracy", Measure::share, "best_accuracy", "accuracy of the best test",
           [](const RunPart& p) { return learned(p, [](const Learned& l) { return l.best_accuracy; }); },
           whole_runs, InText::never},
    Metric{"best_loss", "best loss", Measure::none, "best_loss", "least loss of a test, nats of a prediction",
           [](const RunPart& p) { return learned(p, [](const Learned& l) { return l.best_loss; }); },
           whole_runs, InText::never},
    Metric{
        "target_time_s", "to target", Measure::time, "target_time",
        "time until a test first reached `learner.target`",
        [](const RunPart& p) { return at_target(p, [](const engine::Evaluated& t) { return t.at.count; }); },
        whole_runs, InText::unless_idle},
    Metric{"target_cost_usd", "to target (USD)", Measure::none, "target_cost",
           "cost until then in US dollars, by `price`",
           [](const RunPart& p) {
             const bool reached = p.arm->result.learning && p.arm->result.learning->target;
             return reached ? usd_of(p, p.arm->result.learning->target->at) : Cell();
           },
           whole_runs, InText::unless_idle},
    Metric{"target_steps", "steps to target", Measure::none, "target_steps", "steps until then",
           [](const RunPart& p) {
             return at_target(p, [](const engine::Evaluated& t) { return static_cast<double>(t.steps); });
           },
           whole_runs, InText::never},
    Metric{"target_bytes", "bytes to target", Measure::size, "target_bytes",
           "bytes that all workers sent until then",
           [](const RunPart& p) { return at_target(p, sent_until); }, whole_runs, InText::never},
    Metric{"gain", "gain", Measure::none, "gain", "compression gain, mean over the steps that sent gradients",
           [](const RunPart& p) { return learned(p, [](const Learned& l) { return l.mean_gain; }); },
           whole_runs, InText::unless_idle},
    Metric{"noise_scale_samples", "noise scale", Measure::none, "noise_scale",
           "gradient noise scale at the end, samples",
           [](const RunPart& p) { return learned(p, [](const Learned& l) { return l.noise_scale; }); },
           whole_runs, InText::unless_idle},
    Metric{"worker_memory_bytes", "memory", Measure::size, "worker_memory",
           "memory of a worker's training: states, gathered blocks, activations and the framework's share",
           [](const RunPart& p) {
             const auto memory = scenario::needed_memory(p.arm->scenario->work, p.arm->scenario->cluster,
                                                         p.arm->scenario->exchange);
             return memory ? Cell(memory->total().count) : Cell();
           },
           whole_runs, InText::unless_idle},
    Metric{"compute_time_origin", "compute time origin", Measure::none, "", "source of the compute time",
           [](const RunPart& p) -> Cell {
             return std::string(netmodels::to_string(p.arm->scenario->work.workload.origin));
           },
           facts, InText::never},
    Metric{"compression_time_origin", "compression time origin", Measure::none, "",
           "source of the compression time",
           [](const RunPart& p) -> Cell { return compression_time_origin(*p.arm); }, facts, InText::never},
    Metric{"not_compared", "not compared", Measure::none, "",
           "why the arm is not compared with others: made no step, did not finish, never exchanges, hardly "
           "merges, has no cost",
           [](const RunPart& p) -> Cell {
             const std::string_view why = p.whole ? why_not_compared(*p.arm) : "";
             return why.empty() ? Cell() : Cell(std::string(why));
           },
           facts | in_charts, InText::never},
    Metric{"learner", "learner", Measure::none, "", "the model that was trained, and its data set",
           [](const RunPart& p) -> Cell { return p.arm->result.learner; }, facts, InText::never},
    Metric{"priced_closed", "closed", Measure::none, "", "collectives evaluated by closed form",
           [](const RunPart& p) { return evaluated(p, &Evaluators::closed); }, facts, InText::never},
    Metric{"priced_path", "path", Measure::none, "", "collectives evaluated by longest path",
           [](const RunPart& p) { return evaluated(p, &Evaluators::path); }, facts, InText::never},
    Metric{"priced_simgrid", "simgrid", Measure::none, "", "collectives evaluated by SimGrid",
           [](const RunPart& p) { return evaluated(p, &Evaluators::simgrid); }, facts, InText::never},
    Metric{"priced_reused", "reused", Measure::none, "", "collectives whose cost was reused",
           [](const RunPart& p) { return evaluated(p, &Evaluators::reused); }, facts, InText::never},
    Metric{"priced_audited", "audited", Measure::none, "", "costs that SimGrid checked",
           [](const RunPart& p) { return evaluated(p, &Evaluators::audited); }, facts, InText::never},
    Metric{"priced_measured", "measured", Measure::none, "", "collectives whose cost was measured",
           [](const RunPart& p) { return evaluated(p, &Evaluators::measured); }, facts, InText::never},
    Metric{"priced_nccl", "nccl", Measure::none, "", "collectives evaluated as NCCL would choose",
           [](const RunPart& p) { return evaluated(p, &Evaluators::nccl); }, facts, InText::never},
};

bool has_key(const Metric& metric) { return !metric.key.empty(); }

language::MetricUnit unit_of(Measure measure) {
  if (measure == Measure::time) return language::MetricUnit::time;
  return measure == Measure::size ? language::MetricUnit::size : language::MetricUnit::number;
}

std::vector<std::string_view> keys_where(Place place, bool shown) {
  std::vector<std::string_view> keys;
  for (const Metric& metric : table) {
    if (has_key(metric) && ((metric.places & place) != 0) == shown) keys.push_back(metric.key);
  }
  return keys;
}

}  // namespace

std::span<const Metric> metrics() { return table; }

const Metric* find_metric(std::string_view name) {
  const auto found = std::ranges::find(table, name, &Metric::name);
  return found == table.end() || name.empty() ? nullptr : &*found;
}

language::ExpectableMetrics expectable_metrics() {
  static const std::vector<language::ExpectableMetric> known = [] {
    std::vector<language::ExpectableMetric> rows;
    for (const Metric& metric : table) {
      if (!metric.name.empty()) rows.push_back({metric.name, unit_of(metric.measure), metric.of});
    }
    return rows;
  }();
  return known;
}

command_line::Table metric_table(std::span<const RunPart> parts, unsigned place) {
  command_line::Table filled;
  filled.rows.resize(parts.size());
  for (const Metric& metric : table) {
    if (!has_key(metric) || (place != ~0U && (metric.places & place) == 0)) continue;
    filled.columns.push_back({std::string(metric.key), std::string(metric.title), metric.measure});
    for (std::size_t row = 0; row < parts.size(); ++row) filled.rows[row].push_back(metric.get(parts[row]));
  }
  return filled;
}

netmodels::Result<void> check_finite(const SimulatedStudy& study) {
  for (const SimulatedArm& arm : study.arms) {
    const RunPart whole{&study, &arm, &arm.result.whole, true};
    for (const Metric& metric : table) {
      const command_line::Cell cell = metric.get(whole);
      const auto* number = std::get_if<double>(&cell);
      if (number == nullptr || std::isfinite(*number)) continue;
      return netmodels::refuse(
          "arm `" + arm.result.name + "`",
          fmt::format("{} = {} cannot be a result", has_key(metric) ? metric.key : metric.name, *number),
          "look for quantities that are too large or too small for any machine");
    }
  }
  return {};
}

std::vector<std::string_view> keys_at(Place place) { return keys_where(place, true); }

std::vector<std::string_view> keys_not_at(Place place) { return keys_where(place, false); }

}  // namespace sim::report
