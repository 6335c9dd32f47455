// Measured times of one NCCL collective: the input of `sim fit nccl`.
#pragma once

#include <filesystem>

#include "netmodels/nccl/hardware.hpp"
#include "netmodels/result.hpp"

namespace sim::fit {

/// Reads `.csv` as `calibrate import nccl-tests` writes it; any other file as YAML with the keys of
/// `cluster.nccl.measured`: operation, ranks, nodes, points. Points may be in any order, and none are fine.
/// @returns sizes rising, each once; ranks stated; or an Error with its place: of a key or value, of a size
///          that was measured twice with different times, of a size or time of 0, of ranks below 2
netmodels::Result<netmodels::nccl::Measured> read_nccl_measured(const std::filesystem::path& file);

}  // namespace sim::fit
