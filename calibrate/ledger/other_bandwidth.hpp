// Ping-pongs at another line rate predict live MPI collectives.
#pragma once

#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// Every clean row of the live tables whose setting was also measured at another line rate; see
/// live_prediction.hpp for what is clean and how it is predicted.
/// @param evidence  seen: tables with ping-pongs; measured: tables with collectives, perhaps the same
netmodels::Result<std::vector<Prediction>> predict_other_bandwidth(const Evidence& evidence);

/// The rows that are not clean and have a form, from 64 KiB on.
netmodels::Result<std::vector<Prediction>> predict_other_bandwidth_rest(const Evidence& evidence);

}  // namespace calibrate::ledger
