// One pass over gradient, velocity and residual, then a compression and the masking.
#include <cassert>

#include "kernels/device.cuh"
#include "kernels/device_compressor.hpp"
#include "kernels/device_steps.hpp"

namespace kernels {
namespace {

struct Memories {
  float* velocity;
  float* residual;
  std::int64_t elements;
};

__global__ void add_momentum(const float* gradient, Memories memories, float momentum) {
  const std::int64_t i = thread_number();
  if (i >= memories.elements) return;
  const float velocity = momentum * memories.velocity[i] + gradient[i];
  memories.velocity[i] = velocity;
  memories.residual[i] += velocity;
}

__global__ void add_nesterov(const float* gradient, Memories memories, float momentum) {
  const std::int64_t i = thread_number();
  if (i >= memories.elements) return;
  const float velocity = momentum * (memories.velocity[i] + gradient[i]);
  memories.velocity[i] = velocity;
  memories.residual[i] += velocity + gradient[i];
}

}  // namespace

DeviceMomentumCorrection::DeviceMomentumCorrection(std::int64_t elements,
                                                   const MomentumCorrection::Settings& settings,
                                                   StreamHandle stream)
    : settings_(settings), elements_(elements) {
  assert(elements >= 0 && elements <= most_elements);
  assert(settings.momentum >= 0 && settings.momentum < 1);
  const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(float);
  clear_bytes(velocity_.reserve(elements), bytes, stream);
  clear_bytes(residual_.reserve(elements), bytes, stream);
}

DeviceMessage DeviceMomentumCorrection::compress(DeviceCompressor& compressor,
                                                 std::span<const float> gradient, StreamHandle stream) {
  assert(static_cast<std::int64_t>(gradient.size()) == elements_);
  const std::span<float> residual = residual_.first(elements_);
  const Memories memories{velocity_.data(), residual.data(), elements_};
  if (elements_ > 0) {
    launch(settings_.nesterov ? "add_nesterov" : "add_momentum",
           settings_.nesterov ? add_nesterov : add_momentum, thread_each(elements_), stream, gradient.data(),
           memories, settings_.momentum);
  }
  const DeviceMessage message = compressor.compress(residual, stream);
  compressor.subtract(message, residual, stream);
  if (settings_.masking) zero_at_indices(message, velocity_.first(elements_), stream);
  return message;
}

}  // namespace kernels
