// Times of CUDA implementations: each is measured and whole, and the device's facts are stated.
#include "calibrate/probes/device_kernel_times.hpp"

#include <algorithm>
#include <array>

#include "calibrate/probes/kernel_times.hpp"
#include "tests/device/on_device.hpp"
#include "tests/probes/whole_time.hpp"

namespace calibrate::probes {
namespace {

class OfDeviceKernelTimes : public kernels::reference::OnDevice {};
class OfColdTimer : public kernels::reference::OnDevice {};

constexpr std::array<std::int64_t, 2> elements{5000, 7001};
constexpr std::array ratios{0.1, 0.01};
const KernelEffort three_steps{.least_repetitions = 3, .most_repetitions = 3, .time = {}};

std::vector<KernelCase> cases_of(std::span<const std::string_view> names) {
  std::vector<const kernels::Entry*> rows;
  for (const std::string_view name : names) rows.push_back(kernels::find(name));
  return kernel_cases(rows, elements, ratios);
}

TEST_F(OfDeviceKernelTimes, AreOfTheSameCasesAndMessagesAsTheProcessors) {
  constexpr std::array<std::string_view, 3> names{"topk", "threshold", "qsgd"};
  const auto cases = cases_of(names);
  int said = 0;
  const auto times = measure_device_kernels(cases, three_steps, [&](const KernelCase&) { ++said; });
  const auto expected = measure_kernels(cases, three_steps, {});
  ASSERT_EQ(times.size(), 2U * 2 + 2 * 2 + 2);
  ASSERT_EQ(times.size(), expected.size());
  EXPECT_EQ(said, static_cast<int>(cases.size()));
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(times[i].compressor, expected[i].compressor);
    EXPECT_EQ(times[i].elements, expected[i].elements);
    EXPECT_EQ(times[i].ratio, expected[i].ratio);
    EXPECT_EQ(times[i].wire, expected[i].wire) << times[i].compressor;
  }
}

TEST_F(OfDeviceKernelTimes, OfEveryImplementationAreMeasured) {
  std::vector<std::string_view> names;
  for (const kernels::Entry& row : kernels::catalogue())
    if (row.make_on_device != nullptr) names.push_back(row.name);
  for (const measurements::KernelTime& time : measure_device_kernels(cases_of(names), three_steps, {}))
    expect_whole(time, 3);
}

TEST_F(OfColdTimer, LeavesTheOverwritingOfTheCacheOutOfTheTime) {
  constexpr int times = 64;
  ColdTimer timer;
  const auto least = [&](const auto& work) {  // of many: others run on the machine, too
    netmodels::Seconds found = timer.time_of(work);
    for (int i = 0; i < 30; ++i) found = std::min(found, timer.time_of(work));
    return found;
  };
  const netmodels::Seconds nothing = least([] {});
  const std::size_t bytes = times * timer.overwritten_bytes();
  const kernels::DeviceBytes memory(bytes);
  const netmodels::Seconds clearing =
      least([&] { kernels::clear_bytes(memory.data(), bytes, timer.stream()); });
  EXPECT_GE(nothing.count, 0);
  EXPECT_GT(clearing,
            (times + 1) * nothing);  // with the overwriting in it, nothing would take a 65th at least
}

TEST_F(OfColdTimer, OverwritesMoreWhereTheHostIsTooLateAgainAndAgain) {
  ColdTimer timer;
  const std::size_t bytes = timer.overwritten_bytes();
  const auto waiting = [&] {
    kernels::synchronise(timer.stream());
  };  // the device is there before the host ends
  timer.time_of(waiting);
  timer.time_of([] {});
  timer.time_of(waiting);
  EXPECT_EQ(timer.overwritten_bytes(), bytes);
  timer.time_of(waiting);
  EXPECT_EQ(timer.overwritten_bytes(), 2 * bytes);
}

TEST(DeviceFactsInWords, NameVersionsSizesAndClocks) {
  kernels::DeviceFacts facts;
  facts.name = "GPU";
  facts.driver_version = 13010;
  facts.runtime_version = 12040;
  facts.memory_bytes = 1000;
  facts.l2_bytes = 10;
  facts.multiprocessors = 132;
  facts.compute_capability = 90;
  facts.multiprocessor_khz = 1980000;
  EXPECT_EQ(
      describe(facts),
      "GPU, compute capability 9.0, 132 multiprocessors (at most 1980 MHz), 1000 bytes of memory (clock "
      "unknown), 10 bytes of L2 cache, driver for CUDA 13.1, runtime 12.4");
}

}  // namespace
}  // namespace calibrate::probes
