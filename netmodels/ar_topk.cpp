// A broadcast with an all-reduce behind it.
#include "netmodels/ar_topk.hpp"

#include "netmodels/binomial_tree.hpp"
#include "netmodels/ring.hpp"

namespace netmodels {

Seconds ar_topk_ring_time(const Operation& operation, const LinkState& link) {
  return binomial_broadcast_time(operation, link) + ring_allreduce_time(operation, link);
}

Schedule ar_topk_ring(const Operation& operation) {
  return then(binomial_broadcast(operation), ring_allreduce(operation));
}

Seconds ar_topk_tree_time(const Operation& operation, const LinkState& link) {
  return binomial_broadcast_time(operation, link) + binomial_tree_allreduce_time(operation, link);
}

Schedule ar_topk_tree(const Operation& operation) {
  return then(binomial_broadcast(operation), binomial_tree_allreduce(operation));
}

}  // namespace netmodels
