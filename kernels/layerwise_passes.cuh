// The passes of layer-wise top-k on the device: its work in device memory, and one kernel for each step of
// the selection.
#pragma once

#include <cstdint>

#include "kernels/magnitude.hpp"
#include "kernels/radix_digits.cuh"

namespace kernels {
namespace {

/// A stretch of at most 8192 values of one layer, that one block reads and one warp sends.
struct LayerTile {
  std::int64_t first = 0;  ///< index in the vector
  std::int32_t size = 0;   ///< values, at least 1
  std::int32_t layer = 0;  ///< number among those that are not empty
};

/// A layer that is not empty.
struct LayerPlan {
  std::int64_t first_tile = 0;
  std::int64_t tiles = 0;
  std::int64_t wanted = 0;       ///< k, at least 1
  std::int64_t sent_before = 0;  ///< k of all layers before
};

/// State of a layer.
struct LayerFound {
  std::int64_t wanted = 0;  ///< rank of the sought one of the values with the known digits; in the end how
                            ///< many equal to the last magnitude are sent
  Magnitude known = 0;      ///< digits found so far; in the end the last magnitude sent
};

/// State of a tile.
struct LayerTileFound {
  std::uint32_t listed = 0;             ///< values that may be sent
  std::uint32_t larger = 0, equal = 0;  ///< values above the layer's last magnitude sent, and equal to it
  std::uint32_t equal_sent = 0;         ///< how many of the equal ones are sent
  std::int64_t sent_before = 0;         ///< values sent from all tiles before
};

/// One selection as its kernels see it; held only in their parameters.
struct LayerwiseWork {
  const float* gradient = nullptr;
  float* residual = nullptr;      ///< null: without error feedback
  const float* values = nullptr;  ///< input of the selection: the residual, or the gradient itself
  const LayerTile* tiles = nullptr;
  const LayerPlan* layers = nullptr;
  LayerTileFound* tiles_found = nullptr;
  Energy* energies = nullptr;  ///< energies of each tile
  LayerFound* layers_found = nullptr;
  unsigned long long* counts = nullptr;  ///< 2048 for each layer, of values by their next digit
  std::uint16_t* listed = nullptr;       ///< indices in the tile, ascending, from a tile's first index on
  float* sent_values = nullptr;
  Index* sent_indices = nullptr;
};

constexpr std::int64_t layer_tile = 8192;
constexpr unsigned layer_warp_values = layer_tile / block_warps;
constexpr unsigned warp_rounds = layer_warp_values / lanes_of_warp;  // a lane's hits fit one word
constexpr unsigned loads = 8;                                        // loads of a thread in flight together
constexpr std::int32_t block_loads = loads * block_threads;

// --- counting a digit in shared memory, then in the layer's counts

__device__ void clear_counts(unsigned* counts, Digit digit) {
  for (unsigned bin = threadIdx.x; bin < 1U << digit.bits; bin += block_threads) counts[bin] = 0;
  __syncthreads();
}

__device__ void add_counts(const unsigned* counts, Digit digit, unsigned long long* of_layer) {
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < 1U << digit.bits; bin += block_threads) {
    if (counts[bin] != 0) atomicAdd(&of_layer[bin], static_cast<unsigned long long>(counts[bin]));
  }
}

struct FirstScratch {
  unsigned counts[bins];
  WarpValues<double> squares;
};

/// Reads, adds and writes back, counts the first digit, and leaves the tile's energy.
template <bool fed>
__device__ void count_first(const LayerwiseWork& work, FirstScratch& scratch) {
  constexpr Digit digit = digit_of(0);
  const LayerTile tile = work.tiles[blockIdx.x];
  clear_counts(scratch.counts, digit);
  double squares = 0;
  for (std::int32_t first = 0; first < tile.size; first += block_loads) {
    float values[loads] = {};
    for (unsigned i = 0; i < loads; ++i) {
      const auto inside = first + static_cast<std::int32_t>(i * block_threads + threadIdx.x);
      if (inside >= tile.size) continue;
      values[i] = work.gradient[tile.first + inside];
      if constexpr (fed) values[i] = work.residual[tile.first + inside] + values[i];
    }
    for (unsigned i = 0; i < loads; ++i) {
      const auto inside = first + static_cast<std::int32_t>(i * block_threads + threadIdx.x);
      const bool there = inside < tile.size;
      const float value = there ? values[i] : 0.0F;
      if constexpr (fed) {
        if (there) work.residual[tile.first + inside] = value;
      }
      squares += static_cast<double>(value) * static_cast<double>(value);
      count_bin(scratch.counts, there, bin_of(magnitude(value), digit));
    }
  }
  add_counts(scratch.counts, digit, work.counts + std::int64_t{tile.layer} * bins);
  squares = block_sum(squares, scratch.squares);
  if (threadIdx.x == 0) work.energies[blockIdx.x].given = squares;
}

__global__ void __launch_bounds__(256) count_first_digit(LayerwiseWork work) {
  __shared__ FirstScratch scratch;
  count_first<false>(work, scratch);
}

__global__ void __launch_bounds__(256) count_first_digit_fed(LayerwiseWork work) {
  __shared__ FirstScratch scratch;
  count_first<true>(work, scratch);
}

/// One block for each layer: its digit from its counts, which are cleared for the next.
__global__ void __launch_bounds__(256) find_layer_digit(LayerwiseWork work, int number) {
  __shared__ BinScratch scratch;
  unsigned long long* counts = work.counts + std::int64_t{blockIdx.x} * bins;
  LayerFound& found = work.layers_found[blockIdx.x];
  const std::int64_t rank = number == 0 ? work.layers[blockIdx.x].wanted : found.wanted;
  const FoundBin found_bin =
      find_bin(rank, scratch, [&](unsigned bin) { return static_cast<std::int64_t>(counts[bin]); });
  for (unsigned bin = threadIdx.x; bin < bins; bin += block_threads) counts[bin] = 0;
  if (threadIdx.x != 0) return;
  const Magnitude before = number == 0 ? 0 : found.known;
  found.known = before | static_cast<Magnitude>(found_bin.bin << digit_of(number).shift);
  found.wanted = found_bin.rank;
}

// --- the list: a warp takes an eighth of a tile, a lane one value in each of 32 rounds

struct ListScratch {
  unsigned counts[bins];
  WarpValues<unsigned> hits;
};

/// One bit for each of the lane's values that reach the layer's first digit; counts the next digit of those
/// that equal it.
__device__ unsigned count_second(const LayerwiseWork& work, const LayerTile& tile, unsigned* counts) {
  constexpr Digit digit = digit_of(1);
  const Magnitude known = work.layers_found[tile.layer].known >> above(digit);
  const auto first = static_cast<std::int32_t>(threadIdx.x / lanes_of_warp * layer_warp_values);
  unsigned hits = 0;
  for (unsigned group = 0; group < warp_rounds; group += loads) {
    float values[loads] = {};
    for (unsigned i = 0; i < loads; ++i) {
      const auto inside = first + static_cast<std::int32_t>((group + i) * lanes_of_warp + lane_number());
      if (inside < tile.size) values[i] = work.values[tile.first + inside];
    }
    for (unsigned i = 0; i < loads; ++i) {
      const auto inside = first + static_cast<std::int32_t>((group + i) * lanes_of_warp + lane_number());
      const bool there = inside < tile.size;
      const Magnitude size = there ? magnitude(values[i]) : 0;
      hits |= (there && size >> above(digit) >= known ? 1U : 0U) << (group + i);
      count_bin(counts, there && size >> above(digit) == known, bin_of(size, digit));
    }
  }
  return hits;
}

/// Second digit, and the list.
__global__ void __launch_bounds__(256) list_indices(LayerwiseWork work) {
  __shared__ ListScratch scratch;
  const LayerTile tile = work.tiles[blockIdx.x];
  clear_counts(scratch.counts, digit_of(1));
  const unsigned hits = count_second(work, tile, scratch.counts);
  add_counts(scratch.counts, digit_of(1), work.counts + std::int64_t{tile.layer} * bins);
  const unsigned of_warp = warp_sum(static_cast<unsigned>(__popc(hits)));
  const RunningSum<unsigned> sums = block_running_sum(lane_number() == 0 ? of_warp : 0U, scratch.hits);
  if (threadIdx.x == 0) work.tiles_found[blockIdx.x].listed = sums.total;
  std::uint16_t* next = work.listed + tile.first + __shfl_sync(all_lanes, sums.before, 0);
  const unsigned first = threadIdx.x / lanes_of_warp * layer_warp_values + lane_number();
  for (unsigned round = 0; round < warp_rounds; ++round) {
    const bool hit = (hits >> round & 1U) != 0;
    const unsigned lanes = __ballot_sync(all_lanes, hit);
    if (hit) next[__popc(lanes & lanes_below())] = static_cast<std::uint16_t>(first + round * lanes_of_warp);
    next += __popc(lanes);
  }
}

/// A lane's listed value; `there` is false past the last one.
struct Listed {
  bool there;
  std::int64_t index;
  float value;
};

__device__ Listed listed_at(const LayerwiseWork& work, const LayerTile& tile, std::uint32_t i,
                            std::uint32_t count) {
  if (i >= count) return {false, 0, 0};
  const std::int64_t index = tile.first + work.listed[tile.first + i];
  return {true, index, work.values[index]};
}

__global__ void __launch_bounds__(256) count_last_digit(LayerwiseWork work) {
  __shared__ unsigned counts[bins];
  constexpr Digit digit = digit_of(2);
  const LayerTile tile = work.tiles[blockIdx.x];
  const std::uint32_t count = work.tiles_found[blockIdx.x].listed;
  if (count == 0) return;
  const Magnitude known = work.layers_found[tile.layer].known >> above(digit);
  clear_counts(counts, digit);
  for (std::uint32_t first = 0; first < count; first += block_threads) {
    const Listed listed = listed_at(work, tile, first + threadIdx.x, count);
    const Magnitude size = magnitude(listed.value);
    count_bin(counts, listed.there && size >> above(digit) == known, bin_of(size, digit));
  }
  add_counts(counts, digit, work.counts + std::int64_t{tile.layer} * bins);
}

// --- the sending: a warp takes a tile

__global__ void __launch_bounds__(256) count_layer_sent(LayerwiseWork work, std::int64_t tiles) {
  const std::int64_t number = warp_number();
  if (number >= tiles) return;
  const LayerTile tile = work.tiles[number];
  const std::uint32_t count = work.tiles_found[number].listed;
  const Magnitude last = work.layers_found[tile.layer].known;
  unsigned larger = 0, equal = 0;
  for (std::uint32_t first = 0; first < count; first += lanes_of_warp) {
    const Listed listed = listed_at(work, tile, first + lane_number(), count);
    larger += listed.there && magnitude(listed.value) > last ? 1U : 0U;
    equal += listed.there && magnitude(listed.value) == last ? 1U : 0U;
  }
  larger = warp_sum(larger);
  equal = warp_sum(equal);
  if (lane_number() == 0) {
    work.tiles_found[number].larger = larger;
    work.tiles_found[number].equal = equal;
  }
}

/// One block for each layer: where each of its tiles' values go.
__global__ void __launch_bounds__(256) place_layer(LayerwiseWork work) {
  __shared__ WarpValues<std::int64_t> scratch;
  const LayerPlan layer = work.layers[blockIdx.x];
  const std::int64_t equal_wanted = work.layers_found[blockIdx.x].wanted;
  std::int64_t larger_before = layer.sent_before, equal_before = 0;
  for (std::int64_t first = 0; first < layer.tiles; first += block_threads) {
    const bool there = first + threadIdx.x < layer.tiles;
    LayerTileFound* tile = there ? &work.tiles_found[layer.first_tile + first + threadIdx.x] : nullptr;
    const std::int64_t equal = there ? tile->equal : 0;
    const RunningSum<std::int64_t> larger_sums =
        block_running_sum(there ? std::int64_t{tile->larger} : 0, scratch);
    const RunningSum<std::int64_t> equal_sums = block_running_sum(equal, scratch);
    if (there) {
      const std::int64_t equal_here = equal_before + equal_sums.before;
      const std::int64_t left = std::max(equal_wanted - equal_here, std::int64_t{0});
      tile->equal_sent = static_cast<std::uint32_t>(std::min(left, equal));
      tile->sent_before = larger_before + larger_sums.before + std::min(equal_here, equal_wanted);
    }
    larger_before += larger_sums.total;
    equal_before += equal_sums.total;
  }
}

__global__ void __launch_bounds__(256) send_layers(LayerwiseWork work, std::int64_t tiles) {
  const std::int64_t number = warp_number();
  if (number >= tiles) return;
  const LayerTile tile = work.tiles[number];
  const LayerTileFound found = work.tiles_found[number];
  const Magnitude last = work.layers_found[tile.layer].known;
  std::int64_t next = found.sent_before;
  unsigned equal_before = 0;
  double squares = 0;
  for (std::uint32_t first = 0; first < found.listed; first += lanes_of_warp) {
    const Listed listed = listed_at(work, tile, first + lane_number(), found.listed);
    const Magnitude size = magnitude(listed.value);
    const unsigned equals = __ballot_sync(all_lanes, listed.there && size == last);
    const unsigned order = equal_before + static_cast<unsigned>(__popc(equals & lanes_below()));
    const bool sent = listed.there && (size > last || (size == last && order < found.equal_sent));
    const unsigned all_sent = __ballot_sync(all_lanes, sent);
    if (sent) {
      const std::int64_t to = next + __popc(all_sent & lanes_below());
      work.sent_values[to] = listed.value;
      work.sent_indices[to] = static_cast<Index>(listed.index);
      if (work.residual != nullptr) work.residual[listed.index] = 0;
      squares += static_cast<double>(listed.value) * static_cast<double>(listed.value);
    }
    next += __popc(all_sent);
    equal_before += static_cast<unsigned>(__popc(equals));
  }
  squares = warp_sum(squares);
  if (lane_number() == 0) work.energies[number].sent = squares;
}

}  // namespace
}  // namespace kernels
