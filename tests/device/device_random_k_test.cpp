// Tests of random-k on the device.
#include "kernels/device_random_k.hpp"

#include <memory>
#include <utility>

#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceRandomK : public OnDevice {};

TEST_F(OfDeviceRandomK, EqualsItsCpuTwinForAnyBits) {
  expect_twins(14, 300, [](Random& random) {
    const RandomK::Settings settings{random_ratio(random), below(random, 2) == 0, below(random, 2) == 0,
                                     random()};
    return std::pair(std::make_unique<DeviceRandomK>(settings), std::make_unique<RandomK>(settings));
  });
}

}  // namespace
}  // namespace kernels
