// DGC on the device.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/device_searching.hpp"
#include "kernels/dgc.hpp"

namespace kernels {

/// The CUDA twin of Dgc, bit for bit. Besides its own sample it takes the one of every selection (see
/// DeviceSelection), so that one pass feeds and lists.
class DeviceDgc : public DeviceSearching {
 public:
  explicit DeviceDgc(const Dgc::Settings& settings);

  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) override;

 private:
  void search_sample(const Selecting& work, const RandomStream& random, StreamHandle stream);

  Dgc::Settings settings_;
  DeviceWorkspace<float> sample_;
  DeviceWorkspace<SelectionState> sample_state_;
  DeviceWorkspace<DgcSearch> search_;
};

}  // namespace kernels
