// AdaptDL's step times per placement and local batch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fits/placement_law.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// One row.
struct AdaptdlStep {
  std::string placement;  ///< as written: a digit for the GPUs of each node, or `NODES x REPLICAS`
  fits::PlacedStep step;
};

/// Reads placement,local_bsz,step_time (placements.csv: `1144` are four nodes with 1, 1, 4 and 4 GPUs) or
/// num_nodes,num_replicas,local_bsz,step_time (scalability.csv); times in seconds.
/// @param source  named in errors
/// @returns at least one row, or an Error with its place
netmodels::Result<std::vector<AdaptdlStep>> read_adaptdl_placements(std::string_view text,
                                                                    std::string_view source);

}  // namespace calibrate::imports
