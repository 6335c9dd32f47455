// The collectives of a run, as the table names them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/report/metric.hpp"

namespace sim::report {

/// The schedules that were used, with the share of steps where there are several; or, of described hardware,
/// the algorithms that NCCL would choose for the collectives of one step: "NCCL ring, tree".
/// @returns empty where nothing was exchanged
std::string collective_names(const RunPart& part);

/// Names of what steps used, with their shares where there are several; steps without a name use none.
std::string names_with_shares(std::map<std::string, std::int64_t> uses);

}  // namespace sim::report
