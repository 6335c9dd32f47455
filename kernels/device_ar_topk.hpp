// AR-Topk on the device: top-k on the broadcaster, a gather at its places on every other rank.
#pragma once

#include <span>

#include "kernels/ar_topk.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/device_top_k.hpp"

namespace kernels {

/// The CUDA twin of ArTopK, bit for bit: `compress` and `compress_fed` are the broadcaster's, exact top-k.
class DeviceArTopK : public DeviceTopK {
 public:
  explicit DeviceArTopK(const ArTopK::Settings& settings)
      : DeviceTopK({settings.ratio, settings.index_bytes}) {}

  /// As any other rank: the values at the given places.
  /// @param indices  the broadcaster's, in this device's memory; must outlive the message
  DeviceMessage compress_at(std::span<const float> vector, std::span<const Index> indices,
                            StreamHandle stream);

 private:
  DeviceStatistics statistics_;
  DeviceWorkspace<float> gathered_;
  DeviceWorkspace<double> parts_;
  DeviceWorkspace<DeviceTotals> totals_;
};

}  // namespace kernels
