// A Chakra execution trace: what one rank computes and exchanges, and what depends on what.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"

namespace calibrate::imports {

/// Source: Chakra schema 0.0.4, et_def.proto, NodeType.
enum class ChakraType {
  invalid = 0,
  metadata = 1,
  load = 2,
  store = 3,
  compute = 4,
  send = 5,
  receive = 6,
  collective = 7,
};

/// Source: Chakra schema 0.0.4, et_def.proto, CollectiveCommType.
inline constexpr std::int64_t chakra_all_reduce = 0;

/// One node of the graph.
struct ChakraNode {
  std::uint64_t id = 0;
  std::string name;
  ChakraType type = ChakraType::invalid;
  std::vector<std::uint64_t> data;     ///< ids of the nodes that it needs
  std::vector<std::uint64_t> control;  ///< ids of the nodes that called it
  netmodels::Seconds duration;
  bool host = false;                            ///< `is_cpu_op`
  std::optional<std::int64_t> collective;       ///< `comm_type`
  std::optional<std::int64_t> exchanged_bytes;  ///< `comm_size`
};

/// The trace of one rank, its nodes in the order of the file.
struct ChakraTrace {
  std::string source;
  std::string version;  ///< of the schema; empty where the file does not say
  std::vector<ChakraNode> nodes;
  std::map<std::string, std::int64_t> unknown_attributes;  ///< and how often each stands
};

/// Attributes that are known, whether they are used or not.
bool is_known_chakra_attribute(std::string_view name);

/// Puts an attribute that is a number where it belongs, or counts it as unknown.
/// @param value  nothing: the attribute is text, a list or empty
void take_chakra_attribute(ChakraTrace& trace, ChakraNode& node, const std::string& name,
                           std::optional<std::int64_t> value);

}  // namespace calibrate::imports
