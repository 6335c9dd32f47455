// Tests on vectors of more tiles than one block's threads: the state that its turns carry on.
#include "kernels/random_k.hpp"
#include "kernels/threshold.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceLongVectors : public OnDevice {};

constexpr std::size_t long_size = 8192 * 1030 + 5;

/// Rare values other than zero, so that little is sent.
std::vector<float> rare_values() {
  std::vector<float> vector(long_size);
  for (std::size_t i = 0; i < long_size; i += 1013) vector[i] = 1 + static_cast<float>(i % 7);
  return vector;
}

void expect_same(DeviceCompressor& device, Compressor& host) {
  const std::vector<float> vector = rare_values();
  const Stream stream;
  const Uploaded given(vector, stream);
  const HostMessage message = downloaded(device.compress(given.span(), stream), stream);
  expect_same_message(message, host.compress(vector));
}

TEST_F(OfDeviceLongVectors, ThresholdCountsOn) {
  const auto device = Threshold::make_on_device({2});
  Threshold host({2});
  expect_same(*device, host);
}

TEST_F(OfDeviceLongVectors, RandomKCountsOn) {
  const auto device = RandomK::make_on_device({0.0001});
  RandomK host({0.0001});
  expect_same(*device, host);
}

}  // namespace
}  // namespace kernels
