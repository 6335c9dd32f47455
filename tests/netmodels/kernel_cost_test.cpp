// Tests of finding the measured cost of a method at a size.
#include "netmodels/kernel_cost.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

MeasuredKernel row(const char* method, std::int64_t smallest, std::int64_t largest) {
  return {.method = method, .cost = {}, .p90_error = 0, .smallest = smallest, .largest = largest};
}

TEST(MeasuredKernels, AreFoundByMethodAndNearestSize) {
  const std::vector<MeasuredKernel> rows{row("topk", 1000, 10'000), row("qsgd", 1, 5),
                                         row("topk", 100'000, 1'000'000)};
  EXPECT_EQ(find_measured_kernel(rows, "topk", 5000), &rows[0]);
  EXPECT_EQ(find_measured_kernel(rows, "topk", 200'000), &rows[2]);
  EXPECT_EQ(find_measured_kernel(rows, "topk", 10), &rows[0]);
  EXPECT_EQ(find_measured_kernel(rows, "topk", 0), &rows[0]);
  EXPECT_EQ(find_measured_kernel(rows, "topk", 30'000'000), &rows[2]);
  EXPECT_EQ(find_measured_kernel(rows, "topk", 30'000),
            &rows[0]);  // three times 10 000; 100 000 is 3.3 times more
  EXPECT_EQ(find_measured_kernel(rows, "topk", 33'000), &rows[2]);
  EXPECT_EQ(find_measured_kernel(rows, "qsgd", 100), &rows[1]);
  EXPECT_EQ(find_measured_kernel(rows, "dgc", 100), nullptr);
}

}  // namespace
}  // namespace netmodels
