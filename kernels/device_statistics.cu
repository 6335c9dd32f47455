// One pass in tiles, one block over the tiles.
#include <cmath>

#include "kernels/block_sums.cuh"
#include "kernels/device_statistics.hpp"

namespace kernels {
namespace {

constexpr std::int64_t statistics_tile = 8192;
constexpr std::int64_t statistics_warp_values = statistics_tile / block_warps;

struct Scratch {
  WarpValues<double> sums;
  WarpValues<std::int64_t> counts;
  WarpValues<Magnitude> sizes;
};

__device__ VectorParts nothing_yet() { return {0, 0, 0, 0, 0, 0, 0}; }

__device__ void take(VectorParts& parts, float value) {
  const Magnitude size = magnitude(value);
  const double wide = value;
  parts.energy += wide * wide;
  const bool negative = value < 0;
  parts.negatives += negative ? 1 : 0;
  if (size >= infinite_magnitude) return;
  ++parts.finite;
  parts.finite_energy += wide * wide;
  parts.negative_sum += negative ? wide : 0;
  parts.other_sum += negative ? 0 : wide;
  parts.largest = size > parts.largest ? size : parts.largest;
}

__device__ void merge(VectorParts& parts, const VectorParts& more) {
  parts.energy += more.energy;
  parts.finite_energy += more.finite_energy;
  parts.negative_sum += more.negative_sum;
  parts.other_sum += more.other_sum;
  parts.negatives += more.negatives;
  parts.finite += more.finite;
  parts.largest = more.largest > parts.largest ? more.largest : parts.largest;
}

/// Merges over the block; the result is in every thread.
__device__ VectorParts block_merged(const VectorParts& own, Scratch& scratch) {
  VectorParts all;
  all.energy = block_sum(own.energy, scratch.sums);
  all.finite_energy = block_sum(own.finite_energy, scratch.sums);
  all.negative_sum = block_sum(own.negative_sum, scratch.sums);
  all.other_sum = block_sum(own.other_sum, scratch.sums);
  all.negatives = block_sum(own.negatives, scratch.counts);
  all.finite = block_sum(own.finite, scratch.counts);
  all.largest = block_largest(own.largest, scratch.sizes);
  return all;
}

/// Input of a measurement, and its results in memory.
struct Measuring {
  const float* gradient;
  float* residual;  // added and written; null: without error feedback
  std::int64_t elements;
  VectorParts* tiles;
  std::uint32_t* signs;  // null: not packed
};

/// A warp takes 1024 neighbouring values, 32 at a time; lane i keeps the signs of the i-th 32.
template <bool fed>
__device__ void measure_part(const Measuring& work, Scratch& scratch) {
  const std::int64_t first = std::int64_t{blockIdx.x} * statistics_tile +
                             std::int64_t{threadIdx.x / lanes_of_warp} * statistics_warp_values;
  VectorParts parts = nothing_yet();
  unsigned own_signs = 0;
  for (unsigned round = 0; round < lanes_of_warp; ++round) {
    const std::int64_t i = first + std::int64_t{round} * lanes_of_warp + lane_number();
    float value = i < work.elements ? work.gradient[i] : 0.0F;
    if (fed && i < work.elements) work.residual[i] = value = work.residual[i] + value;
    if (i < work.elements) take(parts, value);
    const unsigned negative = __ballot_sync(all_lanes, value < 0);
    if (lane_number() == round) own_signs = negative;
  }
  const std::int64_t word = first / lanes_of_warp + lane_number();
  if (work.signs != nullptr && word * lanes_of_warp < work.elements) work.signs[word] = own_signs;
  parts = block_merged(parts, scratch);
  if (threadIdx.x == 0) work.tiles[blockIdx.x] = parts;
}

__global__ void __launch_bounds__(256) measure_tile(Measuring work) {
  __shared__ Scratch scratch;
  measure_part<false>(work, scratch);
}

__global__ void __launch_bounds__(256) measure_tile_fed(Measuring work) {
  __shared__ Scratch scratch;
  measure_part<true>(work, scratch);
}

__global__ void __launch_bounds__(1024)
    merge_tiles(const VectorParts* tiles, std::int64_t count, VectorParts* whole) {
  __shared__ Scratch scratch;
  VectorParts parts = nothing_yet();
  for (std::int64_t tile = threadIdx.x; tile < count; tile += blockDim.x) merge(parts, tiles[tile]);
  parts = block_merged(parts, scratch);
  if (threadIdx.x == 0) *whole = parts;
}

__global__ void __launch_bounds__(256) square_differences(const float* vector, std::int64_t elements,
                                                          const VectorParts* whole, double* squares) {
  __shared__ WarpValues<double> scratch;
  const double mean = (whole->negative_sum + whole->other_sum) / static_cast<double>(elements);
  const std::int64_t first = std::int64_t{blockIdx.x} * statistics_tile;
  double sum = 0;
  for (std::int64_t i = first + threadIdx.x; i < first + statistics_tile && i < elements;
       i += block_threads) {
    const double difference = static_cast<double>(vector[i]) - mean;
    sum += difference * difference;
  }
  sum = block_sum(sum, scratch);
  if (threadIdx.x == 0) squares[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(1024)
    root_mean(double* squares, std::int64_t count, std::int64_t elements) {
  __shared__ WarpValues<double> scratch;
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) sum += squares[i];
  sum = block_sum(sum, scratch);
  if (threadIdx.x == 0) squares[count] = sqrt(sum / static_cast<double>(elements));
}

}  // namespace

const VectorParts* DeviceStatistics::measure_all(std::span<const float> gradient, float* residual,
                                                 std::uint32_t* signs, StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(gradient.size());
  VectorParts* whole = whole_.reserve(1);
  if (elements == 0) {
    clear_bytes(whole, sizeof(VectorParts), stream);
    return whole;
  }
  const std::int64_t count = divided_up(elements, statistics_tile);
  const Measuring work{gradient.data(), residual, elements, tiles_.reserve(count), signs};
  const LaunchShape shape{count, block_threads};
  residual == nullptr ? launch("measure_tile", measure_tile, shape, stream, work)
                      : launch("measure_tile_fed", measure_tile_fed, shape, stream, work);
  launch("merge_tiles", merge_tiles, one_block(count), stream, work.tiles, count, whole);
  return whole;
}

const double* DeviceStatistics::deviation(std::span<const float> vector, StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::int64_t count = divided_up(elements, statistics_tile);
  double* squares = squares_.reserve(count + 1);
  if (elements == 0) {
    clear_bytes(squares, sizeof(double), stream);
    return squares;
  }
  launch("square_differences", square_differences, {count, block_threads}, stream, vector.data(), elements,
         whole_.data(), squares);
  launch("root_mean", root_mean, one_block(count), stream, squares, count, elements);
  return squares + count;
}

}  // namespace kernels
