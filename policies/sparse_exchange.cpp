// Sums of published closed forms.
#include "policies/sparse_exchange.hpp"

#include "netmodels/table_one.hpp"

namespace policies {

netmodels::Seconds exchange_time(SparseExchange exchange, const SparseGradient& gradient,
                                 const netmodels::LinkState& link) {
  const netmodels::Operation values{gradient.workers, gradient.kept};
  switch (exchange) {
    case SparseExchange::all_gather:
      return netmodels::table_one_allgather_time({gradient.workers, 2 * gradient.kept}, link);
    case SparseExchange::ar_topk_ring:
      return netmodels::table_one_broadcast_time(values, link) + netmodels::table_one_ring_time(values, link);
    case SparseExchange::ar_topk_tree:
      return netmodels::table_one_broadcast_time(values, link) + netmodels::table_one_tree_time(values, link);
  }
  return {};
}

SparseExchange cheapest_exchange(const SparseGradient& gradient, const netmodels::LinkState& link) {
  SparseExchange best = SparseExchange::all_gather;
  netmodels::Seconds least = exchange_time(best, gradient, link);
  for (const SparseExchange exchange : {SparseExchange::ar_topk_ring, SparseExchange::ar_topk_tree}) {
    const netmodels::Seconds cost = exchange_time(exchange, gradient, link);
    if (cost >= least) continue;
    least = cost;
    best = exchange;
  }
  return best;
}

}  // namespace policies
