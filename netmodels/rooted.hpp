// Reductions to rank 0, and gathers and scatters of shares of a buffer that rank 0 holds.
#pragma once

#include "netmodels/collective.hpp"

namespace netmodels {

/// Binomial reduction, one message of the whole buffer after another: ceil(log2 N) (L + M/B).
/// Leaves out: the additions. Source: Thakur et al. 2005; Open MPI 4.1.4 coll_base_reduce.c (binomial, in
/// order).
Seconds binomial_reduce_time(const Operation& operation, const LinkState& link);
Schedule binomial_reduce(const Operation& operation);

/// All ranks send their buffers to rank 0 at once, which share its link: L + (N-1) M/B.
/// Source: Open MPI 4.1.4 coll_base_reduce.c (basic_linear).
Seconds linear_reduce_time(const Operation& operation, const LinkState& link);
Schedule linear_reduce(const Operation& operation);

/// Rabenseifner's reduction: recursive halving, then the shares up a binomial tree, with P the largest power
/// of two of ranks: 2 (log2(P) L + (P-1)/P M/B), and L + M/B for handing in the buffers of the others unless
/// N = P. Source: Thakur et al. 2005; MPICH 4.0.2 reduce_intra_reduce_scatter_gather.c.
Seconds halving_gather_reduce_time(const Operation& operation, const LinkState& link);
Schedule halving_gather_reduce(const Operation& operation);

/// Reduce-scatter around a ring, then all shares to rank 0 at once:
/// (N-1) (L + M/(N B)) + L + (N-1)/N M/B. Leaves out: segments and notices, which `gloo_reduce` has.
/// Source: Gloo 5b14351 reduce.cc.
Seconds ring_gather_reduce_time(const Operation& operation, const LinkState& link);
Schedule ring_gather_reduce(const Operation& operation);

/// Shares up a binomial tree: ceil(log2 N) L + (N-1)/N M/B for powers of two, else the longest way.
/// Source: Open MPI 4.1.4 coll_base_gather.c, MPICH 4.0.2 gather_intra_binomial.c.
Seconds binomial_gather_time(const Operation& operation, const LinkState& link);
Schedule binomial_gather(const Operation& operation);

/// All shares to rank 0 at once, sharing its link: L + (N-1)/N M/B.
/// Source: Open MPI 4.1.4 coll_base_gather.c, Gloo 5b14351 gather.cc.
Seconds linear_gather_time(const Operation& operation, const LinkState& link);
Schedule linear_gather(const Operation& operation);

/// The binomial gather backwards. Source: Open MPI 4.1.4 coll_base_scatter.c, MPICH 4.0.2
/// scatter_intra_binomial.c.
Seconds binomial_scatter_time(const Operation& operation, const LinkState& link);
Schedule binomial_scatter(const Operation& operation);

/// The linear gather backwards. Source: Open MPI 4.1.4 coll_base_scatter.c, Gloo 5b14351 scatter.cc.
Seconds linear_scatter_time(const Operation& operation, const LinkState& link);
Schedule linear_scatter(const Operation& operation);

}  // namespace netmodels
