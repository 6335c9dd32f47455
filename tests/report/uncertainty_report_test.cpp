// What samples of uncertain inputs show.
#include "sim/report/uncertainty_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/report/study_document.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

using command_line::Measure;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The rows of one sample; times per sample of training are a hundredth of a step's, over ten steps.
command_line::Table rows_of(double dense_s, double topk_s) {
  command_line::Table rows;
  rows.columns = {{"arm", "", Measure::none},
                  {"steps", "", Measure::none},
                  {"step_time_s", "", Measure::time},
                  {"total_time_s", "", Measure::time},
                  {"throughput_samples_per_s", "", {}}};
  for (const auto& [arm, step] : {std::pair{"dense", dense_s}, std::pair{"topk", topk_s}})
    rows.rows.push_back({arm, std::int64_t{10}, step, 10 * step, 100 / step});
  return rows;
}

/// Dense takes 100 ms, top-k 60 ms and as many times 100 ms as the input says, which is even from 0 to 1: it
/// is faster in 40 % of the samples.
void add_study(TestStudy& test, std::size_t samples = 100) {
  test.add("dense", "none", {phase("all", {.exchange_ms = 10})});
  test.add("topk", "topk", {phase("all", {.exchange_ms = 5})});
  test.played.uncertain.emplace();
  UncertainSamples& drawn = *test.played.uncertain;
  DrawnInput input{"compression.time",          "0 s to 100 ms", "s.yaml:5:3",
                   "`calibrate probe kernels`", {"topk"},        {}};
  DrawnInput other{"goodput of gloo", "1 GB/s to 2 GB/s", "", "", {"dense", "topk"}, {}};
  for (std::size_t i = 0; i < samples; ++i) {
    const double value = (static_cast<double>(i) + 0.5) / static_cast<double>(samples);
    input.values.push_back(value);
    other.values.push_back(static_cast<double>(i * 37 % samples));
    drawn.rows.push_back(rows_of(0.1, 0.06 + 0.1 * value));
  }
  drawn.inputs = {input, other};
  drawn.without_range = {"times of the layers of `small`"};
}

TEST(UncertaintyReport, IsEmptyWhereNothingWasDrawn) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  EXPECT_EQ(uncertainty_text(test.played), "");
  EXPECT_THAT(uncertainty_verdicts(test.played), IsEmpty());
  EXPECT_TRUE(uncertainty_json(test.played).is_null());
}

TEST(UncertaintyReport, SaysThatRangesWereNotDrawn) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  test.study().uncertain.resize(1);
  test.study().uncertain[0].key = "cluster.link.bandwidth";
  EXPECT_THAT(
      uncertainty_verdicts(test.played),
      ElementsAre("`cluster.link.bandwidth` is stated with a range: its value is used, and no range was "
                  "drawn; `--samples 200` draws from it."));
  test.study().uncertain.resize(2);
  EXPECT_THAT(uncertainty_verdicts(test.played),
              ElementsAre("2 inputs are stated with a range: their values are used, and no range was drawn; "
                          "`--samples 200` draws from them."));
}

/// Dense is chosen, at 1 ms a sample. In 40 of 100 samples top-k is faster, by 0.4 - x of it: 8 % on average.
/// In 15 more or fewer than 7.5 % lie between the two: x from 0.33 to 0.475.
TEST(UncertaintyReport, SaysHowOftenAnArmWinsAndWhatSettlesIt) {
  TestStudy test;
  add_study(test);
  EXPECT_THAT(
      uncertainty_verdicts(test.played),
      ElementsAre(
          "`dense` is the fastest in 60 % of 100 samples, `topk` in 40 %; in 15 % the two fastest differ by "
          "less "
          "than predictions err (7.5 %).",
          "What would settle it: `dense` is the fastest on average; choosing with all inputs known saves "
          "8 % of the time; `compression.time` alone saves 8 % (measure it: `calibrate probe "
          "kernels`)."));
}

TEST(UncertaintyReport, NamesTheArmThatAlwaysWins) {
  TestStudy test;
  add_study(test);
  for (auto& rows : test.played.uncertain->rows) rows = rows_of(0.1, 0.05);
  EXPECT_THAT(uncertainty_verdicts(test.played), ElementsAre("`topk` is the fastest in all 100 samples."));
}

/// Top-k would win all samples by its floor; a third arm is needed for a choice.
TEST(UncertaintyReport, LetsNoFloorWinSamples) {
  TestStudy test;
  add_study(test);
  test.add("fp16", "fp16", {phase("all", {.exchange_ms = 8})});
  engine::ExplainedStep floor = explained("all", 1, 4);
  floor.dependence = engine::CompressionDependence{{ms(1), ms(1), {}, {}, scenario::CostLevel::floor},
                                                   {{ms(0), ms(105)}, {ms(100), ms(205)}}};
  test.played.arms[1].explained = {floor};
  for (auto& rows : test.played.uncertain->rows) {
    rows = rows_of(0.1, 0.05);
    rows.rows.push_back({"fp16", std::int64_t{10}, 0.08, 0.8, 100 / 0.08});
  }
  EXPECT_THAT(
      uncertainty_verdicts(test.played),
      ElementsAre("Left out of the samples: `topk`, because only a least time of compressing is known; "
                  "measure it by `calibrate probe kernels`, or state `compression.time`.",
                  "`fp16` is the fastest in all 100 samples."));
}

TEST(UncertaintyReport, SaysThatNoInputHasARange) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  test.played.uncertain.emplace();
  EXPECT_THAT(uncertainty_verdicts(test.played),
              ElementsAre(HasSubstr("No input has a range, so that nothing")));
}

/// Of 60 to 160 ms the middle is 110 ms, and 5 % lie below 65 ms; dense is always the same, and left out.
TEST(UncertaintyReport, ShowsPercentilesOfTheFiguresThatVary) {
  TestStudy test;
  add_study(test);
  const std::string text = uncertainty_text(test.played);
  EXPECT_THAT(text, AllOf(HasSubstr("100 samples of 2 uncertain inputs"),
                          HasSubstr("step       topk  105 ms     110 ms  65.45 ms  154.5 ms\n"),
                          HasSubstr("compression.time  0 s to 100 ms     s.yaml:5:3\n"),
                          HasSubstr("goodput of gloo   1 GB/s to 2 GB/s  published or measured\n"),
                          HasSubstr("Not drawn, as their range is unknown: times of the layers of `small`."),
                          Not(HasSubstr("step       dense"))));
}

TEST(UncertaintyReport, GoesIntoTheJson) {
  TestStudy test;
  add_study(test);
  const ExpectationReport none;
  const auto json = nlohmann::ordered_json::parse(study_json({&test.played, &none}));
  const auto& found = json.at("uncertainty");
  EXPECT_EQ(found.at("samples"), 100);
  EXPECT_EQ(found.at("inputs").at(0).at("input"), "compression.time");
  EXPECT_TRUE(found.at("inputs").at(1).at("origin").is_null());
  const auto& choice = found.at("choices").at(0);
  EXPECT_EQ(choice.at("best_on_average"), "dense");
  EXPECT_NEAR(choice.at("saved_time_share_with_all_known").get<double>(), 0.08, 1e-6);
  EXPECT_EQ(choice.at("worth_knowing").at(0).at("input"), "compression.time");
  EXPECT_NEAR(choice.at("worth_knowing").at(0).at("saved_time_share").get<double>(), 0.08, 1e-6);
  EXPECT_EQ(choice.at("worth_knowing").at(1).at("saved_time_share"), 0);
  EXPECT_THAT(json.at("answer").get<std::string>(), HasSubstr("is the fastest in 60 % of 100 samples"));
  bool told = false;
  for (const auto& figure : found.at("figures")) told = told || figure.at("figure") == "step_time_s";
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace sim::report
