// Tests of what only an emulated device can show: who waits, what a full device says.
#include <vector>

#include <gtest/gtest.h>

#include "kernels/device_top_k.hpp"
#include "tests/device/on_device.hpp"
#include "tests/device_emulation/runtime.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(DeviceWaits, CompressionWaitsForNothingOnceItsWorkspaceIsLargeEnough) {
  const std::vector<float> gradient = normal_vector(70000, 1);
  const Uploaded given(gradient), residual(gradient);
  DeviceTopK top_k({0.01});
  top_k.compress_fed(given.span(), residual.span(), nullptr);
  const std::int64_t waits = emulation::waits(), allocations = emulation::allocations();
  for (const std::size_t size : {70000U, 100U, 69999U}) {
    top_k.compress_fed(given.span().first(size), residual.span().first(size), nullptr);
    top_k.compress(given.span().first(size), nullptr);
  }
  EXPECT_EQ(emulation::waits(), waits);
  EXPECT_EQ(emulation::allocations(), allocations);
  synchronise(nullptr);
}

TEST(DeviceWaits, FullDeviceIsNamedWithTheCallAndTheBytes) {
  emulation::fail_allocation_after(0);
  try {
    DeviceWorkspace<float> memory;
    memory.room(1000);
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(), "cudaMalloc of 4000 bytes: cudaErrorMemoryAllocation (out of memory)");
  }
}

TEST(DeviceWaits, FailedGrowthLeavesAWorkspaceThatCanGrow) {
  DeviceWorkspace<float> memory;
  memory.room(10);
  emulation::fail_allocation_after(0);
  EXPECT_THROW(memory.room(1000), DeviceError);
  EXPECT_NE(memory.room(10), nullptr);
}

TEST(DeviceWaits, MemoryIsGivenBack) {
  const std::int64_t before = emulation::allocations();
  {
    const Uploaded given(normal_vector(100, 1));
    DeviceTopK top_k({0.1});
    top_k.compress(given.span(), nullptr);
  }
  EXPECT_EQ(emulation::allocations(), before);
}

}  // namespace
}  // namespace kernels
