// Random-k on the device: k values at places that all ranks draw from one seed.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/device_sparsifier.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/random_k.hpp"

namespace kernels {

/// The CUDA twin of RandomK, bit for bit, for `accumulate` and `subtract` too. The places are drawn into
/// marks that lie in the order of the vector (a bit for each value; four bytes with replacement), so that
/// nothing need be sorted.
class DeviceRandomK : public DeviceSparsifier {
 public:
  explicit DeviceRandomK(const RandomK::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;

 private:
  void draw(std::int64_t elements, std::int64_t k, StreamHandle stream);

  RandomK::Settings settings_;
  DeviceStatistics statistics_;
  DeviceWorkspace<unsigned> marks_;
  DeviceWorkspace<std::int64_t> places_before_;
  DeviceWorkspace<double> squares_;
  DeviceWorkspace<float> values_;
  DeviceWorkspace<Index> indices_;
  DeviceWorkspace<DeviceTotals> totals_;
};

}  // namespace kernels
