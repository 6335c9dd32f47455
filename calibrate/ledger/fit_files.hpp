// Fits that were made elsewhere predict the measurements of the same collective on as many ranks.
#pragma once

#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// Each measured size by the fit of the same collective on as many ranks. Where that fit was made of these
/// very measurements (the same facts, or without a source the same file name), it is marked as in sample.
/// @param evidence  seen: files of fits; measured: measurements files
/// @returns an Error where no fit has the collective on as many ranks
netmodels::Result<std::vector<Prediction>> predict_by_fit_files(const Evidence& evidence);

}  // namespace calibrate::ledger
