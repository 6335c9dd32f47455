// Import of Chakra execution traces as workloads.
#include "calibrate/imports/chakra.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

constexpr std::int64_t bytes_per_value = 4;

/// The computation of one rank between its all-reduces.
struct RankTimes {
  Seconds forward;
  std::vector<Seconds> backward;  ///< until each bucket is complete
  Seconds optimizer;
  std::vector<std::int64_t> buckets;  ///< values
};

bool computes(const ChakraNode& node) {
  return node.type == ChakraType::compute || node.type == ChakraType::load || node.type == ChakraType::store;
}

bool is_all_reduce(const ChakraNode& node) {
  return node.type == ChakraType::collective && node.collective == chakra_all_reduce &&
         node.exchanged_bytes.value_or(0) >= bytes_per_value;
}

bool reduces_on_device(const ChakraTrace& trace) {
  return std::ranges::any_of(trace.nodes,
                             [](const ChakraNode& node) { return is_all_reduce(node) && !node.host; });
}

bool is_backward(const ChakraNode& node) {
  return node.name.find("ackward") != std::string::npos && computes(node);
}

RankTimes add_up(const ChakraTrace& trace, const ChakraOrder& order) {
  const bool device_known = std::ranges::any_of(
      trace.nodes, [](const ChakraNode& node) { return node.type == ChakraType::compute && !node.host; });
  const bool reduce_known = reduces_on_device(trace);
  const auto is_bucket = [&](const ChakraNode& node) {  // the host's call of a device's all-reduce is none
    return is_all_reduce(node) && !(reduce_known && node.host);
  };
  const bool names_passes = std::ranges::any_of(trace.nodes, is_backward);
  RankTimes times;
  Seconds open;
  bool forward = names_passes;
  for (const std::size_t index : order.nodes) {
    const ChakraNode& node = trace.nodes[index];
    if (forward && (is_backward(node) || is_bucket(node))) {
      forward = false;
      times.forward = open;
      open = {};
    }
    if (is_bucket(node)) {
      times.buckets.push_back(*node.exchanged_bytes / bytes_per_value);
      times.backward.push_back(open);
      open = {};
    } else if (computes(node) && !(device_known && node.host)) {
      open += node.duration;
    }
  }
  times.optimizer = open;
  return times;
}

/// Each time that of the slowest rank.
void join_ranks(RankTimes& all, const RankTimes& rank) {
  all.forward = std::max(all.forward, rank.forward);
  all.optimizer = std::max(all.optimizer, rank.optimizer);
  for (std::size_t i = 0; i < all.backward.size(); ++i)
    all.backward[i] = std::max(all.backward[i], rank.backward[i]);
}

void note_counts(const ChakraTrace& trace, const ChakraOrder& order, TracedWorkload& workload) {
  const auto count = [&trace](auto wanted) { return std::ranges::count_if(trace.nodes, wanted); };
  const auto collective = [](const ChakraNode& node) { return node.type == ChakraType::collective; };
  workload.facts.push_back(fmt::format(
      "{}: schema {}, {}, {} ({} of them on the host), {} computing.", files::file_name(trace.source),
      trace.version.empty() ? "not stated" : trace.version, counted(std::ssize(trace.nodes), "node"),
      counted(count(collective), "collective"),
      count([&](const ChakraNode& node) { return collective(node) && node.host; }), count(computes)));
  const auto note = [&](std::int64_t number, const std::string& what, const std::string& rest) {
    if (number > 0)
      workload.skipped.push_back(
          fmt::format("{}: {}{}", files::file_name(trace.source), counted(number, what), rest));
  };
  note(count([](const ChakraNode& node) { return computes(node) && node.duration == Seconds{}; }),
       "computing node", " of duration 0");
  note(order.dangling_data, "data dependency edge",
       " to nodes that the trace does not contain: not "
       "followed");
  note(order.dangling_control, "control dependency edge", " to nodes that the trace does not contain");
  note(count([&](const ChakraNode& node) { return collective(node) && !node.host && !is_all_reduce(node); }),
       "collective", " left out, no all-reduce of a known size");
  if (reduces_on_device(trace))
    note(count([](const ChakraNode& node) { return is_all_reduce(node) && node.host; }), "all-reduce",
         " of the host left out: those of the device are used");
  note(count([](const ChakraNode& node) {
         return node.type == ChakraType::send || node.type == ChakraType::receive;
       }),
       "send or receive node", " left out");
  for (const auto& [name, times] : trace.unknown_attributes)
    note(times, "attribute", fmt::format(" `{}` not known", name));
}

Result<RankTimes> read_rank(const ChakraTrace& trace, TracedWorkload& workload) {
  GRADSIM_TRY(order, order_chakra(trace));
  note_counts(trace, *order, workload);
  RankTimes times = add_up(trace, *order);
  if (!times.buckets.empty()) return times;
  return refuse(trace.source,
                fmt::format("none of its {} is an all-reduce of a known size (`comm_type` 0, `comm_size`)",
                            counted(std::ssize(trace.nodes), "node")),
                "give a trace of data-parallel training");
}

void take_times(const RankTimes& times, TracedWorkload& workload) {
  workload.optimizer = times.optimizer;
  workload.buckets = times.buckets;
  workload.layers.push_back({"forward", "forward", 0, times.forward, Seconds{}});
  for (std::size_t i = times.buckets.size(); i-- > 0;) {
    workload.layers.push_back(
        {fmt::format("bucket_{}", i + 1), "bucket", times.buckets[i], Seconds{}, times.backward[i]});
  }
  workload.facts.push_back(
      fmt::format("Gradient all-reduces, in order: {} values of 4 bytes.", listed(workload.buckets)));
}

}  // namespace

Result<TracedWorkload> import_chakra(const std::vector<ChakraTrace>& traces, const TraceHints& hints) {
  TracedWorkload workload;
  std::optional<RankTimes> all;
  for (const ChakraTrace& trace : traces) {
    GRADSIM_TRY(times, read_rank(trace, workload));
    if (!all)
      all = *times;
    else if (all->buckets != times->buckets)
      return refuse(trace.source, "its all-reduces differ from those of " + traces.front().source,
                    "give the ranks of one run");
    join_ranks(*all, *times);
  }
  if (!all) return refuse("FILE", "no trace given");
  workload.source = "Chakra execution trace " + files::file_name(traces.front().source);
  workload.device = "device of the Chakra trace";
  workload.ranks = static_cast<int>(traces.size());
  workload.batch = hints.batch;
  take_times(*all, workload);
  return workload;
}

}  // namespace calibrate::imports
