// Tests of TernGrad on the device.
#include <memory>
#include <utility>

#include "kernels/tern_grad.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceTernGrad : public OnDevice {};

TEST_F(OfDeviceTernGrad, EqualsItsCpuReferenceForAnyBits) {
  expect_references(9, 200, [](Random& random) {
    const TernGrad::Settings settings{.seed = random()};
    return std::pair(TernGrad::make_on_device(settings), std::make_unique<TernGrad>(settings));
  });
}

TEST_F(OfDeviceTernGrad, ClippedScaleIsThatOfItsCpuReferenceToTheLastPlace) {
  const Stream stream;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TernGrad::Settings settings{.clip = 2.5, .seed = seed};
    const auto device = TernGrad::make_on_device(settings);
    TernGrad host(settings);
    const std::vector<float> vector = normal_vector(10001, seed);
    const Uploaded given(vector, stream);
    const HostMessage message = downloaded(device->compress(given.span(), stream), stream);
    const Message expected = host.compress(vector);
    ASSERT_TRUE(near(message.values[0], expected.values[0], 0x1p-23));
    ASSERT_TRUE(near(message.energy.sent, expected.energy.sent, 1e-6));
    ASSERT_EQ(message.wire_bytes, expected.wire_bytes);
  }
}

}  // namespace
}  // namespace kernels
