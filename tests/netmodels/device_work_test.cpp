// Operations on a roofline, by hand.
#include "netmodels/device_work.hpp"

#include <gtest/gtest.h>

namespace netmodels {
namespace {

/// An A100 in bf16: 312 TFLOP/s of which half are reached, 2 TB/s of which a quarter is.
Device half_of_a100() {
  return {.name = "a100",
          .precision = "bf16",
          .peak = FlopRate{312e12},
          .memory_bandwidth = Bandwidth{2e12},
          .compute = {0.5, "test"},
          .memory = {0.25, "test"}};
}

TEST(DeviceWork, TheSlowerOfFlopsAndBytesCounts) {
  const DeviceWork flops{WorkKind::matmul, Flops{312e12}, Bytes{1e9}, "bf16"};
  EXPECT_NEAR(time_on(half_of_a100(), flops).count, 2, 1e-12);  // a second at the peak
  const DeviceWork bytes{WorkKind::attention, Flops{312e9}, Bytes{1e9}, "bf16"};
  EXPECT_NEAR(time_on(half_of_a100(), bytes).count, 2e-3, 1e-12);  // 1 GB at 0.5 TB/s
}

TEST(DeviceWork, FlopsOfPointwiseOperationsTakeNoTime) {
  for (const WorkKind kind :
       {WorkKind::pointwise, WorkKind::copy, WorkKind::optimizer, WorkKind::embedding}) {
    EXPECT_NEAR(time_on(half_of_a100(), {kind, Flops{312e12}, Bytes{5e8}, ""}).count, 1e-3, 1e-12);
  }
}

TEST(DeviceWork, AUtilisationHoldsAllOperationsOfThePasses) {
  const PassUtilisation reached{.share = 0.4, .attention_weight = 1.5};
  const auto seconds = [&](WorkKind kind) {
    return time_at(reached, half_of_a100(), {kind, Flops{312e12}, Bytes{5e8}, "bf16"}).count;
  };
  EXPECT_NEAR(seconds(WorkKind::matmul), 2.5, 1e-12);
  EXPECT_NEAR(seconds(WorkKind::attention), 3.75, 1e-12);
  EXPECT_EQ(seconds(WorkKind::pointwise) + seconds(WorkKind::copy) + seconds(WorkKind::embedding), 0);
  EXPECT_NEAR(seconds(WorkKind::optimizer), 1e-3, 1e-12);
}

}  // namespace
}  // namespace netmodels
