// Tests of momentum correction on the device, against its CPU version.
#include "kernels/device_steps.hpp"
#include "kernels/int8.hpp"
#include "kernels/random_k.hpp"
#include "kernels/threshold.hpp"
#include "kernels/top_k.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceMomentumCorrection : public OnDevice {};

/// The same steps on both; after each, equal messages and equal memories.
void follow_host(DeviceCompressor& device_compressor, Compressor& host_compressor,
                 const MomentumCorrection::Settings& settings,
                 std::span<const std::vector<float>> gradients) {
  const Stream stream;
  const auto elements = static_cast<std::int64_t>(gradients.front().size());
  MomentumCorrection host(elements, settings);
  DeviceMomentumCorrection device(elements, settings, stream);
  for (const std::vector<float>& gradient : gradients) {
    const Uploaded given(gradient, stream);
    const DeviceMessage message = device.compress(device_compressor, given.span(), stream);
    const Message expected = host.compress(host_compressor, gradient);
    ASSERT_NO_FATAL_FAILURE(expect_same_message(downloaded(message, stream), expected));
    ASSERT_TRUE(same_values(downloaded(device.velocity(), stream), host.velocity()));
    ASSERT_TRUE(same_values(downloaded(device.residual(), stream), host.residual()));
  }
}

template <class Vector>
std::vector<std::vector<float>> some_gradients(Random& random, std::size_t size, int steps, Vector vector) {
  std::vector<std::vector<float>> gradients;
  for (int step = 0; step < steps; ++step) gradients.push_back(vector(random, size));
  return gradients;
}

TEST_F(OfDeviceMomentumCorrection, MasksWhereItSent) {
  const Stream stream;
  const auto top_k = TopK::make_on_device({0.5});
  DeviceMomentumCorrection memory(2, {.momentum = 0.5F}, stream);
  const Uploaded first({4, 1}, stream), second({0, 1}, stream);
  memory.compress(*top_k, first.span(), stream);
  EXPECT_EQ(downloaded(memory.velocity(), stream), (std::vector<float>{0, 1}));
  EXPECT_EQ(downloaded(memory.residual(), stream), (std::vector<float>{0, 1}));
  const HostMessage message = downloaded(memory.compress(*top_k, second.span(), stream), stream);
  EXPECT_EQ(message.indices, (std::vector<Index>{1}));
  EXPECT_EQ(message.values, (std::vector<float>{2.5F}));  // 1 + (0.5 * 1 + 1)
}

TEST_F(OfDeviceMomentumCorrection, WithoutMaskingVelocityStays) {
  const Stream stream;
  const auto top_k = TopK::make_on_device({0.5});
  DeviceMomentumCorrection memory(2, {.momentum = 0.5F, .masking = false}, stream);
  const Uploaded gradient({4, 1}, stream);
  memory.compress(*top_k, gradient.span(), stream);
  EXPECT_EQ(downloaded(memory.velocity(), stream), (std::vector<float>{4, 1}));
}

TEST_F(OfDeviceMomentumCorrection, EqualsItsCpuReferenceForAnyBits) {
  Random random(41);
  for (int round = 0; round < 120; ++round) {
    const MomentumCorrection::Settings settings{static_cast<float>(below(random, 100)) / 100,
                                                below(random, 2) == 0, below(random, 3) != 0};
    const auto gradients =
        some_gradients(random, random_size(random, 600), 2,
                       [](Random& from, std::size_t size) { return random_vector(from, size); });
    if (round % 3 == 0) {  // as many as the values decide
      const auto device = Threshold::make_on_device({0.5});
      Threshold host({0.5});
      ASSERT_NO_FATAL_FAILURE(follow_host(*device, host, settings, gradients)) << round;
    } else if (round % 3 == 1) {
      const TopK::Settings kept{random_ratio(random)};
      const auto device = TopK::make_on_device(kept);
      TopK host(kept);
      ASSERT_NO_FATAL_FAILURE(follow_host(*device, host, settings, gradients)) << round;
    } else {  // no indices: nothing is masked
      const auto device = Int8::make_on_device({});
      Int8 host({});
      ASSERT_NO_FATAL_FAILURE(follow_host(*device, host, settings, gradients)) << round;
    }
  }
}

TEST_F(OfDeviceMomentumCorrection, FollowsItsCpuReferenceOverManySteps) {
  Random random(42);
  for (const bool nesterov : {false, true}) {
    const auto gradients = some_gradients(
        random, 20001, 8, [](Random& from, std::size_t size) { return normal_vector(size, from()); });
    const auto device = TopK::make_on_device({0.01});
    TopK host({0.01});
    ASSERT_NO_FATAL_FAILURE(follow_host(*device, host, {.nesterov = nesterov}, gradients));
  }
}

TEST_F(OfDeviceMomentumCorrection, OfNothingAndOfOne) {
  for (const std::size_t size : {0U, 1U}) {
    const std::vector<std::vector<float>> gradients(3, std::vector<float>(size, -2.5F));
    const auto device = TopK::make_on_device({0.01});
    TopK host({0.01});
    ASSERT_NO_FATAL_FAILURE(follow_host(*device, host, {}, gradients));
  }
}

}  // namespace
}  // namespace kernels
