// Shared code of compressors on the device.
#include <cassert>

#include "kernels/block_sums.cuh"
#include "kernels/device.cuh"
#include "kernels/device_compressor.hpp"

namespace kernels {

// Error feedback in two passes, restoring by adding to zeros, and the way of a message to the host.

namespace {

__global__ void add(const float* gradient, float* residual, std::int64_t elements) {
  const std::int64_t i = thread_number();
  if (i < elements) residual[i] += gradient[i];
}

__global__ void __launch_bounds__(1024)
    add_energies(std::span<const Energy> parts, DeviceTotals sizes, DeviceTotals* totals) {
  __shared__ WarpValues<double> scratch;
  double sent = 0, given = 0;
  for (std::size_t i = threadIdx.x; i < parts.size(); i += blockDim.x) {
    sent += parts[i].sent;
    given += parts[i].given;
  }
  sent = block_sum(sent, scratch);
  given = block_sum(given, scratch);
  if (threadIdx.x != 0) return;
  totals->energy.sent = sent;
  totals->energy.given = given;
  totals->count = sizes.count;
  totals->wire_bytes = sizes.wire_bytes;
}

}  // namespace

void sum_energies(std::span<const Energy> parts, const DeviceTotals& sizes, DeviceTotals* totals,
                  StreamHandle stream) {
  launch("add_energies", add_energies, one_block(static_cast<std::int64_t>(parts.size())), stream, parts,
         sizes, totals);
}

HostMessage downloaded(const DeviceMessage& message, StreamHandle stream) {
  const DeviceTotals totals = downloaded(std::span(message.totals, 1), stream).front();
  const auto sent = static_cast<std::size_t>(totals.count);
  const std::span<const Index> indices =
      message.counts_indices() ? message.indices.first(sent) : message.indices;
  return {message.elements,
          downloaded(message.values.first(sent), stream),
          downloaded(indices, stream),
          downloaded(message.codes, stream),
          totals.wire_bytes,
          totals.energy};
}

DeviceMessage DeviceCompressor::compress_in_two_passes(std::span<const float> gradient,
                                                       std::span<float> residual, StreamHandle stream) {
  assert(gradient.size() == residual.size());
  const auto elements = static_cast<std::int64_t>(gradient.size());
  if (elements > 0) {
    launch("add", add, thread_each(elements), stream, gradient.data(), residual.data(), elements);
  }
  const DeviceMessage message = compress(residual, stream);
  subtract(message, residual, stream);
  return message;
}

void DeviceCompressor::restore(const DeviceMessage& message, std::span<float> vector,
                               StreamHandle stream) const {
  clear_bytes(vector.data(), vector.size_bytes(), stream);
  accumulate(message, vector, stream);
}

// A coder's message.

DeviceMessage DeviceCoder::summed(std::int64_t elements, std::int64_t scale_count, std::int64_t code_bytes,
                                  std::int64_t part_count, StreamHandle stream) {
  const DeviceTotals sizes{{}, scale_count, wire_bytes(scale_count, code_bytes)};
  sum_energies(parts_.first(part_count), sizes, totals(), stream);
  return coded(elements, scale_count, code_bytes);
}

DeviceMessage DeviceCoder::coded(std::int64_t elements, std::int64_t scale_count,
                                 std::int64_t code_bytes) const {
  return {elements, scales_.first(scale_count), {}, codes_.first(code_bytes), totals_.data()};
}

// Scattering and zeroing at given indices.

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
