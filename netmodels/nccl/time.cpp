// Times of NCCL's collectives: what NCCL chooses, at physical rates.
#include "netmodels/nccl/time.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "netmodels/nccl/tuning_constants.hpp"

namespace netmodels::nccl {
namespace {

using namespace literals;

// Round values, found on the tables that `Model::time` names; all of them together fit other machines better
// than values fitted one by one do (p90 of a machine left out 43 % against 67 %).

constexpr Seconds launch_time = 6_us;
constexpr Seconds enqueue_gpu = 4_us;  // per GPU that a thread drives
constexpr Seconds enqueue_channel = {0.2e-6};
constexpr Seconds enqueue_overlap = 25_us;  // part of the GPUs' time that passes while the thread enqueues
constexpr double simple_hop = 1.3;          // Simple inside a node, of NCCL's hop
constexpr double chain_hop = 1.8;           // broadcast and reduce, of NCCL's ring hop; few tables show it
constexpr Seconds rdma_crossing = 3_us;     // added to NCCL's network hop; measured 0 to 9
constexpr Seconds other_crossing = 35_us;   // fits: EFA 26, TCP 47, TCPXO 41
constexpr double simple_crossing = 1.5;
constexpr Seconds shared_gpu_step = {2.1e-3};  // ranks on one GPU take turns

constexpr double ll128_share = .92;
constexpr double nvls_tree_gain = 1.2;
constexpr double pat_share = .75;
constexpr double reduce_fill = .3;  // share of a chunk per channel, ring all-reduce
constexpr double gather_fill = 1;
constexpr Bandwidth tree_channel = {12e9};
constexpr Bytes nvls_chunk = {131072};  // bytes per GPU's share and channel: NCCL_NVLS_CHUNKSIZE
constexpr double nvls_fill = .55;       // share of a round of chunks: 8 x H100 .5, 8 x H200 .6
constexpr Bytes p2p_ll = {16384};       // bytes of a channel

/// Share of the bytes on a link that are data: half of LL are flags.
constexpr double payload_of(Protocol protocol) {
  if (protocol == Protocol::LL) return .5;
  return protocol == Protocol::LL128 ? ll128_share : 1;
}

Seconds base_of(Protocol protocol) { return {base_latency(Algorithm::ring, protocol, 26) * 1e-6}; }

/// One evaluation.
class Evaluation {
 public:
  Evaluation(const Model& model, Operation operation, Bytes size)
      : model_(model),
        hardware_(model.hardware()),
        rates_(model.rates()),
        graphs_(model.costs().graphs()),
        operation_(operation),
        size_(size),
        ranks_(model.group().ranks),
        nodes_(static_cast<int>(model.group().nodes)),
        per_node_(model.group().per_node()),
        nodes_log2_(static_cast<int>(std::bit_width(static_cast<unsigned>(nodes_))) - 1) {}

  [[nodiscard]] Time collective(const Choice& choice) const {
    Time time;
    time.choice = choice;
    time.launch = launch_time;
    time.base = base_of(choice.protocol);
    time.hops = hops(choice);
    switch (choice.algorithm) {
      case Algorithm::ring: ring(choice, time); break;
      case Algorithm::tree: tree(choice, time); break;
      case Algorithm::nvls: switches(choice, entry(choice).bandwidth, time); break;
      case Algorithm::nvls_tree: {
        const Bandwidth inside = std::min(entry(choice).bandwidth * nvls_tree_gain, nvls_inside());
        switches(choice, std::min(rates_.node, inside), time);
        break;
      }
      case Algorithm::pat: time.wire = size_ * share_of(operation_, ranks_) / (bus() * pat_share); break;
    }
    add_enqueue(choice, time);
    return time;
  }

  /// Every rank sends each other its part. Without NVLink, parts for the node and for others share the PCIe.
  [[nodiscard]] Time alltoall() const {
    constexpr Seconds peer = {0.5e-6};
    constexpr Seconds enqueue_peer = {0.25e-6};
    constexpr Seconds crossing = 5_us;
    const double gpus = hardware_.gpu.per_process;
    Time time;
    time.launch = launch_time;
    time.base = base_of(Protocol::LL);
    time.hops = ranks_ * peer;
    if (nodes_ > 1) time.hops += this->crossing() + crossing;
    time.enqueue = (gpus - 1) * enqueue_gpu + gpus * graphs_.channels * enqueue_channel;
    if (gpus > 1) time.enqueue += gpus * ranks_ * enqueue_peer;
    Seconds local;
    Seconds remote;
    if (on_mesh())
      local = mesh_exchange_time(hardware_, model_.group(), to_all(size_ / ranks_));
    else if (per_node_ > 1)
      local = size_ * ((per_node_ - 1) / ranks_) / rates_.two_way;
    if (nodes_ > 1) remote = size_ * ((ranks_ - per_node_) / ranks_) / (rates_.node / per_node_);
    time.wire = graphs_.nvlink ? std::max(local, remote) : local + remote;
    return time;
  }

  /// Every rank sends to the next one, and the last one to the first.
  /// Leaves out: fewer channels than links; no table to test it was found.
  [[nodiscard]] Time send() const {
    const bool is_ll = size_ <= p2p_ll * graphs_.channels;
    const Protocol protocol = is_ll ? Protocol::LL : Protocol::simple;
    const Hop hop = nodes_ > 1 ? Hop::network : graphs_.nvlink ? Hop::nvlink : Hop::pcie;
    Time time;
    time.launch = launch_time;
    time.base = base_of(protocol);
    time.hops = {ring_hop(hop, protocol) * 1e-6};
    if (nodes_ > 1) time.hops += crossing() * (is_ll ? 1 : simple_crossing);
    Bandwidth rate = rates_.one_way;
    if (nodes_ > 1) rate = rates_.node / hardware_.network->nics_per_node;
    time.wire = size_ / rate;
    if (nodes_ == 1 && on_mesh()) time.wire = mesh_exchange_time(hardware_, model_.group(), to_next(size_));
    if (is_ll) time.wire *= 2;  // half of LL is flags
    return time;
  }

 private:
  [[nodiscard]] const CostTable::Entry& entry(const Choice& choice) const {
    return model_.costs().entry(operation_, choice.algorithm, choice.protocol);
  }

  [[nodiscard]] bool on_mesh() const {
    return per_node_ > 1 && graphs_.nvlink && hardware_.nvlink.fabric == Fabric::mesh;
  }

  /// Inside a node: bytes by GPU.
  [[nodiscard]] std::vector<double> to_all(Bytes part) const {
    const auto gpus = static_cast<std::size_t>(per_node_);
    std::vector<double> sent(gpus * gpus, part.count);
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) sent[gpu * gpus + gpu] = 0;
    return sent;
  }
  [[nodiscard]] std::vector<double> to_next(Bytes part) const {
    const auto gpus = static_cast<std::size_t>(per_node_);
    std::vector<double> sent(gpus * gpus);
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) sent[gpu * gpus + (gpu + 1) % gpus] = part.count;
    return sent;
  }

  /// Rate of a ring in Simple.
  [[nodiscard]] Bandwidth bus() const {
    const Bandwidth inside = is_rooted(operation_) ? rates_.one_way : rates_.two_way;
    if (per_node_ == 1) return rates_.node;
    return nodes_ == 1 ? inside : std::min(inside, rates_.node);
  }

  /// Rate at which the switches of one node sum and spread: several nodes still do that in each.
  [[nodiscard]] Bandwidth nvls_inside() const {
    constexpr double efficiency = 5. / 6;  // NCCL's, tuning.cc
    return graphs_.nvls.inside * (graphs_.nvls.channels * efficiency);
  }

  /// Latency of a crossing beyond NCCL's own figure.
  [[nodiscard]] Seconds crossing() const {
    return is_rdma(hardware_.network->kind) ? rdma_crossing : other_crossing;
  }

  /// Times that a byte crosses the network, one after the other. A ring crosses between each two nodes once
  /// on every turn, and once more to come back where nodes have several GPUs.
  [[nodiscard]] double crossings(Algorithm algorithm) const {
    if (nodes_ == 1) return 0;
    if (is_rooted(operation_)) return nodes_ - 1;
    const int turn = per_node_ == 1 ? nodes_ - 1 : nodes_;
    switch (algorithm) {
      case Algorithm::ring: return turn * (operation_ == Operation::all_reduce ? 2 : 1);
      case Algorithm::tree:
      case Algorithm::nvls_tree: return 2. * nodes_log2_;
      case Algorithm::pat: return nodes_log2_;
      case Algorithm::nvls: break;
    }
    return 0;
  }

  [[nodiscard]] Seconds hops(const Choice& choice) const {
    const bool simple = choice.protocol == Protocol::simple;
    Seconds hops;
    if (is_rooted(operation_)) {
      const Hop hop = nodes_ > 1 ? Hop::network : graphs_.nvlink ? Hop::nvlink : Hop::pcie;
      hops = {chain_hop * (ranks_ - 1) * ring_hop(hop, choice.protocol) * 1e-6};
    } else {
      hops = entry(choice).latency - entry(choice).plugin - base_of(choice.protocol);
      if (simple && nodes_ == 1) hops *= simple_hop;
    }
    const double times = crossings(choice.algorithm);
    if (times > 0) hops += crossing() * (times * (simple ? simple_crossing : 1));
    if (hardware_.gpu.ranks_per_gpu > 1 && !is_rooted(operation_)) hops += shared_gpu_step * times;
    return hops;
  }

  void ring(const Choice& choice, Time& time) const {
    const double share = share_of(operation_, ranks_);
    const Bandwidth simple = bus();
    const Bandwidth links = simple * payload_of(choice.protocol);
    Bandwidth rate = links;
    if (choice.protocol == Protocol::LL) rate = std::min(entry(choice).bandwidth * share, links);
    if (choice.protocol == Protocol::LL128) {
      constexpr int one_node = 1;
      const double channel = most_ring_ll128(hardware_.gpu.compute_capability, one_node, 26) * 1e9;
      rate = std::min(links, Bandwidth{graphs_.ring.channels * channel});
    }
    time.link_share = rate / links;
    time.wire = size_ * share / rate;
    if (choice.protocol != Protocol::simple || is_rooted(operation_) || ranks_ < 3) return;
    const double part = operation_ == Operation::all_reduce ? reduce_fill : gather_fill;
    const Bytes chunk = std::min(choice.chunk, size_ / (ranks_ * choice.channels));
    time.fill = chunk * (part * choice.channels) / rate;
  }

  /// Switches sum and spread a chunk of each GPU's share at a time: of the last round a part is alone on the
  /// links.
  void switches(const Choice& choice, Bandwidth rate, Time& time) const {
    const Bytes round = nvls_chunk * (per_node_ * static_cast<double>(choice.channels));
    time.wire = size_ / rate;
    time.fill = std::min(size_, round) * nvls_fill / rate;
  }

  void tree(const Choice& choice, Time& time) const {
    const Bandwidth estimate = entry(choice).bandwidth;
    Bandwidth rate = nodes_ == 1 ? rates_.two_way / 2 : nodes_ == 2 ? rates_.node : rates_.node / 2;
    if (nodes_ > 1 && per_node_ > 1) rate = std::min(rate, rates_.two_way);
    const double correction = smooth_tree_correction(choice.protocol, size_);
    if (choice.protocol == Protocol::LL) {
      const Bandwidth reached = std::min(estimate, rate / 2);
      time.link_share = reached / (rate / 2);
      time.wire = size_ / reached;
    } else if (choice.protocol == Protocol::LL128) {
      const Bandwidth reached = std::min(rate * ll128_share, estimate * 2) * correction;
      time.link_share = reached / (rate * ll128_share);
      time.wire = size_ / reached;
    } else if (nodes_ == 1) {
      time.link_share = correction;
      time.wire = size_ / (rate * correction);
    } else {
      const Bytes chunk = std::min(choice.chunk, size_ / choice.channels);
      const auto channel = [&](Bandwidth whole) { return std::min(whole / choice.channels, tree_channel); };
      time.wire = size_ / rate;
      time.fill = chunk * (2. * nodes_log2_) / channel(rate);  // up and down the tree between nodes ...
      if (per_node_ > 1)
        time.fill += chunk * (2. * (per_node_ - 1)) / channel(rates_.two_way);  // ... and inside
    }
  }

  /// A thread that drives several GPUs enqueues one after the other. A broadcast or reduction goes down the
  /// chain behind it: of each hop between its GPUs as much is over as enqueueing the next one takes.
  void add_enqueue(const Choice& choice, Time& time) const {
    const int gpus = hardware_.gpu.per_process;
    const Seconds each = enqueue_gpu + choice.channels * enqueue_channel;
    const Seconds cpu = gpus * each;
    const Seconds gpu = time.total();
    if (gpus == 1) {
      time.enqueue = std::max(Seconds{}, cpu - gpu);
      return;
    }
    Seconds overlap = enqueue_overlap;
    if (is_rooted(operation_)) overlap += (gpus - 1) * std::min(each, time.hops / (ranks_ - 1));
    time.enqueue = cpu - std::min(gpu, overlap);
  }

  const Model& model_;
  const Hardware& hardware_;
  const Rates& rates_;
  const Graphs& graphs_;
  Operation operation_;
  Bytes size_;
  double ranks_;
  int nodes_;
  int per_node_;
  int nodes_log2_;
};

}  // namespace

double share_of(Operation operation, double ranks) {
  if (operation == Operation::all_reduce) return 2 * (ranks - 1) / ranks;
  return is_rooted(operation) || operation == Operation::send_recv ? 1 : (ranks - 1) / ranks;
}

Model::Model(const Hardware& hardware, const Group& group)
    : hardware_(hardware),
      group_(group),
      costs_(hardware, group),
      rates_(rates_of(hardware, group, costs_.graphs())) {}

Result<Model> Model::make(const Hardware& hardware, const Group& group) {
  if (auto fine = validate(hardware); !fine) return tl::unexpected(fine.error());
  if (auto fine = validate(hardware, group); !fine) return tl::unexpected(fine.error());
  Model model(hardware, group);
  if (!hardware.measured) return model;
  const Measured& measured = *hardware.measured;
  Group reference = group;
  if (measured.ranks) reference = {.ranks = *measured.ranks, .nodes = measured.nodes.value_or(1)};
  if (auto fine = validate(hardware, reference); !fine) return tl::unexpected(fine.error());
  Model fitted(hardware, reference);
  if (auto fits = fitted.fit_measured(measured); !fits) return tl::unexpected(fits.error());
  model.offset_ = fitted.offset_;
  model.factor_ = fitted.factor_;
  const bool same_ranks = reference.ranks == group.ranks && reference.nodes == group.nodes;
  if (!same_ranks || measured.points.size() < 3) return model;
  if (auto found = model.find_ratios(measured); !found) return tl::unexpected(found.error());
  return model;
}

Result<Time> Model::time(Operation operation, Bytes size) const {
  auto time = uncorrected(operation, size);
  if (time && !ratios_.empty() && operation == hardware_.measured->operation)
    time->correction += time->total() * std::expm1(log_ratio(size));
  return time;
}

Result<Time> Model::uncorrected(Operation operation, Bytes size) const {
  if (group_.ranks == 1) return Time{};
  const Evaluation evaluation(*this, operation, std::max(size, Bytes{1}));
  Time time;
  if (operation == Operation::alltoall) {
    time = evaluation.alltoall();
  } else if (operation == Operation::send_recv) {
    time = evaluation.send();
  } else {
    const auto choice = costs_.choose(operation, std::max(size, Bytes{1}));
    if (!choice)
      return refuse("", fmt::format("{} has no algorithm left", to_string(operation)),
                    "allow more in `environment`: every operation has a ring in LL and Simple");
    time = evaluation.collective(*choice);
  }
  time.wire *= factor_;
  time.fill *= factor_;
  // Measured on one operation, an offset may be below all latency of another: bytes still take their time.
  time.correction = std::max(offset_, time.wire + time.fill - time.total());
  return time;
}

}  // namespace netmodels::nccl
