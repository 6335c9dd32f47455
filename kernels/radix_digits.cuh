// Digits of magnitudes and their counts, shared by the kernels of a radix selection.
#pragma once

#include "kernels/block_sums.cuh"
#include "kernels/magnitude.hpp"

namespace kernels {

constexpr int digits = 3;
constexpr int bins = 2048;

/// The digits above are known, this one is counted next.
struct Digit {
  int shift;
  int bits;
};
constexpr Digit digit_of(int number) {
  return number == 0 ? Digit{20, 11} : number == 1 ? Digit{9, 11} : Digit{0, 9};
}

/// Lowest bit above the digit.
constexpr int above(Digit digit) { return digit.shift + digit.bits; }

__device__ inline unsigned bin_of(Magnitude size, Digit digit) {
  return static_cast<unsigned>(size >> digit.shift & ((1 << digit.bits) - 1));
}

/// Adds one to the bin of each lane that has one, once for all lanes with the same bin: gradients fill few.
/// All lanes of the warp take part.
__device__ inline void count_bin(unsigned* counts, bool counted, unsigned bin) {
  const unsigned same = __match_any_sync(all_lanes, counted ? bin : static_cast<unsigned>(bins));
  const bool leader = (same & lanes_below()) == 0;
  if (counted && leader) atomicAdd(&counts[bin], static_cast<unsigned>(__popc(same)));
}

/// The digit of the value of rank `rank` (from the largest, from 1), and its rank among those of this digit.
struct FoundBin {
  unsigned bin;
  std::int64_t rank;
};

struct BinScratch {
  WarpValues<std::int64_t> sums;
  FoundBin found;
};

/// All threads of the block take part.
/// @param count_of  count_of(bin), for bin in [0, bins)
template <class CountOf>
__device__ FoundBin find_bin(std::int64_t rank, BinScratch& scratch, CountOf count_of) {
  const unsigned own = static_cast<unsigned>(bins) / blockDim.x;  // bins of a thread, the highest first
  const unsigned top = static_cast<unsigned>(bins) - 1 - threadIdx.x * own;
  std::int64_t count = 0;
  for (unsigned i = 0; i < own; ++i) count += count_of(top - i);
  std::int64_t larger = block_running_sum(count, scratch.sums).before;
  if (larger < rank && rank <= larger + count) {
    unsigned bin = top;
    while (larger + count_of(bin) < rank) larger += count_of(bin--);
    scratch.found = {bin, rank - larger};
  }
  __syncthreads();
  const FoundBin found = scratch.found;
  __syncthreads();
  return found;
}

}  // namespace kernels
