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

/// Number of links of each GPU, the sum over its pairs.
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

/// Whether NVLinks lead from each GPU to each other one, through others if need be.
bool joins_all_gpus(const NodeTopology& node) {
  std::vector<int> reached{0};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (const NvLinkPair& pair : node.pairs) {
      const bool is_end = pair.first == reached[next] || pair.second == reached[next];
      const int other = pair.first == reached[next] ? pair.second : pair.first;
      if (is_end && std::ranges::find(reached, other) == reached.end()) reached.push_back(other);
    }
  }
  return static_cast<int>(reached.size()) == node.gpus;
}

/// Refuses GPUs of which NVLink joins some, unless they are equal couples.
Result<void> check_pairs(const NodeTopology& node) {
  if (node.pairs.empty() || are_couples(node) || joins_all_gpus(node)) return {};
  return refuse(node.source, "NVLink joins some of the GPUs, not all of them and not in equal pairs",
                "give --without-nvlink: exchanges of all GPUs cross PCIe here, which sets their pace");
}

/// A warning of GPUs with fewer links into switches than those of their kind.
std::optional<std::string> links_warning(const NodeTopology& node, int compute_capability) {
  const int links = links_into_switches(node, compute_capability);
  const int usual = most_links(compute_capability);
  if (links == 0 || links >= usual) return std::nullopt;
  return fmt::format(
      "{} NVLinks of a GPU into switches, and GPUs of compute capability {} have {}: check "
      "--compute-capability (70: V100 with 6 links; 80: A100 with 12; 90: H100 and H200 with 18), unless "
      "these are GPUs with fewer links (A800, H800: 8)",
      links, compute_capability, usual);
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

/// Refuses a word that is not empty and that no row has.
Result<void> check_word(const char* option, const std::string& what, const std::string& word,
                        const auto& rows) {
  std::vector<std::string_view> words;
  for (const auto& row : rows) words.push_back(row.name);
  if (word.empty() || std::ranges::find(words, word) != words.end()) return {};
  return refuse(option, fmt::format("unknown {} `{}`", what, word), netmodels::accepted_names(word, words));
}

/// Refuses a kind of network or a vendor that `cluster.nccl` does not know, and a rate that is not one; all
/// may be empty.
Result<void> check_hints(const NodeHints& hints) {
  namespace nccl = netmodels::nccl;
  if (auto known = check_word("--network", "kind", hints.network_kind, names_of(nccl::NetworkKind{})); !known)
    return known;
  if (auto known = check_word("--cpu", "vendor", hints.cpu, names_of(nccl::Processor{})); !known)
    return known;
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

/// Network of a node that lists no interface, from what the caller states.
Result<std::string> print_unlisted_network(const NodeHints& hints, std::vector<std::string>& facts) {
  if (hints.network_kind.empty() && hints.rate.empty()) {
    facts.emplace_back(
        "No network interface is listed: `nccl.network` is to be stated for several nodes, or --network and "
        "--rate.");
    return std::string();
  }
  if (hints.network_kind.empty() || hints.rate.empty())
    return refuse(hints.rate.empty() ? "--network" : "--rate", "no network interface is listed",
                  "give both --network and --rate, of the one interface of a node");
  facts.emplace_back("No network interface is listed: a node has one, as stated.");
  return fmt::format("  network: {{kind: {}, nics_per_node: 1, rate: {}}}\n", hints.network_kind, hints.rate);
}

/// Whether interfaces read GPU memory themselves; nothing where it is the default.
std::optional<bool> gpu_direct_of(const std::vector<NodeInterface>& used, std::vector<std::string>& facts) {
  const bool is_known = std::ranges::all_of(used, [](const auto& one) { return one.gpu_direct.has_value(); });
  if (is_known) return std::ranges::all_of(used, [](const auto& one) { return *one.gpu_direct; });
  if (used.front().nearest <= PciPath::switches) return std::nullopt;
  facts.push_back(
      fmt::format("GPUDirect RDMA is off: by default NCCL takes it up to PXB (NCCL_NET_GDR_LEVEL), and the "
                  "interfaces are {} of the GPUs.",
                  to_string(used.front().nearest)));
  return false;
}

Result<std::string> print_network(const NodeTopology& node, const NodeHints& hints,
                                  std::vector<std::string>& facts) {
  const std::vector<NodeInterface> used = used_interfaces(node, facts);
  if (used.empty()) return print_unlisted_network(hints, facts);
  std::string kind = hints.network_kind.empty() ? kind_by_name(used.front().name) : hints.network_kind;
  if (kind.empty())
    return refuse(node.source, fmt::format("the kind of network of {} is unknown", used.front().name),
                  "state it, as --network infiniband or --network roce");
  GRADSIM_TRY(rate, print_rate(used, hints, node.source));
  std::string text =
      fmt::format("  network: {{kind: {}, nics_per_node: {}, rate: {}", kind, used.size(), *rate);
  const auto direct = kind == "socket" ? std::nullopt : gpu_direct_of(used, facts);
  if (direct) text += fmt::format(", gpu_direct: {}", *direct);
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

namespace {

/// The node with what the caller states.
NodeTopology with_hints(NodeTopology node, const NodeHints& hints) {
  if (hints.compute_capability) node.compute_capability = hints.compute_capability;
  if (!hints.cpu.empty()) node.cpu = hints.cpu;
  if (hints.pcie_generation) node.pcie_generation = hints.pcie_generation;
  if (!hints.without_nvlink) return node;
  node.switch_links = 0;
  node.pairs.clear();
  node.facts.emplace_back("NVLink is left out (--without-nvlink).");
  return node;
}

/// Says what `cluster.nccl` takes where the node is silent.
void note_defaults(const NodeTopology& node, std::vector<std::string>& facts) {
  if (node.cpu.empty())
    facts.emplace_back("The vendor of the processors is not printed: intel is taken; `--cpu` states it.");
  if (!node.pcie_generation)
    facts.push_back(
        fmt::format("The PCIe generation of the GPUs is not printed: {} is taken; `--pcie` states it.",
                    netmodels::nccl::Pcie{}.generation));
}

}  // namespace

Result<PrintedNode> print_node(const NodeTopology& stated, const NodeHints& hints) {
  const NodeTopology node = with_hints(stated, hints);
  if (!node.compute_capability)
    return refuse(node.source, "the compute capability of the GPUs is unknown",
                  "state it, as --compute-capability 90 for an H100");
  if (auto checked = check_hints(hints); !checked) return tl::unexpected(checked.error());
  if (auto checked = check_pairs(node); !checked) return tl::unexpected(checked.error());
  std::vector<std::string> facts = node.facts;
  GRADSIM_TRY(network, print_network(node, hints, facts));
  note_defaults(node, facts);
  PrintedNode printed{comment_line("Node of " + node.source + ".") +
                      comment_line("Use it as `cluster: {use: THIS_FILE, workers: N}`.")};
  if (auto warning = links_warning(node, *node.compute_capability))
    printed.warnings.push_back(std::move(*warning));
  for (const std::string& warning : printed.warnings)
    printed.text += comment_line("Warning: " + warning + ".");
  for (const std::string& fact : facts) printed.text += comment_line(fact);
  printed.text +=
      fmt::format("workers_per_node: {}\nnccl:\n  gpu: {{compute_capability: {}, per_node: {}}}\n", node.gpus,
                  *node.compute_capability, node.gpus);
  printed.text += print_nvlink(node, *node.compute_capability) + print_pcie(node);
  if (!node.cpu.empty()) printed.text += "  cpu: " + node.cpu + "\n";
  printed.text += *network;
  return printed;
}

}  // namespace calibrate::imports
