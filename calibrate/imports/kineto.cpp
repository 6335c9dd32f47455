// Import of PyTorch profiler traces (Kineto) as workloads.
#include "calibrate/imports/kineto.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "calibrate/imports/kineto_trace.hpp"
#include "files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

/// A step that can be used, and its name.
struct UsedStep {
  const KinetoStep* step = nullptr;
  KinetoStepTimes times;
};

int ranks_of(const KinetoTrace& trace) {
  if (trace.world_size) return *trace.world_size;
  int most = 1;
  for (const KinetoCollective& one : trace.collectives) most = std::max(most, one.ranks);
  return most;
}

/// Refuses a trace of one side of a device: layers are timed on both.
Result<void> check_sides(const KinetoTrace& trace, const std::string& source) {
  if (trace.work.empty() && trace.counts.launches > 0)
    return refuse(source, "the trace has calls of the device, and nothing that ran on it",
                  "profile with ProfilerActivity.CUDA, too");
  if (trace.counts.computing_alone == 0 || trace.counts.computing_launched > 0) return {};
  return refuse(source, "nothing that ran on the device has its call on the host",
                "profile with ProfilerActivity.CPU, too, and leave out no category");
}

/// Refuses a trace of several ranks whose collectives are missing, or have no size.
Result<void> check_collectives(const KinetoTrace& trace, const std::string& source) {
  const int ranks = ranks_of(trace);
  if (ranks == 1) return {};
  const std::string head = fmt::format("the trace is of {} ranks and has ", ranks);
  if (trace.collectives.empty())
    return refuse(source, head + "no collective", "profile the device and the host alike");
  const bool has_sizes =
      std::ranges::any_of(trace.collectives, [](const auto& one) { return one.elements != 0; });
  if (has_sizes) return {};
  return refuse(source,
                head + counted(std::ssize(trace.collectives), "collective") + ", none of which has its size",
                "profile with record_shapes=True");
}

Result<void> check_trace(const KinetoTrace& trace, const std::string& source) {
  if (trace.steps.empty()) {
    return refuse(source, "no step found: no annotation `ProfilerStep#N`",
                  "call the profiler's step() after each step of the training");
  }
  if (auto collectives = check_collectives(trace, source); !collectives) return collectives;
  return check_sides(trace, source);
}

bool alike(const KinetoStepTimes& a, const KinetoStepTimes& b) {
  const auto same_layer = [](const KinetoLayer& x, const KinetoLayer& y) { return x.kind == y.kind; };
  const auto same_bucket = [](const KinetoBucket& x, const KinetoBucket& y) {
    return x.elements == y.elements && x.layer == y.layer;
  };
  return std::ranges::equal(a.layers, b.layers, same_layer) &&
         std::ranges::equal(a.buckets, b.buckets, same_bucket);
}

/// The steps that are like the last whole one; what is left out is named in `skipped`.
Result<std::vector<UsedStep>> usable_steps(const KinetoTrace& trace, const std::string& source,
                                           std::vector<std::string>& skipped) {
  const KinetoProgress progress(trace.work);
  std::vector<UsedStep> used;
  for (const KinetoStep& step : trace.steps) {
    auto times = read_kineto_step(trace, step, progress);
    if (times)
      used.push_back({&step, std::move(*times)});
    else
      skipped.push_back(fmt::format("{} left out: {}", step.name, times.error().what));
  }
  if (used.empty()) {
    return refuse(source, fmt::format("no step can be used: {}", fmt::join(skipped, "; ")),
                  "profile whole steps of a training");
  }
  const KinetoStepTimes last = used.back().times;
  std::erase_if(used, [&](const UsedStep& one) {
    const bool other = !alike(one.times, last);
    if (other)
      skipped.push_back(one.step->name + " left out: its layers or buckets are not those of the last step");
    return other;
  });
  return used;
}

void count_skipped(const KinetoCounts& counts, std::vector<std::string>& skipped) {
  if (counts.without_time > 0)
    skipped.push_back(counted(counts.without_time, "event") + " left out: no time or no duration");
  if (counts.without_launch > 0)
    skipped.push_back(counted(counts.without_launch, "device event") +
                      " without a matching call of the host: assumed to be launched when it began");
  if (counts.without_duration > 0)
    skipped.push_back(counted(counts.without_duration, "device event") + " of duration 0");
}

/// Means over the steps, layer by layer.
std::vector<TracedLayer> mean_layers(const std::vector<UsedStep>& used) {
  const double share = 1.0 / static_cast<double>(used.size());
  std::vector<TracedLayer> layers;
  std::map<std::string, int> of_kind;
  for (const KinetoLayer& layer : used.back().times.layers) {
    const std::string name = fmt::format("{}_{}", layer.kind, ++of_kind[layer.kind]);
    layers.push_back({name, layer.kind, layer.parameters, {}, {}});
  }
  for (const UsedStep& one : used) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i].forward += share * one.times.layers[i].forward;
      layers[i].backward += share * one.times.layers[i].backward;
    }
  }
  return layers;
}

void take_buckets(const KinetoStepTimes& times, TracedWorkload& workload) {
  if (times.buckets.empty()) return;
  for (TracedLayer& layer : workload.layers) layer.parameters = 0;
  for (const KinetoBucket& bucket : times.buckets) {
    TracedLayer& layer = workload.layers[bucket.layer];
    if (layer.parameters > 0)
      workload.skipped.push_back("two buckets end in the layer " + layer.name + ": joined to one");
    layer.parameters += bucket.elements;
    workload.buckets.push_back(bucket.elements);
  }
  workload.facts.push_back(fmt::format("Gradient all-reduces per step, in order: {} values of type {}.",
                                       listed(workload.buckets), times.buckets.front().type));
}

/// The shortest time of each bucket's kernel over the steps: it waited least for the other ranks.
void note_exchanges(const KinetoTrace& trace, const std::vector<UsedStep>& used, TracedWorkload& workload) {
  std::vector<Seconds> shortest;
  for (const UsedStep& one : used) {
    std::size_t next = 0;
    for (const KinetoWork& work : trace.work) {
      if (!work.all_reduce || !one.times.backward.holds(work.launched)) continue;
      if (next == shortest.size()) shortest.push_back(work.span.duration());
      shortest[next] = std::min(shortest[next], work.span.duration());
      ++next;
    }
  }
  if (shortest.empty() || shortest.size() != workload.buckets.size()) return;
  std::vector<std::string> times;
  for (const Seconds time : shortest) times.push_back(netmodels::print(time, 4));
  workload.facts.push_back(fmt::format("Their shortest times on the device: {}.", fmt::join(times, ", ")));
}

/// The model's buffers, which DDP broadcasts before every forward pass.
void take_buffers(const KinetoStepTimes& times, TracedWorkload& workload) {
  if (times.buffers.empty()) return;
  netmodels::Bytes sum;
  std::vector<std::string> sizes;
  for (const KinetoCollective& one : times.buffers) {
    const auto bytes = bytes_of_type(one.type);
    if (!bytes || one.elements <= 0) {
      workload.skipped.push_back(fmt::format("a broadcast of {} values of type {}: its bytes are unknown",
                                             one.elements, one.type.empty() ? "unknown" : one.type));
      return;
    }
    sum += netmodels::Bytes{*bytes * static_cast<double>(one.elements)};
    sizes.push_back(fmt::format("{} {}", one.elements, one.type));
  }
  workload.buffers = sum;
  workload.facts.push_back(fmt::format("Buffers broadcast in every step: {}.", fmt::join(sizes, ", ")));
}

void note_others(const KinetoStepTimes& times, TracedWorkload& workload) {
  std::map<std::string, std::vector<std::string>> of_name;
  for (const KinetoCollective& one : times.others)
    of_name[one.name].push_back(one.elements > 0 ? fmt::format("{} {}", one.elements, one.type) : "no size");
  for (const auto& [name, sizes] : of_name)
    workload.skipped.push_back(fmt::format("{} {} per step left out, not of gradients: {}", sizes.size(),
                                           name, fmt::join(sizes, ", ")));
}

/// Each step with its time, or of many their number and range.
std::string steps_text(const std::vector<UsedStep>& used) {
  constexpr std::size_t most_listed = 6;
  std::vector<std::string> steps;
  for (const UsedStep& one : used)
    steps.push_back(fmt::format("{} {}", one.step->name, netmodels::print(one.step->span.duration(), 4)));
  if (used.size() <= most_listed) return fmt::format("{}", fmt::join(steps, ", "));
  const auto duration = [](const UsedStep& one) { return one.step->span.duration(); };
  const auto [least, most] = std::ranges::minmax(used, {}, duration);
  return fmt::format("{} from {} to {}, {} to {}", used.size(), used.front().step->name,
                     used.back().step->name, netmodels::print(duration(least), 4),
                     netmodels::print(duration(most), 4));
}

void note_steps(const KinetoTrace& trace, const std::vector<UsedStep>& used, TracedWorkload& workload) {
  Seconds sum;
  for (const UsedStep& one : used) sum += one.step->span.duration();
  const Seconds mean = sum / static_cast<double>(used.size());
  workload.facts.push_back(
      fmt::format("Steps, on the host: {}; mean {}.", steps_text(used), netmodels::print(mean, 4)));
  std::string versions = fmt::format("{}", fmt::join(trace.versions, ", "));
  if (trace.nccl_version) versions += (versions.empty() ? "NCCL " : ", NCCL ") + *trace.nccl_version;
  workload.facts.push_back(fmt::format("{} on {}; {}; {}.", counted(workload.ranks, "rank"), workload.device,
                                       counted(trace.streams, "stream"),
                                       versions.empty() ? "the trace states no versions" : versions));
  workload.facts.push_back(fmt::format("{} read, {} on the device, {} of them of collectives.",
                                       counted(trace.counts.events, "event"), trace.work.size(),
                                       counted(trace.counts.collective_kernels, "kernel")));
}

std::optional<int> batch_of(const std::vector<KinetoLayer>& layers) {
  for (const KinetoLayer& layer : layers) {
    if (layer.batch > 0 && layer.batch <= 1'000'000'000) return static_cast<int>(layer.batch);
  }
  return std::nullopt;
}

void take_rest(const std::vector<UsedStep>& used, TracedWorkload& workload) {
  const double share = 1.0 / static_cast<double>(used.size());
  Seconds behind;
  for (const UsedStep& one : used) {
    workload.host_overhead += share * (one.times.before + one.times.after);
    workload.optimizer += share * one.times.optimizer;
    behind += share * one.times.behind;
  }
  if (behind > Seconds{})
    workload.layers.insert(workload.layers.begin(), {"after_backward", "host", 0, Seconds{}, behind});
}

Result<void> check_parameters(const TracedWorkload& workload, const std::string& source) {
  if (workload.ranks > 1 && workload.buckets.empty()) {
    return refuse(source, "no backward pass of the trace calls an all-reduce of a known size",
                  "give a trace of data-parallel training");
  }
  if (std::ranges::any_of(workload.layers, [](const TracedLayer& one) { return one.parameters > 0; }))
    return {};
  return refuse(source,
                "no layer's parameters are known: the trace has neither a gradient all-reduce nor "
                "a shape",
                "profile with record_shapes=True");
}

}  // namespace

std::optional<double> bytes_of_type(std::string type) {
  std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::tolower(c); });
  static const std::map<std::string, double> bytes{
      {"double", 8}, {"long", 8},      {"long int", 8}, {"float", 4},         {"int", 4},
      {"half", 2},   {"c10::half", 2}, {"bfloat16", 2}, {"c10::bfloat16", 2}, {"short", 2},
      {"char", 1},   {"byte", 1},      {"bool", 1}};
  const auto found = bytes.find(type);
  return found == bytes.end() ? std::nullopt : std::optional(found->second);
}

Result<TracedWorkload> import_kineto(std::istream& stream, const std::string& source,
                                     const TraceHints& hints) {
  GRADSIM_TRY(trace, read_kineto(stream, source));
  if (const auto checked = check_trace(*trace, source); !checked) return tl::unexpected(checked.error());
  TracedWorkload workload;
  GRADSIM_TRY(used, usable_steps(*trace, source, workload.skipped));
  const KinetoStepTimes& last = used->back().times;
  workload.source = "PyTorch profiler trace " + files::file_name(source);
  workload.device = trace->device.value_or("unknown device");
  workload.ranks = ranks_of(*trace);
  workload.batch = hints.batch ? hints.batch : batch_of(last.layers);
  workload.layers = mean_layers(*used);
  take_buckets(last, workload);
  if (const auto checked = check_parameters(workload, source); !checked)
    return tl::unexpected(checked.error());
  take_rest(*used, workload);
  note_steps(*trace, *used, workload);
  note_exchanges(*trace, *used, workload);
  take_buffers(last, workload);
  note_others(last, workload);
  count_skipped(trace->counts, workload.skipped);
  return workload;
}

}  // namespace calibrate::imports
