// Selection on a device without these kernels, by CUB: sort pairs, or select above a threshold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/device.hpp"
#include "kernels/device_selection.hpp"

namespace bench {

using kernels::Index;
using kernels::StreamHandle;

/// Top-k by cub::DeviceRadixSort::SortPairsDescending of (|v|, index). Nothing waits for the device.
/// Every call throws kernels::DeviceError where the device refuses it.
class SortRival {
 public:
  explicit SortRival(std::int64_t elements);

  /// The pairs of a vector of that many values.
  void pair_up(std::span<const float> vector, StreamHandle stream);
  /// Sorts the pairs, which stay as they are.
  void sort(StreamHandle stream);

  /// A whole step of error feedback: residual += gradient with the making of the pairs, sorting, and the
  /// values at the first k places, which become zeros.
  void step(std::span<const float> gradient, std::span<float> residual, std::int64_t k, StreamHandle stream);

  /// The values of the last step, in device memory.
  [[nodiscard]] std::span<const float> sent(std::int64_t k) const { return sent_.first(k); }

 private:
  std::int64_t elements_;
  std::size_t scratch_bytes_ = 0;
  kernels::DeviceWorkspace<float> magnitudes_, sorted_magnitudes_, sent_;
  kernels::DeviceWorkspace<Index> places_, sorted_places_;
  kernels::DeviceBytes scratch_;
};

/// All pairs (index, value) with |v| >= threshold by cub::DeviceSelect::If.
class SelectRival {
 public:
  explicit SelectRival(std::int64_t elements);

  void select(std::span<const float> vector, float threshold, StreamHandle stream);

  /// How many the last call selected. Waits for the stream.
  [[nodiscard]] std::int64_t count(StreamHandle stream) const {
    return kernels::downloaded(std::span<const std::int64_t>(count_.first(1)), stream).front();
  }

 private:
  /// Only says how much scratch memory is needed where `scratch` is null.
  void call(void* scratch, std::size_t& bytes, const float* vector, float threshold, StreamHandle stream);

  std::int64_t elements_;
  std::size_t scratch_bytes_ = 0;
  kernels::DeviceWorkspace<kernels::Candidate> selected_;
  kernels::DeviceWorkspace<std::int64_t> count_;
  kernels::DeviceBytes scratch_;
};

}  // namespace bench
