// The k largest of a few thousand values, by one thread block.
#pragma once

#include <cstdint>

#include "kernels/block_sums.cuh"
#include "kernels/candidates.hpp"
#include "kernels/magnitude.hpp"
#include "kernels/radix_digits.cuh"

namespace kernels {

struct BlockLargestScratch {
  unsigned counts[bins];
  BinScratch bin;
  WarpValues<unsigned> hits;
};

/// The last magnitude sent, and how many that equal it are.
struct LastSent {
  Magnitude size;
  std::int64_t equal;
};

/// A digit after the other, each counted over all values of the block. All threads take part.
__device__ inline LastSent find_last_sent(const float* values, std::int64_t size, std::int64_t sent,
                                          BlockLargestScratch& scratch) {
  LastSent last{0, sent};
  for (int number = 0; number < digits; ++number) {
    const Digit digit = digit_of(number);
    for (unsigned bin = threadIdx.x; bin < bins; bin += block_threads) scratch.counts[bin] = 0;
    __syncthreads();
    for (std::int64_t first = 0; first < size; first += block_threads) {
      const bool there = first + threadIdx.x < size;
      const Magnitude own = there ? magnitude(values[first + threadIdx.x]) : 0;
      const bool counted = there && own >> above(digit) == last.size >> above(digit);
      count_bin(scratch.counts, counted, bin_of(own, digit));
    }
    __syncthreads();
    const FoundBin found = find_bin(last.equal, scratch.bin, [&](unsigned bin) {
      return static_cast<std::int64_t>(scratch.counts[bin]);
    });
    last.size |= static_cast<Magnitude>(found.bin << digit.shift);
    last.equal = found.rank;
  }
  return last;
}

/// Lists the indices of the `count` values of largest magnitude (among equals the lowest), ascending. All
/// threads of a block take part.
/// @param count  in [1, size]
__device__ inline void list_largest(const float* values, std::int64_t size, std::int64_t count, Index* sent,
                                    BlockLargestScratch& scratch) {
  const LastSent last = find_last_sent(values, size, count, scratch);
  std::int64_t equal_before = 0, sent_before = 0;
  for (std::int64_t first = 0; first < size; first += block_threads) {
    const std::int64_t inside = first + threadIdx.x;
    const Magnitude own = inside < size ? magnitude(values[inside]) : -1;
    const RunningSum<unsigned> equal = block_running_sum(own == last.size ? 1U : 0U, scratch.hits);
    const bool is_sent = own > last.size || (own == last.size && equal_before + equal.before < last.equal);
    const RunningSum<unsigned> hits = block_running_sum(is_sent ? 1U : 0U, scratch.hits);
    if (is_sent) sent[sent_before + hits.before] = static_cast<Index>(inside);
    equal_before += equal.total;
    sent_before += hits.total;
  }
  __syncthreads();
}

}  // namespace kernels
