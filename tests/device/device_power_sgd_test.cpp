// Tests of low-rank compression on the device, against its CPU version: equal to 10^-5, not bit for bit.
#include "kernels/device_steps.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDevicePowerSgd : public OnDevice {};

float largest_of(std::span<const float> vector) {
  float largest = 0;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  return largest;
}

/// To 10^-5 of the largest value; or both not finite.
void expect_close(std::span<const float> device, std::span<const float> host, float largest) {
  ASSERT_EQ(device.size(), host.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (!std::isfinite(host[i])) {
      ASSERT_FALSE(std::isfinite(device[i])) << "value " << i;
    } else {
      ASSERT_LE(std::abs(device[i] - host[i]), 1e-5F * largest) << "value " << i;
    }
  }
}

/// One step of each with error feedback; restored values and residuals are close, and the values that the
/// device decodes from its message is what the CPU decodes from it.
void expect_close_step(DevicePowerSgd& device, PowerSgd& host, const std::vector<float>& gradient,
                       const Uploaded& device_residual, std::vector<float>& residual, const Stream& stream) {
  const Uploaded given(gradient, stream);
  const DeviceMessage message = device.compress_fed(given.span(), device_residual.span(), stream);
  const HostMessage brought = downloaded(message, stream);
  const Message expected = host.compress_fed(gradient, residual);
  ASSERT_EQ(brought.elements, expected.elements);
  ASSERT_EQ(brought.values.size(), expected.values.size());
  ASSERT_EQ(brought.wire_bytes, expected.wire_bytes);
  ASSERT_TRUE(near(brought.energy.sent, expected.energy.sent, 1e-5));
  ASSERT_TRUE(near(brought.energy.given, expected.energy.given, 1e-5));  // of residuals that differ

  std::vector<float> restored(gradient.size()), decoded(gradient.size());
  const Uploaded device_restored(restored, stream);
  device.restore(message, device_restored.span(), stream);
  host.restore(expected, restored);
  host.restore(brought.view(), decoded);
  const std::vector<float> found = device_restored.host(stream);
  ASSERT_TRUE(same_values(found, decoded));
  ASSERT_NO_FATAL_FAILURE(expect_close(found, restored, largest_of(restored)));
  ASSERT_NO_FATAL_FAILURE(expect_close(device_residual.host(stream), residual,
                                       std::max(largest_of(restored), largest_of(residual))));
}

/// Some steps with error feedback.
void follow_power_sgd(const PowerSgd::Settings& settings, std::size_t size, std::uint64_t seed, int steps) {
  const Stream stream;
  DevicePowerSgd device(settings);
  PowerSgd host(settings);
  std::vector<float> residual(size);
  const Uploaded device_residual(residual, stream, static_cast<std::int64_t>(seed % 2));
  for (int step = 0; step < steps; ++step) {
    const std::vector<float> gradient = normal_vector(size, seed + static_cast<std::uint64_t>(step));
    ASSERT_NO_FATAL_FAILURE(expect_close_step(device, host, gradient, device_residual, residual, stream))
        << size << " values, rank " << settings.rank << ", " << settings.shape.rows << " x "
        << settings.shape.columns << ", step " << step;
  }
}

TEST_F(OfDevicePowerSgd, RestoresAMatrixOfItsRank) {
  const Stream stream;
  const std::vector<float> matrix{1, 2, -3, 2, 4, -6};  // (1, 2) times (1, 2, -3)
  const Uploaded given(matrix, stream);
  DevicePowerSgd compressor({.rank = 1, .shape = {2, 3}});
  const DeviceMessage message = compressor.compress(given.span(), stream);
  const HostMessage brought = downloaded(message, stream);
  EXPECT_EQ(brought.wire_bytes, 4 * 5);
  EXPECT_NEAR(brought.energy.gain(), 1, 1e-6);
  EXPECT_DOUBLE_EQ(brought.energy.given, 1 + 4 + 9 + 4 + 16 + 36);
  EXPECT_NEAR(std::abs(brought.values[0]), 1 / std::sqrt(5.0F), 1e-6F);
  EXPECT_NEAR(brought.values[1], 2 * brought.values[0], 1e-6F);
  compressor.restore(message, given.span(), stream);
  EXPECT_NO_FATAL_FAILURE(expect_close(given.host(stream), matrix, 6));
}

TEST_F(OfDevicePowerSgd, AgreesWithItsCpuReferenceInAnyShape) {
  Random random(61);
  for (int round = 0; round < 100; ++round) {
    const auto rows = static_cast<std::int64_t>(1 + below(random, 40)),
               columns = static_cast<std::int64_t>(1 + below(random, 40));
    const bool fixed = round % 2 == 0;
    const PowerSgd::Settings settings{static_cast<int>(1 + below(random, 6)),
                                      fixed ? Shape{rows, columns} : Shape{}, random()};
    const std::size_t size = fixed ? static_cast<std::size_t>(rows * columns) : random_size(random, 1500);
    ASSERT_NO_FATAL_FAILURE(follow_power_sgd(settings, size, random(), 2)) << "round " << round;
  }
}

TEST_F(OfDevicePowerSgd, OfNothingAndOfOne) {
  for (const std::size_t size : {0U, 1U, 2U, 3U})
    ASSERT_NO_FATAL_FAILURE(follow_power_sgd({.rank = 2}, size, 5, 3));
}

TEST_F(OfDevicePowerSgd, AgreesWhereSumsAreCutIntoStretches) {
  ASSERT_NO_FATAL_FAILURE(follow_power_sgd({.rank = 2, .shape = {3, 3001}}, 9003, 1, 2));
  ASSERT_NO_FATAL_FAILURE(follow_power_sgd({.rank = 5, .shape = {1500, 6}}, 9000, 2, 2));
  ASSERT_NO_FATAL_FAILURE(follow_power_sgd({.rank = 4}, 40001, 3, 2));
}

TEST_F(OfDevicePowerSgd, FollowsItsCpuReferenceOverManySteps) {
  ASSERT_NO_FATAL_FAILURE(follow_power_sgd({.rank = 1}, 3000, 7, 20));
  ASSERT_NO_FATAL_FAILURE(follow_power_sgd({.rank = 4}, 3000, 8, 20));
}

TEST_F(OfDevicePowerSgd, TheSameVectorGivesTheSameBits) {
  const Stream stream;
  const Uploaded given(normal_vector(9003, 1), stream);
  DevicePowerSgd first({.rank = 3, .shape = {3, 3001}}), second({.rank = 3, .shape = {3, 3001}});
  const HostMessage one = downloaded(first.compress(given.span(), stream), stream);
  const HostMessage other = downloaded(second.compress(given.span(), stream), stream);
  EXPECT_TRUE(same_bits(one.values, other.values));
  EXPECT_EQ(one.energy.sent, other.energy.sent);
  EXPECT_EQ(one.energy.given, other.energy.given);
}

TEST_F(OfDevicePowerSgd, BeginsAnewWithAnotherShape) {
  const Stream stream;
  DevicePowerSgd device({.rank = 2});
  PowerSgd host({.rank = 2});
  for (const std::size_t size : {100U, 10U, 12U, 0U, 99U, 100U}) {
    std::vector<float> residual(size);
    const Uploaded device_residual(residual, stream);
    ASSERT_NO_FATAL_FAILURE(
        expect_close_step(device, host, normal_vector(size, size), device_residual, residual, stream))
        << size;
  }
}

TEST_F(OfDevicePowerSgd, RecoversFromZerosAndNaNAsItsCpuReference) {
  const Stream stream;
  DevicePowerSgd device({.rank = 2});
  PowerSgd host({.rank = 2});
  std::vector<float> one_infinite = normal_vector(100, 3), residual(100);
  one_infinite[17] = infinity;
  for (const std::vector<float>& bad :
       {std::vector<float>(100), std::vector<float>(100, not_a_number), one_infinite}) {
    for (const std::vector<float>& gradient : {bad, normal_vector(100, 4)}) {
      std::ranges::fill(residual, 0.0F);
      const Uploaded device_residual(residual, stream);
      ASSERT_NO_FATAL_FAILURE(expect_close_step(device, host, gradient, device_residual, residual, stream));
    }
  }
}

TEST_F(OfDevicePowerSgd, DependentColumnsBecomeZero) {
  const Stream stream;
  std::vector<float> matrix(20 * 10);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    matrix[i] = static_cast<float>(1 + i / 10) * static_cast<float>(1 + i % 10) / 7;
  }
  const Uploaded given(matrix, stream);
  DevicePowerSgd compressor({.rank = 3, .shape = {20, 10}});
  const HostMessage message = downloaded(compressor.compress(given.span(), stream), stream);
  EXPECT_TRUE(std::ranges::all_of(std::span(message.values).subspan(20, 40), [](float p) { return p == 0; }));
  EXPECT_TRUE(std::ranges::all_of(std::span(message.values).subspan(70, 20), [](float q) { return q == 0; }));
  EXPECT_NEAR(message.energy.gain(), 1, 1e-6);
}

TEST_F(OfDevicePowerSgd, RanksThatReduceAgreeWithTheMeanGradient) {
  const Stream stream;
  const std::vector<float> first = normal_vector(60, 4), second = normal_vector(60, 5);
  std::vector<float> mean(60), alone(60);
  for (std::size_t i = 0; i < 60; ++i) mean[i] = (first[i] + second[i]) / 2;
  const PowerSgd::Settings settings{.rank = 2, .shape = {6, 10}, .seed = 8};
  DevicePowerSgd one(settings), other(settings);
  PowerSgd both(settings);
  const Uploaded one_given(first, stream), other_given(second, stream);
  const auto reduce = [&](std::span<float> a, std::span<float> b) {
    std::vector<float> values = downloaded(std::span<const float>(a), stream);
    const std::vector<float> others = downloaded(std::span<const float>(b), stream);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = (values[i] + others[i]) / 2;
    copy_to_device(std::span<const float>(values), a.data(), stream);
    copy_to_device(std::span<const float>(values), b.data(), stream);
    synchronise(stream);
  };
  reduce(one.project(one_given.span(), stream), other.project(other_given.span(), stream));
  reduce(one.back_project(one_given.span(), stream), other.back_project(other_given.span(), stream));
  const DeviceMessage message = one.message(one_given.span(), stream);
  EXPECT_TRUE(near(downloaded(message, stream).energy.given, plain_energy(first), order_of_sums));
  both.restore(both.compress(mean), alone);
  const Uploaded restored(alone, stream);
  one.restore(message, restored.span(), stream);
  EXPECT_NO_FATAL_FAILURE(expect_close(restored.host(stream), alone, largest_of(alone)));
}

}  // namespace
}  // namespace kernels
