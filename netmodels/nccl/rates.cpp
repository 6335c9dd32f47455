// Shares of line rates: round values, found on tables of 8 A100, 2 RTX 2080 Ti, V100 DGX-1, 2 x 8 H100 and
// others.
#include "netmodels/nccl/rates.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "netmodels/nccl/mesh.hpp"
#include "netmodels/nccl/network_goodput.hpp"

namespace netmodels::nccl {

bool is_rdma(NetworkKind kind) {
  return kind == NetworkKind::infiniband || kind == NetworkKind::roce || kind == NetworkKind::slingshot;
}

namespace {

constexpr double switch_share = .80;  // share of the links' line rate, Simple
constexpr double switch_few = .7;     // ... divided by 1 + this / ranks^2
constexpr double mesh_share = .905;
constexpr double neighbour_share = .82;
constexpr double pcie_third = 13e9;  // bytes/s of generation 3 x16
constexpr double pcie_share = .90;
constexpr double host_two_way = .75;  // sending and receiving at once through the memory of the host

/// Line rate of one NVLink, one direction. Source: NVIDIA's data sheets of P100, V100, A100, H100, B200.
Bandwidth line_rate(const Hardware& hardware) {
  constexpr double pascal = 20e9;
  constexpr double volta = 25e9;
  constexpr double ga102 = 14e9;
  constexpr double blackwell = 50e9;
  if (hardware.nvlink.link_rate) return *hardware.nvlink.link_rate;
  const int capability = hardware.gpu.compute_capability;
  if (capability >= 100) return {blackwell};
  if (capability == 86) return {ga102};
  return {capability >= 70 ? volta : pascal};
}

/// Whether a switch, or the links of one pair, join the GPUs that take part.
bool is_direct(const Hardware& hardware, const Graphs& graphs) {
  return graphs.nvlink && hardware.nvlink.fabric != Fabric::mesh;
}

Bandwidth pcie_rate(const Hardware& hardware) {
  const double third = 12e9;  // as NCCL rates generation 3
  return {rated_pcie(hardware.pcie).count / third * pcie_third * pcie_share};
}

Rates rates_inside(const Hardware& hardware, const Group& group, const Graphs& graphs) {
  Rates rates;
  if (group.per_node() == 1) return rates;
  const double ranks = group.ranks;
  if (is_direct(hardware, graphs)) {
    rates.one_way = line_rate(hardware) * (hardware.nvlink.links * switch_share);
    rates.two_way = rates.one_way / (1 + switch_few / (ranks * ranks));
    return rates;
  }
  if (graphs.nvlink) {
    const double share = mesh_share * (graphs.through_neighbour ? neighbour_share : 1);
    rates.one_way = rates.two_way = line_rate(hardware) * (graphs.mesh_rings * share);
    return rates;
  }
  rates.one_way = pcie_rate(hardware);
  rates.two_way = rates.one_way;
  // Pairs bridged by PCIe: each GPU crosses it one way only.
  if (!hardware.pcie.peer_to_peer && hardware.nvlink.fabric != Fabric::pairs)
    rates.two_way *= host_two_way / hardware.pcie.gpus_per_uplink;
  return rates;
}

Bandwidth rate_of_node(const Hardware& hardware, const Group& group) {
  if (group.nodes == 1) return {};
  return node_goodput(*hardware.network, group.per_node()).mid;
}

}  // namespace

Rates rates_of(const Hardware& hardware, const Group& group, const Graphs& graphs) {
  Rates rates = rates_inside(hardware, group, graphs);
  rates.node = rate_of_node(hardware, group);
  return rates;
}

Bandwidth nvlink_rate(const Hardware& hardware) {
  const NvLink& nvlink = hardware.nvlink;
  if (nvlink.fabric == Fabric::none) return {};
  int links = nvlink.links;
  if (nvlink.fabric == Fabric::mesh) {
    std::vector<int> of_gpu(static_cast<std::size_t>(hardware.gpu.per_node));
    for (const std::vector<int>& pair : nvlink.mesh)
      for (const int gpu : {pair[0], pair[1]}) of_gpu[static_cast<std::size_t>(gpu)] += pair[2];
    links = *std::ranges::max_element(of_gpu);
  }
  return line_rate(hardware) * links;
}

Bandwidth line_rate_of_gpu(const Hardware& hardware) {
  constexpr double third = 8e9 / 8 * 128 / 130;  // a lane of generation 3: 8 GT/s, 128b/130b
  const Pcie& pcie = hardware.pcie;
  const Bandwidth through_pcie = {third * std::exp2(pcie.generation - 3) * pcie.lanes};
  return std::max(nvlink_rate(hardware), through_pcie);
}

Bandwidth most_nvlink(int compute_capability) {
  struct Most {
    int capability;
    double gigabytes;  // GB/s
  };
  constexpr Most all[]{{100, 900}, {90, 450}, {86, 56.25}, {80, 300}, {75, 50}, {70, 150}, {0, 80}};
  for (const Most& most : all)
    if (compute_capability >= most.capability) return {most.gigabytes * 1e9};
  return {};
}

Seconds mesh_exchange_time(const Hardware& hardware, const Group& group, std::span<const double> sent) {
  const Mesh mesh(hardware.nvlink.mesh, gpus_of(group));
  if (const auto busiest = busiest_link(mesh, sent, 1 / neighbour_share))
    return Bytes{*busiest} / (line_rate(hardware) * mesh_share);
  const auto gpus = static_cast<std::size_t>(mesh.size());
  double most = 0;
  for (std::size_t first = 0; first < sent.size(); first += gpus) {
    const auto of_gpu = sent.subspan(first, gpus);
    most = std::max(most, std::reduce(of_gpu.begin(), of_gpu.end()));
  }
  return Bytes{most} / pcie_rate(hardware);
}

}  // namespace netmodels::nccl
