// Devices: all that are shipped load, and what is refused.
#include "sim/scenario/device_file.hpp"

#include <gtest/gtest.h>

#include "sim/scenario/document.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

netmodels::Result<netmodels::Device> device_of(const std::string& text) {
  const auto value = parse_value(text, Origin("--set device"));
  EXPECT_TRUE(value.has_value());
  return load_device(*value, data_dir);
}

TEST(DeviceFile, EveryShippedDeviceLoadsAndBearsItsFilesName) {
  const auto names = list_devices(data_dir);
  EXPECT_GE(names.size(), 7U);
  for (const std::string& name : names) {
    const auto device = device_of(name);
    ASSERT_TRUE(device.has_value()) << device.error().text();
    EXPECT_EQ(device->name, name);
    EXPECT_FALSE(device->provenance.empty());
  }
}

TEST(DeviceFile, HoldsTheDatasheetOfTheV100) {
  const auto device = device_of("v100_sxm2_datasheet");
  ASSERT_TRUE(device.has_value());
  EXPECT_EQ(device->peak, netmodels::FlopRate{15.7e12});
  EXPECT_EQ(device->memory_bandwidth, netmodels::Bandwidth{900e9});
  EXPECT_EQ(device->precision, "fp32");
  EXPECT_NEAR(device->sustained_compute().count, 12.92e12, 0.01e12);
}

TEST(DeviceFile, WithoutMeasuredEfficiencyIsABound) {
  const auto device = device_of("t4_datasheet");
  ASSERT_TRUE(device.has_value());
  EXPECT_EQ(device->compute.share, 1);
  EXPECT_EQ(device->compute.source, "bound");
}

TEST(DeviceFile, UnknownNameIsRefusedWithTheNearest) {
  const auto device = device_of("t4_datashet");
  ASSERT_FALSE(device.has_value());
  EXPECT_EQ(device.error().where, "--set device");
  EXPECT_EQ(device.error().what, "unknown device `t4_datashet`");
  EXPECT_TRUE(device.error().hint.starts_with("did you mean `t4_datasheet`?")) << device.error().hint;
}

TEST(DeviceFile, RefusesUnknownKeysAndWrongValues) {
  const std::string start = "{name: x, provenance: y, memory_bandwidth: 1 GB/s, ";
  EXPECT_EQ(device_of(start + "peak: 1 GB/s}").error().what.substr(0, 6), "`peak`");
  EXPECT_NE(device_of(start + "peek: 1 TFLOP/s}").error().what.find("`peek`"), std::string::npos);
  EXPECT_EQ(device_of(start + "peak: 1 TFLOP/s, precision: fp16}").error().what,
            "`precision`: unknown value `fp16`");
  EXPECT_FALSE(
      device_of(start + "peak: 1 TFLOP/s, compute_efficiency: {share: 1.2, source: z}}").has_value());
  EXPECT_FALSE(device_of("[1, 2]").has_value());
}

}  // namespace
}  // namespace sim::scenario
