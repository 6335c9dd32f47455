// Error feedback in two passes, restoring by adding to zeros, and the way of a message to the host.
#include <cassert>

#include "kernels/block_sums.cuh"
#include "kernels/device.cuh"
#include "kernels/device_compressor.hpp"

namespace kernels {
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

}  // namespace kernels
