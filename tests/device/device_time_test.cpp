// Tests of the device's timer and of its reported facts.
#include <algorithm>
#include <chrono>

#include "kernels/device.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceTimer : public OnDevice {};
class OfDeviceFacts : public OnDevice {};

constexpr std::size_t many_bytes = 256 << 20;

double time_of_clearing(DeviceTimer& timer, const DeviceBytes& memory, std::size_t bytes,
                        const Stream& stream) {
  timer.start(stream);
  clear_bytes(memory.data(), bytes, stream);
  timer.stop(stream);
  return timer.seconds();
}

/// The least of several: others may have the processor or the device for a while in any one of them.
template <class Time>
double least(const Time& time) {
  constexpr int tries = 20;
  double found = time();
  for (int i = 1; i < tries; ++i) found = std::min(found, time());
  return found;
}

TEST_F(OfDeviceTimer, TimesTheWorkBetweenItsCallsAndNoOther) {
  const Stream stream;
  const DeviceBytes memory(many_bytes);
  DeviceTimer timer;
  const double large = least([&] { return time_of_clearing(timer, memory, many_bytes, stream); });
  const double small = least([&] {
    clear_bytes(memory.data(), many_bytes, stream);
    const double between = time_of_clearing(timer, memory, 64, stream);
    clear_bytes(memory.data(), many_bytes, stream);
    return between;
  });
  EXPECT_GT(small, 0);
  EXPECT_GT(large, 3 * small);
}

TEST_F(OfDeviceTimer, TellsSeconds) {
  const Stream stream;
  const DeviceBytes memory(many_bytes);
  DeviceTimer timer;
  const double host_per_device = least([&] {
    const auto begin = std::chrono::steady_clock::now();
    const double device = time_of_clearing(timer, memory, many_bytes, stream);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / device;
  });
  EXPECT_GE(host_per_device, 0.99);
  EXPECT_LE(host_per_device, 100);
}

TEST_F(OfDeviceTimer, CanBeStartedAgainBeforeItsTimeWasAskedFor) {
  const Stream stream;
  const DeviceBytes memory(many_bytes);
  DeviceTimer timer;
  const double large = least([&] { return time_of_clearing(timer, memory, many_bytes, stream); });
  const double small = least([&] {
    timer.start(stream);
    clear_bytes(memory.data(), many_bytes, stream);
    timer.stop(stream);
    return time_of_clearing(timer, memory, 64, stream);
  });
  EXPECT_LT(small, large);
}

TEST_F(OfDeviceTimer, RefusesToTellATimeThatWasNotTaken) {
  const DeviceTimer timer;
  EXPECT_THROW((void)timer.seconds(), DeviceError);
}

TEST_F(OfDeviceFacts, AreThoseOfADeviceThatTheImplementationsCanRunOn) {
  const DeviceFacts facts = device_facts();
  EXPECT_FALSE(facts.name.empty());
  EXPECT_GE(facts.runtime_version, 12000);
  EXPECT_GT(facts.memory_bytes, 0);
  EXPECT_GT(facts.l2_bytes, 0);
  EXPECT_LT(facts.l2_bytes, facts.memory_bytes);
  EXPECT_GT(facts.multiprocessors, 0);
  EXPECT_GE(facts.compute_capability, 80);
  EXPECT_GE(facts.multiprocessor_khz, 0);
  EXPECT_GE(facts.memory_khz, 0);
}

}  // namespace
}  // namespace kernels
