// Tests of random-k on the device.
#include <memory>
#include <utility>

#include "kernels/random_k.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceRandomK : public OnDevice {};

TEST_F(OfDeviceRandomK, EqualsItsCpuReferenceForAnyBits) {
  expect_references(14, 300, [](Random& random) {
    const RandomK::Settings settings{random_ratio(random), below(random, 2) == 0, below(random, 2) == 0,
                                     random()};
    return std::pair(RandomK::make_on_device(settings), std::make_unique<RandomK>(settings));
  });
}

}  // namespace
}  // namespace kernels
