// Prints traced graphs as the YAML and CSV files that scenarios read.
#include "calibrate/imports/traced_graph.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace calibrate::imports {

using netmodels::Bytes;
using netmodels::CollectiveKind;
using netmodels::CollectiveReach;
using netmodels::StepStream;
using netmodels::TracedCollective;
using netmodels::TracedOperation;

namespace {

std::string_view name_of(StepStream stream) {
  switch (stream) {
    case StepStream::compute: return "compute";
    case StepStream::communication: return "communication";
    case StepStream::copy: return "copy";
    case StepStream::host: break;
  }
  return "host";
}

std::string_view name_of(const TracedCollective& collective) {
  if (collective.message) return collective.message->received ? "recv" : "send";
  if (collective.all_to_all) return "all_to_all";
  switch (collective.kind) {
    case CollectiveKind::all_gather: return "all_gather";
    case CollectiveKind::reduce_scatter: return "reduce_scatter";
    case CollectiveKind::broadcast: return "broadcast";
    default: return "all_reduce";
  }
}

/// A word of the column `among`; empty for a group.
std::string_view among_of(const TracedCollective& collective) {
  switch (collective.reach) {
    case CollectiveReach::within_node: return "node";
    case CollectiveReach::between_nodes: return "nodes";
    case CollectiveReach::groups: return "";
    case CollectiveReach::all: break;
  }
  return "all";
}

std::string group_of(const TracedCollective& collective) {
  if (collective.reach != CollectiveReach::groups) return "";
  const netmodels::RankGroup& group = collective.group;
  return fmt::format("{}:{}:{}", group.start, group.stride, group.count);
}

/// Text for a cell: cut, with `_` for commas, `#`, quotes and control characters.
std::string cell(const std::string& text) {
  constexpr std::size_t most = 60;
  std::string kept = text.substr(0, most);
  std::ranges::replace_if(
      kept, [](unsigned char c) { return c < 0x20 || c >= 0x7f || c == ',' || c == '#' || c == '"'; }, '_');
  return kept.empty() ? "operation" : kept;
}

std::string_view name_of(netmodels::WorkKind kind) {
  switch (kind) {
    case netmodels::WorkKind::matmul: return "matmul";
    case netmodels::WorkKind::attention: return "attention";
    case netmodels::WorkKind::pointwise: return "pointwise";
    case netmodels::WorkKind::copy: return "copy";
    case netmodels::WorkKind::optimizer: return "optimizer";
    case netmodels::WorkKind::embedding: break;
  }
  return "embedding";
}

/// Cells of `flops`, `memory_bytes` and `kind`, each after a comma.
/// @param gradient  whether a collective sums gradients
std::string work_cells(const TracedOperation& operation, bool gradient) {
  if (gradient) return ",,,gradient";
  if (!operation.work) return ",,,";
  const auto size = [](double count) { return count > 0 ? fmt::format("{:.0f}", count) : std::string(); };
  return fmt::format(",{},{},{}", size(operation.work->flops.count), size(operation.work->memory.count),
                     name_of(operation.work->kind));
}

std::string peer_of(const TracedOperation& operation) {
  const bool message = operation.collective && operation.collective->message;
  return message ? fmt::format("{:+}", operation.collective->message->peer) : "";
}

std::string row(const TracedOperation& operation) {
  const std::string after = fmt::format("{}", fmt::join(operation.after, " "));
  if (operation.collective) {
    const TracedCollective& collective = *operation.collective;
    return fmt::format("{},communication,,{},{},{:.0f},{}", cell(operation.name), after, name_of(collective),
                       collective.size.count, among_of(collective));
  }
  const std::string duration =
      operation.work ? std::string() : fmt::format("{:.3f}", operation.duration.count * 1e6);
  return fmt::format("{},{},{},{},,,", cell(operation.name), name_of(operation.stream), duration, after);
}

/// The table; with columns of groups, work and peers where there are any. A table of work has a column that
/// marks gradients, too.
std::string table(const netmodels::TracedStep& step) {
  const bool grouped = std::ranges::any_of(step.operations, [](const TracedOperation& one) {
    return one.collective && one.collective->reach == CollectiveReach::groups;
  });
  std::string text = "operation,stream,duration_us,after,collective,bytes,among";
  const bool predicted = step.is_predicted();
  const bool messages = step.has_messages();
  const std::vector<std::uint32_t> gradients = step.gradients();
  text += std::string(grouped ? ",group" : "") + (predicted ? ",flops,memory_bytes,kind" : "") +
          (messages ? ",peer\n" : "\n");
  for (std::uint32_t index = 0; index < step.operations.size(); ++index) {
    const TracedOperation& operation = step.operations[index];
    text += row(operation);
    if (grouped) text += "," + (operation.collective ? group_of(*operation.collective) : "");
    if (predicted) text += work_cells(operation, std::ranges::binary_search(gradients, index));
    if (messages) text += "," + peer_of(operation);
    text += "\n";
  }
  return text;
}

}  // namespace

std::int64_t exchanged_values(const netmodels::TracedStep& step, double bytes_per_value) {
  Bytes size = summed_bytes(step);
  if (size == Bytes{}) {
    for (const TracedOperation& one : step.operations)
      if (one.collective) size = std::max(size, one.collective->size);
  }
  return static_cast<std::int64_t>(
      std::clamp(size.count / bytes_per_value, 1.0, 1e15));  // range that a workload accepts
}

void drop_implied(netmodels::TracedStep& step) {
  for (TracedOperation& operation : step.operations) {
    std::array<std::optional<std::uint32_t>, netmodels::step_streams> last;
    for (const std::uint32_t before : operation.after) {
      auto& kept = last[static_cast<std::size_t>(step.operations[before].stream)];
      kept = std::max(kept.value_or(0), before);
    }
    last[static_cast<std::size_t>(operation.stream)].reset();
    operation.after.clear();
    for (const auto& kept : last)
      if (kept) operation.after.push_back(*kept);
    std::ranges::sort(operation.after);
  }
}

std::string contents(const netmodels::TracedStep& step) {
  std::map<std::string, std::int64_t> streams;
  std::map<std::string, std::pair<std::int64_t, Bytes>> collectives;
  for (const TracedOperation& one : step.operations) {
    ++streams[std::string(name_of(one.stream))];
    if (!one.collective) continue;
    const TracedCollective& collective = *one.collective;
    auto& [count, sum] = collectives[fmt::format("{} among {}{}", name_of(collective), among_of(collective),
                                                 group_of(collective))];
    ++count;
    sum += one.collective->size;
  }
  std::string text;
  for (const auto& [name, count] : streams)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  std::string carried;
  for (const auto& [name, sum] : collectives)
    carried += fmt::format("{}{} {} of {}", carried.empty() ? "; " : ", ", sum.first, name,
                           netmodels::print(sum.second, 4));
  return text + carried;
}

GraphFiles print_graph(const TracedGraph& graph, const WorkloadNames& names, const std::string& graph_file) {
  const std::string source = names.source.empty() ? graph.source : names.source;
  const std::string takes = graph.step.is_predicted()
                                ? "takes what FLOPs and bytes take on the scenario's device"
                                : fmt::format("takes {} when exchanges take no time",
                                              netmodels::print(netmodels::undisturbed(graph.step), 4));
  const auto head = [&](const std::string& what) {
    return comment_line(fmt::format("{} of {}: one step of one rank {}.", what, names.name, takes)) +
           comment_line("Provenance: " + source) +
           comment_line("Licence: " + (names.licence.empty() ? "not stated" : names.licence));
  };
  GraphFiles files{head("Step"), head("Operations")};
  for (const std::string& fact : graph.facts) files.workload += comment_line(fact);
  for (const std::string& skipped : graph.skipped) files.workload += comment_line("Note: " + skipped + ".");
  if (!graph.batch)
    files.workload += comment_line(
        "The trace does not state its batch: 1 sample represents all samples of a rank and step.");
  files.workload += fmt::format("name: {}\nprovenance: {}\n", yaml_text(names.name), yaml_text(source));
  if (!graph.device.empty()) files.workload += fmt::format("device: {}\n", yaml_text(graph.device));
  files.workload += fmt::format("graph: {}\nparameters: {}\nbatch: {}\n", yaml_text(graph_file),
                                graph.parameters, graph.batch.value_or(1));
  if (graph.ranks > 1) files.workload += fmt::format("recorded_workers: {}\n", graph.ranks);
  files.graph += comment_line(
      "Each stream runs its operations in this order; `after` holds the numbers of rows, counted from 0, "
      "that "
      "must have ended.");
  files.graph += table(graph.step);
  return files;
}

}  // namespace calibrate::imports
