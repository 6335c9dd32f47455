// Which links an entry of a scenario means.
#pragma once

#include <string>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/platform.hpp"

namespace sim::engine {

/// The links that are named, and the own links of the workers that are numbered; with neither, the own links
/// of all workers, or every link of a topology in which workers have none.
/// @param key  of the entry, such as `cluster.changes[2]`; goes into `Error::where`
/// @returns the links, or an Error for an unknown name and for a worker without a link of its own
netmodels::Result<std::vector<netmodels::LinkId>> link_targets(const Platform& platform,
                                                               const std::vector<int>& workers,
                                                               const std::vector<std::string>& names,
                                                               const std::string& key);

}  // namespace sim::engine
