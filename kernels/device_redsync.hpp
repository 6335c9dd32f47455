// RedSync on the device.
#pragma once

#include <span>

#include "kernels/device_searching.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/redsync.hpp"
#include "kernels/redsync_search.hpp"

namespace kernels {

/// The CUDA twin of RedSync. The mean is a sum in another order and agrees to 10^-12, so thresholds may
/// differ in their last bit, and messages where a value lies just there. Its message has room for 2k values.
class DeviceRedSync : public DeviceSearching {
 public:
  explicit DeviceRedSync(const RedSync::Settings& settings);

  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

 private:
  RedSync::Settings settings_;
  DeviceStatistics statistics_;
  DeviceWorkspace<RedSyncSearch> search_;
};

}  // namespace kernels
