// Shared by tests of the CUDA implementations: device vectors, comparison with the CPU version.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/device.hpp"
#include "kernels/device_compressor.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels::reference {

/// Skips by name where there is no device.
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0)
      GTEST_SKIP() << "skipped: no CUDA device here; device_emulated runs the same test";
  }
};

/// A vector in device memory, if asked for at an address that is no multiple of 16 bytes.
class Uploaded {
 public:
  explicit Uploaded(const std::vector<float>& vector, StreamHandle stream = nullptr, std::int64_t shift = 0)
      : size_(vector.size()), shift_(shift) {
    memory_.reserve(static_cast<std::int64_t>(size_) + shift + 1);
    copy_to_device(std::span<const float>(vector), span().data(), stream);
    synchronise(stream);
  }
  [[nodiscard]] std::span<float> span() const { return {memory_.data() + shift_, size_}; }
  [[nodiscard]] std::vector<float> host(StreamHandle stream = nullptr) const {
    return downloaded(std::span<const float>(span()), stream);
  }

 private:
  DeviceWorkspace<float> memory_;
  std::size_t size_;
  std::int64_t shift_;
};

/// Equal bits, or both NaN: which NaN an operation makes is each processor's own.
inline bool same_values(std::span<const float> left, std::span<const float> right) {
  return std::ranges::equal(left, right, [](float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
           (std::isnan(a) && std::isnan(b));
  });
}

constexpr double order_of_sums = 1e-12;  // relative to an energy: CPU and CUDA add in different orders

inline void expect_same_message(const HostMessage& device, const Message& host) {
  ASSERT_EQ(device.elements, host.elements);
  ASSERT_TRUE(std::ranges::equal(device.indices, host.indices));
  ASSERT_TRUE(same_values(device.values, host.values));
  ASSERT_TRUE(std::ranges::equal(device.codes, host.codes));
  ASSERT_EQ(device.wire_bytes, host.wire_bytes);
  ASSERT_TRUE(near(device.energy.sent, host.energy.sent, order_of_sums));
  ASSERT_TRUE(near(device.energy.given, host.energy.given, order_of_sums));
}

/// One step of each without and one with error feedback: equal messages, equal uses of them.
/// @param shift  of the device's vectors, in floats
inline void expect_reference(DeviceCompressor& device, Compressor& host, const std::vector<float>& gradient,
                             const std::vector<float>& residual, std::int64_t shift = 0) {
  const Stream stream;
  const Uploaded given(gradient, stream, shift);
  const DeviceMessage message = device.compress(given.span(), stream);
  const Message expected = host.compress(gradient);
  ASSERT_NO_FATAL_FAILURE(expect_same_message(downloaded(message, stream), expected));

  std::vector<float> sum = residual, rest = gradient, restored(gradient.size());
  const Uploaded device_sum(sum, stream, shift), device_rest(rest, stream, shift);
  host.accumulate(expected, sum);
  host.subtract(expected, rest);
  host.restore(expected, restored);
  device.accumulate(message, device_sum.span(), stream);
  device.subtract(message, device_rest.span(), stream);
  ASSERT_TRUE(same_values(device_sum.host(stream), sum));
  ASSERT_TRUE(same_values(device_rest.host(stream), rest));
  device.restore(message, device_sum.span(), stream);
  ASSERT_TRUE(same_values(device_sum.host(stream), restored));

  std::vector<float> kept = residual;
  const Uploaded device_kept(kept, stream, shift);
  const DeviceMessage fused = device.compress_fed(given.span(), device_kept.span(), stream);
  const Message expected_fused = host.compress_fed(gradient, kept);
  ASSERT_NO_FATAL_FAILURE(expect_same_message(downloaded(fused, stream), expected_fused));
  ASSERT_TRUE(same_values(device_kept.host(stream), kept));
}

/// Compares the CPU and CUDA versions from `make(random)` on vectors of every kind and shape.
/// @param make  returns a pair of pointers to the device's compressor and to the host's
template <class Make>
void expect_references(std::uint64_t seed, int rounds, Make make) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    const bool large = round % 20 == 19;
    const std::size_t size = large ? 8000 + below(random, 20000) : random_size(random, 600);
    auto [device, host] = make(random);
    const std::int64_t shift = static_cast<std::int64_t>(below(random, 2));
    for (int step = 0; step < 2; ++step) {  // the second in a workspace that has been used
      const std::size_t here = step == 0 ? size : below(random, size + 1);
      const std::vector<float> gradient = random_vector(random, here), residual = random_vector(random, here);
      ASSERT_NO_FATAL_FAILURE(expect_reference(*device, *host, gradient, residual, shift))
          << "round " << round;
    }
  }
}

}  // namespace kernels::reference
