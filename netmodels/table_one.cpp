// Five formulas of one printed table.
#include "netmodels/table_one.hpp"

#include <cmath>

namespace netmodels {
namespace {

double others(const Operation& operation) { return operation.ranks - 1.0; }
double log_ranks(const Operation& operation) { return std::log2(static_cast<double>(operation.ranks)); }
Seconds transfer(const Operation& operation, const LinkState& link) {
  return operation.size / link.bandwidth;
}

}  // namespace

Seconds table_one_parameter_server_time(const Operation& operation, const LinkState& link) {
  return 2.0 * link.latency + 2.0 * others(operation) * transfer(operation, link);
}

Seconds table_one_ring_time(const Operation& operation, const LinkState& link) {
  return 2.0 * others(operation) * (link.latency + transfer(operation, link) / operation.ranks);
}

Seconds table_one_tree_time(const Operation& operation, const LinkState& link) {
  return 2.0 * log_ranks(operation) * (link.latency + transfer(operation, link));
}

Seconds table_one_broadcast_time(const Operation& operation, const LinkState& link) {
  return log_ranks(operation) * (link.latency + transfer(operation, link));
}

Seconds table_one_allgather_time(const Operation& operation, const LinkState& link) {
  return log_ranks(operation) * link.latency + others(operation) * transfer(operation, link);
}

}  // namespace netmodels
