// Chakra execution traces: their contents, readers of their three forms, and the import as a workload.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/imports/traced_graph.hpp"
#include "calibrate/imports/traced_workload.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

// A Chakra execution trace: the computation and communication of one rank, with dependencies.

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
inline constexpr std::int64_t chakra_all_gather = 2;
inline constexpr std::int64_t chakra_broadcast = 5;
inline constexpr std::int64_t chakra_all_to_all = 6;
inline constexpr std::int64_t chakra_reduce_scatter = 7;
inline constexpr std::int64_t chakra_reduce_scatter_block = 8;
inline constexpr std::int64_t chakra_barrier = 9;

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
  std::optional<std::int64_t> source;           ///< `comm_src`, a rank
  std::optional<std::int64_t> destination;      ///< `comm_dst`, a rank
  std::optional<std::int64_t> flops;            ///< `num_ops`
  std::optional<std::int64_t> memory_bytes;     ///< `tensor_size`
  std::string group = {};                       ///< `pg_name`; empty: all ranks
};

/// Ranks of a process group, each below `netmodels::most_ranks`; empty: all of the job.
using ChakraGroup = std::vector<std::uint32_t>;

/// The trace of one rank, its nodes in the order of the file.
struct ChakraTrace {
  std::string source;
  std::string version;  ///< version of the schema; empty where the file does not say
  std::vector<ChakraNode> nodes;
  std::map<std::string, ChakraGroup> groups;               ///< groups of `## process_group:init ##`, by name
  std::map<std::string, std::int64_t> unknown_attributes;  ///< and how often each occurs; at most 64
  std::size_t kept_bytes = 0;                              ///< bytes of names and dependencies
};

/// Attributes that are known, whether they are used or not.
bool is_known_chakra_attribute(std::string_view name);

/// The value of an attribute.
struct ChakraValue {
  std::optional<std::int64_t> number;  ///< nothing: text, a list or empty
  std::string text = {};               ///< empty: no text
};

/// Puts an attribute where it belongs, or counts it as unknown.
void take_chakra_attribute(ChakraTrace& trace, ChakraNode& node, const std::string& name,
                           const ChakraValue& value);

/// Adds the process groups that a node of this name has in the values of its inputs: a list of objects with
/// `pg_name` and `ranks`, in brackets or in a text. Other values, and ranks that no job has, are left out.
/// Source: PyTorch, torch/profiler/profiler.py, `_record_pg_config`.
void take_chakra_groups(ChakraTrace& trace, const ChakraNode& node, std::string values);

/// Adds a node.
/// @returns an Error for more than 2,097,152 nodes, and for names and dependencies of more than 512 MB
netmodels::Result<void> add_chakra_node(ChakraTrace& trace, ChakraNode node);

// The wire format of protobuf, as far as Chakra's messages need it.

/// The layout of a field in its message.
enum class WireKind { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// One field of a message.
struct WireField {
  std::uint32_t number = 0;
  WireKind kind = WireKind::varint;
  std::uint64_t value = 0;  ///< value of the three kinds that are numbers
  std::string_view bytes;   ///< part of the message: text, a message, or packed numbers
};

/// Walks the fields of one message, or the varints of a packed field.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }

  /// @returns nothing where the bytes are not a field: cut short, a varint of more than 10 bytes, a group
  std::optional<WireField> field();

  /// @returns nothing where the bytes are cut short or the varint has more than 10 bytes
  std::optional<std::uint64_t> varint();

 private:
  std::optional<std::uint64_t> fixed(std::size_t bytes);

  std::string_view rest_;
};

/// Reads one length-prefixed message.
/// @returns false at the end of the stream; or an Error where the message is cut short, its length is no
/// varint, or above 16 MiB
/// Source: Protocol Buffers, "Encoding".
netmodels::Result<bool> read_message(std::istream& stream, std::string& message);

/// Protobuf's sint32 and sint64: 0, -1, 1, -2, ... of 0, 1, 2, 3, ...
std::int64_t from_zigzag(std::uint64_t value);

// The two JSON forms of Chakra execution traces.

/// Adds the nodes of a text to `trace`: one document with `workload_graph`, or objects one after the other,
/// the first of them the metadata. Numbers may be written as text.
/// @param trace  its `source` is named in errors
/// @returns an Error for JSON that is broken, cut short, not UTF-8 or beyond `files::JsonLimits` (with its
/// byte), for a node that is no object, and those of `add_chakra_node`
netmodels::Result<void> read_chakra_json(const std::string& text, ChakraTrace& trace);

// Reads Chakra execution traces in their three forms.

/// Reads the trace of one rank: length-prefixed protobuf messages (schema 0.0.4), protobuf-JSON objects
/// one after the other (`chakra_jsonizer`), or the feeder's JSON (`workload_graph`). An attribute may have
/// any of protobuf's integer kinds.
/// @param stream  the bytes, unpacked
/// @param source  named in errors
/// @returns an Error for: 0 nodes; a message or JSON that is broken or cut short (with its number or byte);
/// JSON of more than 256 MB, or beyond `files::JsonLimits`; those of `add_chakra_node`
/// Source: Chakra schema/protobuf/et_def.proto, version 0.0.4; chakra_jsonizer; et_feeder's JSON.
netmodels::Result<ChakraTrace> read_chakra(std::istream& stream, const std::string& source);

// The nodes of a Chakra trace in topological order.

/// Indices into `ChakraTrace::nodes`, and the dependencies that could not be followed.
struct ChakraOrder {
  std::vector<std::size_t> nodes;
  std::int64_t dangling_data = 0;     ///< data dependencies on nodes that the trace does not hold
  std::int64_t dangling_control = 0;  ///< control dependencies likewise
};

/// Follows the data dependencies; of all nodes that are free, the one with the smallest id comes first. The
/// control dependencies are calls, and real traces hold cycles of them; they are only counted.
/// @returns an Error for a duplicate id, and for a cycle of nodes
netmodels::Result<ChakraOrder> order_chakra(const ChakraTrace& trace);

// Import of Chakra execution traces as workloads.

/// Brings each rank's nodes into the order of their dependencies and adds up what the device computes: until
/// the first node of the backward pass (its name says `backward`) as the forward pass, from there to each
/// all-reduce as the backward time of the layer that the bucket completes, after the last all-reduce as the
/// optimizer. Where a trace does not distinguish device from host, all computing counts; where no name says
/// `backward`, all of it until the first all-reduce is backward time.
///
/// @param traces  one for each rank; at least one. Each time is that of the slowest rank
/// @returns an Error for: a duplicate id, a cycle of dependencies, no all-reduce
/// of a known size, ranks whose all-reduces differ
/// Leaves out: the host's nodes where there are device nodes of their kind (computing, all-reduces), so that
/// a run bound by its launches comes out too fast; communicators; sends and receives and other collectives
/// (counted).
/// Source: Sridharan et al., "Chakra: Advancing Performance Benchmarking and Co-design using Standardized
/// Execution Traces", 2023; schema 0.0.4.
netmodels::Result<TracedWorkload> import_chakra(const std::vector<ChakraTrace>& traces,
                                                const TraceHints& hints);

// Import of Chakra execution traces as the graphs they are.

/// The rank that takes longest when exchanges take no time, node by node: its computing on the stream of the
/// device, its loads and stores as copies, its host's nodes on the host, its collectives to be priced
/// elsewhere, and the data dependencies between them. A collective of the host is a call where the device has
/// some.
///
/// A trace converted from PyTorch's (with nodes of host and device) ties device nodes to the host's only.
/// There a collective waits for the computing launched before it, as c10d makes its stream wait; a sum that
/// nothing waits for is awaited by the computing launched after the last sum, any other collective by the
/// computing after it.
///
/// @param traces  one for each rank; at least one
/// @param hints   `ranks`: of the job; nothing: as many as there are traces, if there are several
/// @returns an Error for: a duplicate id, a cycle of dependencies, no collective, one without its size or of
/// a kind that has no schedule, an all-gather (whose size is one rank's contribution) of a job of unknown
/// ranks, sends and receives without their ranks, unevenly spaced groups, ranks whose collectives differ.
/// Nodes without a duration that have FLOPs (`num_ops`) or bytes (`tensor_size`) are rows of that work.
/// Leaves out: control dependencies; groups that the trace does not describe (their collectives are among all
/// ranks, and counted); several streams of computing or communication. Source: as above; the meaning of sizes
/// and work: ASTRA-sim, system/collective/Ring.cc, workload/Workload.cc; PyTorch, ProcessGroupNCCL.cpp.
netmodels::Result<TracedGraph> graph_chakra(const std::vector<ChakraTrace>& traces, const TraceHints& hints);

}  // namespace calibrate::imports
