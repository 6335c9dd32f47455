// Reads Chakra execution traces in their three forms.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "calibrate/imports/chakra.hpp"
#include "files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::size_t most_json_bytes = 256'000'000;

/// A JSON object begins by `{`, blanks and `"`; in protobuf the first bytes are a length and a field's tag.
bool begins_as_json(std::string_view text) {
  const std::size_t brace = text.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || text[brace] != '{') return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", brace + 1);
  return next != std::string_view::npos && (text[next] == '"' || text[next] == '}');
}

std::optional<std::int64_t> whole_number(double value) {
  return std::abs(value) < 9e15 && value == std::floor(value) ? std::optional(std::llround(value))
                                                              : std::nullopt;
}

/// The value of an `AttributeProto` as a whole number: any of its integer kinds, booleans, whole
/// floating-point numbers, and text that is a number.
std::optional<std::int64_t> whole_of(const WireField& field) {
  constexpr std::array<std::uint64_t, 7> as_stored{9, 11, 13, 19, 21, 25, 27};
  if (std::ranges::find(as_stored, field.number) != as_stored.end())
    return static_cast<std::int64_t>(field.value);
  switch (field.number) {
    case 3:
      return field.kind == WireKind::fixed64 ? whole_number(std::bit_cast<double>(field.value))
                                             : std::nullopt;
    case 5: return whole_number(std::bit_cast<float>(static_cast<std::uint32_t>(field.value)));
    case 7:
    case 23: return static_cast<std::int32_t>(static_cast<std::uint32_t>(field.value));
    case 15:
    case 17: return from_zigzag(field.value);
    case 29: return files::read_integer(field.bytes);
    default: return std::nullopt;
  }
}

bool take_attribute(std::string_view bytes, ChakraTrace& trace, ChakraNode& node) {
  std::string name;
  ChakraValue value;
  constexpr std::uint32_t as_text = 29;
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.field();
    if (!field) return false;
    if (field->number == 1)
      name = field->bytes;
    else if (const auto whole = whole_of(*field))
      value.number = whole;
    if (field->number == as_text) value.text = field->bytes;
  }
  take_chakra_attribute(trace, node, name, value);
  return true;
}

bool take_ids(const WireField& field, std::vector<std::uint64_t>& ids) {
  if (field.kind == WireKind::varint) ids.push_back(field.value);
  for (WireReader reader(field.bytes); !reader.done();) {
    const auto id = reader.varint();
    if (!id) return false;
    ids.push_back(*id);
  }
  return true;
}

ChakraType type_of(std::uint64_t value) {
  return value <= static_cast<std::uint64_t>(ChakraType::collective) ? static_cast<ChakraType>(value)
                                                                     : ChakraType::invalid;
}

/// The values of an `IOInfo`, which are a text; empty where the bytes are not one.
std::string values_of(std::string_view bytes) {
  std::string values;
  for (WireReader reader(bytes); !reader.done();) {
    const auto field = reader.field();
    if (!field) return values;
    if (field->number == 1) values = field->bytes;
  }
  return values;
}

bool take_encoded_node(std::string_view message, ChakraTrace& trace, ChakraNode& node) {
  std::string_view inputs;
  for (WireReader reader(message); !reader.done();) {
    const auto field = reader.field();
    if (!field) return false;
    switch (field->number) {
      case 1: node.id = field->value; break;
      case 2: node.name = field->bytes; break;
      case 3: node.type = type_of(field->value); break;
      case 4:
      case 5:
        if (!take_ids(*field, field->number == 4 ? node.control : node.data)) return false;
        break;
      case 7: node.duration = {static_cast<double>(field->value) / 1e6}; break;
      case 8: inputs = field->bytes; break;
      case 10:
        if (!take_attribute(field->bytes, trace, node)) return false;
        break;
      default: break;
    }
  }
  take_chakra_groups(trace, node, values_of(inputs));
  return true;
}

bool take_metadata(std::string_view message, ChakraTrace& trace) {
  for (WireReader reader(message); !reader.done();) {
    const auto field = reader.field();
    if (!field) return false;
    if (field->number == 1) trace.version = field->bytes;
  }
  return true;
}

Result<void> read_protobuf(std::istream& stream, ChakraTrace& trace) {
  std::string message;
  for (std::size_t number = 0;; ++number) {
    const std::string where = fmt::format("{}: message {}", trace.source, number + 1);
    const auto more = read_message(stream, message);
    if (!more) return refuse(where, more.error().what, more.error().hint);
    if (!*more) return {};
    ChakraNode node;
    const bool taken = number == 0 ? take_metadata(message, trace) : take_encoded_node(message, trace, node);
    if (!taken)
      return refuse(where, "this is not a message of Chakra's schema 0.0.4", "give the .et file of a rank");
    if (number == 0) continue;
    if (auto added = add_chakra_node(trace, std::move(node)); !added) return added;
  }
}

/// Whether the first byte may begin JSON; it may as well be the length of a protobuf message.
bool may_be_json(std::istream& stream) {
  const int first = stream.peek();
  return first == '{' || first == ' ' || first == '\n' || first == '\r' || first == '\t';
}

/// All that is left, up to one byte more than JSON may have.
std::string rest_of(std::istream& stream) {
  constexpr std::size_t piece = std::size_t{1} << 20U;
  std::string text;
  while (text.size() <= most_json_bytes) {
    const std::size_t old = text.size();
    text.resize(old + piece);
    stream.read(text.data() + old, static_cast<std::streamsize>(piece));
    text.resize(old + static_cast<std::size_t>(stream.gcount()));
    if (text.size() == old) break;
  }
  return text;
}

Result<void> read_either(std::istream& stream, ChakraTrace& trace) {
  if (!may_be_json(stream)) return read_protobuf(stream, trace);
  const std::string text = rest_of(stream);
  if (text.size() > most_json_bytes)
    return refuse(trace.source, "the JSON has more than 256 MB", "give the protobuf form of the trace");
  if (begins_as_json(text)) return read_chakra_json(text, trace);
  std::istringstream again(text);
  return read_protobuf(again, trace);
}

}  // namespace

Result<void> add_chakra_node(ChakraTrace& trace, ChakraNode node) {
  constexpr std::size_t most_nodes = std::size_t{1} << 21U;
  constexpr std::size_t most_kept_bytes = 512'000'000;
  if (trace.nodes.size() == most_nodes)
    return refuse(trace.source, fmt::format("the trace has more than {} nodes", most_nodes),
                  "trace fewer steps");
  node.data.shrink_to_fit();
  node.control.shrink_to_fit();
  trace.kept_bytes += node.name.size() + (node.data.size() + node.control.size()) * sizeof(std::uint64_t);
  if (trace.kept_bytes > most_kept_bytes)
    return refuse(fmt::format("{}: node {}", trace.source, trace.nodes.size() + 1),
                  "the names and dependencies of the nodes take more than 512 MB", "trace fewer steps");
  trace.nodes.push_back(std::move(node));
  return {};
}

Result<ChakraTrace> read_chakra(std::istream& stream, const std::string& source) {
  ChakraTrace trace;
  trace.source = source;
  if (const auto read = read_either(stream, trace); !read) return tl::unexpected(read.error());
  if (trace.nodes.empty()) return refuse(source, "the trace has 0 nodes", "use the complete file");
  return trace;
}

}  // namespace calibrate::imports
