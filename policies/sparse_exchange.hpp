// How the k kept values of a sparse gradient travel cheapest: all-gathered, or by AR-Topk on a ring or a
// tree.
#pragma once

#include <cstdint>

#include "netmodels/collective.hpp"

namespace policies {

/// The three ways. An index costs as many bytes as a value.
enum class SparseExchange { all_gather, ar_topk_ring, ar_topk_tree };

/// One exchange of a gradient of M bytes of which the share c is kept.
struct SparseGradient {
  std::uint32_t workers = 1;  ///< N, at least 1
  netmodels::Bytes kept;      ///< M c, the kept values without their indices
};

/// Time of one exchange. With a the latency, b the inverse of the bandwidth and log the binary logarithm, not
/// rounded up:
///
///   all-gather:    a log N + 2 M c b (N-1)
///   ar_topk_ring:  a (2(N-1) + log N) + M c b (2(N-1)/N + log N)   (4a)
///   ar_topk_tree:  3 a log N + 3 M c b log N                       (4b)
///
/// Leaves out: compression itself; the all-gather of norms where the broadcaster is chosen by variance.
/// Source: Tyagi & Swany, "Flexible Communication for Optimal Distributed Learning over Unpredictable
///         Networks", IEEE BigData 2023, section 3-D.
netmodels::Seconds exchange_time(SparseExchange exchange, const SparseGradient& gradient,
                                 const netmodels::LinkState& link);

/// The cheapest of the three by their times; the first named wins a tie.
SparseExchange cheapest_exchange(const SparseGradient& gradient, const netmodels::LinkState& link);

}  // namespace policies
