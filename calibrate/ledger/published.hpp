// Published figures, predicted by scenarios.
#pragma once

#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// Each published figure of each scenario beside the simulator's. Figures that a scenario started from, as
/// its `expect` or its advice says, are left out.
/// @param evidence  measured: JSON results of `sim run` or `sim advise`; nothing is seen
/// @returns an Error where a result has no figure to hold against
netmodels::Result<std::vector<Prediction>> predict_published(const Evidence& evidence);

}  // namespace calibrate::ledger
