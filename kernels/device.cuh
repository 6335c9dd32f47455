// Shared parts of the .cu files: checked calls, launches, and how a vector is cut among warps.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "kernels/device.hpp"

namespace kernels {

/// @throws DeviceError naming the call, unless it succeeded
void checked(cudaError_t status, const char* call);

/// Threads of a block, and blocks of a launch.
struct LaunchShape {
  std::int64_t blocks;
  unsigned threads;
};

/// Enqueues a kernel.
/// @param name  of the kernel, for the error
/// @throws DeviceError when the launch fails; later errors are reported by the next call that waits
template <class... Parameters, class... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), LaunchShape shape, StreamHandle stream,
            Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  config.blockDim = dim3(shape.threads);
  config.stream = stream;
  checked(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), name);
}

constexpr unsigned lanes_of_warp = 32;
constexpr unsigned all_lanes = 0xffffffffU;
constexpr unsigned block_threads = 256;
constexpr unsigned block_warps = block_threads / lanes_of_warp;

constexpr std::int64_t divided_up(std::int64_t count, std::int64_t by) { return (count + by - 1) / by; }

/// Blocks for one thread per item: as many as the items need.
constexpr LaunchShape thread_each(std::int64_t items) {
  return {divided_up(items, block_threads), block_threads};
}

/// Blocks for one warp per item.
constexpr LaunchShape warp_each(std::int64_t items) {
  return {divided_up(items, block_warps), block_threads};
}

/// Blocks that go through a list of up to `items` in strides; only the device knows its length.
constexpr LaunchShape searching_blocks(std::int64_t items) {
  constexpr std::int64_t items_of_block = 8192, most = 1024;
  const std::int64_t blocks = divided_up(items, items_of_block);
  return {blocks < most ? blocks : most, block_threads};
}

/// The one block that works through `items` in turns: wide only where they are many.
constexpr LaunchShape one_block(std::int64_t items) {
  return {1, items > block_threads ? 4 * block_threads : block_threads};
}

/// This thread's number in the whole launch.
__device__ inline std::int64_t thread_number() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline std::int64_t warp_number() { return thread_number() / lanes_of_warp; }
__device__ inline unsigned lane_number() { return threadIdx.x % lanes_of_warp; }

/// The lanes before this one, as a mask.
__device__ inline unsigned lanes_below() { return (1U << lane_number()) - 1; }

}  // namespace kernels
