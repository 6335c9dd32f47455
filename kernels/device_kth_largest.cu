// A radix selection by digits of 11, 11 and 9 bits: one block over a sample, all blocks over candidates.
#include <algorithm>
#include <cmath>

#include "kernels/block_sums.cuh"
#include "kernels/device_selection.hpp"
#include "kernels/philox.hpp"
#include "kernels/radix_digits.cuh"
#include "kernels/selection_sources.cuh"

namespace kernels {
namespace {

constexpr std::int64_t sampled_run = 32;  // floats: one line of 128 bytes, read by one warp
constexpr std::int64_t sampled_runs = 1024;
constexpr std::int64_t sampled = sampled_run * sampled_runs;
constexpr unsigned sample_threads = 1024;
constexpr unsigned sample_warps = sample_threads / lanes_of_warp;
constexpr int runs_of_warp = static_cast<int>(sampled_runs / sample_warps);

// --- the sample
// -----------------------------------------------------------------------------------------------------

__global__ void __launch_bounds__(1024) sample(Selecting work, std::int64_t rank) {
  __shared__ unsigned counts[bins];
  __shared__ BinScratch scratch;
  const RandomStream stream{static_cast<std::uint64_t>(work.elements), 0};  // any fixed numbers do
  const std::int64_t stretch = work.elements / sampled_runs;                // one run somewhere in each
  Magnitude sizes[runs_of_warp];
  for (int i = 0; i < runs_of_warp; ++i) {
    const std::int64_t run = std::int64_t{threadIdx.x / lanes_of_warp} * runs_of_warp + i;
    const auto offset = static_cast<std::int64_t>(
        stream.below(static_cast<std::uint64_t>(stretch - sampled_run + 1), static_cast<std::uint64_t>(run)));
    const std::int64_t at = run * stretch + offset + lane_number();
    sizes[i] =
        magnitude(work.residual == nullptr ? work.gradient[at] : work.gradient[at] + work.residual[at]);
  }
  Magnitude known = 0;
  for (int number = 0; number < digits; ++number) {
    const Digit digit = digit_of(number);
    for (unsigned bin = threadIdx.x; bin < bins; bin += sample_threads) counts[bin] = 0;
    __syncthreads();
    for (int i = 0; i < runs_of_warp; ++i) {
      count_bin(counts, sizes[i] >> above(digit) == known >> above(digit), bin_of(sizes[i], digit));
    }
    __syncthreads();
    const FoundBin found_bin =
        find_bin(rank, scratch, [&](unsigned bin) { return static_cast<std::int64_t>(counts[bin]); });
    known |= static_cast<Magnitude>(found_bin.bin << digit.shift);
    rank = found_bin.rank;
  }
  if (threadIdx.x == 0) work.state->listed = known;
}

// --- the candidates
// -------------------------------------------------------------------------------------------------

/// The last block to end finds the digit from all blocks' counts, and clears them for the next.
__device__ void find_digit(const Selecting& work, int number, BinScratch& scratch) {
  SelectionState& state = *work.state;
  const volatile unsigned long long* counts = state.counts;  // other blocks' sums: not from a nearer cache
  const FoundBin found_bin = find_bin(state.rank == 0 ? work.enough : state.rank, scratch,
                                      [&](unsigned bin) { return static_cast<std::int64_t>(counts[bin]); });
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) state.counts[bin] = 0;
  if (threadIdx.x != 0) return;
  state.known |= static_cast<Magnitude>(found_bin.bin << digit_of(number).shift);
  state.rank = found_bin.rank;
  state.cut = {state.known, state.known + 1, found_bin.rank, 0};
  state.blocks_done = 0;
}

__global__ void __launch_bounds__(256) count_digit(Selecting work, int number) {
  __shared__ unsigned counts[bins];
  __shared__ BinScratch scratch;
  __shared__ bool is_last;
  if (work.state->is_cut) return;
  for (unsigned bin = threadIdx.x; bin < bins; bin += block_threads) counts[bin] = 0;
  __syncthreads();
  const bool from_vector = searches_vector(work);
  const std::int64_t count = from_vector ? work.elements : static_cast<std::int64_t>(work.state->collected);
  const Magnitude known = work.state->known;
  const Digit digit = digit_of(number);
  const std::int64_t step = std::int64_t{gridDim.x} * block_threads;
  for (std::int64_t first = std::int64_t{blockIdx.x} * block_threads; first < count; first += step) {
    const Found found = found_at(work, from_vector, first + threadIdx.x, count);
    const Magnitude size = magnitude(found.value);
    count_bin(counts, found.there && size >> above(digit) == known >> above(digit), bin_of(size, digit));
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += block_threads) {
    if (counts[bin] != 0) atomicAdd(&work.state->counts[bin], static_cast<unsigned long long>(counts[bin]));
  }
  if (last_block(work.state->blocks_done, is_last)) find_digit(work, number, scratch);
}

/// The rank in the sample that about k of the vector reach, and four standard deviations more.
std::int64_t sample_rank(const Selecting& work) {
  const double expected =
      static_cast<double>(sampled) * static_cast<double>(work.enough) / static_cast<double>(work.elements);
  return static_cast<std::int64_t>(std::ceil(expected + 4 * std::sqrt(expected) + 4));
}

}  // namespace

bool sample_pays(const Selecting& work) {
  return work.elements >= 2 * sampled && sample_rank(work) <= sampled / 2;
}

std::int64_t candidate_capacity(std::int64_t elements, std::int64_t enough) {
  constexpr std::int64_t least = 1 << 14;
  return std::min(elements, std::max(least, 4 * enough));
}

void sample_threshold(const Selecting& work, StreamHandle stream) {
  launch("sample", sample, {1, sample_threads}, stream, work, sample_rank(work));
}

void find_kth_largest(const Selecting& work, StreamHandle stream) {
  for (int number = 0; number < digits; ++number) {
    launch("count_digit", count_digit, searching_blocks(work.elements), stream, work, number);
  }
}

}  // namespace kernels
