// Error feedback in two passes, restoring by adding to zeros, and the way of a message to the host.
#include <cassert>

#include "kernels/device.cuh"
#include "kernels/device_compressor.hpp"

namespace kernels {
namespace {

__global__ void add(const float* gradient, float* residual, std::int64_t elements) {
  const std::int64_t i = thread_number();
  if (i < elements) residual[i] += gradient[i];
}

}  // namespace

HostMessage downloaded(const DeviceMessage& message, StreamHandle stream) {
  const DeviceTotals totals = downloaded(std::span(message.totals, 1), stream).front();
  const auto sent = static_cast<std::size_t>(totals.count);
  const std::span<const Index> indices =
      message.indices.empty() ? message.indices : message.indices.first(sent);
  return {message.elements,
          downloaded(message.values.first(sent), stream),
          downloaded(indices, stream),
          downloaded(message.codes, stream),
          totals.wire_bytes,
          totals.energy};
}

DeviceMessage DeviceCompressor::compress_fed(std::span<const float> gradient, std::span<float> residual,
                                             StreamHandle stream) {
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
