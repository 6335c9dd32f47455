// A radix selection by digits of 11, 11 and 9 bits: one block over a sample, all blocks over candidates.
#include <algorithm>
#include <cmath>

#include "kernels/block_sums.cuh"
#include "kernels/device_kth_largest.hpp"
#include "kernels/philox.hpp"
#include "kernels/selection_sources.cuh"

namespace kernels {
namespace {

constexpr int digits = 3;
constexpr int bins = 2048;

/// What lies above a digit is known, the digit itself is counted next.
struct Digit {
  int shift;
  int bits;
};
constexpr Digit digit_of(int number) {
  return number == 0 ? Digit{20, 11} : number == 1 ? Digit{9, 11} : Digit{0, 9};
}

constexpr std::int64_t sampled_run = 32;  // floats: one line of 128 bytes, read by one warp
constexpr std::int64_t sampled_runs = 1024;
constexpr std::int64_t sampled = sampled_run * sampled_runs;
constexpr unsigned sample_threads = 1024;
constexpr unsigned sample_warps = sample_threads / lanes_of_warp;
constexpr int runs_of_warp = static_cast<int>(sampled_runs / sample_warps);
constexpr std::int64_t most_counting_blocks = 1024;

/// Adds one to the bin of each lane that has one, once for all lanes with the same bin: gradients fill few.
/// All lanes of the warp take part.
__device__ void count_bin(unsigned* counts, bool counted, unsigned bin) {
  const unsigned same = __match_any_sync(all_lanes, counted ? bin : static_cast<unsigned>(bins));
  const bool leader = (same & lanes_below()) == 0;
  if (counted && leader) atomicAdd(&counts[bin], static_cast<unsigned>(__popc(same)));
}

/// The digit of the value of rank `rank` (from the largest, from 1), and its rank among those of this digit.
struct Place {
  unsigned bin;
  std::int64_t rank;
};

struct PlaceScratch {
  WarpValues<std::int64_t> sums;
  Place found;
};

/// All threads of the block take part.
/// @param count_of  count_of(bin), for bin in [0, bins)
template <class CountOf>
__device__ Place place_of(std::int64_t rank, PlaceScratch& scratch, CountOf count_of) {
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
  const Place found = scratch.found;
  __syncthreads();
  return found;
}

// --- the sample
// -----------------------------------------------------------------------------------------------------

__global__ void __launch_bounds__(1024) sample(Selecting work, std::int64_t rank) {
  __shared__ unsigned counts[bins];
  __shared__ PlaceScratch scratch;
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
    const int above = digit.shift + digit.bits;
    for (unsigned bin = threadIdx.x; bin < bins; bin += sample_threads) counts[bin] = 0;
    __syncthreads();
    for (int i = 0; i < runs_of_warp; ++i) {
      const auto bin = static_cast<unsigned>(sizes[i] >> digit.shift & ((1 << digit.bits) - 1));
      count_bin(counts, sizes[i] >> above == known >> above, bin);
    }
    __syncthreads();
    const Place place =
        place_of(rank, scratch, [&](unsigned bin) { return static_cast<std::int64_t>(counts[bin]); });
    known |= static_cast<Magnitude>(place.bin << digit.shift);
    rank = place.rank;
  }
  if (threadIdx.x == 0) work.state->threshold = known;
}

// --- the candidates
// -------------------------------------------------------------------------------------------------

/// The last block to end finds the digit from all blocks' counts, and clears them for the next.
__device__ void find_digit(const Selecting& work, int number, PlaceScratch& scratch) {
  SelectionState& state = *work.state;
  const volatile unsigned long long* counts = state.counts;  // other blocks' sums: not from a nearer cache
  const Place place = place_of(number == 0 ? work.wanted : state.wanted, scratch,
                               [&](unsigned bin) { return static_cast<std::int64_t>(counts[bin]); });
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) state.counts[bin] = 0;
  if (threadIdx.x != 0) return;
  state.known |= static_cast<Magnitude>(place.bin << digit_of(number).shift);
  state.wanted = place.rank;
  state.blocks_done = 0;
}

/// Whether this block is the last of the launch to come here. All its threads take part.
__device__ bool last_block(SelectionState& state, bool& shared) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) shared = atomicAdd(&state.blocks_done, 1U) == gridDim.x - 1;
  __syncthreads();
  if (shared) __threadfence();
  return shared;
}

__global__ void __launch_bounds__(256) count_digit(Selecting work, int number, bool sampled_before) {
  __shared__ unsigned counts[bins];
  __shared__ PlaceScratch scratch;
  __shared__ bool is_last;
  for (unsigned bin = threadIdx.x; bin < bins; bin += block_threads) counts[bin] = 0;
  __syncthreads();
  const bool from_vector = reads_vector(work);
  const std::int64_t count = from_vector ? work.elements : static_cast<std::int64_t>(work.state->collected);
  const Magnitude known = work.state->known;
  const Digit digit = digit_of(number);
  const int above = digit.shift + digit.bits;
  const std::int64_t step = std::int64_t{gridDim.x} * block_threads;
  for (std::int64_t first = std::int64_t{blockIdx.x} * block_threads; first < count; first += step) {
    const Found found = found_at(work, from_vector, first + threadIdx.x, count);
    const Magnitude size = magnitude(found.value);
    const auto bin = static_cast<unsigned>(size >> digit.shift & ((1 << digit.bits) - 1));
    count_bin(counts, found.there && size >> above == known >> above, bin);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += block_threads) {
    if (counts[bin] != 0) atomicAdd(&work.state->counts[bin], static_cast<unsigned long long>(counts[bin]));
  }
  if (!last_block(*work.state, is_last)) return;
  find_digit(work, number, scratch);
  if (threadIdx.x == 0 && number == 0 && from_vector && sampled_before) ++*work.rescans;
}

/// The rank in the sample that about k of the vector reach, and four standard deviations more.
std::int64_t sample_rank(const Selecting& work) {
  const double expected =
      static_cast<double>(sampled) * static_cast<double>(work.wanted) / static_cast<double>(work.elements);
  return static_cast<std::int64_t>(std::ceil(expected + 4 * std::sqrt(expected) + 4));
}

}  // namespace

bool sample_pays(const Selecting& work) {
  return work.elements >= 2 * sampled && sample_rank(work) <= sampled / 2;
}

std::int64_t candidate_room(std::int64_t elements, std::int64_t wanted) {
  constexpr std::int64_t least = 1 << 14;
  return std::min(elements, std::max(least, 4 * wanted));
}

void sample_threshold(const Selecting& work, StreamHandle stream) {
  launch("sample", sample, {1, sample_threads}, stream, work, sample_rank(work));
}

void find_kth_largest(const Selecting& work, StreamHandle stream) {
  const LaunchShape shape{std::min(divided_up(work.elements, selection_tile), most_counting_blocks),
                          block_threads};
  for (int number = 0; number < digits; ++number) {
    launch("count_digit", count_digit, shape, stream, work, number, sample_pays(work));
  }
}

}  // namespace kernels
