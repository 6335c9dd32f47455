// Placements: steps of a known model are predicted on the other half of the pairs and on more nodes.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "calibrate/fits/placement_law.hpp"
#include "calibrate/ledger/rules.hpp"

namespace calibrate::ledger {
namespace {

const fits::PlacementLaw known{{0.1}, {0.01}, {0.3}, {0.02}, {0.05}, {0.01}, 2};

SourceText placements() {
  std::string text = "placement,local_bsz,step_time\n";
  for (const std::string digits : {"1", "2", "3", "11", "12", "22", "4", "24", "44", "144"}) {
    int replicas = 0;
    for (const char digit : digits) replicas += digit - '0';
    for (const double batch : {8.0, 32.0, 64.0})
      text += fmt::format("{},{},{}\n", digits, batch,
                          predict(known, {static_cast<int>(digits.size()), replicas, batch}).count);
  }
  return {"model/placements.csv", text};
}

SourceText more_nodes(int nodes) {
  return {"model/scalability.csv", fmt::format("num_nodes,num_replicas,local_bsz,step_time\n{},32,16,{}\n",
                                               nodes, predict(known, {nodes, 32, 16}).count)};
}

TEST(Placements, EveryPlacementOfSeveralReplicasIsPredictedOnce) {
  const auto predictions = predict_every_second_pair({{}, {placements()}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  EXPECT_EQ(predictions->size(), 27);  // all but the three steps of one replica
  for (const Prediction& each : *predictions) EXPECT_NEAR(each.error(), 0, 0.05) << each.what;
  EXPECT_EQ(predictions->front().table, "model/placements.csv");
}

TEST(Placements, StepsOfAPairAreNotSeenWhereThePairIsPredicted) {
  // 13, 112 and 22 are four replicas on several nodes: ten times the time of two changes no prediction of
  // them.
  const auto with_times = [](double factor) {
    SourceText source = placements();
    for (const std::string layout : {"13", "112"})
      for (const double batch : {8.0, 64.0})
        source.text +=
            fmt::format("{},{},{}\n", layout, batch,
                        factor * predict(known, {static_cast<int>(layout.size()), 4, batch}).count);
    return predict_every_second_pair({{}, {source}});
  };
  const auto once = with_times(1);
  const auto tenfold = with_times(10);
  ASSERT_TRUE(once && tenfold);
  ASSERT_EQ(once->size(), tenfold->size());
  for (std::size_t i = 0; i < once->size(); ++i) {
    const std::string& what = (*once)[i].what;
    if (what.starts_with("13 ") || what.starts_with("112 ") || what.starts_with("22 ")) {
      EXPECT_EQ((*once)[i].predicted, (*tenfold)[i].predicted) << what;
    }
  }
}

TEST(Placements, MoreNodesArePredictedFromFewer) {
  const auto predictions = predict_more_nodes({{placements()}, {more_nodes(8)}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  EXPECT_NEAR(predictions->front().error(), 0, 0.05);
  EXPECT_EQ(predict_more_nodes({{placements()}, {more_nodes(3)}}).error().text(),
            "model/scalability.csv: a step has no more nodes than those under `seen`; this rule predicts "
            "placements on more nodes");
}

}  // namespace
}  // namespace calibrate::ledger
