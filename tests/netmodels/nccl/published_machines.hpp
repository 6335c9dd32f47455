// The machines of published tables, as their sources describe them.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "netmodels/nccl/hardware.hpp"
#include "tests/netmodels/nccl/described.hpp"

namespace netmodels::nccl {

using Figures = std::map<double, double>;  // bytes, us

struct PublishedTable {
  Operation operation = Operation::all_reduce;
  Group group;
  Figures figures;
};

// Versions before 2.18 had the constants of 2.18
// or others that were not read.

inline Hardware single_gpu(int capability, const std::string& version, int pcie, Processor cpu) {
  Hardware hardware;
  hardware.version = version;
  hardware.gpu = {.compute_capability = capability};
  hardware.pcie = {.generation = pcie};
  hardware.cpu = cpu;
  return hardware;
}

inline Hardware pcie_2080ti() {
  Hardware hardware = single_gpu(75, "2.18", 3, Processor::intel);
  hardware.gpu.per_node = 2;
  hardware.pcie.peer_to_peer = false;
  hardware.pcie.gpus_per_uplink = 2;
  return hardware;
}

inline Hardware cloud_single(int capability, const std::string& version, NetworkKind kind, double gigabits,
                             int pcie, Processor cpu) {
  Hardware hardware = single_gpu(capability, version, pcie, cpu);
  hardware.network = interfaces(1, gigabits);
  hardware.network->kind = kind;
  const bool rdma = kind == NetworkKind::roce || kind == NetworkKind::slingshot;
  hardware.network->gpu_direct = rdma;
  if (kind != NetworkKind::roce) hardware.network->path = NicPath::phb;
  if (kind == NetworkKind::efa) hardware.network->plugin_latency = {75e-6};
  return hardware;
}

inline Hardware h100_cloud(const std::string& version, NetworkKind kind, int nics, double gigabits,
                           NicPath path) {
  Hardware hardware = switched(90, 18, 8, version);
  hardware.network = interfaces(nics, gigabits);
  hardware.network->kind = kind;
  hardware.network->path = path;
  return hardware;
}

inline Hardware alps_four() {
  Hardware hardware = single_gpu(90, "2.21", 5, Processor::arm);
  hardware.gpu.per_node = 4;
  hardware.nvlink.fabric = Fabric::mesh;
  for (int a = 0; a < 4; ++a) {
    for (int b = a + 1; b < 4; ++b) hardware.nvlink.mesh.push_back({a, b, 6});
  }
  hardware.network = interfaces(4, 200);
  hardware.network->kind = NetworkKind::slingshot;
  hardware.network->path = NicPath::phb;
  return hardware;
}

inline Hardware a100_pairs() {
  Hardware hardware = single_gpu(80, "2.18", 4, Processor::amd);
  hardware.gpu.per_node = 4;
  hardware.nvlink = {.links = 12, .fabric = Fabric::pairs};
  hardware.pcie.peer_to_peer = false;
  return hardware;
}

inline Hardware a100_node(const std::string& version) {
  Hardware hardware = switched(80, 12, 8, version);
  hardware.cpu = Processor::amd;
  return hardware;
}

inline Hardware vidur_a100(const PublishedTable& table) {
  Hardware hardware = a100_node("2.18");
  const int gpus = table.group.per_node();
  if (table.group.nodes > 1) {
    hardware.network = interfaces(gpus, 50);
    hardware.network->kind = NetworkKind::infiniband;
  }
  return hardware;
}

inline Hardware superbench_a100() {
  Hardware hardware = a100_node("2.18");  // 2.8.3
  hardware.gpu.per_process = 8;
  return hardware;
}

inline Hardware tcpx_cloud() {
  Hardware hardware = h100_cloud("2.18", NetworkKind::tcpx, 4, 200, NicPath::pix);
  hardware.environment.protocols = {Protocol::simple};
  hardware.environment.algorithms = {Algorithm::tree, Algorithm::ring};
  return hardware;
}

inline Hardware ultra() {
  Hardware hardware = h100_cloud("2.23", NetworkKind::roce, 8, 400, NicPath::pxb);
  hardware.nvlink.multicast = true;
  return hardware;
}

inline Hardware shared_gpu() {
  Hardware hardware = cloud_single(120, "2.26", NetworkKind::socket, 25, 5, Processor::intel);
  hardware.gpu.ranks_per_gpu = 2;
  return hardware;
}

inline Hardware t4_efa() {
  Hardware hardware = cloud_single(75, "2.18", NetworkKind::efa, 50, 3, Processor::intel);
  hardware.environment.protocols = {Protocol::simple};
  return hardware;
}

inline Hardware vidur_h100() {
  Hardware hardware = switched(90, 18, 8, "2.18");
  hardware.nvlink.multicast = true;
  hardware.cpu = Processor::amd;
  return hardware;
}

struct PublishedMachine {
  std::string prefix;
  std::string kind;  ///< of tables that are summed up together
  std::function<Hardware(const PublishedTable&)> hardware;
};

inline const std::vector<PublishedMachine>& published_machines() {
  using enum NetworkKind;
  static const auto fixed = [](Hardware hardware) {
    return [hardware](const PublishedTable&) { return hardware; };
  };
  static const std::vector<PublishedMachine> rows{
      {"2080ti", "pcie", fixed(pcie_2080ti())},
      {"a100x8", "nvlink", fixed(superbench_a100())},
      {"vtrain_a100", "nvlink", fixed(a100_node("2.18"))},
      {"vtrain_v100", "nvlink", fixed(v100_mesh("2.18"))},
      {"vidur_a100_dgx", "vidur", vidur_a100},
      {"vidur_a100_pair", "vidur", fixed(a100_pairs())},
      {"vidur_h100", "vidur", fixed(vidur_h100())},
      {"aws_2x1_socket", "socket", fixed(cloud_single(86, "2.18", socket, 25, 4, Processor::amd))},
      {"aws_2x1_efa", "socket", fixed(cloud_single(86, "2.21", efa, 25, 4, Processor::amd))},
      {"aws_t4", "socket", fixed(t4_efa())},
      {"gke_a3ultra", "rdma", fixed(cloud_single(90, "2.26", roce, 400, 5, Processor::intel))},
      {"gke_a4", "rdma", fixed(cloud_single(100, "2.26", roce, 400, 5, Processor::intel))},
      {"alps_gh200_2x1", "rdma", fixed(cloud_single(90, "2.29", slingshot, 200, 5, Processor::arm))},
      {"alps_gh200_2x4", "rdma", fixed(alps_four())},
      {"gcp_a3ultra", "rdma", fixed(ultra())},
      {"gcp_a3high", "plugin", fixed(tcpx_cloud())},
      {"gcp_a3mega_2x8_h100_tcpxo_all_gather", "plugin",
       fixed(h100_cloud("2.19", tcpxo, 8, 200, NicPath::pxb))},
      {"gcp_a3mega", "plugin", fixed(h100_cloud("2.19", tcpxo, 8, 200, NicPath::phb))},
      {"onegpu", "shared GPU", fixed(shared_gpu())}};
  return rows;
}

inline const PublishedMachine* description_of(const std::string& name) {
  const auto found = std::ranges::find_if(
      published_machines(), [&](const PublishedMachine& row) { return name.starts_with(row.prefix); });
  return found == published_machines().end() ? nullptr : &*found;
}

}  // namespace netmodels::nccl
