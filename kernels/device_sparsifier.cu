// Scattering and zeroing at given indices.
#include <cassert>

#include "kernels/device.cuh"
#include "kernels/device_sparsifier.hpp"

namespace kernels {
namespace {

/// One thread for each index: the first pair of an index adds those that repeat it, in their order.
__global__ void scatter(const float* values, const Index* indices, const DeviceTotals* totals, float* sum) {
  const std::int64_t first = thread_number();
  const std::int64_t count = totals->count;
  if (first >= count) return;
  const Index index = indices[first];
  if (first > 0 && indices[first - 1] == index) return;
  float here = sum[index];
  for (std::int64_t i = first; i < count && indices[i] == index; ++i) here += values[i];
  sum[index] = here;
}

/// @param totals  say how many of the indices are sent; null: all
__global__ void zero(const Index* indices, std::int64_t most, const DeviceTotals* totals, float* vector) {
  const std::int64_t i = thread_number();
  if (i < (totals == nullptr ? most : totals->count)) vector[indices[i]] = 0;
}

}  // namespace

void add_pairs(const DeviceMessage& message, std::span<float> sum, StreamHandle stream) {
  assert(message.counts_indices());
  assert(static_cast<std::int64_t>(sum.size()) == message.elements);
  const auto most = static_cast<std::int64_t>(message.indices.size());
  if (most == 0) return;
  launch("scatter", scatter, thread_each(most), stream, message.values.data(), message.indices.data(),
         message.totals, sum.data());
}

void zero_at_indices(const DeviceMessage& message, std::span<float> vector, StreamHandle stream) {
  assert(static_cast<std::int64_t>(vector.size()) == message.elements);
  const auto most = static_cast<std::int64_t>(message.indices.size());
  if (most == 0) return;
  const DeviceTotals* totals = message.counts_indices() ? message.totals : nullptr;
  launch("zero", zero, thread_each(most), stream, message.indices.data(), most, totals, vector.data());
}

}  // namespace kernels
