// Indices of indices, or codes of values at indices.
#include <cassert>
#include <utility>

#include "kernels/device.cuh"
#include "kernels/device_compressor.hpp"
#include "kernels/device_steps.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {
namespace {

/// Joins totals: what the second level sends, and the energy that the first was given.
__global__ void join_totals(const DeviceTotals* outer, const DeviceTotals* inner, bool with_outer_indices,
                            std::int64_t value_bytes, DeviceTotals* totals) {
  totals->energy.sent = inner->energy.sent;
  totals->energy.given = outer->energy.given;
  totals->count = inner->count;
  totals->wire_bytes = inner->wire_bytes + (with_outer_indices ? outer->wire_bytes - value_bytes : 0);
}

__global__ void compose_indices(const Index* outer, const Index* inner, const DeviceTotals* sent,
                                Index* indices) {
  const std::int64_t i = thread_number();
  if (i < sent->count) indices[i] = outer[inner[i]];
}

/// One thread for each index: the first value of an index takes those that repeat it, in their order.
template <class Use>
__device__ void use_at_index(const float* values, std::span<const Index> indices, float* vector, Use use) {
  const auto count = static_cast<std::int64_t>(indices.size());
  const std::int64_t first = thread_number();
  if (first >= count) return;
  const Index* all = indices.data();
  const Index index = all[first];
  if (first > 0 && all[first - 1] == index) return;
  float here = vector[index];
  for (std::int64_t i = first; i < count && all[i] == index; ++i) here = use(here, values[i]);
  vector[index] = here;
}

__global__ void add_at_indices(const float* values, std::span<const Index> indices, float* sum) {
  use_at_index(values, indices, sum, [](float here, float value) { return here + value; });
}

__global__ void subtract_at_indices(const float* values, std::span<const Index> indices, float* vector) {
  use_at_index(values, indices, vector, [](float here, float value) {
    const float left = here - value;
    return is_finite(left) ? left : 0.0F;
  });
}

}  // namespace

DeviceMultiLevel::DeviceMultiLevel(std::unique_ptr<DeviceCompressor> first,
                                   std::unique_ptr<DeviceCompressor> second)
    : first_(std::move(first)), second_(std::move(second)) {
  assert(first_->sparse() && first_->count_is_fixed());
}

DeviceMessage DeviceMultiLevel::compress(std::span<const float> vector, StreamHandle stream) {
  const DeviceMessage outer = first_->compress(vector, stream);
  const DeviceMessage inner = second_->compress(outer.values, stream);
  DeviceTotals* totals = totals_.reserve(1);
  const auto value_bytes = static_cast<std::int64_t>(outer.values.size_bytes());
  launch("join_totals", join_totals, {1, 1}, stream, outer.totals, inner.totals, !sparse(), value_bytes,
         totals);
  if (!sparse()) return {outer.elements, inner.values, outer.indices, inner.codes, totals};
  const auto most = static_cast<std::int64_t>(inner.indices.size());
  Index* indices = indices_.reserve(most);
  if (most > 0) {
    launch("compose_indices", compose_indices, thread_each(most), stream, outer.indices.data(),
           inner.indices.data(), inner.totals, indices);
  }
  return {outer.elements, inner.values, indices_.first(most), {}, totals};
}

/// The second's values, one for each index of the message.
std::span<const float> DeviceMultiLevel::decoded(const DeviceMessage& message, StreamHandle stream) const {
  const auto count = static_cast<std::int64_t>(message.indices.size());
  decoded_.reserve(count);
  const DeviceMessage inner{count, message.values, {}, message.codes, message.totals};
  second_->restore(inner, decoded_.first(count), stream);
  return decoded_.first(count);
}

void DeviceMultiLevel::accumulate(const DeviceMessage& message, std::span<float> sum,
                                  StreamHandle stream) const {
  if (sparse()) return add_pairs(message, sum, stream);
  const auto count = static_cast<std::int64_t>(message.indices.size());
  if (count == 0) return;
  launch("add_at_indices", add_at_indices, thread_each(count), stream, decoded(message, stream).data(),
         message.indices, sum.data());
}

void DeviceMultiLevel::subtract(const DeviceMessage& message, std::span<float> vector,
                                StreamHandle stream) const {
  if (sparse()) return zero_at_indices(message, vector, stream);
  const auto count = static_cast<std::int64_t>(message.indices.size());
  if (count == 0) return;
  launch("subtract_at_indices", subtract_at_indices, thread_each(count), stream,
         decoded(message, stream).data(), message.indices, vector.data());
}

DeviceCompressorPtr MultiLevel::make_on_device(DeviceCompressorPtr first, DeviceCompressorPtr second) {
  return std::make_unique<DeviceMultiLevel>(std::move(first), std::move(second));
}

}  // namespace kernels
