// NCCL's graph search in closed form.
#include "netmodels/nccl/graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "netmodels/nccl/mesh.hpp"

namespace netmodels::nccl {
namespace {

// NCCL's constants, in its own unit, GB/s of 10^9 bytes.

constexpr double giga = 1e9;
constexpr double rounding = 1e-6;
constexpr int most_search_channels = 32;  // MAXCHANNELS / 2
constexpr int most_channels = 64;

// search.cc: speedArrayIntra, speedArrayInter and their variants.
constexpr std::array inside_70{40., 30., 20., 18., 15., 12., 10., 9., 7., 6., 5., 4., 3.};
constexpr std::array inside_90{60., 50., 40., 30., 24., 20., 15., 12., 11., 6., 3.};
constexpr std::array inside_90_until_18{60., 40., 30., 24., 20., 15., 12., 6., 3.};
constexpr std::array inside_100{90., 80., 70., 60., 50., 40., 30., 24., 20., 19.};
constexpr std::array inside_100_since_28{90., 80., 70., 60., 50., 40., 30., 24., 20., 19., 18.};
constexpr std::array inside_100_since_29{90., 80., 70., 60., 50., 45., 40., 30., 24., 20., 19., 18.};
constexpr std::array between_70{48., 30., 28., 24., 20., 18., 15., 12., 10., 9.,
                                7.,  6.,  5.,  4.,  3.,  2.4, 1.2, .24, .12};
constexpr std::array between_90{48., 45., 42., 40., 30., 24., 22., 20., 17.5,
                                15., 12., 6.,  3.,  2.4, 1.2, .24, .12};
constexpr std::array between_100_since_28{96.,  48., 45.1, 45., 42., 40., 30., 24., 22., 20.,
                                          17.5, 15., 12.,  6.,  3.,  2.4, 1.2, .24, .12};
constexpr std::array between_100_since_29{96., 80.,  48., 45.1, 45., 42., 40., 30., 24., 22.,
                                          20., 17.5, 15., 12.,  6.,  3.,  2.4, 1.2, .24, .12};

using Speeds = std::span<const double>;

Speeds speeds_inside(int capability, int minor) {
  if (capability >= 100) {
    if (minor >= 29) return inside_100_since_29;
    if (minor >= 28) return inside_100_since_28;
    return inside_100;
  }
  if (capability < 90) return inside_70;
  return minor > 18 ? Speeds(inside_90) : Speeds(inside_90_until_18);
}

Speeds speeds_between(int capability, int minor) {
  if (capability >= 100 && minor >= 29) return between_100_since_29;
  if (capability >= 100 && minor >= 28) return between_100_since_28;
  return capability >= 90 ? Speeds(between_90) : Speeds(between_70);
}

/// topo.h: SM60_NVLINK_BW and its variants.
double link_rating(int capability, int minor) {
  if (capability >= 100) return minor >= 27 ? 40.1 : 40.0;
  if (capability >= 90) return minor >= 21 ? 20.6 : 20.0;
  if (capability == 86) return 12;
  return capability >= 70 ? 20 : 18;
}

int whole(double value) { return static_cast<int>(std::floor(value + rounding)); }

/// One search: what bounds the channels at a speed.
class Search {
 public:
  Search(const Hardware& hardware, const Group& group)
      : hardware_(hardware),
        gpus_(gpus_of(group)),
        per_node_(group.per_node()),
        one_node_(group.nodes == 1),
        link_(rated_link(hardware).count / giga),
        pcie_(rated_pcie(hardware.pcie).count / giga),
        mesh_(hardware.nvlink.mesh, gpus_) {
    const int minor = *minor_version(hardware.version);
    capability_ = hardware.gpu.compute_capability;
    speeds_ = one_node_ ? speeds_inside(capability_, minor) : speeds_between(capability_, minor);
    find_inside();
    if (!one_node_) {
      nics_ = hardware.network->nics_per_node;
      nic_ = std::min(hardware.network->rate.count / giga, pcie_);
    }
  }

  Graphs run() {
    found_.ring = find_ring();
    found_.tree = find_tree(found_.ring);
    double_channels();
    const auto& nvlink = hardware_.nvlink;
    if (nvlink.multicast && found_.nvlink) find_nvls();
    return found_;
  }

 private:
  void find_inside() {
    const NvLink& nvlink = hardware_.nvlink;
    inside_ = pcie_;
    fastest_ = pcie_;
    if (per_node_ < 2) return;
    const bool pair = nvlink.fabric == Fabric::pairs && gpus_.size() == 2 && gpus_[0] / 2 == gpus_[1] / 2;
    if (nvlink.fabric == Fabric::all_to_all || pair) {
      inside_ = fastest_ = link_ * nvlink.links;
      found_.nvlink = true;
    } else if (nvlink.fabric == Fabric::mesh && find_mesh_rings()) {
      found_.nvlink = true;
      inside_ = fastest_ = 0;
      for (int a = 0; a < mesh_.size(); ++a) {
        inside_ = std::max(inside_, link_ * mesh_.links_of(a));
        for (int b = 0; b < mesh_.size(); ++b) fastest_ = std::max(fastest_, link_ * mesh_.links(a, b));
      }
    } else if (!hardware_.pcie.peer_to_peer) {
      // topo.h: through host memory, at the rate of the link between processors.
      constexpr double amd_link = 16;
      constexpr double intel_link = 12;
      inside_ = fastest_ = std::min(pcie_, hardware_.cpu == Processor::amd ? amd_link : intel_link);
    }
  }

  bool find_mesh_rings() {
    found_.mesh_rings = pack(mesh_, Walk::rings, most_search_channels);
    if (found_.mesh_rings == 0) {
      found_.mesh_rings = pack(mesh_, Walk::rings_by_neighbour, most_search_channels);
      found_.through_neighbour = found_.mesh_rings > 0;
    }
    return found_.mesh_rings > 0;
  }

  [[nodiscard]] bool on_mesh() const {
    return found_.nvlink && hardware_.nvlink.fabric == Fabric::mesh && per_node_ > 1;
  }

  /// Upper bound of the channels of a ring through the node, cheap.
  [[nodiscard]] int bound_at(double speed) const {
    const Mesh mesh = mesh_.scaled(link_ / speed);
    int bound = most_search_channels;
    for (int gpu = 0; gpu < mesh.size(); ++gpu) bound = std::min(bound, mesh.links_of(gpu));
    return bound;
  }

  /// Channels of a ring at a speed, of which only those matter that beat `best`.
  [[nodiscard]] int rings_at(double speed, double best) const {
    int most = most_search_channels;
    if (!one_node_) most = std::min(most, whole(nic_ / speed) * nics_);
    if (per_node_ == 1) return one_node_ ? std::min(most, whole(pcie_ / speed)) : most;
    if (!on_mesh()) {
      // Between nodes, the last GPU of a ring sends to the interface and not to a GPU.
      const double rate = one_node_ ? inside_ : inside_ * per_node_ / (per_node_ - 1);
      return std::min(most, whole(rate / speed));
    }
    if (one_node_) most = std::min(most, bound_at(speed));
    if (most * speed <= best) return 0;
    if (!one_node_) return pack(mesh_.scaled(link_ / speed), Walk::chains, most);
    return pack(mesh_.scaled(link_ / speed),
                found_.through_neighbour ? Walk::rings_by_neighbour : Walk::rings, most);
  }

  [[nodiscard]] Graph find_ring() const {
    constexpr double slowest_share = .49;  // search.cc: of the best speed found
    const double limit = one_node_ ? fastest_ : nic_;
    int channels = 0;
    double found = 0;
    for (const double speed : speeds_) {
      if (speed > limit + rounding) continue;
      if (channels > 0 && speed / found <= slowest_share) break;
      const int here = rings_at(speed, channels * found);
      if (here * speed > channels * found + rounding) {
        channels = here;
        found = speed;
      }
      if (channels * found >= inside_) break;
    }
    if (channels == 0) {
      channels = 1;
      found = speeds_.back();
    }
    return as_ring(channels, found);
  }

  [[nodiscard]] Graph as_ring(int channels, double speed) const {
    // search.cc: ncclTopoDupChannels.
    constexpr double worth_doubling = 25;
    const bool keep = capability_ > 80 && speed < 50 && channels > 4;
    if (speed >= worth_doubling && !keep) {
      channels = std::min(most_search_channels, 2 * channels);
      speed /= 2;
    }
    const bool differ = (on_mesh() && per_node_ > 2) || (!one_node_ && nics_ > 1);
    return {channels, {speed * giga}, {speed * giga}, !differ, false};
  }

  /// Whether a tree has this number of channels at a speed between the GPUs of a node. Chains of two GPUs run
  /// either way. Leaves out: other orders of more than two GPUs, which NCCL tries within a time limit.
  [[nodiscard]] bool tree_fits(int channels, double speed) const {
    if (per_node_ == 1) return true;
    if (on_mesh()) return pack(mesh_.scaled(link_ / speed), Walk::chains, channels) >= channels;
    if (one_node_) {
      const int ways = per_node_ == 2 ? 2 : 1;
      return ways * whole(inside_ / speed) >= channels;
    }
    return channels * speed * (per_node_ - 1) / per_node_ <= inside_ + rounding;
  }

  /// Highest speed of a tree on one node, GB/s; 0: no speed fits.
  [[nodiscard]] double fastest_tree(int channels) const {
    const double total = inside_ * (per_node_ > 1 ? per_node_ / (per_node_ - 1.) : 1.);
    for (const double speed : speeds_) {
      if (speed > fastest_ + rounding || speed * channels > total + rounding) continue;
      if (tree_fits(channels, speed)) return speed;
    }
    return 0;
  }

  /// Inside a node, up to twice the speed between nodes, GB/s; 0: no speed fits.
  [[nodiscard]] double fastest_tree_inside(int channels, double between) const {
    double best = 0;
    for (auto speed = speeds_.rbegin(); speed != speeds_.rend() && best < 2 * between; ++speed) {
      if (*speed < between - rounding) continue;
      if (!tree_fits(channels, *speed)) break;
      best = *speed;
    }
    return best;
  }

  /// A tree has the channels of the ring. On one node it runs at the fastest speed that fits; between nodes
  /// its speed inside a node may be up to twice that of the network.
  [[nodiscard]] Graph find_tree(const Graph& ring) const {
    Graph tree = ring;
    tree.plain_tree = !one_node_ && (capability_ >= 90 || per_node_ == 1);
    const double best = one_node_ ? fastest_tree(ring.channels)
                                  : fastest_tree_inside(ring.channels, ring.between.count / giga);
    if (best > 0) tree.inside = {best * giga};
    if (one_node_) tree.between = tree.inside;
    if (tree.inside > ring.inside && one_node_) tree.same_channels = false;
    return tree;
  }

  void double_channels() {
    const Graph& ring = found_.ring;
    found_.channels = std::min(most_channels, 2 * ring.channels);
    constexpr double fast = 45 * giga;  // connect.cc
    constexpr int few = 16;
    if (capability_ >= 90 && !one_node_ && ring.inside.count > fast && found_.channels < few)
      found_.channels *= 2;
  }

  /// Each GPU that collects takes its own share besides those of all: (heads + 1) x speed <= GPU rate.
  void find_nvls() {
    Graph& nvls = found_.nvls;
    nvls.same_channels = false;
    nvls.channels = one_node_ ? per_node_ : std::min(per_node_, nics_);
    const double limit = one_node_ ? fastest_ : nic_;
    for (const double speed : speeds_) {
      if (speed > limit + rounding || (nvls.channels + 1) * speed > inside_ + rounding) continue;
      nvls.inside = nvls.between = {speed * giga};
      break;
    }
    for (auto speed = speeds_.rbegin(); speed != speeds_.rend(); ++speed) {
      const Bandwidth faster{*speed * giga};
      if (*speed <= limit + rounding && faster > nvls.between && nvls.between < nvls.inside * 2)
        nvls.between = faster;
    }
    found_.nvls_channels = capability_ >= 100 ? 32 : 16;  // init.cc
    if (nvls.inside.count == 0) nvls.channels = found_.nvls_channels = 0;
  }

  const Hardware& hardware_;
  std::vector<int> gpus_;
  int per_node_;
  bool one_node_;
  double link_;
  double pcie_;
  Mesh mesh_;
  int capability_ = 0;
  Speeds speeds_;
  int nics_ = 0;
  double nic_ = 0;      ///< rate of an interface, or of the PCIe before it
  double inside_ = 0;   ///< rate of a GPU to the others of the node
  double fastest_ = 0;  ///< highest speed between two GPUs
  Graphs found_;
};

}  // namespace

std::vector<int> gpus_of(const Group& group) {
  if (!group.gpus.empty()) return group.gpus;
  std::vector<int> gpus(static_cast<std::size_t>(group.per_node()));
  std::iota(gpus.begin(), gpus.end(), 0);
  return gpus;
}

Bandwidth rated_link(const Hardware& hardware) {
  return {link_rating(hardware.gpu.compute_capability, *minor_version(hardware.version)) * giga};
}

Bandwidth rated_pcie(const Pcie& pcie) {
  constexpr double third = 12;  // topo.h: PCI_BW, generation 3 x16
  constexpr double lanes = 16;
  return {third * std::exp2(pcie.generation - 3) * (pcie.lanes / lanes) * giga};
}

Graphs find_graphs(const Hardware& hardware, const Group& group) { return Search(hardware, group).run(); }

}  // namespace netmodels::nccl
