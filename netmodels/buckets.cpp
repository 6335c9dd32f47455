// Fills gradient buckets from the last layer to the first.
#include "netmodels/buckets.hpp"

#include <cassert>
#include <iterator>

#include "netmodels/execution.hpp"

namespace netmodels {
namespace {

bool is_full(const Bucket& bucket, Bytes limit) { return limit > Bytes{} && bucket.bytes >= limit; }

}  // namespace

std::vector<Bucket> gradient_buckets(std::span<const Layer> layers, const BucketLimits& limits) {
  assert(limits.first >= Bytes{} && limits.later >= Bytes{});
  std::vector<Bucket> buckets;
  Bucket open;
  for (std::size_t index = layers.size(); index-- > 0;) {
    if (layers[index].parameters == 0) continue;
    if (open.elements == 0) open.highest_layer = index;
    open.elements += layers[index].parameters;
    open.tensors += std::ssize(parameter_tensors(layers[index]));
    open.bytes = Bytes{gradient_value_bytes * static_cast<double>(open.elements)};
    open.lowest_layer = index;
    if (is_full(open, buckets.empty() ? limits.first : limits.later)) {
      buckets.push_back(open);
      open = {};
    }
  }
  if (open.elements > 0) buckets.push_back(open);
  return buckets;
}

Seconds ready_time(std::span<const Layer> layers, const Bucket& bucket, double batch) {
  assert(bucket.lowest_layer < layers.size());
  Seconds sum;
  for (const Layer& layer : layers.subspan(bucket.lowest_layer)) sum += layer.backward.at(batch);
  return sum;
}

}  // namespace netmodels
