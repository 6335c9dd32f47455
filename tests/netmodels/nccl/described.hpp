// Hardware that tests describe: the machines of the oracle and of published tables.
#pragma once

#include <string>

#include "netmodels/nccl/hardware.hpp"

namespace netmodels::nccl {

constexpr double giga_rate = 1e9;

/// Links of a DGX-1: GPU, GPU, links. Source: as the topology files of the oracle have it.
inline const std::vector<std::vector<int>> dgx1_mesh{
    {0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1}, {1, 5, 2}, {2, 3, 2},
    {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}};

inline Hardware switched(int capability, int links, int gpus, const std::string& version = "2.26") {
  Hardware hardware;
  hardware.version = version;
  hardware.gpu = {.compute_capability = capability, .per_node = gpus};
  hardware.nvlink = {.links = links, .fabric = Fabric::all_to_all};
  hardware.pcie = {.generation = capability >= 90 ? 5 : 4};
  return hardware;
}

inline Hardware v100_mesh(const std::string& version = "2.26") {
  Hardware hardware;
  hardware.version = version;
  hardware.gpu = {.compute_capability = 70, .per_node = 8};
  hardware.nvlink = {.fabric = Fabric::mesh, .mesh = dgx1_mesh};
  return hardware;
}

/// Interfaces of RoCE.
inline Network interfaces(int nics, double gigabits) {
  return {.kind = NetworkKind::roce, .nics_per_node = nics, .rate = {gigabits / 8 * giga_rate}};
}

}  // namespace netmodels::nccl
