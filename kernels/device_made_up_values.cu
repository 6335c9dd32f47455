// Each value by its own thread, from its index.
#include "kernels/device.cuh"
#include "kernels/device_made_up_values.hpp"

namespace kernels {
namespace {

__global__ void make_up(float* vector, std::int64_t elements, GradientValues values) {
  const std::int64_t i = thread_number();
  if (i >= elements) return;
  const MadeUpParts parts = made_up_parts(values, static_cast<std::uint64_t>(i));
  vector[i] = static_cast<float>(parts.numerator / sqrt(parts.square)) * parts.scale;
}

}  // namespace

void make_up_values(std::span<float> vector, GradientValues values, StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  if (elements == 0) return;
  launch("make_up", make_up, thread_each(elements), stream, vector.data(), elements, values);
}

}  // namespace kernels
