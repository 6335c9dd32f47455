// NCCL's goodput as a share of the line rates of a node's network interfaces.
#pragma once

#include <span>

#include "netmodels/goodput.hpp"
#include "netmodels/nccl/hardware.hpp"

namespace netmodels::nccl {

/// Classes by line rate; the first that holds decides. Never empty.
/// @param gpu_direct  whether interfaces read and write the memory of GPUs; counts with InfiniBand and RoCE
/// only Source: by class, in network_goodput.cpp.
std::span<const GoodputClass> goodput_classes(NetworkKind kind, bool gpu_direct);

/// All interfaces of a node together, one direction: as measured, else by the class at their line rate, or
/// the nearest one. Leaves out: what a cloud allows one flow (transports of `cluster.fabric` know it).
Goodput node_goodput(const Network& network, int gpus_per_node);

/// The usual goodput of one interface while all are busy.
/// @param gpus_per_node  of one exchange
Bandwidth interface_goodput(const Network& network, int gpus_per_node);

}  // namespace netmodels::nccl
