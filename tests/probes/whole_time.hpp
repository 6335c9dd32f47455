// The invariants of every time of a compressor, on any device.
#pragma once

#include <gtest/gtest.h>

#include "calibrate/measurements/kernel_time.hpp"

namespace calibrate::probes {

inline void expect_whole(const measurements::KernelTime& time, int repetitions) {
  EXPECT_EQ(time.repetitions, repetitions) << time.compressor;
  EXPECT_GT(time.least.count, 0) << time.compressor;
  EXPECT_LE(time.least, time.median) << time.compressor;
  EXPECT_LE(time.median, time.p95) << time.compressor;
  EXPECT_GT(time.copy.count, 0) << time.compressor;
  EXPECT_GT(time.wire.count, 0) << time.compressor;
  ASSERT_TRUE(time.restore) << time.compressor;
  EXPECT_GT(time.restore->count, 0) << time.compressor;
}

}  // namespace calibrate::probes
