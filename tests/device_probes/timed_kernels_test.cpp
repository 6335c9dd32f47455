// The kernels whose time is measured may fuse multiplications with additions; what they send is near what the
// CPU references send.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "calibrate/probes/kernel_times.hpp"
#include "kernels/device_compressor.hpp"
#include "tests/device/on_device.hpp"

namespace calibrate::probes {
namespace {

class OfTimedKernels : public kernels::reference::OnDevice {};

/// What a message restores to, on the processor.
std::vector<float> restored(const kernels::Entry& row, const KernelCase& of,
                            std::span<const float> gradient) {
  const auto compressor = row.make(settings_of(of, gradient));
  std::vector<float> sum(gradient.size());
  compressor->accumulate(compressor->compress(gradient), sum);
  return sum;
}

/// The same on the device.
std::vector<float> restored_on_device(const kernels::Entry& row, const KernelCase& of,
                                      std::span<const float> gradient) {
  const kernels::Stream stream;
  const auto compressor = row.make_on_device(settings_of(of, gradient));
  const auto elements = static_cast<std::int64_t>(gradient.size());
  kernels::DeviceWorkspace<float> given, sum;
  given.reserve(elements);
  sum.reserve(elements);
  kernels::copy_to_device(gradient, given.first(elements).data(), stream);
  kernels::clear_bytes(sum.first(elements).data(), gradient.size_bytes(), stream);
  const auto message = compressor->compress(given.first(elements), stream);
  compressor->accumulate(message, sum.first(elements), stream);
  return kernels::downloaded(std::span<const float>(sum.first(elements)), stream);
}

/// ||one - other|| / ||other||.
double distance(std::span<const float> one, std::span<const float> other) {
  double apart = 0, whole = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    apart += std::pow(static_cast<double>(one[i]) - static_cast<double>(other[i]), 2);
    whole += std::pow(static_cast<double>(other[i]), 2);
  }
  return std::sqrt(apart / whole);
}

TEST_F(OfTimedKernels, RestoreWhatTheReferencesRestoreToOnePercent) {
  constexpr std::int64_t elements = 20'000;
  constexpr double most_apart = 0.01;  // a rounded threshold or level may move a few values, of the smallest
  const std::vector<float> gradient = made_up_gradient(elements, GradientValues::bell_shaped);
  for (const kernels::Entry& row : kernels::catalogue()) {
    if (row.make_on_device == nullptr || row.make == nullptr) continue;
    const KernelCase of{&row, elements, row.sparse ? 0.1 : 1.0};
    const auto expected = restored(row, of, gradient);
    EXPECT_LE(distance(restored_on_device(row, of, gradient), expected), most_apart) << row.name;
  }
}

}  // namespace
}  // namespace calibrate::probes
