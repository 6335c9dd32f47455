// The contents of a Chakra trace, its nodes in topological order.
#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "calibrate/imports/chakra.hpp"
#include "calibrate/imports/json_members.hpp"
#include "netmodels/collective.hpp"

namespace calibrate::imports {

// A Chakra execution trace: the computation and communication of one rank, with dependencies.

namespace {

constexpr std::size_t most_unknown = 64;  // distinct names; a broken file may hold any number
constexpr std::size_t most_name = 1000;   // bytes of one

// Source: Chakra schema 0.0.4 and its PyTorch converter; astra-sim's workload layer.
constexpr auto known = std::to_array<std::string_view>(
    {"is_cpu_op",     "comm_type",      "comm_size",    "comm_src", "comm_dst",    "comm_tag",
     "comm_priority", "pg_name",        "involved_dim", "num_ops",  "tensor_size", "runtime",
     "rf_id",         "fw_parent",      "seq_id",       "scope",    "tid",         "fw_tid",
     "op_schema",     "kernel_backend", "kernel_file",  "stream",   "pid",         "schema"});

/// An attribute that is a number of a node.
struct NumberAttribute {
  std::string_view name;
  std::optional<std::int64_t> ChakraNode::*member;
};

constexpr auto numbers = std::to_array<NumberAttribute>({{"comm_src", &ChakraNode::source},
                                                         {"comm_dst", &ChakraNode::destination},
                                                         {"num_ops", &ChakraNode::flops},
                                                         {"tensor_size", &ChakraNode::memory_bytes},
                                                         {"comm_type", &ChakraNode::collective},
                                                         {"comm_size", &ChakraNode::exchanged_bytes}});

void count_unknown(ChakraTrace& trace, const std::string& name) {
  const bool room = trace.unknown_attributes.size() < most_unknown && name.size() <= most_name;
  if (room || trace.unknown_attributes.contains(name)) ++trace.unknown_attributes[name];
}

/// Takes `runtime`, in microseconds, as the duration of a node without one.
void take_runtime(ChakraNode& node, std::int64_t micros) {
  if (node.duration == netmodels::Seconds{} && micros > 0)
    node.duration = {static_cast<double>(micros) / 1e6};
}

/// The ranks of a list; nothing where it is not one of ranks that a job may have.
std::optional<ChakraGroup> ranks_in(const nlohmann::json& list) {
  if (!list.is_array()) return std::nullopt;
  ChakraGroup ranks;
  for (const nlohmann::json& rank : list) {
    if (!rank.is_number_unsigned() || rank.get<std::uint64_t>() >= netmodels::most_ranks) return std::nullopt;
    ranks.push_back(rank.get<std::uint32_t>());
  }
  return ranks;
}

}  // namespace

bool is_known_chakra_attribute(std::string_view name) {
  return std::ranges::find(known, name) != known.end();
}

void take_chakra_attribute(ChakraTrace& trace, ChakraNode& node, const std::string& name,
                           const ChakraValue& taken) {
  if (!is_known_chakra_attribute(name)) count_unknown(trace, name);
  if (name == "pg_name") node.group = taken.text;
  const std::optional<std::int64_t>& value = taken.number;
  if (!value) return;
  if (name == "pg_name" && taken.text.empty()) node.group = std::to_string(*value);
  if (name == "is_cpu_op") node.host = *value != 0;
  const auto known_number = std::ranges::find(numbers, name, &NumberAttribute::name);
  if (known_number != numbers.end()) node.*known_number->member = value;
  if (name == "runtime") take_runtime(node, *value);
}

void take_chakra_groups(ChakraTrace& trace, const ChakraNode& node, std::string values) {
  if (node.name != "## process_group:init ##") return;
  std::erase(values, '\\');  // quotes of a list inside of a text
  const std::size_t begin = values.find("[{");
  const std::size_t end = values.rfind("}]");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return;
  const auto list = nlohmann::json::parse(values.substr(begin, end + 2 - begin), nullptr, false);
  if (!list.is_array()) return;
  constexpr std::size_t most_groups = 100'000;
  for (const nlohmann::json& one : list) {
    if (!one.is_object() || trace.groups.size() == most_groups) continue;
    if (auto ranks = ranks_in(member(one, "ranks")))
      trace.groups[text_or_empty(member(one, "pg_name"))] = std::move(*ranks);
  }
}

// The nodes of a Chakra trace in topological order.

namespace {

using netmodels::refuse;
using netmodels::Result;
using Indices = std::unordered_map<std::uint64_t, std::size_t>;

Result<Indices> index_nodes(const ChakraTrace& trace) {
  Indices indices;
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    if (!indices.emplace(trace.nodes[i].id, i).second)
      return refuse(trace.source, fmt::format("duplicate node id {}", trace.nodes[i].id));
  }
  return indices;
}

}  // namespace

Result<ChakraOrder> order_chakra(const ChakraTrace& trace) {
  GRADSIM_TRY(indices, index_nodes(trace));
  ChakraOrder order;
  const std::size_t count = trace.nodes.size();
  std::vector<std::vector<std::size_t>> behind(count);
  std::vector<std::size_t> open(count, 0);  // dependencies that are not done
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::uint64_t id : trace.nodes[i].data) {
      const auto found = indices->find(id);
      if (found == indices->end()) {
        ++order.dangling_data;
        continue;
      }
      behind[found->second].push_back(i);
      ++open[i];
    }
    for (const std::uint64_t id : trace.nodes[i].control)
      order.dangling_control += indices->contains(id) ? 0 : 1;
  }
  using Free = std::pair<std::uint64_t, std::size_t>;
  std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
  for (std::size_t i = 0; i < count; ++i) {
    if (open[i] == 0) free.emplace(trace.nodes[i].id, i);
  }
  while (!free.empty()) {
    const std::size_t node = free.top().second;
    free.pop();
    order.nodes.push_back(node);
    for (const std::size_t next : behind[node]) {
      if (--open[next] == 0) free.emplace(trace.nodes[next].id, next);
    }
  }
  if (order.nodes.size() == count) return order;
  const auto stuck = std::ranges::find_if(open, [](std::size_t left) { return left > 0; }) - open.begin();
  return refuse(trace.source,
                fmt::format("{} nodes are in a dependency cycle or depend on one, the first of them is {}",
                            count - order.nodes.size(), trace.nodes[static_cast<std::size_t>(stuck)].id));
}

}  // namespace calibrate::imports
