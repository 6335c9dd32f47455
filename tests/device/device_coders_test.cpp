// Tests of the device's coders with a scale for each block or none, against their CPU versions.
#include <memory>
#include <utility>

#include "kernels/block_top_k.hpp"
#include "kernels/blockwise.hpp"
#include "kernels/dct_top_k.hpp"
#include "kernels/half.hpp"
#include "kernels/int8.hpp"
#include "kernels/qsgd.hpp"
#include "tests/device/near_reference.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceHalf : public OnDevice {};
class OfDeviceInt8 : public OnDevice {};
class OfDeviceQsgd : public OnDevice {};
class OfDeviceBlockSign : public OnDevice {};
class OfDeviceInt4 : public OnDevice {};
class OfDeviceBlockTopK : public OnDevice {};
class OfDeviceDctTopK : public OnDevice {};

TEST_F(OfDeviceHalf, EqualsItsCpuReferenceForAnyBits) {
  expect_references(6, 200, [](Random& random) {
    const auto format = below(random, 2) == 0 ? Half::Format::binary16 : Half::Format::bfloat16;
    return std::pair(Half::make_on_device(format), std::make_unique<Half>(format));
  });
}

TEST_F(OfDeviceInt8, EqualsItsCpuReferenceForAnyBits) {
  expect_references(7, 200, [](Random& random) {
    const Int8::Settings settings{static_cast<std::int64_t>(1 + below(random, 600))};
    return std::pair(Int8::make_on_device(settings), std::make_unique<Int8>(settings));
  });
}

TEST_F(OfDeviceInt8, EqualsItsCpuReferenceInBlocksOf4096) {
  const auto device = Int8::make_on_device({});
  Int8 host({});
  const std::vector<float> gradient = normal_vector(12345, 1), residual = normal_vector(12345, 2);
  ASSERT_NO_FATAL_FAILURE(expect_reference(*device, host, gradient, residual));
}

TEST_F(OfDeviceQsgd, EqualsItsCpuReferenceForAnyBits) {
  expect_references(8, 200, [](Random& random) {
    const Qsgd::Settings settings{static_cast<int>(1 + below(random, 127)),
                                  static_cast<std::int64_t>(1 + below(random, 300)), random()};
    return std::pair(Qsgd::make_on_device(settings), std::make_unique<Qsgd>(settings));
  });
}

TEST_F(OfDeviceInt4, EqualsItsCpuReferenceForAnyBits) {
  expect_references(9, 200,
                    [](Random&) { return std::pair(Int4::make_on_device(), std::make_unique<Int4>()); });
}

TEST_F(OfDeviceBlockTopK, EqualsItsCpuReferenceForAnyBits) {
  expect_references(11, 60, [](Random& random) {
    const BlockTopK::Settings settings{random_ratio(random),
                                       static_cast<std::int64_t>(1 + below(random, 900))};
    return std::pair(BlockTopK::make_on_device(settings), std::make_unique<BlockTopK>(settings));
  });
}

TEST_F(OfDeviceBlockTopK, EqualsItsCpuReferenceInBlocksOf4096) {
  const BlockTopK::Settings settings{64.0 / 4096};
  const auto device = BlockTopK::make_on_device(settings);
  BlockTopK host(settings);
  const std::vector<float> gradient = normal_vector(12345, 1), residual = normal_vector(12345, 2);
  ASSERT_NO_FATAL_FAILURE(expect_reference(*device, host, gradient, residual));
}

TEST_F(OfDeviceDctTopK, EqualsItsCpuReferenceForAnyBits) {
  expect_references(12, 40, [](Random& random) {
    const double ratio = random_ratio(random);
    const DctTopK::Settings settings{ratio, {}, below(random, 2) == 0};
    return std::pair(DctTopK::make_on_device(settings), std::make_unique<DctTopK>(settings));
  });
}

TEST_F(OfDeviceDctTopK, EqualsItsCpuReferenceOfMatrices) {
  for (const bool proportional : {false, true}) {
    const DctTopK::Settings settings{1.0 / 128, {{128, 100}, {1, 67}, {3, 5}}, proportional};
    const auto device = DctTopK::make_on_device(settings);
    DctTopK host(settings);
    const std::vector<float> gradient = normal_vector(12882, 1), residual = normal_vector(12882, 2);
    ASSERT_NO_FATAL_FAILURE(expect_reference(*device, host, gradient, residual));
  }
}

TEST_F(OfDeviceBlockSign, EqualsItsCpuReferenceButForTheScalesLastPlace) {
  Random random(10);
  const auto device = BlockSign::make_on_device();
  BlockSign host;
  for (int round = 0; round < 200; ++round) {
    const std::size_t size = round % 20 == 0 ? 8000 + below(random, 20000) : random_size(random, 2000);
    ASSERT_NO_FATAL_FAILURE(expect_near_reference(*device, host, random_vector(random, size)));
  }
}

TEST_F(OfDeviceQsgd, DrawsTheNumbersOfTheStepThatIsSet) {
  const Stream stream;
  const std::vector<float> vector = normal_vector(1000, 3);
  const Uploaded given(vector, stream);
  const auto first = Qsgd::make_on_device({.seed = 1}), second = Qsgd::make_on_device({.seed = 1});
  const auto codes = [&](DeviceCompressor& compressor) {
    return downloaded(compressor.compress(given.span(), stream), stream).codes;
  };
  codes(*first);
  const auto expected = codes(*first);
  second->set_step(1);
  EXPECT_EQ(codes(*second), expected);
  EXPECT_NE(codes(*second), expected);
}

}  // namespace
}  // namespace kernels
