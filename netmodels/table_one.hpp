// The closed forms of a published table, as printed, so that its figures can be reproduced for any N.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

/// Table I of Tyagi & Swany, "Flexible Communication for Optimal Distributed Learning over Unpredictable
/// Networks", IEEE BigData 2023 (arXiv 2312.02493); log is log2 and not rounded up. M is the message of one
/// rank, also for the all-gather, unlike in the rest of the table.
Seconds table_one_parameter_server_time(const Operation& operation,
                                        const LinkState& link);                  ///< 2 a + 2(N-1) M b
Seconds table_one_ring_time(const Operation& operation, const LinkState& link);  ///< 2(N-1) a + 2 (N-1)/N M b
Seconds table_one_tree_time(const Operation& operation, const LinkState& link);  ///< 2 a log N + 2 log N M b
Seconds table_one_broadcast_time(const Operation& operation, const LinkState& link);  ///< a log N + log N M b
Seconds table_one_allgather_time(const Operation& operation, const LinkState& link);  ///< a log N + (N-1) M b

}  // namespace netmodels
