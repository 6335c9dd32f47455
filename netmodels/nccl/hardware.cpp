// Words of hardware descriptions, and what is wrong with one.
#include "netmodels/nccl/hardware.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "netmodels/nccl/mesh.hpp"
#include "netmodels/nearest.hpp"

namespace netmodels::nccl {
namespace {

/// Words in the order of the enumerations.
constexpr std::array<std::string_view, 7> operation_words{
    "all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "send_recv"};
constexpr std::array<std::string_view, 5> algorithm_words{"tree", "ring", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, 3> protocol_words{"LL", "LL128", "Simple"};

constexpr int oldest_minor = 18;
constexpr int newest_minor = 29;
constexpr std::array unread_minors{24};

/// Compute capabilities for which NCCL's topo.h and tuning.cc have constants.
constexpr std::array known_capabilities{60, 61, 70, 75, 80, 86, 89, 90, 100, 120};
constexpr int most_gpus = 16;
constexpr int most_nics = 64;

Result<void> within(std::string_view key, int value, int least, int most) {
  if (value >= least && value <= most) return {};
  return refuse(std::string(key), fmt::format("`{}` is out of range", value),
                fmt::format("accepted: {} to {}", least, most));
}

Result<void> check_gpu(const Gpu& gpu) {
  if (std::ranges::find(known_capabilities, gpu.compute_capability) == known_capabilities.end())
    return refuse("gpu.compute_capability",
                  fmt::format("unknown compute capability `{}`", gpu.compute_capability),
                  fmt::format("accepted: {}; for GPUs without NCCL (AMD's run RCCL) give a measured table by "
                              "`collective_times`",
                              fmt::join(known_capabilities, ", ")));
  if (auto fine = within("gpu.per_node", gpu.per_node, 1, most_gpus); !fine) return fine;
  if (auto fine = within("gpu.ranks_per_gpu", gpu.ranks_per_gpu, 1, most_gpus); !fine) return fine;
  return within("gpu.per_process", gpu.per_process, 1, gpu.per_node);
}

Result<void> check_mesh_link(const std::vector<int>& link, int gpus) {
  constexpr std::size_t entries = 3;
  constexpr int most_links = 36;
  if (link.size() != entries)
    return refuse("nvlink.mesh", fmt::format("`[{}]` has {} numbers", fmt::join(link, ", "), link.size()),
                  "write GPU, GPU, number of links, such as `[0, 3, 2]`");
  const auto text = fmt::format("`[{}]`", fmt::join(link, ", "));
  for (const int gpu : {link[0], link[1]}) {
    if (gpu < 0 || gpu >= gpus)
      return refuse("nvlink.mesh", fmt::format("{} names GPU {}, and a node has {}", text, gpu, gpus),
                    fmt::format("accepted: GPUs 0 to {}", gpus - 1));
  }
  if (link[0] == link[1])
    return refuse("nvlink.mesh", text + " joins a GPU to itself", "name two different GPUs");
  if (link[2] < 1 || link[2] > most_links)
    return refuse("nvlink.mesh", fmt::format("{} has {} links", text, link[2]),
                  fmt::format("accepted: 1 to {}", most_links));
  return {};
}

Result<void> check_mesh(const NvLink& nvlink, int gpus) {
  if (nvlink.fabric != Fabric::mesh) {
    if (nvlink.mesh.empty()) return {};
    return refuse("nvlink.mesh", "links of a mesh are given, and the fabric has none",
                  "write `fabric: mesh`, or leave out `mesh`");
  }
  std::set<std::pair<int, int>> seen;
  for (const auto& link : nvlink.mesh) {
    if (auto fine = check_mesh_link(link, gpus); !fine) return fine;
    if (!seen.insert(std::minmax(link[0], link[1])).second)
      return refuse("nvlink.mesh", fmt::format("GPUs {} and {} are joined twice", link[0], link[1]),
                    "write their number of links once");
  }
  const auto apart = first_unreached(nvlink.mesh, gpus);
  if (!apart) return {};
  return refuse("nvlink.mesh",
                fmt::format("the mesh is not connected: no links lead from GPU 0 to GPU {}", *apart),
                "join all GPUs of the node, directly or through others");
}

Result<void> check_nvlink(const NvLink& nvlink, const Gpu& gpu) {
  constexpr int most_links = 36;
  const bool has_links = nvlink.fabric == Fabric::all_to_all || nvlink.fabric == Fabric::pairs;
  if (has_links) {
    if (auto fine = within("nvlink.links", nvlink.links, 1, most_links); !fine) return fine;
  } else if (nvlink.links != 0) {
    return refuse("nvlink.links",
                  fmt::format("{} links are given without a fabric that has them", nvlink.links),
                  "write `fabric: switch` or `fabric: pairs`, or leave out `links`");
  }
  if (nvlink.link_rate && nvlink.link_rate->count <= 0)
    return refuse("nvlink.link_rate", "the rate is 0", "accepted: a rate above 0");
  if (nvlink.multicast && nvlink.fabric != Fabric::all_to_all)
    return refuse("nvlink.multicast", "only switches multicast", "write `fabric: switch`, or leave it out");
  if (nvlink.multicast && gpu.compute_capability < 90)
    return refuse("nvlink.multicast",
                  fmt::format("GPUs of compute capability {} do not multicast", gpu.compute_capability),
                  "accepted from 90 on");
  return check_mesh(nvlink, gpu.per_node);
}

Result<void> check_network(const Network& network) {
  if (auto fine = within("network.nics_per_node", network.nics_per_node, 1, most_nics); !fine) return fine;
  if (network.rate.count <= 0) return refuse("network.rate", "the rate is 0", "accepted: a rate above 0");
  if (network.measured_rate && network.measured_rate->count <= 0)
    return refuse("network.measured_rate", "the rate is 0", "accepted: a rate above 0, or leave it out");
  if (network.measured_rate && network.measured_rate->count > network.rate.count)
    return refuse(
        "network.measured_rate",
        fmt::format("{} are above the line rate of {}", print(*network.measured_rate), print(network.rate)),
        "write the goodput of one interface in one direction");
  if (network.plugin_latency.count < 0)
    return refuse("network.plugin_latency", "the latency is below 0", "accepted: 0 or more");
  return {};
}

Result<void> check_measured(const Measured& measured) {
  const auto& points = measured.points;
  if (points.empty()) return refuse("measured.points", "no points are given", "write at least one");
  for (const auto& point : points) {
    if (point.size.count <= 0 || point.time.count <= 0)
      return refuse("measured.points", "a size or a time is 0", "accepted: sizes and times above 0");
  }
  const auto falls = [](const MeasuredPoint& a, const MeasuredPoint& b) { return a.size >= b.size; };
  if (std::ranges::adjacent_find(points, falls) != points.end())
    return refuse("measured.points", "the sizes do not increase", "write the smallest size first, each once");
  return {};
}

}  // namespace

std::string_view to_string(Operation operation) {
  return operation_words.at(static_cast<std::size_t>(operation));
}

std::string_view to_string(Algorithm algorithm) {
  return algorithm_words.at(static_cast<std::size_t>(algorithm));
}

std::string_view to_string(Protocol protocol) {
  return protocol_words.at(static_cast<std::size_t>(protocol));
}

Result<Operation> find_operation(std::string_view name) {
  const auto* found = std::ranges::find(operation_words, name);
  if (found != operation_words.end()) return static_cast<Operation>(found - operation_words.begin());
  return refuse("", fmt::format("unknown operation `{}`", name), accepted_names(name, operation_words));
}

Result<int> minor_version(const std::string& version) {
  const auto fail = [&] {
    return refuse("", fmt::format("unknown constants of NCCL `{}`", version),
                  fmt::format("accepted: 2.{} to 2.{}", oldest_minor, newest_minor));
  };
  if (!version.starts_with("2.")) return fail();
  int minor = 0;
  const char* end = version.data() + version.size();
  const auto [rest, error] = std::from_chars(version.data() + 2, end, minor);
  if (error != std::errc{} || (rest != end && *rest != '.')) return fail();
  if (minor < oldest_minor || minor > newest_minor) return fail();
  return minor;
}

bool constants_were_read(int minor) { return std::ranges::find(unread_minors, minor) == unread_minors.end(); }

Result<void> validate(const Hardware& hardware) {
  const auto version = minor_version(hardware.version);
  if (!version) return refuse("version", version.error().what, version.error().hint);
  if (auto fine = check_gpu(hardware.gpu); !fine) return fine;
  if (auto fine = check_nvlink(hardware.nvlink, hardware.gpu); !fine) return fine;
  if (auto fine = within("pcie.generation", hardware.pcie.generation, 3, 6); !fine) return fine;
  if (auto fine = within("pcie.lanes", hardware.pcie.lanes, 1, 16); !fine) return fine;
  if (auto fine = within("pcie.gpus_per_uplink", hardware.pcie.gpus_per_uplink, 1, most_gpus); !fine)
    return fine;
  if (hardware.network) {
    if (auto fine = check_network(*hardware.network); !fine) return fine;
  }
  return hardware.measured ? check_measured(*hardware.measured) : Result<void>{};
}

namespace {

/// Whether these GPUs are of a node, and one for each of its ranks.
Result<void> check_gpus(const Hardware& hardware, const Group& group) {
  for (const int gpu : group.gpus) {
    if (gpu < 0 || gpu >= hardware.gpu.per_node)
      return refuse("gpu.per_node", fmt::format("GPU {} of a node with {}", gpu, hardware.gpu.per_node),
                    fmt::format("accepted: GPUs 0 to {}", hardware.gpu.per_node - 1));
  }
  const std::set<int> different(group.gpus.begin(), group.gpus.end());
  if (!group.gpus.empty() && static_cast<int>(different.size()) != group.per_node())
    return refuse("gpu.per_node",
                  fmt::format("{} different GPUs for {} ranks a node", different.size(), group.per_node()),
                  "name one GPU for each rank of a node");
  return {};
}

}  // namespace

Result<void> validate(const Hardware& hardware, const Group& group) {
  if (group.nodes < 1 || group.ranks < 1 || group.ranks % group.nodes != 0)
    return refuse("ranks", fmt::format("{} ranks do not fill {} nodes evenly", group.ranks, group.nodes),
                  "a multiple of the number of nodes is accepted");
  const int most = most_ranks_of_node(hardware);
  if (group.per_node() > 1 && hardware.gpu.ranks_per_gpu > 1)
    return refuse("gpu.ranks_per_gpu",
                  fmt::format("{} ranks a node share GPUs, and NCCL refuses two of a node on one GPU",
                              group.per_node()),
                  "give each rank a node of its own, as distinct NCCL_HOSTID do: 1 rank a node");
  if (group.per_node() > most)
    return refuse("gpu.per_node",
                  fmt::format("{} ranks a node, and a node has {} GPUs", group.per_node(), most),
                  fmt::format("accepted: up to {} ranks a node", most));
  if (group.nodes > 1 && !hardware.network)
    return refuse("network", fmt::format("{} nodes without a network", group.nodes),
                  "write for example `network: {kind: roce, nics_per_node: 8, rate: 400 Gbit/s}`");
  return check_gpus(hardware, group);
}

}  // namespace netmodels::nccl
