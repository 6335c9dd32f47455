// Collectives of evenly spaced groups of ranks, as rows that are in no table.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

// Groups of `Operation::members` ranks that are `Operation::group` apart; together they hold all ranks, and
// work side by side. With N members, each form is that of a ring of N ranks on links of its own; where groups
// share links, the schedule holds. Sizes are those of one group: as a rank of it sees them.

extern const Collective group_all_reduce;      ///< ring of each group: 2(N-1) (L + M/(N B))
extern const Collective group_all_gather;      ///< ring of each group: (N-1) (L + M/(N B))
extern const Collective group_reduce_scatter;  ///< as `group_all_gather`, the other way round
extern const Collective group_broadcast;       ///< chain of each group, in `Operation::chunks`
extern const Collective group_exchange;        ///< pairwise all-to-all of each group: (N-1) (L + M/(N B))
extern const Collective group_shift;  ///< one message of each rank, `Operation::shift` members on: L + M/B

}  // namespace netmodels
