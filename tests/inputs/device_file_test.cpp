// Devices: all that are shipped load, and what is refused.
#include "sim/inputs/device_file.hpp"

#include <gtest/gtest.h>

#include "sim/language/document.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

netmodels::Result<netmodels::Device> device_of(const std::string& text) {
  const auto value = language::parse_value(text, language::Origin("--set device"));
  EXPECT_TRUE(value.has_value());
  return inputs::load_device(*value, data_dir);
}

TEST(DeviceFile, EveryShippedDeviceLoadsAndBearsItsFilesName) {
  const auto names = inputs::list_devices(data_dir);
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
  EXPECT_EQ(device_of(start + "peak: 1 TFLOP/s, precision: fp64}").error().what + "; " +
                device_of(start + "peak: 1 TFLOP/s, precision: fp64}").error().hint,
            "`precision`: unknown value `fp64`; accepted: fp32, tf32, bf16, fp16, fp8");
  EXPECT_EQ(device_of(start + "peak: 1 TFLOP/s, peaks: [{precision: fp32, peak: 2 TFLOP/s}]}").error().what,
            "`.peaks[0].precision`: duplicate peak in fp32");
  EXPECT_FALSE(
      device_of(start + "peak: 1 TFLOP/s, compute_efficiency: {share: 1.2, source: z}}").has_value());
  EXPECT_FALSE(device_of("[1, 2]").has_value());
}

TEST(DeviceFile, HasPeaksInOtherPrecisions) {
  const language::Value h100 =
      language::Value::scalar("h100_sxm_datasheet", language::Origin("--set device"));
  const auto device = inputs::load_device(h100, data_dir, inputs::Precision::bf16);
  ASSERT_TRUE(device.has_value());
  EXPECT_EQ(device->precision, "bf16");
  EXPECT_EQ(device->peak, netmodels::FlopRate{989e12});
  EXPECT_NEAR(device->sustained_compute().count, 794.5e12, 0.5e12);  // what a matrix multiplication reaches
  const auto fp8 =
      inputs::load_device(language::Value::scalar("v100_sxm2_datasheet", language::Origin("--set device")),
                          data_dir, inputs::Precision::fp8);
  ASSERT_FALSE(fp8.has_value());
  EXPECT_EQ(
      fp8.error().text(),
      "--set device: `v100_sxm2_datasheet` has no peak in fp8; write `precision` as one of: fp32, fp16");
}

TEST(DeviceFile, CardsOfNvidiaWithTf32BeginWithIt) {  // so that two of them compute in one arithmetic
  for (const std::string& name : inputs::list_devices(data_dir)) {
    const auto value = language::Value::scalar(name, language::Origin("--set device"));
    const auto tf32 = inputs::load_device(value, data_dir, inputs::Precision::tf32);
    if (tf32 && tf32->compute_capability) {
      EXPECT_EQ(device_of(name)->precision, "tf32") << name;
    }
  }
}

TEST(DeviceFile, IsFoundByTheNamesThatProfilersPrint) {
  const auto found = [](const std::string& text) {
    return inputs::match_device(text, data_dir)->value_or("none");
  };
  EXPECT_EQ(found("Tesla V100-SXM2-32GB"), "v100_sxm2_datasheet");
  EXPECT_EQ(found("v100 sxm2"), "v100_sxm2_datasheet");
  EXPECT_EQ(found("NVIDIA A100-SXM4-80GB"), "a100_sxm4_80gb_datasheet");
  EXPECT_EQ(found("t4_datasheet"), "t4_datasheet");
  EXPECT_EQ(found("Tesla V100-DGXS-32GB"), "none");
  EXPECT_EQ(found("not stated"), "none");
}

TEST(DeviceFile, NearDevicesShareAModel) {
  EXPECT_EQ(inputs::near_devices("Tesla V100-DGXS-32GB", data_dir),
            (std::vector<std::string>{"v100_sxm2_16gb_datasheet", "v100_sxm2_datasheet"}));
  EXPECT_EQ(inputs::near_devices("A100 of a friend", data_dir),
            (std::vector<std::string>{"a100_pcie_80gb_datasheet", "a100_sxm4_40gb_datasheet",
                                      "a100_sxm4_80gb_datasheet"}));
  EXPECT_TRUE(inputs::near_devices("abacus", data_dir).empty());
  EXPECT_TRUE(inputs::names_model("NVIDIA L4", "L4"));
  EXPECT_FALSE(inputs::names_model("NVIDIA L40S", "L4"));
}

TEST(DeviceFile, AWorkloadOfAnUnknownDeviceIsWarnedAbout) {
  const std::string cluster =
      "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 9 Gbit/s}}\ntraining: {batch: 32, steps: 2}\n";
  const auto of = [&](const std::string& device) {
    return "# Q?\nworkload: {name: tiny, parameters: 1000, compute: 30 ms, batch: 32" + device + "}\n" +
           cluster;
  };
  EXPECT_TRUE(study(of("")).warnings.empty());
  EXPECT_TRUE(study(of(", device: Tesla T4")).warnings.empty());
  EXPECT_EQ(study(of(", device: Tesla T4")).arms.at(0).work.device->name, "t4_datasheet");
  const std::vector<std::string> warnings = study(of(", device: Tesla T40")).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(
      warnings[0].find("s.yaml:2:11: `workload`: no device file describes `Tesla T40`, so that compression "
                       "times have no lower bound; near names: a100_pcie_80gb_datasheet,"),
      std::string::npos)
      << warnings[0];
}

TEST(DeviceFile, MayStateHowMuchComputingSlowsBesideACollective) {
  const std::string keys = "name: g, provenance: p, peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s";
  const auto device = device_of("{" + keys + ", overlap_slowdown: {share: 0.12, source: measured}}");
  ASSERT_TRUE(device.has_value()) << device.error().text();
  EXPECT_EQ(device->overlap->share, 0.12);
  EXPECT_EQ(device->overlap->source, "measured");
  EXPECT_FALSE(device_of("{" + keys + "}")->overlap);
  const auto negative = device_of("{" + keys + ", overlap_slowdown: {share: -0.1, source: s}}");
  ASSERT_FALSE(negative.has_value());
  EXPECT_NE(negative.error().text().find("`overlap_slowdown.share`"), std::string::npos)
      << negative.error().text();
}

}  // namespace
}  // namespace sim::scenario
