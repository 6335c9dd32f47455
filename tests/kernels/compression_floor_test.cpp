// The floor of compression times: figures counted by hand for one device.
#include "kernels/compression_floor.hpp"

#include <gtest/gtest.h>

namespace kernels {
namespace {

using netmodels::Bandwidth;
using netmodels::Device;
using netmodels::FlopRate;
using netmodels::Seconds;
using namespace netmodels::literals;

Device h200() {  // 4.3 TB/s copied, as measured device to device
  Device made;
  made.peak = FlopRate{67e12};
  made.memory_bandwidth = Bandwidth{4.8e12};
  made.memory.share = 4.3 / 4.8;
  return made;
}

double floor_us(std::string_view name, const Payload& payload) {
  return compression_floor(**find_wire_format(name), payload, h200()).count * 1e6;
}

constexpr Payload gradient{25'000'000, 0.01, 4, false};

TEST(CompressionFloor, NothingIsDoneToADenseGradient) { EXPECT_EQ(floor_us("none", gradient), 0); }

TEST(CompressionFloor, TopkIsOnePassOfErrorFeedbackAndItsMessage) {  // (12 x 25 M + 8 x 250 k) / 4.3e12
  EXPECT_NEAR(floor_us("topk", gradient), 69.77 + 0.465, 0.01);
}

TEST(CompressionFloor, QuantisingReadsFourBytesAndWritesOne) {  // 5.03125 bytes x 25 M
  EXPECT_NEAR(floor_us("qsgd", gradient), 29.25, 0.01);
}

TEST(CompressionFloor, SignsWithErrorFeedbackNeedTwoPasses) {  // 20.125 bytes x 25 M
  EXPECT_NEAR(floor_us("ef_sign", gradient), 117.0, 0.01);
}

TEST(CompressionFloor, MstopkCountsTwentyFiveTimes) {  // 12 + 100 + 4 bytes x 25 M and 2 MB
  EXPECT_NEAR(floor_us("mstopk", gradient), 674.9, 0.1);
}

TEST(CompressionFloor, LaunchIsPaidOnce) {
  Device device = h200();
  device.launch = 3_us;
  const Entry& topk = **find_wire_format("topk");
  const Seconds launch =
      compression_floor(topk, gradient, device) - compression_floor(topk, gradient, h200());
  EXPECT_NEAR(launch.count, 3e-6, 1e-15);
}

TEST(CompressionFloor, GrowsWithTheGradientForEveryFormat) {
  for (const Entry& row : wire_formats()) {
    if (!row.memory_per_element) continue;
    const Seconds small = compression_floor(row, {1000, 0.1, 4, false}, h200());
    const Seconds large = compression_floor(row, {2000, 0.1, 4, false}, h200());
    EXPECT_LT(small, large) << row.name;
  }
}

}  // namespace
}  // namespace kernels
