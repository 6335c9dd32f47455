// What overlap_copy.cu needs of CUDA, on a processor: each block is a thread of the host, and has one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define __device__
#define __global__
#define __shared__ thread_local
#define __launch_bounds__(threads)

struct uint4 {
  unsigned x, y, z, w;
};
struct dim3 {
  unsigned x = 1;
};
inline thread_local dim3 blockIdx{0}, threadIdx{0};

using cudaError_t = int;
using cudaStream_t = std::vector<std::thread>*;
constexpr int cudaSuccess = 0, cudaHostAllocMapped = 0, cudaStreamNonBlocking = 0, cudaMemcpyDeviceToHost = 0,
              cudaFuncAttributeMaxDynamicSharedMemorySize = 0;
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
};

inline const char* cudaGetErrorString(cudaError_t) { return "an error"; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
template <class T>
cudaError_t cudaMalloc(T** place, std::size_t bytes) {
  *place = static_cast<T*>(std::malloc(bytes));
  return cudaSuccess;
}
inline cudaError_t cudaHostAlloc(void** place, std::size_t bytes, int) { return cudaMalloc(place, bytes); }
inline cudaError_t cudaHostGetDevicePointer(void** place, void* host, int) {
  *place = host;
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* place, int value, std::size_t bytes) {
  std::memset(place, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, int) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* place) {
  std::free(place);
  return cudaSuccess;
}
inline cudaError_t cudaFreeHost(void* place) { return cudaFree(place); }
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, int, unsigned) {
  return cudaSuccess;
}

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, int) {
  *stream = new std::vector<std::thread>;
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  for (std::thread& block : *stream) block.join();
  stream->clear();
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
template <class Task>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Task), const Task& task) {
  for (unsigned i = 0; i < config->gridDim.x; ++i) {
    config->stream->emplace_back([kernel, task, i] {
      blockIdx.x = i;
      kernel(task);
    });
  }
  return cudaSuccess;
}

inline void __threadfence_system() {}
inline void __syncthreads() {}
inline void __nanosleep(int time) { std::this_thread::sleep_for(std::chrono::nanoseconds(time)); }
inline uint4 __ldcs(const uint4* place) { return *place; }
inline void __stcs(uint4* place, uint4 value) { *place = value; }
