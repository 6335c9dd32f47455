// A node as its own programs print it: GPUs, NVLink, PCIe and network interfaces, for `cluster.nccl`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Path between a GPU and another device, nearest first.
enum class PciPath : std::uint8_t { one_switch, switches, host_bridge, processors };

/// "PIX", "PXB", "PHB", "SYS".
std::string_view to_string(PciPath path);

/// NVLinks from one GPU to another.
struct NvLinkPair {
  int first = 0;
  int second = 0;
  int links = 0;
};

/// A network interface, and how far it is from the nearest GPU.
struct NodeInterface {
  std::string name;
  PciPath nearest = PciPath::processors;
  std::optional<double> rate_mbit = {};  ///< nothing: not printed
  std::optional<bool> gpu_direct = {};   ///< nothing: not printed
};

/// One node. What the program does not print is nothing.
struct NodeTopology {
  std::string source;                     ///< the file, and the program that printed it
  int gpus = 0;                           ///< GPUs of the node
  std::optional<int> compute_capability;  ///< 10 x major + minor
  int switch_links = 0;                   ///< NVLinks of a GPU into switches; 0: none
  std::vector<NvLinkPair> pairs;          ///< joined without a switch, or as a matrix shows them
  bool pairs_may_be_switched = false;     ///< a matrix shows links through switches as pairs
  std::optional<int> pcie_generation;     ///< PCIe generation of the GPUs
  std::optional<int> pcie_lanes;          ///< PCIe lanes of a GPU
  std::optional<int> gpus_per_uplink;     ///< GPUs that share a link to a processor, at most
  std::string cpu;                        ///< intel, amd, arm; empty: not printed
  std::vector<NodeInterface> interfaces;  ///< all that are listed
  std::vector<std::string> facts;         ///< a sentence each
};

/// Facts that the caller states where the node does not.
struct NodeHints {
  std::optional<int> compute_capability = {};
  std::string network_kind{};  ///< a word of `cluster.nccl.network.kind`
  std::string rate{};          ///< line rate of an interface: `400 Gbit/s`
  std::string cpu{};           ///< a word of `cluster.nccl.cpu`
  std::optional<int> pcie_generation = {};
  bool without_nvlink = false;  ///< GPUs exchange over PCIe alone
};

/// A node as a file, and what may be wrong with it.
struct PrintedNode {
  std::string text;
  std::vector<std::string> warnings{};  ///< a sentence each; no full stop
};

/// `nvidia-smi topo -m`: the matrix of GPUs and interfaces, with the legend of interfaces below it.
/// @returns an Error for a matrix without GPUs, with a row that is cut short, with an unknown word, or with
///          two words for one pair
/// Source: the legend that the program prints.
netmodels::Result<NodeTopology> read_topology_matrix(std::string_view text, const std::string& source);

/// The XML that NCCL writes (NCCL_TOPO_DUMP_FILE), by Expat.
/// @returns an Error with its line for text that is not XML, of another root, with entities, too deep or too
///          large; GPUs of AMD; a build without Expat
/// Source: NCCL, src/graph/xml.cc and topo.cc, 2.18 to 2.29.
netmodels::Result<NodeTopology> read_nccl_topology(std::string_view text, const std::string& source);

/// Either of them: XML begins with `<`.
netmodels::Result<NodeTopology> read_topology(std::string_view text, const std::string& source);

/// A file for `cluster.use`: `workers_per_node` and `nccl`. Interfaces that are as near to a GPU as any
/// count; the others are named.
/// @returns an Error with the option that states what is missing (compute capability, kind and rate of the
///          network), and for NVLinks that do not join all GPUs
netmodels::Result<PrintedNode> print_node(const NodeTopology& stated, const NodeHints& hints);

}  // namespace calibrate::imports
