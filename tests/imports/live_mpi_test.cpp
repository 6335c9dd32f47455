// Live MPI tables: units of a row by hand, and errors with their places.
#include "calibrate/imports/live_mpi.hpp"

#include <gtest/gtest.h>

namespace calibrate::imports {
namespace {

const std::string live_mpi_header =
    "stack,collective,algorithm,ranks,bandwidth_mbit,latency_us,bytes,reps,median_us\n";

TEST(LiveMpi, RowsHaveUnits) {
  const auto rows =
      read_live_mpi("# setup\n" + live_mpi_header + "gloo,allreduce,ring,4,100,5000,1048576,5,2000\n", "t");
  ASSERT_TRUE(rows) << rows.error().text();
  const LiveRow& row = rows->front();
  EXPECT_EQ(row.setting, (LiveSetting{"gloo", 4, {12.5e6}, {5e-3}}));
  EXPECT_EQ(row.collective + " " + row.algorithm, "allreduce ring");
  EXPECT_EQ(row.size.count, 1048576);
  EXPECT_DOUBLE_EQ(row.time.count, 2e-3);
}

TEST(LiveMpi, DamageIsRefusedWithItsPlace) {
  EXPECT_EQ(read_live_mpi(live_mpi_header + "gloo,allreduce,ring,1,100,0,4,5,20\n", "t.csv").error().text(),
            "t.csv:2:21: `1` in column `ranks`: a single rank exchanges nothing; accepted: 2 and above");
  EXPECT_EQ(
      read_live_mpi(live_mpi_header + "gloo,allreduce,ring,1e300,100,0,4,5,20\n", "t.csv").error().text(),
      "t.csv:2:21: `1e300` in column `ranks` is not a count; accepted: 1 to 1000000");
  EXPECT_EQ(read_live_mpi("stack,collective\n", "t.csv").error().text(),
            "t.csv:1:1: column `algorithm` is missing; the header names stack, collective");
}

}  // namespace
}  // namespace calibrate::imports
