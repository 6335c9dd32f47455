// The part of the CUDA runtime that kernels/ uses, carried out on the CPU: for tests on machines without a
// GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "tests/device_emulation/grid.hpp"

// --- the language: kernels are functions, shared memory is one block's at a time
// -----------------------------------

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
/// In a separate section, so that the emulation finds it and spoils it before each block. Templates cannot
/// have such variables; a kernel that is no template declares them and passes them on.
#define __shared__ static __attribute__((section("emulated_shared"), used))

struct uint3 {
  unsigned x = 0, y = 0, z = 0;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3() = default;
  explicit dim3(unsigned wide) : x(wide) {}
};
struct alignas(16) float4 {
  float x, y, z, w;
};

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

// --- threads that meet
// --------------------------------------------------------------------------------------------

inline void __syncthreads(emulation::SourceLine where = emulation::SourceLine::here()) {
  emulation::meet_block(where);
}
inline void __threadfence() {}
inline void __syncwarp(unsigned mask = 0xffffffffU,
                       emulation::SourceLine where = emulation::SourceLine::here()) {
  emulation::meet_warp({mask, "__syncwarp", emulation::only_meet}, 0, where);
}

namespace emulation {

template <class T>
T shuffled(unsigned mask, T value, int argument, const Meeting& meeting, emulation::SourceLine where) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  Meeting own = meeting;
  own.mask = mask;
  own.argument = argument;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = meet_warp(own, bits, where);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace emulation

template <class T>
T __shfl_sync(unsigned mask, T value, int from, emulation::SourceLine where = emulation::SourceLine::here()) {
  return emulation::shuffled(mask, value, from, {0, "__shfl_sync", emulation::lane_named}, where);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by,
                 emulation::SourceLine where = emulation::SourceLine::here()) {
  return emulation::shuffled(mask, value, static_cast<int>(by), {0, "__shfl_up_sync", emulation::lane_below},
                             where);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by,
                   emulation::SourceLine where = emulation::SourceLine::here()) {
  return emulation::shuffled(mask, value, static_cast<int>(by),
                             {0, "__shfl_down_sync", emulation::lane_above}, where);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits,
                  emulation::SourceLine where = emulation::SourceLine::here()) {
  return emulation::shuffled(mask, value, bits, {0, "__shfl_xor_sync", emulation::lane_across}, where);
}

inline unsigned __ballot_sync(unsigned mask, int holds,
                              emulation::SourceLine where = emulation::SourceLine::here()) {
  return static_cast<unsigned>(
      emulation::meet_warp({mask, "__ballot_sync", emulation::ballot}, holds != 0 ? 1 : 0, where));
}
inline unsigned __match_any_sync(unsigned mask, unsigned value,
                                 emulation::SourceLine where = emulation::SourceLine::here()) {
  return static_cast<unsigned>(
      emulation::meet_warp({mask, "__match_any_sync", emulation::match_any}, value, where));
}

// --- arithmetic
// ---------------------------------------------------------------------------------------------------

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }

// One thread runs at a time, so these need no care; the types are those that a device has.

inline int atomicAdd(int* to, int value) { return (*to += value) - value; }
inline unsigned atomicAdd(unsigned* to, unsigned value) { return (*to += value) - value; }
inline unsigned long long atomicAdd(unsigned long long* to, unsigned long long value) {
  return (*to += value) - value;
}
inline unsigned atomicOr(unsigned* to, unsigned bits) {
  const unsigned before = *to;
  *to |= bits;
  return before;
}

// --- the runtime's calls
// --------------------------------------------------------------------------------------------

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
struct CUstream_st;
using cudaStream_t = CUstream_st*;
constexpr unsigned cudaStreamNonBlocking = 1;
struct CUevent_st;
using cudaEvent_t = CUevent_st*;

enum cudaDeviceAttr {
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76
};
struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem;
};

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
};

const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);

namespace emulation {

cudaError_t enqueue(const cudaLaunchConfig_t& shape, std::function<void()> kernel);

}  // namespace emulation

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* shape, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  return emulation::enqueue(*shape, [kernel, ... values = Parameters(arguments)] { kernel(values...); });
}
