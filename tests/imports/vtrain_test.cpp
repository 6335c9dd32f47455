// vTrain's tables and iterations: rows by hand, and errors with their places.
#include "calibrate/imports/vtrain.hpp"

#include <gtest/gtest.h>

namespace calibrate::imports {
namespace {

const std::string vtrain_header = "size(B),count,type,time(ns),busbw(GB/s),time(ns),busbw(GB/s)\n";

TEST(Vtrain, TableHoldsOutOfPlaceTimesOfTheRanksInItsName) {
  const auto table = import_vtrain_table(vtrain_header + "1048576,262144,float,44210,23.72,45100,23.25\n",
                                         "a100/AR_GPU2_1M_1024M_LUT");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->ranks, 2);
  EXPECT_EQ(table->operation->name, "all_reduce");
  EXPECT_EQ(table->points.front(), (measurements::MeasuredPoint{{1048576}, {44210 / 1e9}}));
  EXPECT_EQ(table->facts.source, "AR_GPU2_1M_1024M_LUT");
  EXPECT_TRUE(is_vtrain_table(vtrain_header));
}

TEST(Vtrain, TableIsRefusedWithItsPlace) {
  EXPECT_EQ(import_vtrain_table(vtrain_header, "lut").error().text(),
            "lut: the file name does not state the number of ranks; name it as in AR_GPU4_1M_1024M_LUT");
  const std::string row = "1048576,262144,float,44210,23.72,45100,23.25\n";
  EXPECT_EQ(
      import_vtrain_table(vtrain_header + row + row, "AR_GPU2_LUT").error().text(),
      "AR_GPU2_LUT: sizes do not increase: 1048576 bytes comes after 1048576 bytes; use a separate file "
      "for each run of the tool");
}

TEST(Vtrain, IterationsAreReadBehindAHeaderThatLooksLikeAComment) {
  const auto runs = read_vtrain_iterations(
      "# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,tensor "
      "parallelism,data parallelism,pipeline parallelism,iteration time (ms)\r\n"
      "2,16,8,1024,16,24,1024,1,1,2,372.160408\r\n",
      "g.csv");
  ASSERT_TRUE(runs) << runs.error().text();
  const VtrainIteration& run = runs->front();
  EXPECT_EQ(run.batch, 16);
  EXPECT_EQ(run.layers, 24);
  EXPECT_EQ(run.pipeline, 2);
  EXPECT_DOUBLE_EQ(run.time.count, 0.372160408);
}

}  // namespace
}  // namespace calibrate::imports
