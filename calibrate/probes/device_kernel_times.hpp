// Times of the compressors on a CUDA device, and the timer that measures them with a cold cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/measurements/kernel_time.hpp"
#include "calibrate/probes/kernel_times.hpp"
#include "kernels/device.hpp"
#include "netmodels/quantity.hpp"

namespace calibrate::probes {

// Times of work on the device with a cold cache.

/// A stream whose work is timed with a cold L2 cache: before each stretch a buffer of four times the cache is
/// overwritten. That also gives the host time to put the whole stretch into the stream, so that the time is
/// only the device's: where the device was faster twice in a row, as never by chance or by memory being
/// allocated, the buffer is doubled from then on. Leaves out: the part of the overwritten buffer that must
/// still go from the cache to memory during the stretch; work of launches so
/// numerous that 4 GiB are overwritten faster, whose time holds some of the host's.
class ColdTimer {
 public:
  /// @throws kernels::DeviceError
  ColdTimer() : bytes_(least_bytes()), buffer_(bytes_) {}

  [[nodiscard]] kernels::StreamHandle stream() const { return stream_; }
  /// Overwritten before each stretch, as it is now.
  [[nodiscard]] std::size_t overwritten_bytes() const { return bytes_; }

  /// Waits for the device.
  /// @param work  enqueues the timed work into `stream()`
  template <class Work>
  netmodels::Seconds time_of(const Work& work) {
    kernels::clear_bytes(buffer_.data(), bytes_, stream_);
    timer_.start(stream_);
    work();
    timer_.stop(stream_);
    const bool late = timer_.begun();
    const netmodels::Seconds time{timer_.seconds()};
    if (late && was_late_ && bytes_ < most_bytes) overwrite_more();
    was_late_ = late;
    return time;
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{4} << 30;

  /// Also where the device does not report its cache.
  static std::size_t least_bytes() {
    constexpr std::int64_t times_the_cache = 4, least = 1 << 20;
    return static_cast<std::size_t>(std::max(times_the_cache * kernels::device_facts().l2_bytes, least));
  }

  void overwrite_more() {
    bytes_ *= 2;
    buffer_.release();  // first, so that the old and the new need not fit together
    buffer_ = kernels::DeviceBytes(bytes_);
  }

  std::size_t bytes_;
  kernels::DeviceBytes buffer_;
  kernels::Stream stream_;
  kernels::DeviceTimer timer_;
  bool was_late_ = false;
};

// Times of the gradient compressors' CUDA implementations on a device, and of a copy in its memory.

/// One line for the provenance of a measurement: what the device is made of and which CUDA it is used by.
std::string describe(const kernels::DeviceFacts& facts);

/// As `measure_kernels`, with gradient, residual, sum and messages in the device's memory: times of the
/// device, of steps and copies that find nothing in its L2 cache (see ColdTimer).
/// @param cases  of compressors that have a CUDA implementation, on a machine that has a device
/// @throws std::runtime_error as `measure_kernels`; kernels::DeviceError, for one where the memory is too
///         small
/// Restoring is timed once more by itself, message and sum as cold: a message among many finds some of the
/// sum in the cache, so that it takes at most as long. Leaves out: transfers of gradients and messages
/// between host and device; other work on the device.
std::vector<measurements::KernelTime> measure_device_kernels(
    std::span<const KernelCase> cases, const KernelEffort& effort,
    const std::function<void(const KernelCase&)>& said);

}  // namespace calibrate::probes
