// Reads the XML in which NCCL writes what it has found of a node.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "calibrate/imports/node_topology.hpp"
#include "files/text_file.hpp"

#if GRADSIM_HAS_EXPAT
#include <expat.h>
#endif

namespace calibrate::imports {

using netmodels::refuse;
using netmodels::Result;

#if GRADSIM_HAS_EXPAT

namespace {

constexpr std::size_t most_topology_bytes = 8'000'000;
constexpr std::size_t most_elements = 100'000;
constexpr std::size_t deepest_element = 64;
constexpr std::string_view gpu_class = "0x03";         // begins the PCI class of display controllers
constexpr std::string_view switch_class = "0x068000";  // NVSwitch; 0x068001 is a POWER processor

using Attributes = std::map<std::string, std::string, std::less<>>;

/// One open element: its index, its processor and the PCI devices above and including it.
struct OpenElement {
  std::string name;
  std::vector<int> path;  ///< PCI devices, from the processor
  int processor = -1;
  Attributes pci;  ///< attributes of the innermost PCI device
};

struct NcclGpu {
  std::vector<int> path;
  int processor = -1;
  std::string bus;
  Attributes pci;
  int compute_capability = 0;
};

struct NcclNet {
  std::vector<int> path;
  int processor = -1;
  Attributes keys;
};

struct NcclLink {
  std::size_t gpu = 0;
  std::string target;
  std::string type;  ///< PCI class of the target
  int count = 0;
};

/// Result of Expat's events so far, with the first error.
struct NcclSystem {
  XML_Parser parser = nullptr;
  std::string source{};
  std::vector<OpenElement> open{};
  std::size_t elements = 0;
  int devices = 0;
  int processors = 0;
  std::string cpu{};
  std::vector<NcclGpu> gpus{};
  std::vector<NcclNet> nets{};
  std::vector<NcclLink> links{};
  std::map<std::string, int> left_out{};
  std::optional<netmodels::Error> error = {};

  void fail(std::string what, std::string hint) {
    if (error) return;
    error = netmodels::Error{files::place(source, static_cast<int>(XML_GetCurrentLineNumber(parser)),
                                          static_cast<int>(XML_GetCurrentColumnNumber(parser)) + 1),
                             std::move(what), std::move(hint)};
    XML_StopParser(parser, XML_FALSE);
  }
};

const std::string& value_of(const Attributes& keys, std::string_view key) {
  static const std::string none;
  const auto found = keys.find(key);
  return found == keys.end() ? none : found->second;
}

/// A count of an attribute; an error where it is another text.
int count_of(NcclSystem& system, const Attributes& keys, std::string_view key, int most) {
  const auto number = files::read_integer(value_of(keys, key));
  if (number && *number >= 0 && *number <= most) return static_cast<int>(*number);
  system.fail(fmt::format("`{}` = \"{}\" is not a number", key, value_of(keys, key)),
              fmt::format("accepted: 0 to {}", most));
  return 0;
}

std::string vendor_of(const Attributes& cpu) {
  const std::string& vendor = value_of(cpu, "vendor");
  if (value_of(cpu, "arch").starts_with("arm") || value_of(cpu, "arch") == "aarch64") return "arm";
  if (vendor.find("Intel") != std::string::npos) return "intel";
  return vendor.find("AMD") != std::string::npos ? "amd" : "";
}

void begin_gpu(NcclSystem& system, const Attributes& keys, const OpenElement& place) {
  constexpr int most_capability = 999;
  if (keys.contains("gcn")) {
    system.fail("a GPU of AMD, whose library is not described by `nccl`",
                "use the topology of GPUs of NVIDIA");
    return;
  }
  system.gpus.push_back({place.path, place.processor, value_of(place.pci, "busid"), place.pci,
                         count_of(system, keys, "sm", most_capability)});
}

void begin_link(NcclSystem& system, const Attributes& keys) {
  constexpr int most = 1000;
  if (system.gpus.empty()) return system.fail("`nvlink` outside a GPU", "use the file as NCCL wrote it");
  system.links.push_back({system.gpus.size() - 1, value_of(keys, "target"), value_of(keys, "tclass"),
                          count_of(system, keys, "count", most)});
}

void begin_element(NcclSystem& system, const std::string& name, const Attributes& keys) {
  if (system.open.empty() && name != "system")
    return system.fail(fmt::format("the root is `{}`", name), "use the file that NCCL_TOPO_DUMP_FILE names");
  OpenElement place = system.open.empty() ? OpenElement{} : system.open.back();
  place.name = name;
  if (name == "cpu") {
    place.processor = system.processors++;
    if (system.cpu.empty()) system.cpu = vendor_of(keys);
  } else if (name == "pci") {
    place.path.push_back(system.devices++);
    place.pci = keys;
  } else if (name == "gpu") {
    begin_gpu(system, keys, place);
  } else if (name == "nvlink") {
    begin_link(system, keys);
  } else if (name == "net") {
    system.nets.push_back({place.path, place.processor, keys});
  } else if (name != "system" && name != "nic" && name != "pcilink") {
    ++system.left_out[name];
  }
  system.open.push_back(std::move(place));
}

void XMLCALL on_begin(void* data, const XML_Char* name, const XML_Char** attributes) {
  auto& system = *static_cast<NcclSystem*>(data);
  if (++system.elements > most_elements || system.open.size() >= deepest_element)
    return system.fail("too many elements, or too deep ones", "use the file as NCCL wrote it");
  Attributes keys;
  for (; *attributes != nullptr; attributes += 2) keys[attributes[0]] = attributes[1];
  begin_element(system, name, keys);
}

void XMLCALL on_end(void* data, const XML_Char* /*name*/) {
  auto& system = *static_cast<NcclSystem*>(data);
  if (!system.open.empty()) system.open.pop_back();
}

void XMLCALL on_doctype(void* data, const XML_Char* /*name*/, const XML_Char* /*system*/,
                        const XML_Char* /*public_id*/, int /*has_internal*/) {
  static_cast<NcclSystem*>(data)->fail("a document type, which may name entities", "leave it out");
}

/// Path between two devices, by the PCI switches above them.
PciPath path_between(const NcclGpu& gpu, const NcclNet& net) {
  if (gpu.processor != net.processor) return PciPath::processors;
  const auto [of_gpu, of_net] = std::ranges::mismatch(gpu.path, net.path);
  if (of_gpu == gpu.path.begin()) return PciPath::host_bridge;
  const bool direct = gpu.path.end() - of_gpu <= 1 && net.path.end() - of_net <= 1;
  return direct ? PciPath::one_switch : PciPath::switches;
}

/// `16.0 GT/s PCIe`: 4.
std::optional<int> generation_of(const std::string& speed) {
  struct Rate {
    std::string_view begin;
    int generation;
  };
  constexpr std::array rates{Rate{"2.5", 1}, Rate{"5", 2},  Rate{"8", 3},
                             Rate{"16", 4},  Rate{"32", 5}, Rate{"64", 6}};
  const std::string_view number = std::string_view(speed).substr(0, speed.find_first_of(" ."));
  const bool is_first = speed.starts_with("2.5");
  const auto found = std::ranges::find(rates, is_first ? "2.5" : number, &Rate::begin);
  return found == rates.end() ? std::nullopt : std::optional(found->generation);
}

int gpus_of_one_uplink(const std::vector<NcclGpu>& gpus) {
  std::map<int, int> by_uplink;
  int most = 1;
  for (const NcclGpu& gpu : gpus)
    if (gpu.path.size() > 1) most = std::max(most, ++by_uplink[gpu.path.front()]);
  return most;
}

/// Links to other GPUs as pairs; those into switches as their sum for one GPU; others are named.
Result<void> take_links(const NcclSystem& system, NodeTopology& node) {
  std::vector<int> into_switches(system.gpus.size());
  std::map<std::string, int> others;
  for (const NcclLink& link : system.links) {
    const auto target = std::ranges::find(system.gpus, link.target, &NcclGpu::bus);
    if (link.type == switch_class) {
      into_switches[link.gpu] += link.count;
    } else if (!link.type.starts_with(gpu_class)) {
      others["devices of class " + (link.type.empty() ? "unknown" : link.type)] += link.count;
    } else if (target == system.gpus.end()) {
      others["GPUs that are not in the file"] += link.count;
    } else {
      const int other = static_cast<int>(target - system.gpus.begin());
      const int own = static_cast<int>(link.gpu);
      if (own < other) node.pairs.push_back({own, other, link.count});
    }
  }
  for (const auto& [targets, count] : others)
    node.facts.push_back(fmt::format("Left out: {} NVLinks to {}.", count, targets));
  const auto [least, most] = std::ranges::minmax(into_switches);
  if (least != most)
    return refuse(node.source, fmt::format("GPUs with {} and with {} NVLinks into switches", least, most),
                  "a node whose GPUs are alike");
  node.switch_links = most;
  return {};
}

/// Interfaces that NCCL uses: it writes no `dev` for others, and `keep` = 0 for those that it has fused into
/// a virtual one, which is in the file, too.
bool is_used(const NcclNet& net) {
  return !value_of(net.keys, "dev").empty() && value_of(net.keys, "keep") != "0";
}

void take_interfaces(const NcclSystem& system, NodeTopology& node) {
  std::string unused;
  for (const NcclNet& net : system.nets) {
    NodeInterface one{value_of(net.keys, "name")};
    if (!is_used(net)) {
      unused += (unused.empty() ? "" : ", ") + one.name;
      continue;
    }
    for (const NcclGpu& gpu : system.gpus) one.nearest = std::min(one.nearest, path_between(gpu, net));
    const auto rate = files::read_number(value_of(net.keys, "speed"));
    if (rate && std::isfinite(*rate) && *rate > 0) one.rate_mbit = rate;
    if (net.keys.contains("gdr")) one.gpu_direct = value_of(net.keys, "gdr") != "0";
    node.interfaces.push_back(std::move(one));
  }
  if (!unused.empty()) node.facts.push_back(fmt::format("Left out, not used by NCCL: {}.", unused));
}

Result<NodeTopology> node_of(const NcclSystem& system) {
  NodeTopology node;
  node.source = system.source + " (NCCL's topology)";
  node.gpus = static_cast<int>(system.gpus.size());
  if (node.gpus == 0) return refuse(node.source, "no GPU found", "use the file as NCCL wrote it");
  const NcclGpu& first = system.gpus.front();
  for (const NcclGpu& gpu : system.gpus)
    if (gpu.compute_capability != first.compute_capability)
      return refuse(node.source, "GPUs of several kinds", "a node whose GPUs are alike");
  node.compute_capability = first.compute_capability;
  node.cpu = system.cpu;
  node.pcie_generation = generation_of(value_of(first.pci, "link_speed"));
  if (const auto lanes = files::read_integer(value_of(first.pci, "link_width")); lanes && *lanes > 0)
    node.pcie_lanes = static_cast<int>(std::min(*lanes, 32LL));
  node.gpus_per_uplink = gpus_of_one_uplink(system.gpus);
  if (auto taken = take_links(system, node); !taken) return tl::unexpected(taken.error());
  take_interfaces(system, node);
  for (const auto& [name, count] : system.left_out)
    node.facts.push_back(fmt::format("Left out: {} elements `{}`.", count, name));
  return node;
}

}  // namespace

Result<NodeTopology> read_nccl_topology(std::string_view text, const std::string& source) {
  if (text.size() > most_topology_bytes)
    return refuse(source, fmt::format("{} bytes", text.size()),
                  fmt::format("accepted: up to {} bytes", most_topology_bytes));
  const std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser(XML_ParserCreate(nullptr),
                                                                       XML_ParserFree);
  NcclSystem system{.parser = parser.get(), .source = source};
  XML_SetUserData(parser.get(), &system);
  XML_SetElementHandler(parser.get(), on_begin, on_end);
  XML_SetStartDoctypeDeclHandler(parser.get(), on_doctype);
  const auto status = XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
  if (system.error) return tl::unexpected(*system.error);
  if (status != XML_STATUS_OK)
    return refuse(
        files::place(source, static_cast<int>(XML_GetCurrentLineNumber(parser.get())),
                     static_cast<int>(XML_GetCurrentColumnNumber(parser.get())) + 1),
        fmt::format("the XML is invalid or truncated: {}", XML_ErrorString(XML_GetErrorCode(parser.get()))),
        "use the file as NCCL wrote it");
  return node_of(system);
}

#else

Result<NodeTopology> read_nccl_topology(std::string_view /*text*/, const std::string& source) {
  return refuse(source, "this build reads no XML", "build it with Expat (libexpat1-dev)");
}

#endif

}  // namespace calibrate::imports
