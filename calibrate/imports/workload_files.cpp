// A traced workload as the files that scenarios read: the workload and, beside it, its two tables.
#include "calibrate/imports/workload_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "netmodels/buckets.hpp"

namespace calibrate::imports {
namespace {

using netmodels::Seconds;

std::string microseconds(Seconds time) { return fmt::format("{:.3f}", time.count * 1e6); }

/// Fit for a line of its own.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

/// A YAML scalar in double quotes.
std::string quoted(const std::string& text) {
  std::string scalar = "\"";
  for (const char c : one_line(text)) {
    if (c == '"' || c == '\\') scalar += '\\';
    scalar += c;
  }
  return scalar + "\"";
}

/// Whether the limits that scenarios have by default close the buckets where the trace does.
bool default_limits_do(const TracedWorkload& traced) {
  std::vector<netmodels::Layer> layers(traced.layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].parameters = traced.layers[i].parameters;
  const auto buckets = netmodels::gradient_buckets(layers, {});
  return std::ranges::equal(buckets, traced.buckets, {}, &netmodels::Bucket::elements);
}

std::string comment(const std::string& text) { return "# " + one_line(text) + "\n"; }

std::string bucket_comment(const TracedWorkload& workload) {
  if (workload.buckets.empty()) return comment("The trace holds no exchange of gradients.");
  if (default_limits_do(workload))
    return comment(
        "The limits of buckets that a scenario has by default close the buckets where the trace does.");
  return comment(
      "To have the buckets of the trace, a scenario says `exchange: {first_bucket: 1 B, bucket: 1 B}`: each "
      "layer "
      "with parameters is a bucket.");
}

/// The first lines of all three files.
std::string head(const TracedWorkload& workload, const WorkloadNames& names, const std::string& what) {
  return comment(
             fmt::format("{} of {}: one step of one rank takes {} without the exchange that nothing hides.",
                         what, names.name, netmodels::print(workload.step(), 4))) +
         comment("Provenance: " + (names.source.empty() ? workload.source : names.source)) +
         comment("Licence: " + (names.licence.empty() ? "not stated" : names.licence));
}

std::string print_yaml(const TracedWorkload& workload, const WorkloadNames& names) {
  std::string text = head(workload, names, "Times");
  for (const std::string& fact : workload.facts) text += comment(fact);
  for (const std::string& skipped : workload.skipped) text += comment("Note: " + skipped + ".");
  text += bucket_comment(workload);
  if (!workload.batch)
    text += comment("The trace does not say its batch: 1 sample stands for all samples of a rank and step.");
  const std::string source = names.source.empty() ? workload.source : names.source;
  text += fmt::format("name: {}\nprovenance: {}\n", quoted(names.name), quoted(source));
  text += fmt::format("layers: {}\n", quoted(names.layers_file));
  text += fmt::format("times:\n  measured: {}\n  device: {}\n  batch: {}\n", quoted(names.times_file),
                      quoted(workload.device), workload.batch.value_or(1));
  text += fmt::format("  optimizer: {} us\n  host_overhead: {} us\n", microseconds(workload.optimizer),
                      microseconds(workload.host_overhead));
  return text;
}

}  // namespace

WorkloadFiles print_workload(const TracedWorkload& workload, const WorkloadNames& names) {
  WorkloadFiles files{print_yaml(workload, names), head(workload, names, "Layers"),
                      head(workload, names, "Times of the layers")};
  files.layers += comment(
      "In forward order; the parameters of a bucket stand at the layer whose backward pass completes it. The "
      "trace "
      "holds neither FLOPs nor activations: 0.");
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

}  // namespace calibrate::imports
