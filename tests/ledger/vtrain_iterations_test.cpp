// vTrain's iterations: pure launch costs are recovered, and 8 GPUs are predicted from fewer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "calibrate/ledger/rules.hpp"

namespace calibrate::ledger {
namespace {

const SourceText table{"AR_GPU2_LUT",
                       "size(B),count,type,time(ns)\n1000000,1,float,1000\n2000000,1,float,2000\n"};

/// Iterations of 2 ms for each layer that a stage computes, on 1 to 8 replicas.
SourceText iterations() {
  std::string text =
      "# GPUs,global batch,micro batch,hidden size,attention heads,# layers,sequence length,tensor "
      "parallelism,data parallelism,pipeline parallelism,iteration time (ms)\n";
  for (const int layers : {12, 16, 20, 24}) {
    for (const int stages : {2, 4, 8}) {
      for (const int micro_batches : {1, 4})
        text += fmt::format("{},{},1,16,1,{},16,1,1,{},{}\n", stages, micro_batches, layers, stages,
                            2.0 * layers / stages * (micro_batches + stages - 1));
    }
  }
  return {"runs.csv", text};
}

TEST(VtrainIterations, LaunchesAreFoundAgain) {
  const auto predictions = predict_vtrain_iterations({{table}, {iterations()}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  EXPECT_EQ(predictions->size(), 24);
  for (const Prediction& each : *predictions) EXPECT_NEAR(each.error(), 0, 0.02) << each.what;
}

TEST(VtrainIterations, EightGpusArePredictedFromFewer) {
  const auto predictions = predict_vtrain_on_eight({{table}, {iterations()}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  EXPECT_EQ(predictions->size(), 8);
  for (const Prediction& each : *predictions) EXPECT_NEAR(each.error(), 0, 0.02) << each.what;
}

TEST(VtrainIterations, TableOnTwoRanksIsNeeded) {
  const SourceText other{"AR_GPU4_LUT", table.text};
  EXPECT_EQ(predict_vtrain_iterations({{other}, {iterations()}}).error().text(),
            "AR_GPU4_LUT: no all-reduce on 2 ranks is given under `seen`; name its table");
}

}  // namespace
}  // namespace calibrate::ledger
