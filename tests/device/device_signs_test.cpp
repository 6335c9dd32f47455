// Tests of the sign methods on the device.
#include <memory>
#include <utility>

#include "kernels/signs.hpp"
#include "tests/device/near_reference.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceSignSgd : public OnDevice {};
class OfDeviceEfSign : public OnDevice {};
class OfDeviceOneBit : public OnDevice {};

template <class Implementation>
void expect_near_references(std::uint64_t seed) {
  Random random(seed);
  const auto device = Implementation::make_on_device();
  Implementation host;
  for (int round = 0; round < 200; ++round) {
    const std::size_t size = round % 20 == 0 ? 8000 + below(random, 20000) : random_size(random, 2000);
    ASSERT_NO_FATAL_FAILURE(expect_near_reference(*device, host, random_vector(random, size)));
  }
}

TEST_F(OfDeviceSignSgd, EqualsItsCpuReferenceForAnyBits) {
  expect_references(
      10, 200, [](Random&) { return std::pair(SignSgd::make_on_device(), std::make_unique<SignSgd>()); });
}

TEST_F(OfDeviceEfSign, EqualsItsCpuReferenceButForTheScalesLastPlace) { expect_near_references<EfSign>(12); }

TEST_F(OfDeviceEfSign, KeepsWhatItDoesNotSend) {
  const Stream stream;
  const Uploaded gradient({1, -3}, stream), residual({0, 0}, stream);
  const auto compressor = EfSign::make_on_device();
  const HostMessage message =
      downloaded(compressor->compress_fed(gradient.span(), residual.span(), stream), stream);
  EXPECT_EQ(message.values, std::vector<float>{2});
  EXPECT_EQ(residual.host(stream), (std::vector<float>{-1, -1}));
}

TEST_F(OfDeviceOneBit, EqualsItsCpuReferenceButForTheMeansLastPlace) { expect_near_references<OneBit>(13); }

}  // namespace
}  // namespace kernels
