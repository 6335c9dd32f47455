// The all-reduce of a cluster predicts its other collectives.
#pragma once

#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// A collective of size S takes what the fitted all-reduce takes for the size that puts as many bytes on each
/// link: t(S) = t_all_reduce(S f / f_all_reduce), with nccl-tests' bus factors f. The latency, mostly of
/// starting the call, is thus taken over whole.
///
/// @param evidence  seen: all-reduces, one for each number of ranks; measured: other collectives on as many
/// ranks
/// @returns an Error where a seen file is no all-reduce, or none has as many ranks
/// Leaves out: what one collective's algorithm does better than the other's.
netmodels::Result<std::vector<Prediction>> predict_other_collective(const Evidence& evidence);

}  // namespace calibrate::ledger
