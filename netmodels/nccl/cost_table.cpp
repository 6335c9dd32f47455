// NCCL's cost table: latency and bandwidth of each algorithm with each protocol.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "netmodels/nccl/tuner.hpp"
#include "netmodels/nccl/tuning_constants.hpp"

namespace netmodels::nccl {
namespace {

constexpr double micro = 1e-6;
constexpr double giga_bytes = 1e9;

int log2_of(int value) { return static_cast<int>(std::bit_width(static_cast<unsigned>(value))) - 1; }

bool moves_parts(Operation operation) {
  return operation == Operation::all_gather || operation == Operation::reduce_scatter;
}

template <class T>
bool allowed(const std::vector<T>& list, T value) {
  return list.empty() || std::ranges::find(list, value) != list.end();
}

}  // namespace

/// Fills in a table.
class CostTableBuilder {
 public:
  CostTableBuilder(CostTable& table, const Hardware& hardware, const Group& group)
      : table_(table),
        hardware_(hardware),
        graphs_(table.graphs_),
        ranks_(static_cast<int>(group.ranks)),
        nodes_(static_cast<int>(group.nodes)),
        per_node_(group.per_node()),
        capability_(hardware.gpu.compute_capability),
        minor_(*minor_version(hardware.version)),
        inside_(graphs_.nvlink ? Hop::nvlink : Hop::pcie) {}

  void fill() {
    constexpr std::array kinds{Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                               Operation::broadcast, Operation::reduce};
    constexpr std::array ways{Algorithm::tree, Algorithm::ring, Algorithm::nvls, Algorithm::nvls_tree,
                              Algorithm::pat};
    for (const Operation operation : kinds) {
      for (const Algorithm algorithm : ways) {
        for (const Protocol protocol : {Protocol::LL, Protocol::LL128, Protocol::simple}) {
          if (runs(operation, algorithm, protocol)) set(operation, algorithm, protocol);
        }
      }
    }
  }

 private:
  [[nodiscard]] bool runs(Operation operation, Algorithm algorithm, Protocol protocol) const {
    const Environment& environment = hardware_.environment;
    if (!allowed(environment.protocols, protocol) || !allowed(environment.algorithms, algorithm))
      return false;
    if (protocol == Protocol::LL128 && !ll128_is_safe()) return false;
    const bool simple = protocol == Protocol::simple;
    switch (algorithm) {
      case Algorithm::ring: return true;
      case Algorithm::tree: return operation == Operation::all_reduce;
      case Algorithm::nvls: return simple && nvls_runs(operation);
      case Algorithm::nvls_tree: return simple && nvls_tree_runs(operation);
      case Algorithm::pat: break;
    }
    return simple && pat_runs(operation);
  }

  /// Whether NVLS runs: on one node, because over nodes it needs SHARP.
  [[nodiscard]] bool nvls_runs(Operation operation) const {
    return graphs_.nvls_channels != 0 && nodes_ == 1 && !is_rooted(operation) &&
           (operation == Operation::all_reduce || minor_ >= 19);
  }

  [[nodiscard]] bool nvls_tree_runs(Operation operation) const {
    return graphs_.nvls_channels != 0 && nodes_ > 1 && operation == Operation::all_reduce;
  }

  [[nodiscard]] bool pat_runs(Operation operation) const {
    return moves_parts(operation) && minor_ >= 23 && per_node_ == 1 && nodes_ > 1;
  }

  /// LL128 needs 128-byte stores that stay whole on every path.
  [[nodiscard]] bool ll128_is_safe() const {
    constexpr std::array capabilities{70, 80, 90, 100, 120};
    if (std::ranges::find(capabilities, capability_) == capabilities.end()) return false;
    if (per_node_ > 1 && !graphs_.nvlink) return false;
    if (nodes_ == 1) return true;
    const Network& network = *hardware_.network;
    const NicPath path = network.path;
    return network.gpu_direct &&
           (path == NicPath::pix || path == NicPath::pxb || (path == NicPath::pxn && capability_ >= 90));
  }

  /// Steps of a ring, and how many of them cross the network.
  [[nodiscard]] int steps(Operation operation) const {
    if (operation == Operation::all_reduce) return 2 * (ranks_ - 1);
    return moves_parts(operation) ? ranks_ - 1 : ranks_;
  }
  [[nodiscard]] int network_steps(Operation operation) const {
    if (nodes_ == 1) return 0;
    if (operation != Operation::all_reduce) return nodes_ - 1;
    return minor_ >= 23 ? 2 * (nodes_ - 1) : 2 * nodes_;
  }

  void set(Operation operation, Algorithm algorithm, Protocol protocol) {
    CostTable::Entry& entry =
        table_.entries_[static_cast<std::size_t>(operation)][static_cast<std::size_t>(algorithm)]
                       [static_cast<std::size_t>(protocol)];
    entry.bandwidth = {bandwidth(operation, algorithm, protocol) * giga_bytes};
    const double crossings = network_hops(operation, algorithm);
    entry.plugin = crossings * plugin(protocol);
    entry.latency = {latency(operation, algorithm, protocol) * micro};
    entry.latency += entry.plugin;
    entry.threads = threads(algorithm, protocol);
  }

  [[nodiscard]] Seconds plugin(Protocol protocol) const {
    if (nodes_ == 1) return {};
    return hardware_.network->plugin_latency * (protocol == Protocol::simple ? 2 : 1);
  }

  /// How often the latency of a network hop counts in the estimate.
  [[nodiscard]] double network_hops(Operation operation, Algorithm algorithm) const {
    constexpr double pat_share = 3.5;
    if (nodes_ == 1) return 0;
    switch (algorithm) {
      case Algorithm::ring: return is_rooted(operation) ? 0 : network_steps(operation);
      case Algorithm::tree:
      case Algorithm::nvls_tree: return 2. * log2_of(nodes_);
      case Algorithm::pat: return log2_of(nodes_) / pat_share;
      case Algorithm::nvls: break;
    }
    return 0;
  }

  // Bandwidth: of the size, GB/s.

  [[nodiscard]] double bandwidth(Operation operation, Algorithm algorithm, Protocol protocol) const {
    switch (algorithm) {
      case Algorithm::ring: return ring_bus(protocol, operation) * ranks_ / steps(operation);
      case Algorithm::tree: return tree_bus(protocol) / 2;
      case Algorithm::pat: {
        const double share = minor_ == 23 ? .85 : .75;
        return channel_rate(graphs_.tree) * graphs_.tree.channels * share;
      }
      case Algorithm::nvls:
      case Algorithm::nvls_tree: break;
    }
    return minor_ >= 28 ? nvls_since_28(operation, algorithm) : nvls(operation, algorithm);
  }

  [[nodiscard]] double channel_rate(const Graph& graph) const {
    return (nodes_ <= 2 ? graph.inside : graph.between).count / giga_bytes;
  }

  [[nodiscard]] double ring_bus(Protocol protocol, Operation operation) const {
    const double bus = graphs_.ring.channels * channel_rate(graphs_.ring);
    if (protocol == Protocol::simple) return bus;
    if (protocol == Protocol::LL128) {
      const double share = minor_ < 23 && per_node_ < 2 ? .7 : .92;
      return std::min(bus * share, graphs_.ring.channels * most_ring_ll128(capability_, nodes_, minor_));
    }
    const bool two_way = nodes_ > 1 || operation == Operation::all_reduce || operation == Operation::reduce;
    const double share = minor_ >= 21 ? 1. / 2 : two_way ? 1. / 4 : 1. / 3;
    return std::min(most_ll(capability_, hardware_.cpu, nodes_, minor_), bus * share);
  }

  [[nodiscard]] double tree_bus(Protocol protocol) const {
    const Graph& tree = graphs_.tree;
    const auto limit = [&](Protocol of) {
      return tree.channels * most_tree(of, capability_, nodes_, minor_);
    };
    double bus = std::min(tree.channels * channel_rate(tree) * .92, limit(Protocol::simple));
    if (protocol == Protocol::LL)
      bus = std::min(bus / 3.8, most_ll(capability_, hardware_.cpu, nodes_, minor_));
    if (protocol == Protocol::LL128)
      bus = std::min(bus * (nodes_ == 1 ? 7. / 9 : 120. / 128), limit(protocol));
    return tree.plain_tree ? bus * .85 : bus;
  }

  [[nodiscard]] double nvls(Operation operation, Algorithm algorithm) const {
    const Graph& graph = graphs_.nvls;
    const double between = graph.between.count * (algorithm == Algorithm::nvls_tree && nodes_ > 2 ? .5 : 1);
    const double bus = graph.channels * std::min(graph.inside.count, between) / giga_bytes;
    const bool whole = moves_parts(operation) && minor_ >= 23;  // 2.20.3, 2.22.3: 5/6 for every operation
    return whole ? bus : bus * 5 / 6;
  }

  [[nodiscard]] double nvls_since_28(Operation operation, Algorithm algorithm) const {
    const Graph& graph = graphs_.nvls;
    const SwitchLimits limits = switch_limits(capability_);
    const bool tree = algorithm == Algorithm::nvls_tree;
    const double heads = graph.channels;
    double rate = graph.inside.count / giga_bytes * limits.efficiency * (heads - 1) / heads;
    rate *= moves_parts(operation) ? (per_node_ - 1.) / per_node_ : 2.;
    if (nodes_ > 1) rate = std::min(rate, graph.between.count / giga_bytes * (tree && nodes_ <= 2 ? 2 : 1));
    if (tree) rate = std::min(rate, nodes_ <= 2 ? limits.channel_two_nodes : limits.channel_more_nodes);
    return moves_parts(operation) ? heads * rate : heads * rate * ranks_ / steps(operation);
  }

  // Latency: us, without the plugin's.

  [[nodiscard]] double latency(Operation operation, Algorithm algorithm, Protocol protocol) const {
    const double base = base_latency(algorithm, protocol, minor_);
    const double inside = hop_latency(inside_, algorithm, protocol, minor_);
    const Algorithm crossed = per_node_ == 1 && minor_ >= 23 ? Algorithm::tree : algorithm;
    const double network = hop_latency(Hop::network, crossed, protocol, minor_);
    const double crossings = network_hops(operation, algorithm);
    switch (algorithm) {
      case Algorithm::ring: break;
      case Algorithm::tree: return base + 2 * (per_node_ - 1) * inside + crossings * network;
      case Algorithm::nvls: return minor_ >= 19 ? inside : base;
      case Algorithm::nvls_tree: return base + inside + crossings * network;
      case Algorithm::pat: return base + crossings * network + ranks_ * 2.8;
    }
    return is_rooted(operation) ? base + rooted_ring(protocol)
                                : base + ring(operation, protocol, inside, network);
  }

  [[nodiscard]] double ring(Operation operation, Protocol protocol, double inside, double network) const {
    const double overhead = hardware_.cpu == Processor::amd ? 2 : 1;  // topo.h: of the network's proxy
    const double least = nodes_ == 1 ? 0 : overhead * (protocol == Protocol::simple ? 3 : 1);
    const int crossings = network_steps(operation);
    return (steps(operation) - crossings) * std::max(inside, least) + crossings * network;
  }

  [[nodiscard]] double rooted_ring(Protocol protocol) const {
    const Hop hop = nodes_ == 1 ? inside_ : Hop::network;
    if (graphs_.ring.same_channels) return ring_hop(hop, protocol);
    const bool simple = protocol == Protocol::simple;
    return ranks_ * (simple ? tree_hop(hop, protocol, minor_) : ring_hop(hop, protocol));
  }

  [[nodiscard]] int threads(Algorithm algorithm, Protocol protocol) const {
    constexpr double pcie_rate = 12 * giga_bytes;
    if (protocol == Protocol::LL) return 512;
    if (protocol == Protocol::LL128) return 640;
    switch (algorithm) {
      case Algorithm::ring: return graphs_.ring.channels * graphs_.ring.inside.count <= pcie_rate ? 256 : 512;
      case Algorithm::tree: return 512;
      case Algorithm::nvls:
      case Algorithm::nvls_tree:
      case Algorithm::pat: break;
    }
    return 640;
  }

  CostTable& table_;
  const Hardware& hardware_;
  const Graphs& graphs_;
  int ranks_;
  int nodes_;
  int per_node_;
  int capability_;
  int minor_;
  Hop inside_;
};

CostTable::CostTable(const Hardware& hardware, const Group& group)
    : graphs_(find_graphs(hardware, group)),
      ranks_(static_cast<int>(group.ranks)),
      nodes_(static_cast<int>(group.nodes)) {
  if (nodes_ > 1) plateau_ = hardware.gpu.compute_capability < 80 ? 1.9 : 1.4;
  CostTableBuilder(*this, hardware, group).fill();
}

}  // namespace netmodels::nccl
