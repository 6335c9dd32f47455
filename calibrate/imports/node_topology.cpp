// Writes a node as a file of a cluster.
#include "calibrate/imports/node_topology.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "calibrate/imports/traced_workload.hpp"
#include "netmodels/nearest.hpp"
#include "netmodels/quantity.hpp"
#include "settings/nccl_hardware.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;

/// NVLinks that a GPU has: V100 6, A100 12, H100 and later 18.
int most_links(int compute_capability) {
  constexpr int v100 = 70;
  constexpr int a100 = 80;
  constexpr int h100 = 90;
  if (compute_capability < v100) return 4;
  if (compute_capability < a100) return 6;
  return compute_capability < h100 ? 12 : 18;
}

/// Of each GPU, the sum over its pairs.
std::map<int, int> links_by_gpu(const NodeTopology& node) {
  std::map<int, int> links;
  for (const NvLinkPair& pair : node.pairs) {
    links[pair.first] += pair.links;
    links[pair.second] += pair.links;
  }
  return links;
}

int most_of(const std::map<int, int>& links) {
  int most = 0;
  for (const auto& [gpu, count] : links) most = std::max(most, count);
  return most;
}

/// Whether all pairs have as many links.
bool have_equal_links(const NodeTopology& node) {
  const int links = node.pairs.front().links;
  return std::ranges::all_of(node.pairs, [&](const NvLinkPair& pair) { return pair.links == links; });
}

/// Whether each GPU of the node has exactly one partner, and each pair as many links.
bool are_couples(const NodeTopology& node) {
  std::map<int, int> partners;
  for (const NvLinkPair& pair : node.pairs) {
    ++partners[pair.first];
    ++partners[pair.second];
  }
  return static_cast<int>(partners.size()) == node.gpus && most_of(partners) == 1 && have_equal_links(node);
}

/// A matrix shows the links into switches at each pair: more in sum than a GPU has.
int links_into_switches(const NodeTopology& node, int compute_capability) {
  if (node.switch_links > 0 || node.pairs.empty() || !node.pairs_may_be_switched) return node.switch_links;
  const bool is_switched =
      have_equal_links(node) && most_of(links_by_gpu(node)) > most_links(compute_capability);
  return is_switched ? node.pairs.front().links : 0;
}

std::string print_nvlink(const NodeTopology& node, int compute_capability) {
  constexpr int multicasts_from = 90;
  const int into_switches = links_into_switches(node, compute_capability);
  if (into_switches > 0)
    return fmt::format("  nvlink: {{links: {}, fabric: switch, multicast: {}}}\n", into_switches,
                       compute_capability >= multicasts_from);
  if (node.pairs.empty()) return "";
  if (are_couples(node))
    return fmt::format("  nvlink: {{links: {}, fabric: pairs}}\n", node.pairs.front().links);
  std::string mesh;
  for (const NvLinkPair& pair : node.pairs)
    mesh += fmt::format("{}[{}, {}, {}]", mesh.empty() ? "" : ", ", pair.first, pair.second, pair.links);
  return fmt::format("  nvlink: {{fabric: mesh, mesh: [{}]}}\n", mesh);
}

std::string print_pcie(const NodeTopology& node) {
  std::string keys;
  const auto add = [&](std::string_view key, const std::optional<int>& value) {
    if (value) keys += fmt::format("{}{}: {}", keys.empty() ? "" : ", ", key, *value);
  };
  add("generation", node.pcie_generation);
  add("lanes", node.pcie_lanes);
  add("gpus_per_uplink", node.gpus_per_uplink);
  return keys.empty() ? "" : "  pcie: {" + keys + "}\n";
}

/// Interfaces that are as near to a GPU as any, and a sentence about the others.
std::vector<NodeInterface> used_interfaces(const NodeTopology& node, std::vector<std::string>& facts) {
  PciPath nearest = PciPath::processors;
  for (const NodeInterface& one : node.interfaces) nearest = std::min(nearest, one.nearest);
  std::vector<NodeInterface> used;
  std::string others;
  for (const NodeInterface& one : node.interfaces) {
    if (one.nearest == nearest)
      used.push_back(one);
    else
      others += (others.empty() ? "" : ", ") + one.name;
  }
  if (!others.empty())
    facts.push_back(fmt::format("Left out, farther than {} of every GPU: {}.", to_string(nearest), others));
  return used;
}

/// EFA, Slingshot and Ethernet are known by their interfaces' names; Mellanox has two kinds.
std::string kind_by_name(const std::string& name) {
  for (const auto& [begin, kind] :
       {std::pair{"rdmap", "efa"}, std::pair{"efa", "efa"}, std::pair{"hsn", "slingshot"},
        std::pair{"cxi", "slingshot"}, std::pair{"eth", "socket"}, std::pair{"ens", "socket"},
        std::pair{"enp", "socket"}})
    if (name.starts_with(begin)) return kind;
  return "";
}

/// Refuses a kind of network that `cluster.nccl` does not know, and a rate that is not one; both may be
/// empty.
Result<void> check_hints(const NodeHints& hints) {
  std::vector<std::string_view> kinds;
  for (const auto& row : names_of(netmodels::nccl::NetworkKind{})) kinds.push_back(row.name);
  if (!hints.network_kind.empty() && std::ranges::find(kinds, hints.network_kind) == kinds.end())
    return refuse("--network", fmt::format("unknown kind `{}`", hints.network_kind),
                  netmodels::accepted_names(hints.network_kind, kinds));
  if (hints.rate.empty()) return {};
  const auto rate = netmodels::parse<netmodels::Bandwidth>(hints.rate);
  if (rate && rate->count > 0) return {};
  return refuse("--rate", fmt::format("`{}` cannot be read", hints.rate),
                "accepted: a rate such as 400 Gbit/s");
}

Result<std::string> print_rate(const std::vector<NodeInterface>& used, const NodeHints& hints,
                               const std::string& source) {
  if (!hints.rate.empty()) return hints.rate;
  double slowest = 0;
  for (const NodeInterface& one : used) {
    if (!one.rate_mbit)
      return refuse(source, fmt::format("the rate of {} is unknown", one.name),
                    "state that of one interface, as --rate '400 Gbit/s'");
    slowest = slowest == 0 ? *one.rate_mbit : std::min(slowest, *one.rate_mbit);
  }
  constexpr double mbit_per_gbit = 1000;
  return fmt::format("{:g} Gbit/s", slowest / mbit_per_gbit);
}

Result<std::string> print_network(const NodeTopology& node, const NodeHints& hints,
                                  std::vector<std::string>& facts) {
  const std::vector<NodeInterface> used = used_interfaces(node, facts);
  if (used.empty()) {
    facts.emplace_back("No network interface is listed: `nccl.network` is to be stated for several nodes.");
    return std::string();
  }
  std::string kind = hints.network_kind.empty() ? kind_by_name(used.front().name) : hints.network_kind;
  if (kind.empty())
    return refuse(node.source, fmt::format("the kind of network of {} is unknown", used.front().name),
                  "state it, as --network infiniband or --network roce");
  GRADSIM_TRY(rate, print_rate(used, hints, node.source));
  std::string text =
      fmt::format("  network: {{kind: {}, nics_per_node: {}, rate: {}", kind, used.size(), *rate);
  const bool is_known = std::ranges::all_of(used, [](const auto& one) { return one.gpu_direct.has_value(); });
  if (is_known)
    text += fmt::format(", gpu_direct: {}",
                        std::ranges::all_of(used, [](const auto& one) { return *one.gpu_direct; }));
  return text + fmt::format(", path: {}}}\n", to_string(used.front().nearest));
}

}  // namespace

std::string_view to_string(PciPath path) {
  switch (path) {
    case PciPath::one_switch: return "PIX";
    case PciPath::switches: return "PXB";
    case PciPath::host_bridge: return "PHB";
    case PciPath::processors: break;
  }
  return "SYS";
}

Result<NodeTopology> read_topology(std::string_view text, const std::string& source) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_xml = first != std::string_view::npos && text[first] == '<';
  return is_xml ? read_nccl_topology(text, source) : read_topology_matrix(text, source);
}

Result<std::string> print_node(const NodeTopology& node, const NodeHints& hints) {
  const auto capability = hints.compute_capability ? hints.compute_capability : node.compute_capability;
  if (!capability)
    return refuse(node.source, "the compute capability of the GPUs is unknown",
                  "state it, as --compute-capability 90 for an H100");
  if (auto checked = check_hints(hints); !checked) return tl::unexpected(checked.error());
  std::vector<std::string> facts = node.facts;
  GRADSIM_TRY(network, print_network(node, hints, facts));
  if (node.cpu.empty())
    facts.emplace_back("The vendor of the processors is not printed: `nccl.cpu` states it.");
  if (!node.gpus_per_uplink) facts.emplace_back("PCIe of the GPUs is not printed: `nccl.pcie` states it.");
  std::string text = comment_line("Node of " + node.source + ".") +
                     comment_line("Use it as `cluster: {use: THIS_FILE, workers: N}`.");
  for (const std::string& fact : facts) text += comment_line(fact);
  text += fmt::format("workers_per_node: {}\nnccl:\n  gpu: {{compute_capability: {}, per_node: {}}}\n",
                      node.gpus, *capability, node.gpus);
  text += print_nvlink(node, *capability) + print_pcie(node);
  if (!node.cpu.empty()) text += "  cpu: " + node.cpu + "\n";
  return text + *network;
}

}  // namespace calibrate::imports
