// Published figures: read in base units, and checked against existing arms, metrics and axes.
#include "sim/scenario/expectations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

const std::string arms = least + "compare: {dense: {}, sparse: {seed: 2}}\n";

TEST(Matches, AStarStandsForAnyText) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*/ag", "resnet18/0.1/ag"));
  EXPECT_FALSE(matches("*/ag", "resnet18/ring"));
  EXPECT_TRUE(matches("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(matches("a*b", "aXbY"));
  EXPECT_TRUE(matches("dense", "dense"));
  EXPECT_FALSE(matches("dense", "dens"));
}

TEST(Expect, FiguresAreReadInBaseUnits) {
  const Study read = study(
      arms +
      "expect:\n  - {arm: dense, metric: step_time, value: 152.5 ms, within: 2 %, source: here, phase: low}\n"
      "  - {arm: sparse, metric: scaling_efficiency, value: 80 %, source: there}\n"
      "  - {mean_error_of: \"*\", metric: step_time, within: 4 %}\n");
  ASSERT_EQ(read.expectations.size(), 2u);
  EXPECT_EQ(read.expectations[0].value, 0.1525);
  EXPECT_EQ(read.expectations[0].within, 0.02);
  EXPECT_EQ(read.expectations[0].phase, "low");
  EXPECT_EQ(read.expectations[1].value, 0.8);
  EXPECT_EQ(read.expectations[1].within, std::nullopt);
  ASSERT_EQ(read.mean_errors.size(), 1u);
  EXPECT_EQ(read.mean_errors[0].within, 0.04);
  EXPECT_EQ(read.expectations[0].where.substr(read.expectations[0].where.find("s.yaml")), "s.yaml:7:5");
}

TEST(Expect, ABestAlongAnAxis) {
  const Study read = study(least +
                           "axes: {speed: {slow: {}, fast: {}}}\nexpect: [{best_along: speed, metric: "
                           "exchange_time, at_least: 1}]\n");
  EXPECT_EQ(read.best_along.at(0).axis, "speed");
  EXPECT_EQ(
      refusal(least + "axes: {speed: {slow: {}, fast: {}}}\nexpect: [{best_along: sped, metric: "
                      "exchange_time, at_least: 1}]\n"),
      "s.yaml:6:23: `expect[0].best_along`: unknown axis `sped`; did you mean `speed`? accepted: speed");
}

TEST(Expect, AStudyOfOneArmNeedsNoName) {
  EXPECT_EQ(study(least + "expect: [{metric: step_time, value: 1 s, source: x}]\n").expectations.at(0).arm,
            "run");
}

TEST(Expect, RefusalsNameTheRow) {
  const auto refused = [](const std::string& row) { return refusal(arms + "expect: [" + row + "]\n"); };
  EXPECT_EQ(
      refused("{arm: dens, metric: step_time, value: 1 s, source: x}"),
      "s.yaml:6:16: `expect[0].arm`: unknown arm `dens`; did you mean `dense`? accepted: dense, sparse");
  EXPECT_EQ(refused("{arm: dense, metric: step_tim, value: 1 s, source: x}").substr(0, 97),
            "s.yaml:6:31: `expect[0].metric`: unknown metric `step_tim`; did you mean `step_time`? "
            "accepted: s");
  EXPECT_EQ(refused("{arm: dense, metric: step_time, value: 1 MB, source: x}"),
            "s.yaml:6:49: `expect[0].value`: `1 MB` is a data size; expected a time; accepted units: s, "
            "ms, us, ns, min, h, day");
  EXPECT_EQ(
      refused("{arm: dense, metric: step_time, value: 0 s, source: x}"),
      "s.yaml:6:49: `expect[0].value`: 0 is too small; accepted: above 0, because errors are relative; or "
      "write `at_most`");
  EXPECT_EQ(
      refused("{arm: dense, metric: step_time, value: -1 s, source: x}"),
      "s.yaml:6:49: `expect[0].value`: `-1 s` is negative; expected a time; write zero or more, in s, ms, "
      "us, ns, min, h, day");
  EXPECT_EQ(refused("{arm: dense, metric: throughput, value: -1, source: x}"),
            "s.yaml:6:50: `expect[0].value`: `-1` is too small; accepted: at least 0");
  EXPECT_EQ(refused("{arm: dense, metric: step_time, source: x}"),
            "s.yaml:6:10: the key `expect[0].value` is missing; write for example `value: 152.5 ms` (the "
            "published or measured figure), or `at_least` or `at_most` where no figure was published");
  EXPECT_EQ(
      refused("{arm: dense, metric: step_time, at_most: 1 s, within: 1 %, source: x}"),
      "s.yaml:6:64: `expect[0].within`: `within` needs a `value`; write `value`, or leave `within` out");
  EXPECT_EQ(refused("{arm: dense, metric: step_time, value: 1 s}"),
            "s.yaml:6:10: the key `expect[0].source` is missing; write for example `source: Author & Author "
            "2023, Table III` (Where the figure "
            "was published, or who measured it.)");
  EXPECT_EQ(refused("{mean_error_of: \"x*\", metric: step_time, within: 1 %}"),
            "s.yaml:6:26: `expect[0].mean_error_of`: no expected `step_time` has an arm that matches `x*`; "
            "write a pattern such as `*/ag` that fits arms under `expect`");
  EXPECT_EQ(refusal(arms + "expect: 3\n"),
            "s.yaml:6:9: `expect`: expected a list, found a single value; write `- {arm: dense, metric: "
            "step_time, value: 152.5 ms, within: 2 %, source: ...}`");
}

TEST(Expect, FiguresOverThoseOfAnotherArmArePlainNumbers) {
  const auto read = [](const std::string& row) {
    return study(arms + "expect: [" + row + "]\n").expectations.at(0);
  };
  const Expectation speedup = read("{arm: dense, metric: step_time, over: sparse, value: 4.32, source: x}");
  EXPECT_EQ(speedup.over, "sparse");
  EXPECT_EQ(speedup.value, 4.32);
  EXPECT_THAT(
      refusal(arms + "expect: [{arm: dense, metric: step_time, over: sparse, value: 4 s, source: x}]\n"),
      ::testing::HasSubstr("`expect[0].value`"));
  EXPECT_EQ(refusal(arms + "expect: [{arm: dense, metric: step_time, over: spars, value: 4, source: x}]\n"),
            "s.yaml:6:48: `expect[0].over`: unknown arm `spars`; did you mean `sparse`? accepted: dense, "
            "sparse");
}

TEST(Expect, BoundsThatNothingCanKeepOrBreakAreRefused) {
  const auto refused = [](const std::string& row) { return refusal(arms + "expect: [" + row + "]\n"); };
  EXPECT_EQ(refused("{arm: dense, metric: step_time, at_least: 2 s, at_most: 1 s, source: x}"),
            "s.yaml:6:66: `expect[0].at_most`: `at_most` is below `at_least`; write a larger `at_most`");
  EXPECT_EQ(refused("{arm: dense, metric: step_time, over: dense, at_most: 2, source: x}"),
            "s.yaml:6:48: `expect[0].over`: a figure over itself is always 1; name another arm");
}

TEST(Expect, AFigureSaysHowItWasUsedAndWhyItIsNotJudged) {
  const Study read =
      study(arms +
            "expect:\n  - {arm: dense, metric: step_time, value: 1 s, source: x}\n"
            "  - {arm: dense, metric: step_time, value: 1 s, role: fitted, judged: false, reason: "
            "it was fitted, source: x}\n");
  EXPECT_EQ(read.expectations[0].role, FigureRole::predicted);
  EXPECT_EQ(read.expectations[0].reason, std::nullopt);
  EXPECT_EQ(read.expectations[1].role, FigureRole::fitted);
  EXPECT_EQ(read.expectations[1].reason, "it was fitted");
  EXPECT_EQ(refusal(arms + "expect: [{arm: dense, metric: step_time, value: 1 s, reason: why, source: x}]\n"),
            "s.yaml:6:62: `expect[0].reason`: the figure is judged, so that it needs no reason for not being "
            "judged; write `judged: false`, or leave `reason` out");
  EXPECT_THAT(
      refusal(arms + "expect: [{arm: dense, metric: step_time, value: 1 s, role: guess, source: x}]\n"),
      ::testing::HasSubstr("predicted, fitted, input"));
}

TEST(Expect, SharesSayOfWhat) {
  const auto refused = [](const std::string& row) { return refusal(arms + "expect: [" + row + "]\n"); };
  const std::string ratios = "{arm: dense, metric: ratio_share, at_least: 50 %, source: x, of: ";
  EXPECT_EQ(study(arms + "expect: [" + ratios + "1 % to 10 %}]\n").expectations.at(0).at_least, 0.5);
  EXPECT_EQ(refused(ratios + "10 %}"),
            "s.yaml:6:75: `expect[0].of`: `10 %` is not a range of ratios; write for example `1 % to 10 %`");
  EXPECT_EQ(refused("{arm: dense, metric: method_share, at_least: 50 %, source: x}"),
            "s.yaml:6:31: `expect[0].metric`: `method_share` needs `of`; write `of`: a row of `sim list "
            "compressors`");
  EXPECT_EQ(refused("{arm: dense, metric: step_time, value: 1 s, of: topk, source: x}"),
            "s.yaml:6:58: `expect[0].of`: `step_time` is not a share; leave it out, or write `metric: "
            "method_share`");
  EXPECT_THAT(refused("{arm: dense, metric: method_share, at_least: 50 %, of: top, source: x}"),
              ::testing::HasSubstr("did you mean `topk`?"));
  EXPECT_THAT(refused("{arm: dense, metric: collective_share, at_most: 0, of: ring, source: x}"),
              ::testing::HasSubstr("`expect[0].of`: "));
}

}  // namespace
}  // namespace sim::scenario
