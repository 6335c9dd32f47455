// Step times on some placements predict those on others.
#pragma once

#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// Each placement by the law of fits/placement_law.hpp, fitted to the placements of every second pair (one
/// node or several, number of replicas), in ascending order, and the other way round. So no predicted
/// placement has the pair of a seen one, whatever its layout over the nodes. Steps of one replica, which know
/// no exchange, give both fits the time of computing; they are not predicted.
/// @param evidence  measured: AdaptDL's placements.csv of one model each; nothing is seen
netmodels::Result<std::vector<Prediction>> predict_every_second_pair(const Evidence& evidence);

/// Each measured step by the law fitted to all seen ones, file by file.
/// @param evidence  seen: placements.csv; measured: scalability.csv of the same models in the same order
/// @returns an Error where the numbers of files differ, or a measured step has no more nodes than a seen one
netmodels::Result<std::vector<Prediction>> predict_more_nodes(const Evidence& evidence);

}  // namespace calibrate::ledger
