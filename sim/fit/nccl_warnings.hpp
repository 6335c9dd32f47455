// Measured times of collectives that the described hardware can hardly have.
#pragma once

#include <string>
#include <vector>

#include "netmodels/nccl/hardware.hpp"
#include "sim/fit/nccl_fit.hpp"

namespace sim::fit {

/// A sentence on the time that is farthest below what line rates allow: of all interfaces of a node, and of
/// the links of a GPU, whichever takes longer. Another on the time that is most above, and most below, what
/// the description alone predicts, where that is more than 8 times.
///
///   bytes that enter or leave: S (n-1)/n in all_gather, reduce_scatter and alltoall, else S, for n nodes, or
///   n GPUs; alltoall between nodes: S (n-1)/n of each of a node's ranks
///
/// They hold for sums in switches, too.
///
/// @param fit  with its points
/// Leaves out: lines of PCIe that GPUs share.
std::vector<std::string> nccl_warnings(const netmodels::nccl::Hardware& hardware, const NcclFit& fit);

}  // namespace sim::fit
