// Which exchange of gradients is quicker: predicted and measured, for dense, top-k and AR-Topk exchanges.
#pragma once

#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// For every setting of the live tables, every buffer M and every smaller size S that were measured, two
/// quotients, each measured and predicted from a ping-pong at another line rate:
///
///   all-gather of S from each rank / ring all-reduce of M     (top-k that sends S, indices included)
///   (binomial broadcast of S + ring all-reduce of S) / ring all-reduce of M     (AR-Topk with S of values)
///
/// A quotient below 1 says that the compressed exchange is the quicker one. Messages of 4 KiB and more.
/// @param evidence  seen: tables with ping-pongs; measured: tables with collectives, perhaps the same
/// Leaves out: the time to compress, which no table holds; AR-Topk is the sum of two measured times.
netmodels::Result<std::vector<Prediction>> predict_exchange_choice(const Evidence& evidence);

/// Those of them whose measured times lie within a factor of 2 of each other: the close calls.
netmodels::Result<std::vector<Prediction>> predict_close_exchange_choice(const Evidence& evidence);

}  // namespace calibrate::ledger
