// Sums, running sums and maxima over a warp and a block, always in the same order; and the block that ends
// last.
#pragma once

#include "kernels/device.cuh"

namespace kernels {

// Sums, running sums and maxima over a warp and a block; sums are always added in the same order.

/// The sum over the warp, in every lane. All 32 lanes take part.
template <class T>
__device__ T warp_sum(T value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(all_lanes, value, distance);
  }
  return value;
}

/// The sum over the lanes up to and including this one.
template <class T>
__device__ T warp_running_sum(T value) {
  for (unsigned distance = 1; distance < lanes_of_warp; distance *= 2) {
    const T below = __shfl_up_sync(all_lanes, value, distance);
    if (lane_number() >= distance) value += below;
  }
  return value;
}

/// Shared memory for one value of each warp of the largest block.
template <class T>
struct WarpValues {
  T values[lanes_of_warp];
};

/// The sum over the block, in every thread. All threads of the block take part; whole warps only.
template <class T>
__device__ T block_sum(T value, WarpValues<T>& scratch) {
  const unsigned warps = blockDim.x / lanes_of_warp;
  value = warp_sum(value);
  __syncthreads();  // the last user of the scratch has read it
  if (lane_number() == 0) scratch.values[threadIdx.x / lanes_of_warp] = value;
  __syncthreads();
  T sum = scratch.values[0];
  for (unsigned warp = 1; warp < warps; ++warp) sum += scratch.values[warp];
  return sum;
}

/// The largest over the block, in every thread. All threads of the block take part; whole warps only.
template <class T>
__device__ T block_largest(T value, WarpValues<T>& scratch) {
  const unsigned warps = blockDim.x / lanes_of_warp;
  for (int distance = 16; distance > 0; distance /= 2) {
    const T other = __shfl_xor_sync(all_lanes, value, distance);
    value = other > value ? other : value;
  }
  __syncthreads();  // the last user of the scratch has read it
  if (lane_number() == 0) scratch.values[threadIdx.x / lanes_of_warp] = value;
  __syncthreads();
  for (unsigned warp = 0; warp < warps; ++warp) {
    value = scratch.values[warp] > value ? scratch.values[warp] : value;
  }
  return value;
}

/// A running sum's two results.
template <class T>
struct RunningSum {
  T before;  ///< sum over the threads before this one
  T total;   ///< sum over the block
};

/// All threads of the block take part; whole warps only.
template <class T>
__device__ RunningSum<T> block_running_sum(T value, WarpValues<T>& scratch) {
  const unsigned warps = blockDim.x / lanes_of_warp;
  const unsigned own_warp = threadIdx.x / lanes_of_warp;
  const T running = warp_running_sum(value);
  __syncthreads();  // the last user of the scratch has read it
  if (lane_number() == lanes_of_warp - 1) scratch.values[own_warp] = running;
  __syncthreads();
  RunningSum<T> sums{running - value, 0};
  for (unsigned warp = 0; warp < warps; ++warp) {
    if (warp < own_warp) sums.before += scratch.values[warp];
    sums.total += scratch.values[warp];
  }
  return sums;
}

// Finds the last block of a launch to end; it sees the results of all others.

/// Whether this block is the last of the launch to come here; what the others wrote before they came is then
/// there to be read, past the nearer cache (volatile or atomic). All its threads take part.
/// @param done    counts the blocks; zero before the launch, reset to zero by the last block
/// @param shared  in shared memory
__device__ inline bool last_block(unsigned& done, bool& shared) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) shared = atomicAdd(&done, 1U) == gridDim.x - 1;
  __syncthreads();
  if (shared) __threadfence();
  return shared;
}

}  // namespace kernels
