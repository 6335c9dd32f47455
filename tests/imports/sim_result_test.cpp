// Results of the simulator: figures of expectations and of advice, and what is none.
#include "calibrate/imports/sim_result.hpp"

#include <gtest/gtest.h>

namespace calibrate::imports {
namespace {

const char* const expectations = R"json({"schema_version": 1, "scenario": "papers/a.yaml", "arms": [],
  "expectations": {"figures": [
    {"arm": "dense", "metric": "step_time", "over": "topk", "phase": null, "theirs": 2, "ours": 2.1, "source": "T 1"},
    {"arm": "dense", "metric": "speedup", "theirs": 3, "ours": 3, "source": "Table 1 (an input)"},
    {"arm": "topk", "metric": "speedup", "theirs": 3, "ours": 3, "role": "fitted", "judged": false, "source": "T"},
    {"arm": "dense", "metric": "share", "theirs": null, "ours": 3, "source": "Fig. 2"}]}})json";

const char* const advice = R"json({"schema_version": 1, "scenario": "b.yaml", "arms": [{"name": "knee",
  "configurations": [
    {"workers": 12, "batch": 1024, "profiled": "yes", "predicted_time_s": 10, "true_time_s": 11},
    {"workers": 16, "batch": 1024, "profiled": "no", "predicted_time_s": 12, "true_time_s": 10}]}]})json";

TEST(SimResult, ExpectationsWithAPublishedValueAreFigures) {
  const auto figures = read_sim_result(expectations, "r.json");
  ASSERT_TRUE(figures) << figures.error().text();
  ASSERT_EQ(figures->size(), 3);
  EXPECT_EQ(figures->front().what, "dense step_time over topk");
  EXPECT_EQ(figures->front().scenario, "a.yaml");
  EXPECT_EQ(figures->front().ours, 2.1);
  EXPECT_FALSE(figures->front().is_input);
  EXPECT_TRUE(figures->front().is_judged);
  EXPECT_TRUE((*figures)[1].is_input);
  EXPECT_FALSE((*figures)[1].is_fitted);
  EXPECT_TRUE(figures->back().is_input);
  EXPECT_TRUE(figures->back().is_fitted);
  EXPECT_FALSE(figures->back().is_judged);
}

TEST(SimResult, ConfigurationsOfAnAdviceAreFigures) {
  const auto figures = read_sim_result(advice, "r.json");
  ASSERT_TRUE(figures) << figures.error().text();
  ASSERT_EQ(figures->size(), 2);
  EXPECT_TRUE(figures->front().is_input);
  EXPECT_EQ(figures->back().what, "knee on 16 workers at batch 1024");
  EXPECT_EQ(figures->back().theirs, 10);
}

TEST(SimResult, OtherTextIsRefused) {
  EXPECT_EQ(read_sim_result("{\"schema_version\": 1", "r.json").error().text(),
            "r.json:1:21: the JSON is invalid or truncated here; use the complete file");
  EXPECT_EQ(read_sim_result("{\"version\": 1}", "r.json").error().text(),
            "r.json: this is not a result of the simulator; use the output of `sim run FILE --format json` "
            "or `sim advise FILE --format json`");
  EXPECT_FALSE(read_sim_result("[]", "r.json"));
}

}  // namespace
}  // namespace calibrate::imports
