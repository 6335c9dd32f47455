// Tests of top-k layer by layer on the device, against its CPU version.
#include "kernels/device_steps.hpp"
#include "kernels/layerwise_top_k.hpp"
#include "kernels/multi_level.hpp"
#include "kernels/top_k.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceLayerwiseTopK : public OnDevice {};

std::size_t total(const std::vector<std::int64_t>& sizes) {
  return static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
}

/// Two steps, the second in the memory of the first.
void expect_layerwise_reference(const LayerwiseTopK::Settings& settings, const std::vector<float>& gradient,
                                const std::vector<float>& residual, std::int64_t shift = 0) {
  const auto device = LayerwiseTopK::make_on_device(settings);
  LayerwiseTopK host(settings);
  ASSERT_NO_FATAL_FAILURE(expect_reference(*device, host, gradient, residual, shift));
  ASSERT_NO_FATAL_FAILURE(expect_reference(*device, host, residual, gradient, shift));
}

TEST_F(OfDeviceLayerwiseTopK, SendsTheLargestOfEachLayer) {
  const Stream stream;
  const auto top_k = LayerwiseTopK::make_on_device({0.5, {2, 0, 1, 3}});
  const Uploaded vector({9, 8, 0, 1, -3, 2}, stream);
  const HostMessage message = downloaded(top_k->compress(vector.span(), stream), stream);
  EXPECT_EQ(message.indices, (std::vector<Index>{0, 2, 4, 5}));
  EXPECT_EQ(message.values, (std::vector<float>{9, 0, -3, 2}));
  EXPECT_EQ(message.wire_bytes, 32);
  EXPECT_DOUBLE_EQ(message.energy.sent, 81 + 9 + 4);
  EXPECT_DOUBLE_EQ(message.energy.given, 81 + 64 + 1 + 9 + 4);
}

TEST_F(OfDeviceLayerwiseTopK, OfNoLayersIsNothing) {
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{}, {0}, {0, 0, 0}}) {
    ASSERT_NO_FATAL_FAILURE(expect_layerwise_reference({0.1, sizes}, {}, {}));
  }
}

TEST_F(OfDeviceLayerwiseTopK, OfOneValueIsIt) {
  ASSERT_NO_FATAL_FAILURE(expect_layerwise_reference({0.01, {0, 1, 0}, 8}, {-0.0F}, {3}));
}

TEST_F(OfDeviceLayerwiseTopK, EqualsItsCpuReferenceForAnyBits) {
  Random random(51);
  for (int round = 0; round < 120; ++round) {
    std::vector<std::int64_t> sizes(below(random, 7));
    for (std::int64_t& size : sizes) size = static_cast<std::int64_t>(random_size(random, 400));
    const LayerwiseTopK::Settings settings{random_ratio(random), sizes, below(random, 2) == 0 ? 4 : 8};
    const std::vector<float> gradient = random_vector(random, total(sizes)),
                             residual = random_vector(random, total(sizes));
    ASSERT_NO_FATAL_FAILURE(
        expect_layerwise_reference(settings, gradient, residual, static_cast<std::int64_t>(below(random, 2))))
        << "round " << round;
  }
}

TEST_F(OfDeviceLayerwiseTopK, EqualsItsCpuReferenceInLayersOfManyTiles) {
  const std::vector<std::int64_t> sizes{64, 8191, 1, 8192, 8193, 0, 30011, 1023, 1025};
  for (const double ratio : {0.001, 0.1, 1.0}) {
    ASSERT_NO_FATAL_FAILURE(expect_layerwise_reference({ratio, sizes}, normal_vector(total(sizes), 1),
                                                       normal_vector(total(sizes), 2)));
  }
}

TEST_F(OfDeviceLayerwiseTopK, OfEqualValuesSendsTheFirstOfEachLayer) {
  const std::vector<std::int64_t> sizes{100, 20000, 9000};
  std::vector<float> gradient(total(sizes), -0.5F);
  gradient[99] = 2;
  gradient[20099] = 0.5000001F;
  const std::vector<float> zeros(gradient.size());
  for (const double ratio : {0.001, 0.6}) {
    ASSERT_NO_FATAL_FAILURE(expect_layerwise_reference({ratio, sizes}, gradient, zeros));
  }
}

TEST_F(OfDeviceLayerwiseTopK, EqualsItsCpuReferenceInThreeHundredLayers) {
  Random random(52);
  std::vector<std::int64_t> sizes(300);
  for (std::int64_t& size : sizes) size = static_cast<std::int64_t>(64 + below(random, 100));
  const auto device = LayerwiseTopK::make_on_device({0.02, sizes});
  LayerwiseTopK host({0.02, sizes});
  ASSERT_NO_FATAL_FAILURE(
      expect_reference(*device, host, normal_vector(total(sizes), 3), normal_vector(total(sizes), 4)));
}

TEST_F(OfDeviceLayerwiseTopK, OfOneLayerIsTopK) {
  const Stream stream;
  const std::vector<float> vector = normal_vector(50001, 5);
  const Uploaded given(vector, stream);
  const auto layerwise = LayerwiseTopK::make_on_device({0.01, {50001}});
  TopK top_k({0.01});
  const DeviceMessage message = layerwise->compress(given.span(), stream);
  EXPECT_NO_FATAL_FAILURE(expect_same_message(downloaded(message, stream), top_k.compress(vector)));
}

TEST_F(OfDeviceLayerwiseTopK, FollowsItsCpuReferenceOverManySteps) {
  const LayerwiseTopK::Settings settings{0.02, {700, 64, 12000, 64, 3000}};
  const std::size_t size = total(settings.layer_sizes);
  LayerwiseTopK host(settings);
  const auto device = LayerwiseTopK::make_on_device(settings);
  const Stream stream;
  std::vector<float> residual(size);
  const Uploaded device_residual(residual, stream);
  for (std::uint64_t step = 0; step < 8; ++step) {
    const std::vector<float> gradient = normal_vector(size, step);
    const Uploaded device_gradient(gradient, stream);
    host.compress_fed(gradient, residual);
    device->compress_fed(device_gradient.span(), device_residual.span(), stream);
    ASSERT_TRUE(same_bits(device_residual.host(stream), residual)) << "step " << step;
  }
}

TEST_F(OfDeviceLayerwiseTopK, FeedsASecondLevel) {
  const LayerwiseTopK::Settings settings{0.1, {700, 64, 9000}};
  DeviceMultiLevel device(LayerwiseTopK::make_on_device(settings), TopK::make_on_device(TopK::Settings{0.1}));
  MultiLevel host(std::make_unique<LayerwiseTopK>(settings), std::make_unique<TopK>(TopK::Settings{0.1}));
  ASSERT_NO_FATAL_FAILURE(expect_reference(device, host, normal_vector(9764, 6), normal_vector(9764, 7)));
}

}  // namespace
}  // namespace kernels
