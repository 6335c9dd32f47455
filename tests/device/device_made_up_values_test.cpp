// Made-up gradients on the device are those of the processor, bit by bit.
#include "kernels/device_made_up_values.hpp"

#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/device_compressor.hpp"
#include "tests/device/on_device.hpp"

namespace kernels::reference {
namespace {

class OfMadeUpValues : public OnDevice {};

TEST_F(OfMadeUpValues, OnTheDeviceHaveTheBitsOfTheProcessors) {
  constexpr std::int64_t elements = 70'001;  // the last block is not full
  const Stream stream;
  for (const auto values : {GradientValues::bell_shaped, GradientValues::heavy_tailed}) {
    DeviceWorkspace<float> memory;
    memory.reserve(elements);
    make_up_values(memory.first(elements), values, stream);
    const std::vector<float> made = downloaded(std::span<const float>(memory.first(elements)), stream);
    ASSERT_EQ(made.size(), static_cast<std::size_t>(elements));
    for (std::size_t i = 0; i < made.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(made[i]), std::bit_cast<std::uint32_t>(made_up_value(values, i)))
          << i;
  }
}

}  // namespace
}  // namespace kernels::reference
