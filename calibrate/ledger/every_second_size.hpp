// Segments fitted to every second size of a table predict the sizes between them.
#pragma once

#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// Each size of each table, predicted by the fit to the other half of its sizes (where a table has few sizes,
/// to all others): what `calibrate fit` prints as held-out error.
/// @param evidence  measured: measurements files; nothing is seen
netmodels::Result<std::vector<Prediction>> predict_every_second_size(const Evidence& evidence);

}  // namespace calibrate::ledger
