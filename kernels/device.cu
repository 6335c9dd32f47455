// Calls to the CUDA runtime, each one checked.
#include <string>

#include "kernels/device.cuh"

namespace kernels {
namespace {

int attribute_of(int device, cudaDeviceAttr attribute) {
  int value = 0;
  checked(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace

void checked(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // reported here, so clear it for later calls that ask for the last error
  throw DeviceError(std::string(call) + ": " + cudaGetErrorName(status) + " (" + cudaGetErrorString(status) +
                    ")");
}

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

DeviceFacts device_facts() {
  DeviceFacts facts;
  int device = 0;
  checked(cudaGetDevice(&device), "cudaGetDevice");
  checked(cudaDriverGetVersion(&facts.driver_version), "cudaDriverGetVersion");
  checked(cudaRuntimeGetVersion(&facts.runtime_version), "cudaRuntimeGetVersion");
  cudaDeviceProp properties = {};
  checked(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  facts.name = properties.name;
  facts.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.l2_bytes = attribute_of(device, cudaDevAttrL2CacheSize);
  facts.multiprocessors = attribute_of(device, cudaDevAttrMultiProcessorCount);
  facts.compute_capability = 10 * attribute_of(device, cudaDevAttrComputeCapabilityMajor) +
                             attribute_of(device, cudaDevAttrComputeCapabilityMinor);
  facts.multiprocessor_khz = attribute_of(device, cudaDevAttrClockRate);
  facts.memory_khz = attribute_of(device, cudaDevAttrMemoryClockRate);
  return facts;
}

Stream::Stream() {
  checked(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}
Stream::~Stream() { (void)cudaStreamDestroy(stream_); }  // destructor: errors cannot be reported
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

DeviceTimer::DeviceTimer() {
  checked(cudaEventCreate(&begin_), "cudaEventCreate");
  const cudaError_t second = cudaEventCreate(&end_);
  if (second != cudaSuccess) (void)cudaEventDestroy(begin_);
  checked(second, "cudaEventCreate");
}

DeviceTimer::~DeviceTimer() {
  (void)cudaEventDestroy(begin_);
  (void)cudaEventDestroy(end_);
}

void DeviceTimer::start(StreamHandle stream) { checked(cudaEventRecord(begin_, stream), "cudaEventRecord"); }
void DeviceTimer::stop(StreamHandle stream) { checked(cudaEventRecord(end_, stream), "cudaEventRecord"); }

bool DeviceTimer::begun() const {
  const cudaError_t status = cudaEventQuery(begin_);
  if (status == cudaErrorNotReady) {
    (void)cudaGetLastError();  // an answer and no error
    return false;
  }
  checked(status, "cudaEventQuery");
  return true;
}

double DeviceTimer::seconds() const {
  constexpr double seconds_per_millisecond = 1e-3;
  checked(cudaEventSynchronize(end_), "cudaEventSynchronize");
  float milliseconds = 0;
  checked(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * seconds_per_millisecond;
}

}  // namespace kernels
