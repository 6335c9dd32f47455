// The channels that NCCL's graph search finds: how many, and at what speed.
#pragma once

#include "netmodels/nccl/hardware.hpp"
#include "netmodels/quantity.hpp"

namespace netmodels::nccl {

/// One pattern of channels.
struct Graph {
  int channels = 0;           ///< channels of the search, at most 32; NVLS: GPUs that collect
  Bandwidth inside = {};      ///< rate of a channel between GPUs of a node
  Bandwidth between = {};     ///< rate of a channel between nodes
  bool same_channels = true;  ///< all channels visit the GPUs in the same order
  bool plain_tree = false;    ///< one GPU of a node does all the sending to other nodes
};

/// Graphs that NCCL finds for a communicator.
struct Graphs {
  Graph ring;
  Graph tree;
  Graph nvls;        ///< no channels without multicast
  int channels = 0;  ///< channels that rings and trees use, at most 64
  int nvls_channels = 0;
  bool nvlink = false;             ///< whether NVLink joins the GPUs of a node
  int mesh_rings = 0;              ///< rings of one link's width in a mesh
  bool through_neighbour = false;  ///< these pass GPUs that only forward
};

/// The GPUs of a node that take part.
std::vector<int> gpus_of(const Group& group);

/// Rates that NCCL assumes for one NVLink and for the PCIe of a GPU, in each direction.
Bandwidth rated_link(const Hardware& hardware);
Bandwidth rated_pcie(const Pcie& pcie);

/// NCCL's search in closed form: of the speeds that NCCL tries, from the fastest on, the first with the
/// largest channels x speed; a speed below 0.49 of the best one found ends the search. The channels at a
/// speed are bounded by the GPU's links (switches), by the rings that fit into a mesh, and by the interfaces
/// of the node. Then channels of 25 GB/s and more are doubled at half the speed.
/// @param hardware, group  accepted by `validate`
/// Leaves out: the search over GPU orders on PCIe trees, CollNet, interfaces that NCCL fuses.
/// Source: NCCL src/graph/{topo.h, search.cc, connect.cc}, src/init.cc; 2.26.6's output in tests.
Graphs find_graphs(const Hardware& hardware, const Group& group);

}  // namespace netmodels::nccl
