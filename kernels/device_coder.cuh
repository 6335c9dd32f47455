// Using decoded values where they are decoded; for the .cu files of coders.
#pragma once

#include <cassert>

#include "kernels/device.cuh"
#include "kernels/device_coder.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {

template <class Decoder>
__global__ void add_decoded(Decoder decoder, float* vector, std::int64_t elements) {
  const std::int64_t i = thread_number();
  if (i < elements) vector[i] += decoder(i);
}

template <class Decoder>
__global__ void subtract_decoded(Decoder decoder, float* vector, std::int64_t elements) {
  const std::int64_t i = thread_number();
  if (i >= elements) return;
  const float left = vector[i] - decoder(i);
  vector[i] = is_finite(left) ? left : 0.0F;
}

/// @param decoder  decoder(i): what value i restores to; copied to the device
template <class Decoder>
void decode_each(const Decoder& decoder, std::span<float> vector, bool adding, StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  if (elements == 0) return;
  launch("decoding", adding ? add_decoded<Decoder> : subtract_decoded<Decoder>, thread_each(elements), stream,
         decoder, vector.data(), elements);
}

}  // namespace kernels
