// AR-Topk on the device: top-k on the broadcaster, a gather at its indices on every other rank.
#pragma once

#include <span>

#include "kernels/ar_topk.hpp"
#include "kernels/device_sparsifier.hpp"
#include "kernels/device_statistics.hpp"

namespace kernels {

/// The CUDA implementation of ArTopK, bit for bit: `compress` and `compress_fed` are the broadcaster's, exact
/// top-k.
class DeviceArTopK : public DeviceSparsifier {
 public:
  explicit DeviceArTopK(const ArTopK::Settings& settings) : top_k_(TopK::make_on_device(settings)) {}

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override {
    return top_k_->compress(vector, stream);
  }
  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override {
    return top_k_->compress_fed(gradient, residual, stream);
  }

  /// As any other rank: the values at the given indices.
  /// @param indices  the broadcaster's, in this device's memory; must outlive the message
  DeviceMessage compress_at(std::span<const float> vector, std::span<const Index> indices,
                            StreamHandle stream);

  [[nodiscard]] std::int64_t rescans(StreamHandle stream) const override { return top_k_->rescans(stream); }

 private:
  DeviceCompressorPtr top_k_;
  DeviceStatistics statistics_;
  DeviceWorkspace<float> gathered_;
  DeviceWorkspace<double> parts_;
  DeviceWorkspace<DeviceTotals> totals_;
};

}  // namespace kernels
