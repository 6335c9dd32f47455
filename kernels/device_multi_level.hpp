// Multi-level compression on the device: what one compressor sends is compressed once more by another.
#pragma once

#include <memory>
#include <span>

#include "kernels/device_compressor.hpp"
#include "kernels/multi_level.hpp"

namespace kernels {

/// The CUDA implementation of MultiLevel, bit for bit. The second level is launched with as many values as
/// the host knows the first to send, so nobody waits for the device in between; that is why the first must
/// send a number that n alone decides.
class DeviceMultiLevel : public DeviceCompressor {
 public:
  /// @param first   sends pairs (`sparse()`), and a number of them that n decides (`count_is_fixed()`): not a
  ///                method whose threshold decides it
  /// @param second  any; works on the first's values in ascending order of their indices
  DeviceMultiLevel(std::unique_ptr<DeviceCompressor> first, std::unique_ptr<DeviceCompressor> second);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;
  void accumulate(const DeviceMessage& message, std::span<float> sum, StreamHandle stream) const override;
  void subtract(const DeviceMessage& message, std::span<float> vector, StreamHandle stream) const override;
  [[nodiscard]] bool sparse() const override { return second_->sparse(); }
  [[nodiscard]] bool count_is_fixed() const override { return second_->count_is_fixed(); }

  /// Where the device leaves energy, number and bytes of the last call's first level alone; null before the
  /// first call.
  [[nodiscard]] const DeviceTotals* first_totals() const { return first_totals_; }

 private:
  [[nodiscard]] std::span<const float> decoded(const DeviceMessage& message, StreamHandle stream) const;

  std::unique_ptr<DeviceCompressor> first_;
  std::unique_ptr<DeviceCompressor> second_;
  const DeviceTotals* first_totals_ = nullptr;
  DeviceWorkspace<Index> indices_;
  DeviceWorkspace<DeviceTotals> totals_;
  mutable DeviceWorkspace<float> decoded_;  // only inside a call
};

}  // namespace kernels
