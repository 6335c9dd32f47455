// Scattering and zeroing at given places.
#include <cassert>

#include "kernels/device.cuh"
#include "kernels/device_sparsifier.hpp"

namespace kernels {
namespace {

/// One thread for each place: the first pair of a place adds those that repeat it, in their order.
__global__ void scatter(const float* values, const Index* indices, const DeviceTotals* totals, float* sum) {
  const std::int64_t first = thread_number();
  const std::int64_t count = totals->count;
  if (first >= count) return;
  const Index place = indices[first];
  if (first > 0 && indices[first - 1] == place) return;
  float here = sum[place];
  for (std::int64_t i = first; i < count && indices[i] == place; ++i) here += values[i];
  sum[place] = here;
}

__global__ void zero(const Index* indices, const DeviceTotals* totals, float* vector) {
  const std::int64_t i = thread_number();
  if (i < totals->count) vector[indices[i]] = 0;
}

}  // namespace

void DeviceSparsifier::accumulate(const DeviceMessage& message, std::span<float> sum,
                                  StreamHandle stream) const {
  assert(static_cast<std::int64_t>(sum.size()) == message.elements);
  const auto most = static_cast<std::int64_t>(message.indices.size());
  if (most == 0) return;
  launch("scatter", scatter, thread_each(most), stream, message.values.data(), message.indices.data(),
         message.totals, sum.data());
}

void DeviceSparsifier::subtract(const DeviceMessage& message, std::span<float> vector,
                                StreamHandle stream) const {
  assert(static_cast<std::int64_t>(vector.size()) == message.elements);
  const auto most = static_cast<std::int64_t>(message.indices.size());
  if (most == 0) return;
  launch("zero", zero, thread_each(most), stream, message.indices.data(), message.totals, vector.data());
}

}  // namespace kernels
