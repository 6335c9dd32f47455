// The file of samples, and the medians that go into measurements files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/probes/mpi_probe.hpp"

namespace calibrate::probes {
namespace {

using namespace netmodels::literals;

SampledExchange sampled() {
  return {*measurements::find_operation("all_reduce"),
          {{4096_B, {300_us, 100_us, 200_us}}, {8192_B, {1_ms, 2_ms, 3_ms, 4_ms}}}};
}

TEST(MpiSamples, FileHoldsMedianLeastPercentileAndEveryRepetition) {
  EXPECT_EQ(print_samples(std::vector{sampled()}, 4),
            "collective,ranks,size_bytes,repetitions,median_us,min_us,p95_us,samples_us\n"
            "all_reduce,4,4096,3,200.00,100.00,290.00,300.00 100.00 200.00\n"
            "all_reduce,4,8192,4,2500.00,1000.00,3850.00,1000.00 2000.00 3000.00 4000.00\n");
}

TEST(MpiSamples, PointsAreMediansToTheNanosecond) {
  const auto points = median_points(sampled());
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].size, 4096_B);
  EXPECT_EQ(points[0].time, 200_us);
  EXPECT_EQ(points[1].time, 2500_us);
  SampledExchange fine = sampled();
  fine.sizes = {{4_B, {netmodels::Seconds{1.23456789e-6}}}};
  EXPECT_EQ(median_points(fine)[0].time, netmodels::Seconds{1.235e-6});
}

}  // namespace
}  // namespace calibrate::probes
