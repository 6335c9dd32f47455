// A bucket of values that share a scale, read by one warp in fours that lie at multiples of four.
#pragma once

#include <algorithm>

#include "kernels/four_floats.cuh"

namespace kernels {

/// The values [first, end) of a vector.
struct Bucket {
  std::int64_t first, end;
};

__device__ inline Bucket bucket_of(std::int64_t number, std::int64_t size, std::int64_t elements) {
  return {number * size, std::min(number * size + size, elements)};
}

/// Calls use(at, four, inside) for this lane's fours of the bucket: `inside` has a bit for each of the values
/// at .. at + 3 that belongs to it. The lanes of the warp take all fours together.
template <class Use>
__device__ void each_four(const float* vector, std::int64_t elements, const Bucket& bucket, Use use) {
  const bool aligned = is_aligned(vector);
  for (std::int64_t at = bucket.first / 4 * 4 + std::int64_t{lane_number()} * 4; at < bucket.end;
       at += std::int64_t{lanes_of_warp} * 4) {
    unsigned inside = 0;
    for (int i = 0; i < 4; ++i) inside |= (at + i >= bucket.first && at + i < bucket.end ? 1U : 0U) << i;
    use(at, load_four(vector, at, elements, aligned), inside);
  }
}

/// Writes four codes, or those of them that belong to the bucket.
/// @param codes  of the whole vector, at a multiple of four bytes
__device__ inline void store_codes(std::uint8_t* codes, std::int64_t at, unsigned inside,
                                   const int (&four)[4]) {
  if (inside == 15U) {
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>(four[i] & 0xff) << (8 * i);
    *reinterpret_cast<std::uint32_t*>(codes + at) = word;
    return;
  }
  for (int i = 0; i < 4; ++i) {
    if ((inside >> i & 1U) != 0) codes[at + i] = static_cast<std::uint8_t>(four[i]);
  }
}

}  // namespace kernels
