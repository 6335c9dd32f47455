// Using decoded values where they are decoded; for the .cu files of coders.
#pragma once

#include <cassert>

#include "kernels/device.cuh"
#include "kernels/device_compressor.hpp"
#include "kernels/four_floats.cuh"
#include "kernels/magnitude.hpp"

namespace kernels {

/// Four values of a thread: the results of `use` on each value and its decoded one.
template <class Use>
__device__ void use_decoded(float* vector, std::int64_t elements, Use use) {
  const std::int64_t at = thread_number() * 4;
  if (at >= elements) return;
  const bool aligned = is_aligned(vector);
  FourFloats four = load_four(vector, at, elements, aligned);
  for (int i = 0; i < 4; ++i) {
    if (at + i < elements) four.values[i] = use(four.values[i], at + i);
  }
  store_four(vector, at, elements, aligned, four);
}

template <class Decoder>
__global__ void add_decoded(Decoder decoder, float* vector, std::int64_t elements) {
  use_decoded(vector, elements, [&](float value, std::int64_t i) { return value + decoder(i); });
}

template <class Decoder>
__global__ void subtract_decoded(Decoder decoder, float* vector, std::int64_t elements) {
  use_decoded(vector, elements, [&](float value, std::int64_t i) {
    const float left = value - decoder(i);
    return is_finite(left) ? left : 0.0F;
  });
}

/// @param decoder  decoder(i): the restored value i; copied to the device
template <class Decoder>
void decode_each(const Decoder& decoder, std::span<float> vector, bool adding, StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  if (elements == 0) return;
  launch("decoding", adding ? add_decoded<Decoder> : subtract_decoded<Decoder>,
         thread_each(divided_up(elements, 4)), stream, decoder, vector.data(), elements);
}

}  // namespace kernels
