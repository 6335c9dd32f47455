// Tests of exact top-k and of the known threshold on the device, against their CPU versions.
#include <memory>
#include <utility>

#include "kernels/philox.hpp"
#include "kernels/threshold.hpp"
#include "kernels/top_k.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceTopK : public OnDevice {};
class OfDeviceThreshold : public OnDevice {};

TEST_F(OfDeviceTopK, SendsTheLargestOfFive) {
  const Stream stream;
  const Uploaded vector({0.5F, -3, 0.25F, 2, -1}, stream);
  const auto top_k = TopK::make_on_device({0.4});
  const HostMessage message = downloaded(top_k->compress(vector.span(), stream), stream);
  EXPECT_EQ(message.indices, (std::vector<Index>{1, 3}));
  EXPECT_EQ(message.values, (std::vector<float>{-3, 2}));
  EXPECT_EQ(message.wire_bytes, 16);
  EXPECT_DOUBLE_EQ(message.energy.gain(), 13 / (0.25 + 9 + 0.0625 + 4 + 1));
}

TEST_F(OfDeviceTopK, OfNothingIsNothingAndLosesNothing) {
  const auto top_k = TopK::make_on_device({0.01});
  const HostMessage message = downloaded(top_k->compress({}, nullptr), nullptr);
  EXPECT_EQ(message.elements, 0);
  EXPECT_EQ(message.wire_bytes, 0);
  EXPECT_EQ(message.energy.gain(), 1);
}

TEST_F(OfDeviceTopK, EqualsItsCpuReferenceForAnyBits) {
  expect_references(1, 300, [](Random& random) {
    const TopK::Settings settings{random_ratio(random), below(random, 2) == 0 ? 4 : 8};
    return std::pair(TopK::make_on_device(settings), std::make_unique<TopK>(settings));
  });
}

/// Long enough for the sampled threshold.
constexpr std::size_t sampled_size = 150001;

TEST_F(OfDeviceTopK, EqualsItsCpuReferenceBySampledThreshold) {
  for (const double ratio : {0.001, 0.01, 0.1, 0.4}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      TopK host({ratio});
      const auto device = TopK::make_on_device({ratio});
      const std::vector<float> gradient = normal_vector(sampled_size, seed),
                               residual = normal_vector(sampled_size, seed + 9);
      ASSERT_NO_FATAL_FAILURE(
          expect_reference(*device, host, gradient, residual, static_cast<std::int64_t>(seed % 2)));
      EXPECT_EQ(device->rescans(nullptr), 0) << ratio;
    }
  }
}

TEST_F(OfDeviceTopK, ReadsTheVectorWhereEqualValuesOverflowTheCandidates) {
  TopK host({0.01});
  const auto device = TopK::make_on_device({0.01});
  std::vector<float> gradient(sampled_size, 0.5F);
  gradient[7] = 2;
  gradient[sampled_size - 1] = -1;
  ASSERT_NO_FATAL_FAILURE(expect_reference(*device, host, gradient, std::vector<float>(sampled_size)));
  EXPECT_EQ(device->rescans(nullptr), 2);
}

TEST_F(OfDeviceTopK, LooksAgainWhenTheSampleWasUnlucky) {
  // The places that device_kth_largest.cu samples hold the only large values: its threshold is one that few
  // pass.
  constexpr std::size_t runs = 1024, run_length = 32, stretch = sampled_size / runs;
  std::vector<float> gradient = normal_vector(sampled_size, 8);
  const RandomStream stream{sampled_size, 0};
  for (std::size_t run = 0; run < runs; ++run) {
    gradient[run * stretch + stream.below(stretch - run_length + 1, run)] = 1 + static_cast<float>(run);
  }
  TopK host({0.01});
  const auto device = TopK::make_on_device({0.01});
  ASSERT_NO_FATAL_FAILURE(expect_reference(*device, host, gradient, std::vector<float>(sampled_size)));
  EXPECT_EQ(device->rescans(nullptr), 2);
}

TEST_F(OfDeviceTopK, FollowsItsCpuReferenceOverManySteps) {
  constexpr std::size_t size = 70001;
  TopK host({0.01});
  const auto device = TopK::make_on_device({0.01});
  const Stream stream;
  std::vector<float> residual(size);
  const Uploaded device_residual(residual, stream);
  for (std::uint64_t step = 0; step < 5; ++step) {
    const std::vector<float> gradient = normal_vector(size, step);
    const Uploaded device_gradient(gradient, stream);
    host.compress_fed(gradient, residual);
    device->compress_fed(device_gradient.span(), device_residual.span(), stream);
  }
  EXPECT_TRUE(same_bits(device_residual.host(stream), residual));
}

TEST_F(OfDeviceThreshold, EqualsItsCpuReferenceForAnyBits) {
  expect_references(2, 300, [](Random& random) {
    constexpr double thresholds[] = {0, 1e-44, 0.25, 0.5, 1, 2, 3, 1e20};
    const Threshold::Settings settings{thresholds[below(random, 8)]};
    return std::pair(Threshold::make_on_device(settings), std::make_unique<Threshold>(settings));
  });
}

TEST_F(OfDeviceThreshold, SaysOnTheDeviceHowManyItSends) {
  const Stream stream;
  const Uploaded vector({0.5F, -3, 0.25F, 2, -1}, stream);
  const auto threshold = Threshold::make_on_device({1});
  const DeviceMessage message = threshold->compress(vector.span(), stream);
  EXPECT_EQ(message.values.size(), 5U);  // the most there can be
  EXPECT_EQ(downloaded(message, stream).indices, (std::vector<Index>{1, 3, 4}));
}

}  // namespace
}  // namespace kernels
