// Calls to the CUDA runtime, each one checked.
#include <string>

#include "kernels/device.cuh"

namespace kernels {

void checked(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw DeviceError(std::string(call) + ": " + cudaGetErrorName(status) + " (" + cudaGetErrorString(status) +
                    ")");
}

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

Stream::Stream() {
  checked(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}
Stream::~Stream() {
  (void)cudaStreamDestroy(stream_);
}  // at the end of a broken device there is nobody to tell
void Stream::synchronise() const { kernels::synchronise(stream_); }

DeviceBytes::DeviceBytes(std::size_t bytes) {
  const std::string call = "cudaMalloc of " + std::to_string(bytes) + " bytes";
  checked(cudaMalloc(&data_, bytes), call.c_str());
}

void DeviceBytes::release() {
  (void)cudaFree(data_);
  data_ = nullptr;
}

void copy_bytes_to_device(const void* from, void* to, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  checked(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync to the device");
}

void copy_bytes_to_host(const void* from, void* to, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  checked(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync to the host");
}

void copy_bytes_on_device(const void* from, void* to, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  checked(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync on the device");
}

void clear_bytes(void* memory, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  checked(cudaMemsetAsync(memory, 0, bytes, stream), "cudaMemsetAsync");
}

void synchronise(StreamHandle stream) { checked(cudaStreamSynchronize(stream), "cudaStreamSynchronize"); }

}  // namespace kernels
