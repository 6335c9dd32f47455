// The CUDA device as the rest of kernels/ sees it: facts, memory, streams, time, and the one error there is.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

struct CUstream_st;  // CUDA's own names of its streams and events, so that users need none of its headers
struct CUevent_st;

namespace kernels {

/// A call to the device failed; `what()` names the call, the error and its meaning.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Stream that orders work; null is the device's default stream.
using StreamHandle = CUstream_st*;

/// How many CUDA devices can be used; 0 where there is none or no driver.
int device_count();

/// The facts of the device that a measurement states.
struct DeviceFacts {
  std::string name;
  int driver_version = 0;   ///< newest CUDA that the driver knows: 1000 major + 10 minor; 0 without a driver
  int runtime_version = 0;  ///< CUDA that the program was built with, written the same way
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  int multiprocessors = 0;
  int compute_capability = 0;           ///< 10 major + minor: 90 for 9.0
  std::int64_t multiprocessor_khz = 0;  ///< the highest clock, kHz; 0 where the runtime does not say
  std::int64_t memory_khz = 0;          ///< likewise, of the memory
};

/// Facts of the device that this thread uses. Leaves out: the clocks of this moment, which the CUDA runtime
/// does not show.
/// @throws DeviceError
DeviceFacts device_facts();

/// A separate stream, which does not wait for the default stream.
/// @throws DeviceError
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator StreamHandle() const { return stream_; }  // NOLINT: it is one

  /// Waits until all its enqueued work is done.
  void synchronise() const;

 private:
  StreamHandle stream_ = nullptr;
};

/// Bytes of device memory, without initial values.
class DeviceBytes {
 public:
  DeviceBytes() = default;
  explicit DeviceBytes(std::size_t bytes);
  ~DeviceBytes() { release(); }
  DeviceBytes(DeviceBytes&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  DeviceBytes& operator=(DeviceBytes&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }

  [[nodiscard]] void* data() const { return data_; }
  void release();

 private:
  void* data_ = nullptr;
};

/// Workspace on the device: memory that grows to the largest size asked for and is then used again.
/// Only growth allocates, and by that waits for the device; calls up to a size seen before do not.
template <class T>
class DeviceWorkspace {
 public:
  /// Memory for `count` values; the old contents are lost if it must grow.
  /// @throws DeviceError when there is no memory
  T* reserve(std::int64_t count) {
    assert(count >= 0);
    if (count > capacity_) {
      memory_.release();  // first, so that the old and the new need not fit together
      capacity_ = 0;
      memory_ = DeviceBytes(static_cast<std::size_t>(count) * sizeof(T));
      capacity_ = count;
    }
    return data();
  }

  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.data()); }
  [[nodiscard]] std::span<T> first(std::int64_t count) const {
    assert(count <= capacity_);
    return {data(), static_cast<std::size_t>(count)};
  }

 private:
  DeviceBytes memory_;
  std::int64_t capacity_ = 0;
};

/// Enqueues a copy; the host's memory must stay valid until the stream has been waited for.
void copy_bytes_to_device(const void* from, void* to, std::size_t bytes, StreamHandle stream);
void copy_bytes_to_host(const void* from, void* to, std::size_t bytes, StreamHandle stream);
void copy_bytes_on_device(const void* from, void* to, std::size_t bytes, StreamHandle stream);
/// Enqueues a fill with zeros.
void clear_bytes(void* memory, std::size_t bytes, StreamHandle stream);
/// Waits until all enqueued work is done.
void synchronise(StreamHandle stream);

/// Takes the device's own time of the work that one stream gets between `start` and `stop`; may be used again
/// and again. What the device waits for the host in between counts too, so work that was put before `start`
/// must last until the host has put the rest.
/// Every call throws DeviceError where the device refuses it.
class DeviceTimer {
 public:
  DeviceTimer();
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

  void start(StreamHandle stream);
  void stop(StreamHandle stream);

  /// Whether the device has reached `start`; does not wait.
  [[nodiscard]] bool begun() const;

  /// Waits for the work before `stop`, after both calls. In seconds, to half a microsecond.
  [[nodiscard]] double seconds() const;

 private:
  CUevent_st* begin_ = nullptr;
  CUevent_st* end_ = nullptr;
};

template <class T>
void copy_to_device(std::span<const T> from, T* to, StreamHandle stream) {
  copy_bytes_to_device(from.data(), to, from.size_bytes(), stream);
}

/// Copies the device's memory once the stream has done its work. Waits for it.
template <class T>
std::vector<T> downloaded(std::span<const T> from, StreamHandle stream) {
  std::vector<T> values(from.size());
  copy_bytes_to_host(from.data(), values.data(), from.size_bytes(), stream);
  synchronise(stream);
  return values;
}

}  // namespace kernels
