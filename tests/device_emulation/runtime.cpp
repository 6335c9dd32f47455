// Device memory with guards, and streams that run nothing before they are waited for.
#include "tests/device_emulation/runtime.hpp"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tests/device_emulation/cuda_runtime.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

struct CUstream_st {
  std::deque<std::function<void()>> queue;
};

/// Where a stream gets to, by the host's clock; what is in the stream holds it even where the event is gone.
struct CUevent_st {
  struct Mark {
    cudaStream_t stream = nullptr;
    std::optional<std::chrono::steady_clock::time_point> passed;
  };
  std::shared_ptr<Mark> mark;  // none before the first record
};

namespace emulation {
namespace {

constexpr std::size_t guard = 256;  // bytes before and after; also the alignment that a device gives
constexpr int guard_byte = 0xcd, fresh_byte = 0xff;  // fresh floats are NaN

struct Device {
  std::map<std::byte*, std::size_t> memory;  // where each allocation begins, after its first guard
  std::map<cudaStream_t, CUstream_st*> streams{{nullptr, new CUstream_st}};
  std::int64_t waits = 0, launches = 0;
  std::optional<std::int64_t> allocations_left;
};

Device& device() {
  static auto* only = new Device;  // outlives every test's objects
  return *only;
}

/// While the host runs, device memory is out of bounds for it.
void lock(bool locked) {
#if defined(__SANITIZE_ADDRESS__)
  for (const auto& [begin, bytes] : device().memory) {
    if (locked) {
      __asan_poison_memory_region(begin, bytes);
    } else {
      __asan_unpoison_memory_region(begin, bytes);
    }
  }
#else
  (void)locked;
#endif
}

class Unlocked {
 public:
  Unlocked() { lock(false); }
  ~Unlocked() { lock(true); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
};

bool spoilt(const std::byte* from) {
  for (std::size_t i = 0; i < guard; ++i) {
    if (from[i] != static_cast<std::byte>(guard_byte)) return true;
  }
  return false;
}

void check_guards() {
  for (const auto& [begin, bytes] : device().memory) {
    if (spoilt(begin - guard)) throw Fault("a kernel wrote before the beginning of device memory");
    if (spoilt(begin + bytes)) {
      throw Fault("a kernel wrote past the end of " + std::to_string(bytes) + " bytes of device memory");
    }
  }
}

/// Unlocked once for all that waits: marking memory takes time, which no event may count as the device's.
void run_what_waits(CUstream_st& stream) {
  const Unlocked unlocked;
  while (!stream.queue.empty()) {
    const std::function<void()> next = std::move(stream.queue.front());
    stream.queue.pop_front();
    next();
  }
}

void run(CUstream_st& stream) {
  if (!stream.queue.empty()) run_what_waits(stream);
  check_guards();
}

void wait_for_all() {
  ++device().waits;
  for (const auto& [name, stream] : device().streams) run(*stream);
}

CUstream_st& queue_of(cudaStream_t stream) { return *device().streams.at(stream); }

bool on_device(const void* memory, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(memory);
  for (const auto& [begin, size] : device().memory) {
    if (first >= begin && first + bytes <= begin + size) return true;
  }
  return false;
}

}  // namespace

std::int64_t waits() { return device().waits; }
std::int64_t launches() { return device().launches; }
std::int64_t allocations() { return static_cast<std::int64_t>(device().memory.size()); }
void wait_for_device() { wait_for_all(); }
void put_into_stream(CUstream_st* stream, std::function<void()> work) {
  queue_of(stream).queue.push_back(std::move(work));
}
void fail_allocation_after(std::int64_t more) { device().allocations_left = more; }

cudaError_t enqueue(const cudaLaunchConfig_t& shape, std::function<void()> kernel) {
  const bool flat = shape.gridDim.y == 1 && shape.gridDim.z == 1 && shape.blockDim.y == 1 &&
                    shape.blockDim.z == 1 && shape.dynamicSmemBytes == 0;
  const bool fits = shape.gridDim.x >= 1 && shape.gridDim.x <= 0x7fffffffU && shape.blockDim.x >= 1 &&
                    shape.blockDim.x <= 1024;
  if (!flat || !fits) return cudaErrorInvalidConfiguration;
  ++device().launches;
  queue_of(shape.stream).queue.emplace_back([shape, work = std::move(kernel)] {
    run_grid(shape.gridDim.x, shape.blockDim.x, work);
  });
  return cudaSuccess;
}

}  // namespace emulation

using emulation::device;

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidDevice: return "cudaErrorInvalidDevice";
    case cudaErrorInvalidResourceHandle: return "cudaErrorInvalidResourceHandle";
    case cudaErrorNotReady: return "cudaErrorNotReady";
    default: return "cudaErrorInvalidConfiguration";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorNotReady: return "device not ready";
    default: return "invalid configuration argument";
  }
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() { return cudaSuccess; }  // every call has reported its own

cudaError_t cudaGetDevice(int* number) {
  *number = 0;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = 0;  // as CUDA says where there is no driver
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 12000;  // the oldest whose calls are used
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
  if (number != 0) return cudaErrorInvalidDevice;
  *properties = {"emulated", std::size_t{1} << 30};
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  if (number != 0) return cudaErrorInvalidDevice;
  switch (attribute) {
    case cudaDevAttrL2CacheSize: *value = 1 << 14; return cudaSuccess;
    case cudaDevAttrMultiProcessorCount: *value = 1; return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor: *value = 8; return cudaSuccess;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
    case cudaDevAttrComputeCapabilityMinor: *value = 0; return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  auto& left = device().allocations_left;
  if (left && (*left)-- == 0) {
    left.reset();
    return cudaErrorMemoryAllocation;
  }
  const std::size_t whole = (bytes + emulation::guard - 1) / emulation::guard * emulation::guard;
  auto* base = static_cast<std::byte*>(std::aligned_alloc(emulation::guard, whole + 2 * emulation::guard));
  if (base == nullptr) return cudaErrorMemoryAllocation;
  std::memset(base, emulation::guard_byte, whole + 2 * emulation::guard);
  std::memset(base + emulation::guard, emulation::fresh_byte, bytes);
  device().memory[base + emulation::guard] = bytes;
  emulation::lock(true);
  *memory = base + emulation::guard;
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  const auto found = device().memory.find(static_cast<std::byte*>(memory));
  if (found == device().memory.end()) return cudaErrorInvalidValue;
  emulation::wait_for_all();
  emulation::lock(false);
  std::byte* base = found->first - emulation::guard;
  device().memory.erase(found);
  std::free(base);
  emulation::lock(true);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const bool to_device = kind != cudaMemcpyDeviceToHost;
  const bool from_device = kind != cudaMemcpyHostToDevice;
  if (emulation::on_device(to, bytes) != to_device) return cudaErrorInvalidValue;
  if (emulation::on_device(from, bytes) != from_device) return cudaErrorInvalidValue;
  emulation::queue_of(stream).queue.emplace_back([=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t stream) {
  if (!emulation::on_device(memory, bytes)) return cudaErrorInvalidValue;
  emulation::queue_of(stream).queue.emplace_back([=] { std::memset(memory, byte, bytes); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  *stream = new CUstream_st;
  device().streams[*stream] = *stream;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  emulation::run(emulation::queue_of(stream));
  device().streams.erase(stream);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ++device().waits;
  emulation::run(emulation::queue_of(stream));
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->mark = std::make_shared<CUevent_st::Mark>();
  event->mark->stream = stream;
  emulation::queue_of(stream).queue.emplace_back(
      [mark = event->mark] { mark->passed = std::chrono::steady_clock::now(); });
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const auto mark = event->mark;
  return mark == nullptr || mark->passed ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  ++device().waits;
  const auto mark = event->mark;  // an event that was never recorded has passed, as CUDA has it
  if (mark != nullptr && !mark->passed) emulation::run(emulation::queue_of(mark->stream));
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  if (begin->mark == nullptr || end->mark == nullptr) return cudaErrorInvalidResourceHandle;
  if (!begin->mark->passed || !end->mark->passed) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(*end->mark->passed - *begin->mark->passed).count();
  return cudaSuccess;
}
