// The hardware and software that NCCL's choices and times follow from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace netmodels::nccl {

enum class Operation : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  alltoall,
  send_recv
};
enum class Algorithm : std::uint8_t { tree, ring, nvls, nvls_tree, pat };
enum class Protocol : std::uint8_t { LL, LL128, simple };

std::string_view to_string(Operation operation);
std::string_view to_string(Algorithm algorithm);
std::string_view to_string(Protocol protocol);
/// Whether bytes go one way only, from or to one rank: broadcast and reduce.
constexpr bool is_rooted(Operation operation) {
  return operation == Operation::broadcast || operation == Operation::reduce;
}
/// @returns an Error with an empty `where` that names the nearest operation
Result<Operation> find_operation(std::string_view name);

/// The library of collectives: RCCL, say, has constants of its own, which are unknown here.
enum class Library : std::uint8_t { nccl };

/// How NVLink joins the GPUs of a node.
enum class Fabric : std::uint8_t {
  none,        ///< only PCIe
  all_to_all,  ///< every GPU into the same switches
  mesh,        ///< the links of `NvLink::mesh`
  pairs,       ///< GPU 0 with 1, 2 with 3, ...; PCIe between the pairs
};
enum class Processor : std::uint8_t { intel, amd, arm };
enum class NetworkKind : std::uint8_t { infiniband, roce, slingshot, efa, socket, tcpx, tcpxo };
/// Path between a GPU and its network interface, in NCCL's words.
enum class NicPath : std::uint8_t { pix, pxb, pxn, phb, sys };
enum class TunerKind : std::uint8_t { nccl, plugin };

/// The GPUs of a node.
struct Gpu {
  int compute_capability = 0;  ///< 10 x major + minor: 80 for an A100
  int per_node = 1;            ///< 1 to 16
  int per_process = 1;         ///< GPUs that one thread drives: `nccl-tests -g`
  int ranks_per_gpu = 1;       ///< above 1: ranks share a GPU by time slices

  bool operator==(const Gpu&) const = default;
};

struct NvLink {
  int links = 0;                            ///< links of a GPU, into the switches or to its partner
  std::optional<Bandwidth> link_rate = {};  ///< rate of a link, one direction; nothing: by the capability
  Fabric fabric = Fabric::none;
  bool multicast = false;                   ///< switches that reduce and broadcast (NVLink SHARP)
  std::vector<std::vector<int>> mesh = {};  ///< joined pairs: GPU, GPU, number of links

  bool operator==(const NvLink&) const = default;
};

struct Pcie {
  int generation = 3;        ///< 3 to 6
  int lanes = 16;            ///< 1 to 16
  bool peer_to_peer = true;  ///< false: GPUs exchange through the memory of the host
  int gpus_per_uplink = 1;   ///< GPUs that send through the same link to the processor at once

  bool operator==(const Pcie&) const = default;
};

struct Network {
  NetworkKind kind = NetworkKind::infiniband;
  int nics_per_node = 1;
  Bandwidth rate = {};  ///< line rate of one interface, one direction
  std::optional<Bandwidth> measured_rate =
      {};  ///< goodput of one interface; nothing: a usual share of `rate`
  bool gpu_direct = true;
  NicPath path = NicPath::pix;
  Seconds plugin_latency = {};  ///< latency that the network plugin states for itself (aws-ofi-nccl: 75 us)

  bool operator==(const Network&) const = default;
};

/// NCCL_PROTO, NCCL_ALGO, and a tuner plugin.
struct Environment {
  std::vector<Protocol> protocols = {};    ///< empty: all
  std::vector<Algorithm> algorithms = {};  ///< empty: all
  TunerKind tuner = TunerKind::nccl;       ///< plugin: choices are not NCCL's own

  bool operator==(const Environment&) const = default;
};

/// A measured time, of the hardware that is described.
struct MeasuredPoint {
  Bytes size = {};
  Seconds time = {};

  bool operator==(const MeasuredPoint&) const = default;
};

/// Times of one operation: the smallest size sets an offset, the largest a factor on the time that grows with
/// size, for all operations and any number of ranks. Of three points and more, the times of the measured
/// operation on these ranks are then multiplied by the ratio of measured to computed time, interpolated.
struct Measured {
  Operation operation = Operation::all_reduce;
  std::optional<std::uint32_t> ranks = {};  ///< ranks of the measurement; nothing: as many as are asked for
  std::optional<std::uint32_t> nodes = {};  ///< likewise; with `ranks` only: 1
  std::vector<MeasuredPoint> points = {};   ///< sizes rising; one sets the factor alone

  bool operator==(const Measured&) const = default;
};

struct Hardware {
  std::string version = "2.26";         ///< version of NCCL, 2.18 to 2.29
  std::optional<Library> library = {};  ///< nothing: NCCL
  Gpu gpu = {};
  NvLink nvlink = {};
  Pcie pcie = {};
  Processor cpu = Processor::intel;
  std::optional<Network> network = {};  ///< nothing: one node
  Environment environment = {};
  std::optional<Measured> measured = {};

  bool operator==(const Hardware&) const = default;
};

/// Ranks that NCCL may take to be on one node: its GPUs. NCCL refuses two ranks of a node on one GPU
/// ("Duplicate GPU detected", init.cc), so that ranks that share one are on a node each (NCCL_HOSTID).
constexpr int most_ranks_of_node(const Hardware& hardware) {
  return hardware.gpu.ranks_per_gpu > 1 ? 1 : hardware.gpu.per_node;
}

/// The ranks of one communicator, as many on each node.
struct Group {
  std::uint32_t ranks = 1;
  std::uint32_t nodes = 1;
  std::vector<int> gpus = {};  ///< GPUs of each node that take part; empty: the first ones

  [[nodiscard]] int per_node() const { return static_cast<int>(ranks / nodes); }
};

/// The 26 of "2.26" or "2.26.6".
/// @returns an Error with an empty `where` for versions whose constants are unknown
Result<int> minor_version(const std::string& version);

/// Whether the constants of a version were read from its source; of 2.24 they were not, and those of 2.25 are
/// taken.
bool constants_were_read(int minor);

/// Checks every figure. Errors name the key below `nccl` in `where`, such as `gpu.compute_capability`.
Result<void> validate(const Hardware& hardware);

/// Checks that the ranks fit on the hardware.
Result<void> validate(const Hardware& hardware, const Group& group);

}  // namespace netmodels::nccl
