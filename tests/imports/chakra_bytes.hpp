// Small Chakra traces for tests, as protobuf messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace calibrate::imports {

inline std::string wire_varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
  return bytes + static_cast<char>(value);
}

inline std::string wire_number(std::uint32_t field, std::uint64_t value) {
  return wire_varint(field << 3U) + wire_varint(value);
}

inline std::string wire_bytes(std::uint32_t field, const std::string& bytes) {
  return wire_varint(field << 3U | 2U) + wire_varint(bytes.size()) + bytes;
}

/// An attribute whose value is the field `kind` of AttributeProto.
inline std::string chakra_attribute(const std::string& name, std::uint32_t kind, std::uint64_t value) {
  return wire_bytes(10, wire_bytes(1, name) + wire_number(kind, value));
}

/// A node; types are 4 for computing, 7 for a collective.
inline std::string chakra_node(std::uint64_t id, const std::string& name, std::uint64_t type,
                               std::uint64_t micros, const std::vector<std::uint64_t>& data = {},
                               const std::string& attributes = "") {
  std::string message = wire_number(1, id) + wire_bytes(2, name) + wire_number(3, type);
  for (const std::uint64_t needed : data) message += wire_number(5, needed);
  return message + wire_number(7, micros) + attributes;
}

/// An all-reduce of `bytes` bytes: int64 attributes, as PyTorch's converter writes them.
inline std::string chakra_all_reduce_node(std::uint64_t id, std::uint64_t bytes,
                                          const std::vector<std::uint64_t>& data = {}) {
  return chakra_node(id, "ncclKernel_AllReduce", 7, 10, data,
                     chakra_attribute("comm_type", 9, 0) + chakra_attribute("comm_size", 9, bytes));
}

/// The file of one rank.
inline std::string chakra_file(const std::vector<std::string>& nodes) {
  std::string file;
  const std::string metadata = wire_bytes(1, "0.0.4");
  file += wire_varint(metadata.size()) + metadata;
  for (const std::string& node : nodes) file += wire_varint(node.size()) + node;
  return file;
}

}  // namespace calibrate::imports
