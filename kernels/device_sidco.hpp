// SIDCo on the device.
#pragma once

#include <span>
#include <vector>

#include "kernels/device_searching.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/sidco.hpp"
#include "kernels/sidco_search.hpp"

namespace kernels {

/// The CUDA twin of Sidco. Means are sums in another order and agree to 10^-12, so thresholds may differ in
/// their last bit, and messages where a value lies just there. Each stage but the first reads the vector
/// once. Its message has room for all n values.
class DeviceSidco : public DeviceSearching {
 public:
  explicit DeviceSidco(const Sidco::Settings& settings);

  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

 private:
  void find_threshold(const Selecting& work, StreamHandle stream);

  double ratio_;
  std::vector<double> stages_;
  DeviceStatistics statistics_;
  DeviceWorkspace<SidcoSearch> search_;
  DeviceWorkspace<double> sums_;
  DeviceWorkspace<std::int64_t> counts_;
};

}  // namespace kernels
