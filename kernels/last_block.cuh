// The block of a launch that ends last, and so knows what all the others have found.
#pragma once

#include "kernels/device.cuh"

namespace kernels {

/// Whether this block is the last of the launch to come here; what the others wrote before they came is then
/// there to be read, past the nearer cache (volatile or atomic). All its threads take part.
/// @param done    counts the blocks; zero before the launch, set to zero again by whoever is last
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
