// The comparison of a coder on the device with a CPU version that adds up its scales in another order.
#pragma once

#include <vector>

#include "tests/device/on_device.hpp"

namespace kernels::reference {

constexpr double last_place = 0x1p-23;  // relative, of a float

/// Equal signs, scales to their last place, and the same result as the CPU version from the same message.
inline void expect_near_reference(DeviceCompressor& device, Compressor& host,
                                  const std::vector<float>& vector) {
  const Stream stream;
  const Uploaded given(vector, stream);
  const DeviceMessage sent = device.compress(given.span(), stream);
  const HostMessage message = downloaded(sent, stream);
  const Message expected = host.compress(vector);
  ASSERT_TRUE(std::ranges::equal(message.codes, expected.codes));
  ASSERT_EQ(message.values.size(), expected.values.size());
  for (std::size_t i = 0; i < message.values.size(); ++i) {
    ASSERT_TRUE(near(message.values[i], expected.values[i], last_place));
  }
  ASSERT_EQ(message.wire_bytes, expected.wire_bytes);
  ASSERT_TRUE(near(message.energy.given, expected.energy.given, order_of_sums));
  ASSERT_TRUE(near(message.energy.sent, expected.energy.sent, 4 * last_place));
  std::vector<float> rest = vector;
  host.subtract(message.view(), rest);
  device.subtract(sent, given.span(), stream);
  ASSERT_TRUE(same_values(given.host(stream), rest));
}

}  // namespace kernels::reference
