// The table of operations: bus factors by hand, names found, and the nearest one suggested.
#include "calibrate/measurements/operation.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::measurements {
namespace {

TEST(Operation, BusFactorsAreThoseOfNcclTests) {  // doc/PERFORMANCE.md of nccl-tests, 8 ranks
  const auto factor = [](const char* name) { return bus_factor(**find_operation(name), 8); };
  EXPECT_DOUBLE_EQ(factor("all_reduce"), 1.75);
  EXPECT_DOUBLE_EQ(factor("all_gather"), 0.875);
  EXPECT_DOUBLE_EQ(factor("reduce_scatter"), 0.875);
  EXPECT_DOUBLE_EQ(factor("alltoall"), 0.875);
  EXPECT_DOUBLE_EQ(factor("broadcast"), 1);
  EXPECT_DOUBLE_EQ(factor("reduce"), 1);
}

TEST(Operation, OneRankPutsNothingOnTheWires) { EXPECT_EQ(bus_factor(**find_operation("all_reduce"), 1), 0); }

TEST(Operation, NamesStandOnceAndProgramsAreKnownByTheirEnding) {
  std::set<std::string_view> names;
  for (const Operation& each : operations()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_EQ(*find_operation(std::string(each.name) + "_perf"), &each);
  }
}

TEST(Operation, UnknownNameIsRefusedWithTheNearest) {
  EXPECT_THAT(find_operation("brodcast").error().text(),
              testing::HasSubstr("unknown collective `brodcast`; did you mean `broadcast`?"));
}

}  // namespace
}  // namespace calibrate::measurements
