// The rates of wires: what GPUs and nodes reach of their line rates.
#pragma once

#include <span>

#include "netmodels/nccl/graph.hpp"
#include "netmodels/nccl/hardware.hpp"
#include "netmodels/quantity.hpp"

namespace netmodels::nccl {

/// Rates in each direction, Simple protocol.
struct Rates {
  Bandwidth two_way = {};  ///< rate of a GPU that sends and receives inside a node; 0: one GPU a node
  Bandwidth one_way = {};  ///< rate of a GPU that only sends, or only receives
  Bandwidth node = {};     ///< rate of all interfaces of a node; 0: one node
};

/// NVSwitch: links x line rate x 0.80 / (1 + 0.7 / ranks^2). Mesh: rings x line rate x 0.905, x 0.82 through
/// GPUs that only forward. PCIe: 13 GB/s x generation x 0.90; through the memory of the host, a GPU that
/// sends and receives at once gets 0.75 of it, shared by those behind one uplink. Interfaces: the usual
/// goodput of network_goodput.hpp, or as measured.
/// @param hardware, group  accepted by `validate`
/// Source: nccl-tests tables; see rates.cpp for the range of each share.
Rates rates_of(const Hardware& hardware, const Group& group, const Graphs& graphs);

/// Seconds that the exchange takes inside a node whose GPUs a mesh of links joins, each at 0.905 of its line
/// rate, 0.82 of that through GPUs that only forward; PCIe carries all of it where a pair has no way of at
/// most two links.
/// @param sent  bytes by GPU of the group, as of `busiest_link`
/// Leaves out: rounds in which not all pairs are busy; no table of a mesh to test it was found.
/// Source: NCCL src/graph/paths.cc (paths through a neighbour, PATH_NVB).
Seconds mesh_exchange_time(const Hardware& hardware, const Group& group, std::span<const double> sent);

/// Line rate of all NVLinks of a GPU together, one direction: of the GPU that has most; 0 without NVLink.
Bandwidth nvlink_rate(const Hardware& hardware);

/// The most that the NVLinks of a GPU of this compute capability, or of the next lower one that has NVLink,
/// carry in one direction. Source: NVIDIA's data sheets of P100, V100, A100, RTX A6000, H100, B200.
Bandwidth most_nvlink(int compute_capability);

/// Line rate in one direction: all NVLinks of a GPU, or its PCIe if that is faster; of a mesh, of the GPU
/// with most links.
/// @param hardware  accepted by `validate`
Bandwidth line_rate_of_gpu(const Hardware& hardware);

/// Whether interfaces of this kind write to the memory of others without their processor.
bool is_rdma(NetworkKind kind);

}  // namespace netmodels::nccl
