// Times of work on the device that finds nothing of what it reads in the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/device.hpp"
#include "netmodels/quantity.hpp"

namespace calibrate::probes {

/// A stream whose work is timed with a cold L2 cache: before each stretch a buffer of four times the cache is
/// overwritten. That also gives the host time to put the whole stretch into the stream, so that the time is
/// the device's alone: where the device was faster twice in a row, as never by chance or by memory being
/// allocated, the buffer is doubled from then on. Leaves out: what of the overwritten buffer must still go
/// from the cache to memory during the stretch; work of so many launches that 4 GiB are overwritten faster,
/// whose time holds some of the host's.
class ColdTimer {
 public:
  /// @throws kernels::DeviceError
  ColdTimer() : bytes_(least_bytes()), buffer_(bytes_) {}

  [[nodiscard]] kernels::StreamHandle stream() const { return stream_; }
  /// Overwritten before each stretch, as it is now.
  [[nodiscard]] std::size_t overwritten_bytes() const { return bytes_; }

  /// Waits for the device.
  /// @param work  puts what is timed into `stream()`
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

  /// Also where the device does not tell its cache.
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

}  // namespace calibrate::probes
