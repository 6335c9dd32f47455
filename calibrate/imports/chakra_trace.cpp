// A Chakra execution trace: what one rank computes and exchanges, and what depends on what.
#include <algorithm>
#include <array>

#include "calibrate/imports/chakra.hpp"

namespace calibrate::imports {
namespace {

constexpr std::size_t most_unknown = 64;  // names that are told apart; a broken file may hold any number

// Source: Chakra schema 0.0.4 and its PyTorch converter; astra-sim's workload layer.
constexpr auto known = std::to_array<std::string_view>(
    {"is_cpu_op",     "comm_type",      "comm_size",    "comm_src", "comm_dst",    "comm_tag",
     "comm_priority", "pg_name",        "involved_dim", "num_ops",  "tensor_size", "runtime",
     "rf_id",         "fw_parent",      "seq_id",       "scope",    "tid",         "fw_tid",
     "op_schema",     "kernel_backend", "kernel_file",  "stream",   "pid",         "schema"});

}  // namespace

bool is_known_chakra_attribute(std::string_view name) {
  return std::ranges::find(known, name) != known.end();
}

void take_chakra_attribute(ChakraTrace& trace, ChakraNode& node, const std::string& name,
                           std::optional<std::int64_t> value) {
  if (!is_known_chakra_attribute(name)) {
    const bool room = trace.unknown_attributes.size() < most_unknown;
    if (room || trace.unknown_attributes.contains(name)) ++trace.unknown_attributes[name];
  }
  if (!value) return;
  if (name == "is_cpu_op") node.host = *value != 0;
  if (name == "comm_type") node.collective = value;
  if (name == "comm_size") node.exchanged_bytes = value;
  if (name == "runtime" && node.duration == netmodels::Seconds{} && *value > 0)
    node.duration = {static_cast<double>(*value) / 1e6};
}

}  // namespace calibrate::imports
