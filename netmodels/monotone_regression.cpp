// Pools adjacent violators: one pass, each value merged at most once.
#include "netmodels/monotone_regression.hpp"

#include <cassert>
#include <cstddef>

namespace netmodels {
namespace {

/// Neighbours that share one value.
struct PooledValues {
  double mean;  ///< mean; a single value is kept as it is, because its product with its weight may be rounded
  double sum;   ///< weighted
  double weight;
  std::size_t size;
};

}  // namespace

std::vector<double> monotone_regression(std::span<const double> values, std::span<const double> weights) {
  assert(weights.empty() || weights.size() == values.size());
  std::vector<PooledValues> pools;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    PooledValues last{values[i], values[i] * weight, weight, 1};
    while (!pools.empty() && pools.back().mean > last.mean) {
      last.sum += pools.back().sum;
      last.weight += pools.back().weight;
      last.size += pools.back().size;
      last.mean = last.sum / last.weight;
      pools.pop_back();
    }
    pools.push_back(last);
  }
  std::vector<double> fitted;
  for (const PooledValues& pool : pools) fitted.insert(fitted.end(), pool.size, pool.mean);
  return fitted;
}

}  // namespace netmodels
