// Tests that need an emulated device: waits, and errors of a full device.
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/device_steps.hpp"
#include "kernels/layerwise_top_k.hpp"
#include "kernels/signs.hpp"
#include "kernels/top_k.hpp"
#include "tests/device/on_device.hpp"
#include "tests/device_emulation/runtime.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(DeviceWaits, CompressionWaitsForNothingOnceItsWorkspaceIsLargeEnough) {
  const std::vector<float> gradient = normal_vector(70000, 1);
  const Uploaded given(gradient), residual(gradient);
  const auto top_k = TopK::make_on_device({0.01});
  top_k->compress_fed(given.span(), residual.span(), nullptr);
  const std::int64_t waits = emulation::waits(), allocations = emulation::allocations();
  for (const std::size_t size : {70000U, 100U, 69999U}) {
    top_k->compress_fed(given.span().first(size), residual.span().first(size), nullptr);
    top_k->compress(given.span().first(size), nullptr);
  }
  EXPECT_EQ(emulation::waits(), waits);
  EXPECT_EQ(emulation::allocations(), allocations);
  synchronise(nullptr);
}

/// The extra effects of a call in a used workspace.
struct Cost {
  std::int64_t waits, allocations, launches;
};

template <class Call>
Cost cost_of_second(Call call) {
  call();
  const Cost before{emulation::waits(), emulation::allocations(), emulation::launches()};
  call();
  const Cost cost{emulation::waits() - before.waits, emulation::allocations() - before.allocations,
                  emulation::launches() - before.launches};
  synchronise(nullptr);
  return cost;
}

TEST(DeviceWaits, LayersCostNeitherWaitsNorLaunches) {
  std::int64_t launches = 0;
  for (const std::size_t layers : {1U, 5U, 40U}) {
    const Uploaded given(normal_vector(layers * 100, 1)), residual(normal_vector(layers * 100, 2));
    const auto top_k = LayerwiseTopK::make_on_device({0.1, std::vector<std::int64_t>(layers, 100)});
    const Cost cost = cost_of_second([&] { top_k->compress_fed(given.span(), residual.span(), nullptr); });
    EXPECT_EQ(cost.waits, 0);
    EXPECT_EQ(cost.allocations, 0);
    if (layers == 1) launches = cost.launches;
    EXPECT_EQ(cost.launches, launches);
  }
}

TEST(DeviceWaits, LevelsWaitForNothingInBetween) {
  const Uploaded given(normal_vector(5000, 1)), residual(normal_vector(5000, 2));
  DeviceMultiLevel levels(TopK::make_on_device(TopK::Settings{0.1}), EfSign::make_on_device());
  const Cost cost = cost_of_second([&] { levels.compress_fed(given.span(), residual.span(), nullptr); });
  EXPECT_EQ(cost.waits, 0);
  EXPECT_EQ(cost.allocations, 0);
}

TEST(DeviceWaits, LowRankStepsWaitForNothingAndAreSevenLaunches) {
  const Uploaded given(normal_vector(5000, 1));
  DevicePowerSgd power_sgd({.rank = 4});
  const Cost cost = cost_of_second([&] { power_sgd.compress(given.span(), nullptr); });
  EXPECT_EQ(cost.waits, 0);
  EXPECT_EQ(cost.allocations, 0);
  EXPECT_EQ(cost.launches, 7);
}

TEST(DeviceWaits, FullDeviceIsNamedWithTheCallAndTheBytes) {
  emulation::fail_allocation_after(0);
  try {
    DeviceWorkspace<float> memory;
    memory.reserve(1000);
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(), "cudaMalloc of 4000 bytes: cudaErrorMemoryAllocation (out of memory)");
  }
}

TEST(DeviceWaits, FailedGrowthLeavesAWorkspaceThatCanGrow) {
  DeviceWorkspace<float> memory;
  memory.reserve(10);
  emulation::fail_allocation_after(0);
  EXPECT_THROW(memory.reserve(1000), DeviceError);
  EXPECT_NE(memory.reserve(10), nullptr);
}

TEST(DeviceWaits, MemoryIsGivenBack) {
  const std::int64_t before = emulation::allocations();
  {
    const Uploaded given(normal_vector(100, 1));
    const auto top_k = TopK::make_on_device({0.1});
    top_k->compress(given.span(), nullptr);
  }
  EXPECT_EQ(emulation::allocations(), before);
}

}  // namespace
}  // namespace kernels
