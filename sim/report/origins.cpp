// Where the numbers of a result come from: the notes below every table.
#include "sim/report/origins.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "files/text_file.hpp"
#include "netmodels/percent.hpp"
#include "sim/report/compression_origin.hpp"
#include "sim/report/reason_text.hpp"
#include "sim/scenario/exchange_library.hpp"
#include "sim/scenario/execution.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/replicas.hpp"

namespace sim::report {
namespace {

constexpr std::array<std::string_view, 6> omissions{
    "loading of samples as network traffic",
    "memory limits of devices (but for compute.batch_limits, and for workloads that describe a transformer)",
    "packets and losses of a network",
    "workers that start an exchange at different times",
    "the slowdown of the backward pass by concurrent compression (but for exchange.overlap_slowdown), and "
    "stragglers that compress more slowly",
    "convergence without a learner: every arm runs the same number of epochs, whatever compression does to "
    "accuracy"};

/// Arms that share a text, in the order in which the texts first occur.
class Groups {
 public:
  void add(const std::string& text, const std::string& arm) {
    const auto found = std::ranges::find(groups_, text, &Group::text);
    Group& group = found == groups_.end() ? groups_.emplace_back(Group{text, {}}) : *found;
    group.arms.push_back(arm);
  }

  /// "WHAT: TEXT" where all arms share it, else "WHAT of `a`, `b`: TEXT".
  void print(const std::string& what, std::vector<std::string>& lines) const {
    for (const Group& group : groups_) {
      lines.push_back(groups_.size() == 1 ? what + ": " + group.text
                                          : what + " of " + names(group.arms) + ": " + group.text);
    }
  }

 private:
  struct Group {
    std::string text;
    std::vector<std::string> arms;
  };

  static std::string names(const std::vector<std::string>& arms) {
    constexpr std::size_t most = 4;
    if (arms.size() > most) return fmt::format("{} arms such as `{}`", arms.size(), arms.front());
    std::string text;
    for (const std::string& arm : arms) text += (text.empty() ? "`" : ", `") + arm + "`";
    return text;
  }

  std::vector<Group> groups_;
};

std::string evaluators(const engine::EvaluatorCounts& counts) {
  std::string text;
  const auto add = [&](std::uint64_t count, std::string_view name) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  };
  add(counts.measured, "from measured times");
  add(counts.nccl, "as NCCL would choose");
  add(counts.closed, "by closed form");
  add(counts.path, "by longest path");
  add(counts.simgrid, "by SimGrid");
  add(counts.reused, "reused");
  add(counts.audited, "audited by SimGrid");
  add(counts.beyond_measured, "of the measured ones for sizes that were not measured");
  return text.empty() ? "none" : text;
}

engine::EvaluatorCounts sum_of(const std::vector<SimulatedArm>& arms) {
  engine::EvaluatorCounts sum;
  for (const SimulatedArm& arm : arms) {
    const engine::EvaluatorCounts& counts = arm.result.evaluators;
    sum.closed += counts.closed;
    sum.path += counts.path;
    sum.simgrid += counts.simgrid;
    sum.reused += counts.reused;
    sum.audited += counts.audited;
    sum.measured += counts.measured;
    sum.beyond_measured += counts.beyond_measured;
    sum.nccl += counts.nccl;
  }
  return sum;
}

/// Names the arms whose audit repeated nothing; empty where there is none.
std::string unaudited(const std::vector<SimulatedArm>& arms) {
  std::string names;
  for (const SimulatedArm& arm : arms) {
    if (arm.scenario->simulation.audit == 0 || arm.result.evaluators.audited > 0) continue;
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", arm.result.name);
  }
  if (names.empty()) return names;
  return fmt::format(
      "audit of {}: nothing was repeated; SimGrid repeats times of messages, not those that are measured or "
      "as "
      "NCCL would choose, and of them the stated share",
      names);
}

void print_events(const SimulatedArm& arm, std::vector<std::string>& lines) {
  constexpr std::size_t most = 10;
  const auto& events = arm.result.events;
  for (std::size_t i = 0; i < std::min(events.size(), most); ++i) {
    constexpr int digits = 4;
    lines.push_back(fmt::format("`{}` at {}: {}", arm.result.name, netmodels::print(events[i].at, digits),
                                reason_text(events[i].what)));
  }
  if (events.size() > most)
    lines.push_back(fmt::format("`{}`: {} more events", arm.result.name, events.size() - most));
  if (arm.result.ending == engine::Ending::interrupted)
    lines.push_back(
        fmt::format("`{}` was interrupted: its figures are of the simulated steps", arm.result.name));
  if (arm.result.ending == engine::Ending::stopped_by_failure)
    lines.push_back(fmt::format("`{}` was stopped by a failure", arm.result.name));
  if (arm.result.ending == engine::Ending::diverged)
    lines.push_back(fmt::format("`{}` was stopped after {} steps: its loss became NaN", arm.result.name,
                                arm.result.whole.steps));
}

/// Traces of links that end before the run does, and are not repeated.
std::string outrun_traces(const SimulatedArm& arm) {
  constexpr int digits = 4;
  std::string text;
  for (const scenario::LinkTrace& trace : arm.scenario->cluster.traces) {
    const netmodels::Seconds run = arm.result.time;
    if (trace.period || trace.points.empty() || run <= trace.points.back().at) continue;
    text += fmt::format("{}`{}` ends at {}, and the run takes {}: its last values hold for the rest",
                        text.empty() ? "" : "; ", files::file_name(trace.file),
                        netmodels::print(trace.points.back().at, digits), netmodels::print(run, digits));
  }
  return text;
}

/// Of published runs; see training_memory.hpp.
constexpr std::string_view framework_memory =
    "memory of the framework: what its allocator keeps, NCCL's buffers and the device's context are taken as "
    "a quarter of the rest: of 75 published peaks that devices showed, nine of ten were within 15 % of the "
    "sum; 19 that PyTorch had allocated were within 10 % of the rest";

bool states_memory(const SimulatedStudy& study) {
  return std::ranges::any_of(study.arms, [](const SimulatedArm& arm) {
    return needed_memory(arm.scenario->work, arm.scenario->cluster, arm.scenario->exchange).has_value();
  });
}

/// "takes 12 % longer: measured on h100"; empty where it is stated, or 0 by default.
std::string overlap_origin(const scenario::Exchange& exchange) {
  if (exchange.overlap_slowdown_origin.empty()) return "";
  constexpr int digits = 3;
  return fmt::format("takes {} longer: {}", netmodels::short_percent(exchange.overlap_slowdown, digits),
                     exchange.overlap_slowdown_origin);
}

/// What the memory of a worker leaves out of its synchronisation policy; empty where that is nothing.
std::string outer_states(const scenario::Work& work, const scenario::Cluster& cluster,
                         const scenario::Exchange& exchange) {
  if (!exchange.synchronisation->traits.keeps_outer_model || !needed_memory(work, cluster, exchange))
    return "";
  return fmt::format(
      "the last common model and a momentum, which outer steps of `{}` need, are left out: the host can keep "
      "them between exchanges",
      exchange.synchronisation.name());
}

}  // namespace

std::string compute_origin(const netmodels::Workload& workload) {
  const std::string outside =
      workload.utilisation_range ? describe_outside(*workload.utilisation_range) : std::string();
  if (workload.traced && workload.origin == netmodels::TimeOrigin::measured)
    return fmt::format("durations of the graph, batch {}: {}", workload.reference_batch, workload.provenance);
  return fmt::format("{} on {}, batch {}: {}{}", netmodels::to_string(workload.origin), workload.device,
                     workload.reference_batch, workload.provenance, outside.empty() ? "" : "; " + outside);
}

std::string goodput_origin(const scenario::Scenario& scenario) {
  return fmt::format(
      "{}", fmt::join(scenario::goodput_notes(cluster_as_stated(*scenario.stated, scenario.cluster),
                                              nccl_of(scenario.work, scenario.cluster, scenario.exchange,
                                                      scenario.simulation.evaluator) != nullptr),
                      "; "));
}

std::string library_origin(const scenario::Work& work, const scenario::Cluster& cluster,
                           const scenario::Exchange& exchange, scenario::Evaluator evaluator) {
  const bool told = scenario::library_of(exchange, cluster).empty() ||
                    nccl_of(work, cluster, exchange, evaluator) != nullptr;
  return told ? "" : scenario::describe_library(exchange, cluster);
}

std::span<const std::string_view> left_out() { return omissions; }

std::vector<std::string> origins(const SimulatedStudy& study) {
  Groups compute;
  Groups compression;
  Groups execution;
  Groups overlap;
  Groups library;
  Groups replicas;
  Groups memory;
  Groups outer;
  Groups learner;
  Groups network;
  Groups failures;
  Groups traces;
  std::vector<std::string> lines;
  for (const SimulatedArm& arm : study.arms) {
    compute.add(
        fmt::format("{}, {}", arm.scenario->work.workload.name, compute_origin(arm.scenario->work.workload)),
        arm.result.name);
    compression.add(compression_time_origin(arm), arm.result.name);
    execution.add(
        scenario::describe_execution(arm.scenario->work, arm.scenario->cluster, arm.scenario->exchange),
        arm.result.name);
    if (const std::string slowed = overlap_origin(arm.scenario->exchange); !slowed.empty())
      overlap.add(slowed, arm.result.name);
    if (const std::string runs = library_origin(arm.scenario->work, arm.scenario->cluster,
                                                arm.scenario->exchange, arm.scenario->simulation.evaluator);
        !runs.empty())
      library.add(runs, arm.result.name);
    const std::string inside =
        scenario::describe_replica(arm.scenario->work.workload, batch_of(arm.scenario->work.training, 0),
                                   arm.scenario->work.parallelism.inside());
    if (!inside.empty()) replicas.add(inside, arm.result.name);
    const std::string held =
        scenario::describe_memory(arm.scenario->work, arm.scenario->cluster, arm.scenario->exchange);
    if (!held.empty()) memory.add(held, arm.result.name);
    if (const std::string kept =
            outer_states(arm.scenario->work, arm.scenario->cluster, arm.scenario->exchange);
        !kept.empty())
      outer.add(kept, arm.result.name);
    learner.add(arm.result.learner, arm.result.name);
    const std::string goodput = goodput_origin(*arm.scenario);
    if (!goodput.empty()) network.add(goodput, arm.result.name);
    if (const auto& failing = arm.scenario->availability)
      failures.add(
          describe_availability(*failing, cluster_as_stated(*arm.scenario->stated, arm.scenario->cluster),
                                arm.result.time),
          arm.result.name);
    if (const std::string ended = outrun_traces(arm); !ended.empty()) traces.add(ended, arm.result.name);
    print_events(arm, lines);
  }
  compute.print("compute times", lines);
  compression.print("compression times", lines);
  execution.print("execution", lines);
  overlap.print("computing while a collective runs", lines);
  library.print("library of collectives", lines);
  replicas.print("replicas", lines);
  memory.print("memory of each worker", lines);
  if (states_memory(study)) lines.emplace_back(framework_memory);
  outer.print("memory besides", lines);
  learner.print("learner", lines);
  network.print("network", lines);
  traces.print("trace of links", lines);
  failures.print("failures and checkpoints", lines);
  lines.push_back("collectives evaluated: " + evaluators(sum_of(study.arms)));
  if (std::string nothing = unaudited(study.arms); !nothing.empty()) lines.push_back(std::move(nothing));
  std::string omitted;
  for (const std::string_view clause : left_out())
    omitted += (omitted.empty() ? "" : "; ") + std::string(clause);
  lines.push_back("left out: " + omitted);
  return lines;
}

}  // namespace sim::report
