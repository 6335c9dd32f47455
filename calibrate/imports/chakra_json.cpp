// The two JSON forms of Chakra execution traces.
#include <array>
#include <cmath>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "calibrate/imports/chakra.hpp"
#include "calibrate/imports/json_members.hpp"
#include "files/json_limits.hpp"
#include "files/text_file.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;
using nlohmann::json;

std::optional<std::int64_t> whole(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float() && std::abs(value.get<double>()) < 9e15)
    return std::llround(value.get<double>());
  return value.is_string() ? files::read_integer(value.get_ref<const std::string&>()) : std::nullopt;
}

/// Type by number, or by name as protobuf's JSON has it.
ChakraType type_of(const json& value) {
  constexpr std::array names = {
      std::pair{"METADATA_NODE", ChakraType::metadata},   std::pair{"MEM_LOAD_NODE", ChakraType::load},
      std::pair{"MEM_STORE_NODE", ChakraType::store},     std::pair{"COMP_NODE", ChakraType::compute},
      std::pair{"COMM_SEND_NODE", ChakraType::send},      std::pair{"COMM_RECV_NODE", ChakraType::receive},
      std::pair{"COMM_COLL_NODE", ChakraType::collective}};
  for (const auto& [name, type] : names) {
    if (value == name) return type;
  }
  const auto number = whole(value).value_or(0);
  return number >= 0 && number <= 7 ? static_cast<ChakraType>(number) : ChakraType::invalid;
}

std::vector<std::uint64_t> ids_of(const json& list) {
  std::vector<std::uint64_t> ids;
  if (!list.is_array()) return ids;
  for (const json& id : list) {
    if (const auto number = whole(id)) ids.push_back(static_cast<std::uint64_t>(*number));
  }
  return ids;
}

ChakraValue value_of(const json& value) { return {whole(value), text_or_empty(value)}; }

/// Protobuf's `attr: [{name, int64Val: "5"}]`.
void take_attributes(const json& attributes, ChakraTrace& trace, ChakraNode& node) {
  if (!attributes.is_array()) return;
  for (const json& attribute : attributes) {
    if (!attribute.is_object()) continue;
    ChakraValue value;
    for (const auto& [key, one] : attribute.items()) {
      if (key != "name" && key != "docString") value = value_of(one);
    }
    take_chakra_attribute(trace, node, text_or_empty(member(attribute, "name")), value);
  }
}

Result<void> take_json_node(const json& object, ChakraTrace& trace) {
  if (!object.is_object())
    return refuse(fmt::format("{}: node {}", trace.source, trace.nodes.size() + 1), "expected an object");
  ChakraNode node;
  node.id = static_cast<std::uint64_t>(whole(member(object, {"id", "Id"})).value_or(0));
  node.name = text_or_empty(member(object, {"name", "Name"}));
  node.type = type_of(member(object, {"type", "NodeType"}));
  node.control = ids_of(member(object, {"ctrlDeps", "ctrl_deps"}));
  node.data = ids_of(member(object, {"dataDeps", "data_deps"}));
  const auto duration = whole(member(object, {"durationMicros", "duration_micros"}));
  if (duration && *duration > 0) node.duration = {static_cast<double>(*duration) / 1e6};
  take_attributes(member(object, "attr"), trace, node);
  for (const char* name : {"runtime", "is_cpu_op", "comm_type", "comm_size", "comm_src", "comm_dst",
                           "num_ops", "tensor_size", "pg_name"}) {  // the feeder's, besides the others
    if (object.contains(name)) take_chakra_attribute(trace, node, name, value_of(object[name]));
  }
  if (const json& inputs = member(object, "inputs"); inputs.is_object()) {
    const json& values = member(inputs, "values");
    take_chakra_groups(trace, node, values.is_string() ? values.get<std::string>() : values.dump());
  }
  return add_chakra_node(trace, std::move(node));
}

bool is_metadata(const json& object) {
  return object.is_object() && !object.contains("type") && !object.contains("name") && !object.contains("id");
}

Result<void> take_document(const json& document, bool first, ChakraTrace& trace) {
  const json& graph = document.is_object() ? member(document, "workload_graph") : document;
  if (graph.is_array()) {
    for (const json& node : graph) {
      if (auto taken = take_json_node(node, trace); !taken) return taken;
    }
    return {};
  }
  if (document.is_object() && document.contains("traceEvents"))
    return refuse(trace.source, "a trace of the PyTorch profiler", "use `calibrate import kineto`");
  if (!first || !is_metadata(document)) return take_json_node(document, trace);
  trace.version = text_or_empty(member(document, "version"));
  return {};
}

}  // namespace

Result<void> read_chakra_json(const std::string& text, ChakraTrace& trace) {
  if (auto limited = files::check_json(text, trace.source); !limited) return limited;
  std::istringstream stream(text);
  for (bool first = true; (stream >> std::ws).peek() != std::istream::traits_type::eof(); first = false) {
    const auto begin = static_cast<std::size_t>(stream.tellg());
    json document;
    try {
      stream >> document;
    } catch (const json::exception&) {
      return refuse(fmt::format("{}: in the JSON that begins at byte {}", trace.source, begin + 1),
                    "the JSON is invalid, truncated or not UTF-8", "use the complete file");
    }
    if (auto taken = take_document(document, first, trace); !taken) return taken;
  }
  return {};
}

}  // namespace calibrate::imports
