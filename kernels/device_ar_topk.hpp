// AR-Topk on the device: top-k on the broadcaster, a gather at its places on every other rank.
#pragma once

#include <span>

#include "kernels/ar_topk.hpp"
#include "kernels/device_selection.hpp"
#include "kernels/device_sparsifier.hpp"
#include "kernels/device_statistics.hpp"

namespace kernels {

/// The CUDA twin of ArTopK, bit for bit.
class DeviceArTopK : public DeviceSparsifier {
 public:
  explicit DeviceArTopK(const ArTopK::Settings& settings);

  /// As the broadcaster.
  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;
  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

  /// As any other rank: the values at the given places.
  /// @param indices  the broadcaster's, in this device's memory; must outlive the message
  DeviceMessage compress_at(std::span<const float> vector, std::span<const Index> indices,
                            StreamHandle stream);

 private:
  double ratio_;
  DeviceSelection selection_;
  DeviceStatistics statistics_;
  DeviceWorkspace<float> gathered_;
  DeviceWorkspace<double> parts_;
  DeviceWorkspace<DeviceTotals> totals_;
};

}  // namespace kernels
