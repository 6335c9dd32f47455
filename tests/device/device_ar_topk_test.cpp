// Tests of AR-Topk on the device.
#include <memory>
#include <utility>

#include "kernels/device_steps.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceArTopK : public OnDevice {};

TEST_F(OfDeviceArTopK, EqualsItsCpuReferenceForAnyBits) {
  expect_references(3, 100, [](Random& random) {
    const ArTopK::Settings settings{random_ratio(random)};
    return std::pair(std::make_unique<DeviceArTopK>(settings), std::make_unique<ArTopK>(settings));
  });
}

TEST_F(OfDeviceArTopK, OtherRanksSendTheirValuesAtTheBroadcastersPlaces) {
  Random random(4);
  const Stream stream;
  for (int round = 0; round < 100; ++round) {
    const std::size_t size = random_size(random, 2000);
    const std::vector<float> broadcast = random_vector(random, size), other = random_vector(random, size);
    const ArTopK::Settings settings{random_ratio(random), 8};
    ArTopK host(settings), host_rank(settings);
    DeviceArTopK device(settings), device_rank(settings);
    const Uploaded device_broadcast(broadcast, stream), device_other(other, stream);
    const DeviceMessage chosen = device.compress(device_broadcast.span(), stream);
    const DeviceMessage message = device_rank.compress_at(device_other.span(), chosen.indices, stream);
    const Message expected = host_rank.compress_at(other, host.compress(broadcast).indices);
    ASSERT_NO_FATAL_FAILURE(expect_same_message(downloaded(message, stream), expected));
    std::vector<float> rest = other;
    host_rank.subtract(expected, rest);
    device_rank.subtract(message, device_other.span(), stream);
    ASSERT_TRUE(same_bits(device_other.host(stream), rest));
  }
}

}  // namespace
}  // namespace kernels
