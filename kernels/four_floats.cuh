// Four neighbouring floats in one access where their address allows it.
#pragma once

#include <cstdint>

#include "kernels/device.cuh"

namespace kernels {

struct FourFloats {
  float values[4];
};

/// Whether four floats from any multiple of four on can be read at once.
__device__ inline bool is_aligned(const float* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % sizeof(float4) == 0;
}

/// Values at, at + 1, at + 2, at + 3; zeros from n on.
/// @param at  a multiple of four
__device__ inline FourFloats load_four(const float* from, std::int64_t at, std::int64_t elements,
                                       bool aligned) {
  if (aligned && at + 4 <= elements) {
    const float4 four = *reinterpret_cast<const float4*>(from + at);
    return {{four.x, four.y, four.z, four.w}};
  }
  FourFloats four{};
  for (int i = 0; i < 4; ++i) {
    if (at + i < elements) four.values[i] = from[at + i];
  }
  return four;
}

/// Writes those that lie before n.
__device__ inline void store_four(float* to, std::int64_t at, std::int64_t elements, bool aligned,
                                  const FourFloats& four) {
  if (aligned && at + 4 <= elements) {
    *reinterpret_cast<float4*>(to + at) = {four.values[0], four.values[1], four.values[2], four.values[3]};
    return;
  }
  for (int i = 0; i < 4; ++i) {
    if (at + i < elements) to[at + i] = four.values[i];
  }
}

}  // namespace kernels
