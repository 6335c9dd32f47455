// Devices: sustained rates, and what is refused.
#include "netmodels/device.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

Device described_device() {
  Device made;
  made.peak = FlopRate{10e12};
  made.memory_bandwidth = Bandwidth{1e12};
  return made;
}

TEST(Device, WithoutKnownEfficienciesIsABound) {
  EXPECT_EQ(described_device().sustained_compute(), FlopRate{10e12});
  EXPECT_EQ(described_device().compute.source, "bound");
}

TEST(Device, SustainsAShareOfItsPeaks) {
  Device made = described_device();
  made.compute.share = 0.5;
  made.memory.share = 0.25;
  EXPECT_EQ(made.sustained_compute(), FlopRate{5e12});
  EXPECT_EQ(made.sustained_memory(), Bandwidth{0.25e12});
}

TEST(CheckDevice, RefusesImpossiblePeaksAndShares) {
  EXPECT_TRUE(check(described_device()).has_value());
  Device idle = described_device();
  idle.peak = FlopRate{};
  EXPECT_EQ(check(idle).error().what, "a device that does no FLOP per second");
  Device still = described_device();
  still.memory_bandwidth = Bandwidth{std::numeric_limits<double>::infinity()};
  EXPECT_EQ(check(still).error().what, "a device that moves no bytes per second");
  Device eager = described_device();
  eager.compute.share = 1.01;
  EXPECT_EQ(check(eager).error().hint, "a share of the peak in (0, 1]");
  Device empty = described_device();
  empty.memory.share = 0;
  EXPECT_FALSE(check(empty).has_value());
  Device early = described_device();
  early.launch = Seconds{-1};
  EXPECT_FALSE(check(early).has_value());
}

}  // namespace
}  // namespace netmodels
