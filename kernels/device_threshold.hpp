// Threshold on the device: every value at or above a magnitude that is known beforehand.
#pragma once

#include <span>

#include "kernels/device_selection.hpp"
#include "kernels/device_sparsifier.hpp"
#include "kernels/threshold.hpp"

namespace kernels {

/// The CUDA twin of Threshold, bit for bit. Its message has room for all n values.
class DeviceThreshold : public DeviceSparsifier {
 public:
  explicit DeviceThreshold(const Threshold::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;
  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

  [[nodiscard]] bool count_is_fixed() const override { return false; }

 private:
  Magnitude threshold_;
  DeviceSelection selection_;
};

}  // namespace kernels
