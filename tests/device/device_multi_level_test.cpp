// Tests of compressing the already compressed on the device, against its CPU version.
#include <memory>
#include <utility>

#include "kernels/ar_topk.hpp"
#include "kernels/device_steps.hpp"
#include "kernels/int8.hpp"
#include "kernels/qsgd.hpp"
#include "kernels/random_k.hpp"
#include "kernels/signs.hpp"
#include "kernels/threshold.hpp"
#include "kernels/top_k.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceMultiLevel : public OnDevice {};

using Implementations = std::pair<DeviceCompressorPtr, CompressorPtr>;

template <class Host>
Implementations implementations_of(const typename Host::Settings& settings) {
  return {Host::make_on_device(settings), std::make_unique<Host>(settings)};
}

Implementations some_first(Random& random) {
  const double ratio = random_ratio(random);
  switch (below(random, 3)) {
    case 0: return implementations_of<TopK>(TopK::Settings{ratio});
    case 1: return implementations_of<ArTopK>(ArTopK::Settings{ratio});
    default:
      return implementations_of<RandomK>(
          RandomK::Settings{ratio, below(random, 2) == 0, below(random, 2) == 0, random()});
  }
}

Implementations some_second(Random& random) {
  switch (below(random, 6)) {
    case 0: return implementations_of<TopK>(TopK::Settings{random_ratio(random)});
    case 1: return implementations_of<Threshold>(Threshold::Settings{0.5});
    case 2: return implementations_of<Int8>(Int8::Settings{static_cast<std::int64_t>(1 + below(random, 99))});
    case 3: return {EfSign::make_on_device(), std::make_unique<EfSign>()};
    case 4:
      return implementations_of<RandomK>(
          RandomK::Settings{random_ratio(random), below(random, 2) == 0, below(random, 2) == 0, random()});
    default:
      return implementations_of<Qsgd>(
          Qsgd::Settings{static_cast<int>(1 + below(random, 127)), 128, random()});
  }
}

auto joined(Implementations first, Implementations second) {
  return std::pair(std::make_unique<DeviceMultiLevel>(std::move(first.first), std::move(second.first)),
                   std::make_unique<MultiLevel>(std::move(first.second), std::move(second.second)));
}

TEST_F(OfDeviceMultiLevel, SendsTheLargestOfTheLargest) {
  const Stream stream;
  DeviceMultiLevel compressor(TopK::make_on_device(TopK::Settings{0.6}),
                              TopK::make_on_device(TopK::Settings{0.34}));
  EXPECT_TRUE(compressor.sparse());
  const Uploaded vector({0.5F, 2, 0.25F, -3, -1}, stream);
  const HostMessage message = downloaded(compressor.compress(vector.span(), stream), stream);
  EXPECT_EQ(message.indices, (std::vector<Index>{3}));
  EXPECT_EQ(message.values, (std::vector<float>{-3}));
  EXPECT_EQ(message.wire_bytes, 8);
  EXPECT_DOUBLE_EQ(message.energy.sent, 9);
}

TEST_F(OfDeviceMultiLevel, CodesComeWithTheFirstsPlaces) {
  const Stream stream;
  DeviceMultiLevel compressor(TopK::make_on_device(TopK::Settings{0.6}), EfSign::make_on_device());
  EXPECT_FALSE(compressor.sparse());
  const Uploaded vector({0.5F, 2, 0.25F, -3, -1}, stream);
  const HostMessage message = downloaded(compressor.compress(vector.span(), stream), stream);
  EXPECT_EQ(message.indices, (std::vector<Index>{1, 3, 4}));
  EXPECT_EQ(message.values, (std::vector<float>{2}));        // the mean of 2, 3 and 1
  EXPECT_EQ(message.codes, (std::vector<std::uint8_t>{6}));  // the second and third are negative
  EXPECT_EQ(message.wire_bytes, 3 * 4 + 1 + 4);
}

TEST_F(OfDeviceMultiLevel, EqualsItsCpuReferenceForAnyBits) {
  expect_references(43, 200, [](Random& random) { return joined(some_first(random), some_second(random)); });
}

TEST_F(OfDeviceMultiLevel, OfThreeLevelsEqualsItsCpuReference) {
  expect_references(44, 60, [](Random& random) {
    auto [device, host] = joined(some_first(random), some_first(random));
    return joined({std::move(device), std::move(host)}, some_second(random));
  });
}

TEST_F(OfDeviceMultiLevel, FollowsItsCpuReferenceOverManySteps) {
  constexpr std::size_t size = 20001;
  auto [device, host] =
      joined(implementations_of<TopK>(TopK::Settings{0.1}), implementations_of<Qsgd>(Qsgd::Settings{}));
  const Stream stream;
  std::vector<float> residual(size);
  const Uploaded device_residual(residual, stream);
  for (std::uint64_t step = 0; step < 6; ++step) {
    const std::vector<float> gradient = normal_vector(size, step);
    const Uploaded device_gradient(gradient, stream);
    host->compress_fed(gradient, residual);
    device->compress_fed(device_gradient.span(), device_residual.span(), stream);
  }
  EXPECT_TRUE(same_bits(device_residual.host(stream), residual));
}

}  // namespace
}  // namespace kernels
