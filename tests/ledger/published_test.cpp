// Published figures: inputs are no predictions, and a result without figures is no evidence.
#include <gtest/gtest.h>

#include "calibrate/ledger/rules.hpp"

namespace calibrate::ledger {
namespace {

const SourceText result{"r.json",
                        R"json({"schema_version": 1, "scenario": "a.yaml", "expectations": {"figures": [
  {"arm": "x", "metric": "y", "theirs": 2, "ours": 2.2, "source": "Table 1"},
  {"arm": "x", "metric": "z", "theirs": 2, "ours": 2, "source": "Table 1 (an input)"}]}})json"};
const SourceText without{"r.json", R"json({"schema_version": 1, "scenario": "a.yaml"})json"};

TEST(Published, InputsAreLeftOut) {
  const auto predictions = predict_published({{}, {result}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  ASSERT_EQ(predictions->size(), 1);
  EXPECT_NEAR(predictions->front().error(), 0.1, 1e-12);
}

TEST(Published, FiguresAreCountedByTheirRole) {
  const SourceText roles{"r.json",
                         R"json({"schema_version": 1, "scenario": "a.yaml", "expectations": {"figures": [
  {"arm": "x", "metric": "a", "theirs": 2, "ours": 2, "role": "input", "source": "T"},
  {"arm": "x", "metric": "b", "theirs": 2, "ours": 2, "role": "fitted", "source": "T"},
  {"arm": "x", "metric": "c", "theirs": 2, "ours": 3, "role": "predicted", "judged": true, "source": "T"},
  {"arm": "x", "metric": "d", "theirs": 2, "ours": 3, "role": "predicted", "judged": false,
   "judged_with_others": true, "source": "T"},
  {"arm": "x", "metric": "e", "theirs": 2, "ours": 9, "role": "predicted", "judged": false, "source": "T"},
  {"arm": "x", "metric": "f", "theirs": null, "ours": 9, "judged": true, "source": "T"}]}})json"};
  EXPECT_EQ(count_published({{}, {roles}}).value(), (std::vector{FigureCounts{"a.yaml", 1, 1, 3, 1}}));
  EXPECT_EQ(predict_published({{}, {roles}})->size(), 3);
}

TEST(Published, ResultWithoutFiguresIsRefused) {
  EXPECT_EQ(predict_published({{}, {without}}).error().text(),
            "r.json: the result has no published figure; the scenario's `expect` states them");
}

}  // namespace
}  // namespace calibrate::ledger
