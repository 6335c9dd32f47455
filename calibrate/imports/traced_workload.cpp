// A workload found in a trace, and its files: YAML with CSV tables, or a time-independent trace.
#include "calibrate/imports/traced_workload.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "netmodels/buckets.hpp"

namespace calibrate::imports {

// A workload as a trace shows it, before it is written as files of ours.

netmodels::Seconds TracedWorkload::step() const {
  netmodels::Seconds sum = host_overhead + optimizer;
  for (const TracedLayer& layer : layers) sum += layer.forward + layer.backward;
  return sum;
}

namespace {

constexpr double bytes_of_gradient = 4;  // fp32

/// Made to fit on its own line.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

/// Exposed communication of a step whose buckets need so long per byte.
netmodels::Seconds exposed(const TracedWorkload& workload, double seconds_per_byte) {
  netmodels::Seconds backward;
  netmodels::Seconds sent;
  for (std::size_t i = workload.layers.size(); i-- > 0;) {
    const TracedLayer& layer = workload.layers[i];
    backward += layer.backward;
    const double bytes = bytes_of_gradient * static_cast<double>(layer.parameters);
    if (bytes > 0) sent = std::max(sent, backward) + netmodels::Seconds{bytes * seconds_per_byte};
  }
  return std::max(netmodels::Seconds{}, sent - backward);
}

}  // namespace

std::optional<netmodels::Bandwidth> hidden_from(const TracedWorkload& workload, int ranks) {
  if (workload.buckets.empty()) return std::nullopt;
  const double carried = 2.0 * (ranks - 1) / ranks;  // bytes over each link for a byte of gradient
  double low = 1e3;                                  // bytes/s
  double high = 1e15;
  const auto hides = [&](double bandwidth) {
    const netmodels::Seconds time = exposed(workload, carried / bandwidth);
    return time <= exposed_share * (workload.step() + time);
  };
  constexpr double precision = 1e-4;
  while (high / low > 1 + precision) {
    const double middle = low * std::sqrt(high / low);
    (hides(middle) ? high : low) = middle;
  }
  return netmodels::Bandwidth{high};
}

std::string crossover_text(const TracedWorkload& workload) {
  constexpr int digits = 2;
  constexpr int many = 1'000'000;
  const int ranks = std::max(2, workload.ranks);
  const auto bandwidth = hidden_from(workload, ranks);
  if (!bandwidth) return "";
  return fmt::format(
      "From {} on with {} ranks ({} with many), less than {:g} % of a step would be exposed communication of "
      "dense buckets around a ring without latency: compression gains no more than that there.",
      netmodels::print(*bandwidth, digits), ranks, netmodels::print(*hidden_from(workload, many), digits),
      100 * exposed_share);
}

std::string counted(std::int64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string comment_line(const std::string& text) { return "# " + one_line(text) + "\n"; }

std::string yaml_text(const std::string& text) {
  std::string scalar = "\"";
  for (const char c : one_line(text)) {
    if (c == '"' || c == '\\') scalar += '\\';
    scalar += c;
  }
  return scalar + "\"";
}

std::string listed(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// A traced workload as the files that scenarios read: the workload and, next to it, its two tables.

namespace {

using netmodels::Seconds;

std::string microseconds(Seconds time) { return fmt::format("{:.3f}", time.count * 1e6); }

/// Whether the limits that scenarios have by default close the buckets where the trace does.
bool default_limits_do(const TracedWorkload& traced) {
  std::vector<netmodels::Layer> layers(traced.layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].parameters = traced.layers[i].parameters;
  const auto buckets = netmodels::gradient_buckets(layers, {});
  return std::ranges::equal(buckets, traced.buckets, {}, &netmodels::Bucket::elements);
}

std::string bucket_comment(const TracedWorkload& workload) {
  if (workload.buckets.empty()) return comment_line("The trace has no exchange of gradients.");
  if (default_limits_do(workload))
    return comment_line("The default bucket limits of a scenario give the buckets of the trace.");
  return comment_line(
      "To use the buckets of the trace, write `exchange: {first_bucket: 1 B, bucket: 1 B}`: each layer with "
      "parameters is a bucket.");
}

/// The first lines of all three files.
std::string head(const TracedWorkload& workload, const WorkloadNames& names, const std::string& what) {
  return comment_line(fmt::format("{} of {}: one step of one rank takes {} without exposed communication.",
                                  what, names.name, netmodels::print(workload.step(), 4))) +
         comment_line("Provenance: " + (names.source.empty() ? workload.source : names.source)) +
         comment_line("Licence: " + (names.licence.empty() ? "not stated" : names.licence));
}

std::string print_yaml(const TracedWorkload& workload, const WorkloadNames& names) {
  std::string text = head(workload, names, "Times");
  for (const std::string& fact : workload.facts) text += comment_line(fact);
  for (const std::string& skipped : workload.skipped) text += comment_line("Note: " + skipped + ".");
  text += bucket_comment(workload);
  if (const std::string from = crossover_text(workload); !from.empty()) text += comment_line(from);
  if (!workload.buffers)
    text +=
        comment_line("Buffers are unknown: the trace has no broadcast of them; `buffers: SIZE` states them.");
  if (!workload.batch)
    text += comment_line(
        "The trace does not state its batch: 1 sample represents all samples of a rank and step.");
  const std::string source = names.source.empty() ? workload.source : names.source;
  text += fmt::format("name: {}\nprovenance: {}\n", yaml_text(names.name), yaml_text(source));
  text += fmt::format("layers: {}\n", yaml_text(names.layers_file));
  if (workload.buffers) text += fmt::format("buffers: {:.0f} B\n", workload.buffers->count);
  text += fmt::format("times:\n  measured: {}\n  device: {}\n  batch: {}\n", yaml_text(names.times_file),
                      yaml_text(workload.device), workload.batch.value_or(1));
  text += fmt::format("  optimizer: {} us\n  host_overhead: {} us\n", microseconds(workload.optimizer),
                      microseconds(workload.host_overhead));
  return text;
}

}  // namespace

WorkloadFiles print_workload(const TracedWorkload& workload, const WorkloadNames& names) {
  WorkloadFiles files{print_yaml(workload, names), head(workload, names, "Layers"),
                      head(workload, names, "Times of the layers")};
  files.layers += comment_line(
      "In forward order; the parameters of a bucket are listed at the layer whose backward pass completes "
      "it. The trace has neither FLOPs nor activations: 0.");
  files.layers +=
      "layer,type,parameters,forward_flops_per_sample,backward_flops_per_sample,activation_bytes_per_"
      "sample\n";
  files.times += "layer,forward_us,backward_us\n";
  for (const TracedLayer& layer : workload.layers) {
    files.layers += fmt::format("{},{},{},0,0,0\n", layer.name, layer.kind, layer.parameters);
    files.times +=
        fmt::format("{},{},{}\n", layer.name, microseconds(layer.forward), microseconds(layer.backward));
  }
  return files;
}

// A traced workload as a time-independent trace that SimGrid's SMPI replays.

namespace {

using netmodels::Seconds;

constexpr double flop_per_second = 1e9;
constexpr int gradient_bytes_per_value = 4;
constexpr int byte_type =
    6;  // MPI_BYTE among the types that a replay knows (SimGrid 3.32, smpi_datatype.cpp)

/// The work of each rank, without its number.
std::vector<std::string> actions(const TracedWorkload& workload) {
  std::vector<std::string> lines = {"init"};
  Seconds open = workload.host_overhead;  // computing that has no line yet
  const auto compute = [&lines, &open] {
    if (open > Seconds{}) lines.push_back(fmt::format("compute {:.0f}", open.count * flop_per_second));
    open = {};
  };
  for (const TracedLayer& layer : workload.layers) open += layer.forward;
  for (std::size_t i = workload.layers.size(); i-- > 0;) {
    const TracedLayer& layer = workload.layers[i];
    open += layer.backward;
    if (layer.parameters == 0) continue;
    compute();
    lines.push_back(fmt::format("allreduce {} 0 {}", layer.parameters * gradient_bytes_per_value, byte_type));
  }
  open += workload.optimizer;
  compute();
  lines.emplace_back("finalize");
  return lines;
}

}  // namespace

std::string print_smpi_trace(const TracedWorkload& workload, int ranks) {
  const std::vector<std::string> lines = actions(workload);
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    for (const std::string& line : lines) text += fmt::format("{} {}\n", rank, line);
  }
  return text;
}

}  // namespace calibrate::imports
