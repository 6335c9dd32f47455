// Tables on some numbers of ranks predict tables on others.
#pragma once

#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// The ring law of all seen tables together (fits/across_ranks.hpp), asked for the ranks of each measured
/// one. Of tables with hundreds of sizes, every size that is 2^(1/4) or more above the one before it counts,
/// so that large sizes do not outnumber small ones.
/// @param evidence  seen and measured: measurements files or vTrain's look-up tables, of one collective
/// @returns an Error where a measured table's number of ranks was seen, or its collective was not
netmodels::Result<std::vector<Prediction>> predict_other_ranks(const Evidence& evidence);

}  // namespace calibrate::ledger
