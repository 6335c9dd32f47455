// The calls of the CUDA runtime that the NCCL probe makes, on the emulated device: its own names are C++'s,
// the probe's are C's, which the labels give.
#include <cstring>
#include <functional>
#include <utility>

#include "tests/device_emulation/cuda_runtime.h"
#include "tests/device_emulation/runtime.hpp"

#define AS_CUDA(name) __asm__(#name)

extern "C" {

cudaError_t probe_device_count(int* count) AS_CUDA(cudaGetDeviceCount);
const char* probe_error_string(cudaError_t error) AS_CUDA(cudaGetErrorString);
cudaError_t probe_last_error() AS_CUDA(cudaGetLastError);
cudaError_t probe_set_device(int number) AS_CUDA(cudaSetDevice);
cudaError_t probe_malloc(void** data, std::size_t bytes) AS_CUDA(cudaMalloc);
cudaError_t probe_free(void* data) AS_CUDA(cudaFree);
cudaError_t probe_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind)
    AS_CUDA(cudaMemcpy);
cudaError_t probe_set(void* to, int value, std::size_t bytes) AS_CUDA(cudaMemset);
cudaError_t probe_wait() AS_CUDA(cudaDeviceSynchronize);
cudaError_t probe_stream(cudaStream_t* stream, unsigned flags) AS_CUDA(cudaStreamCreateWithFlags);
cudaError_t probe_wait_for(cudaStream_t stream) AS_CUDA(cudaStreamSynchronize);
cudaError_t probe_end_stream(cudaStream_t stream) AS_CUDA(cudaStreamDestroy);
cudaError_t probe_driver(int* version) AS_CUDA(cudaDriverGetVersion);
cudaError_t probe_runtime(int* version) AS_CUDA(cudaRuntimeGetVersion);
cudaError_t probe_properties(char* properties, int number) AS_CUDA(cudaGetDeviceProperties);
cudaError_t probe_properties_of_12(char* properties, int number) AS_CUDA(cudaGetDeviceProperties_v2);
void stub_put_into_stream(cudaStream_t stream, const std::function<void()>& work);

cudaError_t probe_device_count(int* count) { return cudaGetDeviceCount(count); }
const char* probe_error_string(cudaError_t error) { return cudaGetErrorString(error); }
cudaError_t probe_last_error() { return cudaGetLastError(); }
cudaError_t probe_set_device(int number) { return number == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
cudaError_t probe_malloc(void** data, std::size_t bytes) { return cudaMalloc(data, bytes); }
cudaError_t probe_free(void* data) { return cudaFree(data); }
cudaError_t probe_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t put = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  return put == cudaSuccess ? cudaStreamSynchronize(nullptr) : put;
}
cudaError_t probe_set(void* to, int value, std::size_t bytes) {
  const cudaError_t put = cudaMemsetAsync(to, value, bytes, nullptr);
  return put == cudaSuccess ? cudaStreamSynchronize(nullptr) : put;
}
cudaError_t probe_wait() {
  emulation::wait_for_device();
  return cudaSuccess;
}
cudaError_t probe_stream(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t probe_wait_for(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t probe_end_stream(cudaStream_t stream) { return cudaStreamDestroy(stream); }
cudaError_t probe_driver(int* version) { return cudaDriverGetVersion(version); }
cudaError_t probe_runtime(int* version) { return cudaRuntimeGetVersion(version); }
/// The name comes first in CUDA's struct, too, and is all that the probe reads.
cudaError_t probe_properties(char* properties, int number) {
  cudaDeviceProp own{};
  const cudaError_t found = cudaGetDeviceProperties(&own, number);
  std::memcpy(properties, own.name, sizeof own.name);
  return found;
}
cudaError_t probe_properties_of_12(char* properties, int number) {
  return probe_properties(properties, number);
}
void stub_put_into_stream(cudaStream_t stream, const std::function<void()>& work) {
  emulation::put_into_stream(stream, work);
}

}  // extern "C"
