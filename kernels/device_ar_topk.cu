// The gather on all ranks but the broadcaster.
#include "kernels/block_sums.cuh"
#include "kernels/device_steps.hpp"

namespace kernels {
namespace {

__global__ void __launch_bounds__(256)
    gather(const float* vector, const Index* indices, std::int64_t count, float* values, double* parts) {
  __shared__ WarpValues<double> scratch;
  const std::int64_t i = thread_number();
  const float value = i < count ? vector[indices[i]] : 0.0F;
  if (i < count) values[i] = value;
  const double squares = block_sum(static_cast<double>(value) * static_cast<double>(value), scratch);
  if (threadIdx.x == 0) parts[blockIdx.x] = squares;
}

__global__ void __launch_bounds__(1024)
    total(const double* parts, std::int64_t count, const VectorParts* found, std::int64_t sent,
          DeviceTotals* totals) {
  __shared__ WarpValues<double> scratch;
  double squares = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) squares += parts[i];
  squares = block_sum(squares, scratch);
  if (threadIdx.x != 0) return;
  totals->energy.sent = squares;
  totals->energy.given = found->energy;
  totals->count = sent;
  totals->wire_bytes = sent * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace

DeviceMessage DeviceArTopK::compress_at(std::span<const float> vector, std::span<const Index> indices,
                                        StreamHandle stream) {
  const auto count = static_cast<std::int64_t>(indices.size());
  const VectorParts* found = statistics_.measure(vector, stream);
  float* values = gathered_.reserve(count);
  const LaunchShape shape = thread_each(count);
  double* parts = parts_.reserve(shape.blocks);
  if (count > 0) {
    launch("gather", gather, shape, stream, vector.data(), indices.data(), count, values, parts);
  }
  DeviceTotals* totals = totals_.reserve(1);
  launch("total", total, one_block(shape.blocks), stream, parts, shape.blocks, found, count, totals);
  return {static_cast<std::int64_t>(vector.size()), gathered_.first(count), indices, {}, totals};
}

DeviceCompressorPtr ArTopK::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceArTopK>(settings);
}

}  // namespace kernels
