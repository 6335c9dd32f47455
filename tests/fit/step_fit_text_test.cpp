// What a fit prints, and the scenario that it writes.
#include "sim/fit/step_fit_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/fit/fitted.hpp"
#include "tests/joined_lines.hpp"

namespace sim::fit {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

/// Four workers on a ring, the exchange after the backward pass: a step takes 30 ms and 6 (1 ms + 1 MB / B).
const std::string by_hand =
    "# Does it pay?\n"
    "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
    "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}\n"
    "training: {batch: 32, steps: 5}\n"
    "exchange: {overlap: false, collective: ring_allreduce}\n";

const std::string with_arms = by_hand +
                              "compare:\n"
                              "  dense: {}\n"
                              "  fp16: {compression: {method: fp16}}\n";

/// What is written for a scenario, and what that gives when it is read.
struct Written {
  std::string text;
  scenario::Study study;
};

Written written(const std::string& scenario, const std::string& measured) {
  const tests::ScratchFolder scratch;
  const auto assumed = scratch.write("s.yaml", scenario);
  const auto file = scratch.write("m.yaml", "scenario: s.yaml\nmeasured: " + measured + "\n");
  const auto figures = scenario::read_step_figures(file, data_folder);
  EXPECT_TRUE(figures) << (figures ? "" : figures.error().text());
  const auto fit = fit_step(*figures, {}, data_folder);
  EXPECT_TRUE(fit) << (fit ? "" : fit.error().text());
  const auto metrics = report::expectable_metrics();
  const auto base = scenario::read_study(assumed, {}, data_folder, metrics);
  const auto text = fit_overlay(*fit, base->study, file.string());
  EXPECT_TRUE(text) << (text ? "" : text.error().text());
  const auto read = scenario::read_study(scratch.write("f.yaml", *text), {}, data_folder, metrics);
  EXPECT_TRUE(read) << (read ? "" : read.error().text());
  return {*text, read ? read->study : scenario::Study{}};
}

TEST(TextOfAStepFit, ShowsUnknownsAndMeasuredBesideExplainedTimes) {  // 30 ms + 6 (1 ms + 1 MB / 62.5 MB/s)
  const auto fit = fitted(by_hand, "[{step: 132 ms, within: 1 %}]", "fit: [goodput, overlap_slowdown]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  const std::string text = fit_document(*fit, "m.yaml").text();
  EXPECT_THAT(text, HasSubstr("\ngoodput           500"));
  EXPECT_THAT(text, HasSubstr("1 Gbit/s  measured[0]\n"));
  EXPECT_THAT(text, HasSubstr("overlap_slowdown  not identified  -"));
  EXPECT_THAT(text, HasSubstr("measured[0]  step  run        4"));
  EXPECT_THAT(tests::joined_lines(text),
              HasSubstr("overlap_slowdown is not identified: no measurement changes with it; the "
                        "scenario's 0 % stay"));
}

TEST(RowsOfAStepFit, AreInBaseUnitsAndEmptyWhereNothingIsIdentified) {
  const auto fit = fitted(by_hand, "[{step: 132 ms, within: 1 %}]", "fit: [goodput, overlap_slowdown]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  const command_line::Table rows = fit_document(*fit, "m.yaml").rows();
  const auto value = *command_line::column_of(rows, "value");
  EXPECT_NEAR(std::get<double>(rows.rows[0][value]), 62.5e6, 0.005 * 62.5e6);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(rows.rows[1][value]));
  nlohmann::ordered_json object;
  fit_document(*fit, "m.yaml").put_json(object);
  EXPECT_EQ(object["unknowns"][1]["identified"], "no");
  EXPECT_EQ(object["figures"][0]["measured_s"], 0.132);
}

TEST(ScenarioOfAStepFit, TakesTheFittedValuesOver) {
  const Written fitted = written(by_hand, "[{step: 142 ms, within: 1 %}, {alone: 40 ms, within: 1 %}]");
  ASSERT_EQ(fitted.study.arms.size(), 1U);
  const scenario::Scenario& arm = fitted.study.arms[0];
  EXPECT_NEAR(arm.cluster.link.bandwidth.count, 62.5e6, 0.01 * 62.5e6);
  EXPECT_DOUBLE_EQ(arm.cluster.link.latency.count, 1e-3);
  EXPECT_NEAR(arm.work.workload.host_overhead.at(32).count, 0.010, 0.01 * 0.010);
  EXPECT_EQ(arm.exchange.overlap_slowdown, 0);
  EXPECT_THAT(fitted.text, HasSubstr("# Does it pay? (with figures fitted to m.yaml)\n"));
  EXPECT_THAT(fitted.text, HasSubstr("(95 %), from measured[0]\n"));
  EXPECT_THAT(fitted.text, Not(HasSubstr("overlap_slowdown")));
}

/// Far below the cluster's `fabric`, which would contradict the description of NCCL's hardware.
TEST(ScenarioOfAStepFit, StatesTheGoodputOfAnInterfaceAndTheLinkThatFollows) {
  const Written fitted = written(
      "# Two nodes\nworkload: resnet50_v100\ncluster: {use: rtx_4090_10gbit, nccl: {network: {nics_per_node: "
      "2}}}\n"
      "training: {batch: 32, steps: 10}\n",
      "[{step: 1 s, within: 1 %}, {alone: 95.7 ms, within: 1 %}]");
  ASSERT_EQ(fitted.study.arms.size(), 1U);
  const scenario::Cluster& cluster = fitted.study.arms[0].cluster;
  ASSERT_TRUE(cluster.nccl && cluster.nccl->network && cluster.nccl->network->measured_rate);
  const double rate = cluster.nccl->network->measured_rate->count;
  EXPECT_LT(rate, 0.3e9);
  EXPECT_NEAR(cluster.link.bandwidth.count, 2 * rate, 2e-3 * rate);
  EXPECT_FALSE(cluster.fabric);
  EXPECT_THAT(fitted.text, HasSubstr("nccl: {network: {measured_rate: "));
  EXPECT_THAT(fitted.text, HasSubstr("# interface goodput: "));
}

/// 8 x 200 Gbit/s hide the exchange, unless they are 300 times slower.
TEST(ScenarioOfAStepFit, RefusesHostOverheadThatMayBeTheTimeOfTheNetwork) {
  const std::string fast =
      "# Two nodes\nworkload: resnet50_v100\ncluster: {use: nvidia_dgx_a100}\ntraining: {batch: 32, steps: "
      "10}\n";
  const auto fit = fitted(fast, "[{step: 400 ms}]");
  ASSERT_TRUE(fit) << fit.error().text();
  const auto text = fit_overlay(*fit, scenario::Study{}, "m.yaml");
  ASSERT_FALSE(text);
  EXPECT_EQ(
      text.error().text(),
      "--out: host_overhead 305.4 ms is more than 10 times what was assumed, 2.77 ms, and may as well be the "
      "time of the network: interface goodput is not identified; measure a step of one worker alone "
      "(`alone`), or state `cluster.nccl.network.measured_rate` where it is known and write `fit: "
      "[host_overhead]`");
  const auto only = fitted(fast, "[{step: 400 ms}]", "fit: [host_overhead]\n");
  ASSERT_TRUE(only) << only.error().text();
  EXPECT_TRUE(fit_overlay(*only, scenario::Study{}, "m.yaml"));
}

TEST(ScenarioOfAStepFit, GivesEachArmItsTimeOfCompression) {  // 54 ms are 30 + 6 (1 ms + 0.5 MB / B), + 20 ms
  const Written fitted = written(
      with_arms,
      "[{step: 84 ms, arm: dense, within: 1 %}, {step: 80 ms, arm: fp16, within: 1 %}, {alone: 30 ms, "
      "within: 0.1 %}]");
  ASSERT_EQ(fitted.study.arms.size(), 2U);
  ASSERT_TRUE(fitted.study.arms[1].exchange.compression.time);
  EXPECT_NEAR(fitted.study.arms[1].exchange.compression.time->count, 0.020, 0.001);
  EXPECT_FALSE(fitted.study.arms[0].exchange.compression.time);
}

TEST(ScenarioOfAStepFit, WarnsWhereAnArmKeepsItsOwnValue) {
  const std::string own = by_hand + "compare: {one: {cluster: {link: {bandwidth: 1 Gbit/s}}}}\n";
  const auto fit = fitted(own, "[{step: 132 ms, within: 1 %}]", "fit: [goodput]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  scenario::Study study;
  study.arms = {fit->figures[0].measured.scenario};
  const std::vector<std::string> warnings = overridden(*fit, study);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0],
              HasSubstr("the arm `one` states its own `cluster.link.bandwidth`, which wins over the fitted"));
}

TEST(ScenarioOfAStepFit, RefusesTimesOfCompressionInAProductOfAxes) {
  const std::string axes = by_hand + "axes: {method: {fp16: {compression: {method: fp16}}}}\n";
  const auto fit = fitted(axes, "[{step: 90 ms, within: 1 %}]", "fit: [compression]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  scenario::Study study;
  study.axes = {"method"};
  const auto text = fit_overlay(*fit, study, "m.yaml");
  ASSERT_FALSE(text);
  EXPECT_EQ(
      text.error().text(),
      "--out: the arm `fp16` is a product of `axes`, which cannot state its own `compression.time`; write "
      "the arms under `compare`, or leave `compression` out of `fit`");
}

TEST(CasesOfAStepFit, RefuseAnArmWithoutATypicalStep) {
  const std::string asynchronous =
      "# Does it pay?\n"
      "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
      "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}\n"
      "training: {batch: 32, steps: 5}\n"
      "synchronisation: asp\n";
  EXPECT_EQ(
      fit_error(asynchronous, "[{step: 90 ms}]"),
      "m.yaml:2:12: synchronisation: workers that do not wait for each other have no common step; explain "
      "a scenario with `synchronisation: bsp`, or run this one");
}

}  // namespace
}  // namespace sim::fit
