// What several seeds of a study show.
#include "sim/report/seed_report.hpp"

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
using testing::StartsWith;

/// The figures of an arm with one seed.
struct SeedArmFigures {
  std::string arm;
  double step_s = 0.1;
  std::optional<double> accuracy = {};
  std::optional<double> target_s = {};
};

SeedResult seed_of(std::uint64_t seed, const std::vector<SeedArmFigures>& arms) {
  SeedResult result{seed, {}};
  for (const char* key : {"arm", "steps", "step_time_s", "total_time_s", "throughput_samples_per_s",
                          "accuracy", "target_time_s"})
    result.rows.columns.push_back({key, "", Measure::none});
  for (const SeedArmFigures& arm : arms) {
    const auto or_empty = [](const std::optional<double>& value) {
      return value ? command_line::Cell(*value) : command_line::Cell();
    };
    result.rows.rows.push_back({arm.arm, std::int64_t{10}, arm.step_s, 10 * arm.step_s, 100 / arm.step_s,
                                or_empty(arm.accuracy), or_empty(arm.target_s)});
  }
  return result;
}

void add_two_arms(TestStudy& test, std::optional<double> target = {}) {
  for (const char* name : {"dense", "topk"}) {
    test.add(name, "none", {phase("all", {.exchange_ms = 10})});
    test.scenario().learner.target = target;
  }
}

TEST(SeedReport, IsEmptyForOneSeed) {
  TestStudy test;
  add_two_arms(test);
  EXPECT_EQ(seeds_text(test.played), "");
  EXPECT_THAT(seed_verdicts(test.played), IsEmpty());
  EXPECT_TRUE(seeds_json(test.played).empty());
}

TEST(SeedReport, NamesAWinnerOnlyWhereTheIntervalExcludesZero) {
  TestStudy test;
  add_two_arms(test);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double noise = 0.001 * static_cast<double>(seed);
    test.played.seeds.push_back(seed_of(seed, {{"dense", 0.2 + noise}, {"topk", 0.1 + 2 * noise}}));
  }
  EXPECT_THAT(
      seed_verdicts(test.played),
      ElementsAre(AllOf(StartsWith("`topk` has less time per sample than `dense` in 5 seeds: 1.06 ms against "
                                   "2.03 ms, 48 % (95 % interval "),
                        HasSubstr("47 % to 49 %)."))));
}

TEST(SeedReport, SpeedsAreComparedOnOneClusterOnly) {
  TestStudy test;
  add_two_arms(test);
  test.scenario().cluster.workers = 4;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    test.played.seeds.push_back(seed_of(seed, {{"dense", 0.2, 0.95}, {"topk", 0.1, 0.90}}));
  EXPECT_THAT(seed_verdicts(test.played), ElementsAre(HasSubstr("has more accuracy")));
}

/// Differences of +10 and -10 ms have a mean of 0 within any interval.
TEST(SeedReport, SaysHowManySeedsWouldShowADifference) {
  TestStudy test;
  add_two_arms(test);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const double noise = seed % 2 == 0 ? 0.02 : -0.01;
    test.played.seeds.push_back(seed_of(seed, {{"dense", 0.1 + noise}, {"topk", 0.1}}));
  }
  EXPECT_THAT(
      seed_verdicts(test.played),
      ElementsAre(AllOf(StartsWith("no difference in time per sample seen between `topk` and `dense` with 4 "
                                   "seeds: 1 ms against 1.05 ms, 4.8 % (95 % interval "),
                        HasSubstr("; about 86 seeds would show one of 5 %."))));
}

TEST(SeedReport, ComparesAccuracyInPoints) {
  TestStudy test;
  add_two_arms(test);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double noise = 0.001 * static_cast<double>(seed);
    test.played.seeds.push_back(seed_of(seed, {{"dense", 0.2, 0.95 + noise}, {"topk", 0.1, 0.90 + noise}}));
  }
  EXPECT_THAT(
      seed_verdicts(test.played),
      ElementsAre("`dense` has more accuracy (mean of the last five tests) than `topk` in 5 seeds: 95.30 % "
                  "against 90.30 %, 5 points (95 % interval 5 points to 5 points)."));
}

TEST(SeedReport, ATargetThatIsNotAlwaysReachedIsComparedByHowOftenAnArmIsAhead) {
  TestStudy test;
  add_two_arms(test, 0.9);
  for (std::uint64_t seed = 1; seed <= 7; ++seed) {
    const std::optional<double> late = seed < 3 ? std::optional(30.0) : std::nullopt;
    test.played.seeds.push_back(
        seed_of(seed, {{"dense", 0.2, {}, 20.0 + static_cast<double>(seed)}, {"topk", 0.1, {}, late}}));
  }
  EXPECT_THAT(seed_verdicts(test.played).front(),
              "`dense` reaches the target before `topk` in 7 of 7 seeds (sign test: p = 0.016).");
  EXPECT_THAT(seeds_text(test.played), AllOf(HasSubstr("24 s (22"), HasSubstr("30 s, 2 of 7"),
                                             HasSubstr("7 seeds, 1 to 7: means with 95 % intervals")));
}

/// Two methods on so many clusters, of which the last is a hundred times slower; `topk` is the faster on all.
/// @param learns  whether `topk` also reaches a target in half the time, and ends with less accuracy
void add_axes(TestStudy& test, int clusters, bool learns = false) {
  for (const char* method : {"dense", "topk"}) {
    for (int cluster = 1; cluster <= clusters; ++cluster) {
      test.add(std::string(method) + "/c" + std::to_string(cluster), "none",
               {phase("all", {.exchange_ms = 10})});
      if (learns) test.scenario().learner.target = 0.9;
    }
  }
  test.study().axes = {"method", "cluster"};
  test.study().best_along = {{"method", "step_time", 0, ""}};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<SeedArmFigures> arms;
    for (int cluster = 1; cluster <= clusters; ++cluster) {
      const double step = cluster == clusters ? 10 : 0.1;
      const double noise = 0.0001 * static_cast<double>(seed);
      const auto learnt = [&](double value) { return learns ? std::optional(value + noise) : std::nullopt; };
      const std::string place = "/c" + std::to_string(cluster);
      arms.push_back({"dense" + place, 2 * step + noise, learnt(0.95), learnt(20)});
      arms.push_back({"topk" + place, step + 2 * noise, learnt(0.9), learnt(10)});
    }
    test.played.seeds.push_back(seed_of(seed, arms));
  }
}

TEST(SeedReport, ComparesArmsAtTheSamePointOfAllOtherAxes) {
  TestStudy test;
  add_axes(test, 2);
  EXPECT_THAT(seed_verdicts(test.played),
              ElementsAre(StartsWith("c1: `topk/c1` has less time per sample than `dense/c1` in 5 seeds: "),
                          StartsWith("c2: `topk/c2` has less time per sample than `dense/c2` in 5 seeds: ")));
  const nlohmann::ordered_json differences = seed_differences_json(test.played);
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0]["arm"], "dense/c1");
  EXPECT_EQ(differences[0]["other"], "topk/c1");
  EXPECT_EQ(differences[1]["other"], "topk/c2");
}

TEST(SeedReport, ManyPointsOfOtherAxesAreCounted) {
  TestStudy test;
  add_axes(test, 13);
  EXPECT_THAT(seed_verdicts(test.played),
              ElementsAre("better than chance in time per sample along `method`, of 13 combinations with 5 "
                          "seeds: `topk` in 13, none in 0."));
}

TEST(SeedReport, ManyPointsAreCountedForEachQuestion) {
  TestStudy test;
  add_axes(test, 13, true);
  EXPECT_THAT(
      seed_verdicts(test.played),
      ElementsAre("better than chance in time to the target along `method`, of 13 combinations with 5 "
                  "seeds: `topk` in 13, none in 0.",
                  "better than chance in accuracy (mean of the last five tests) along `method`, of 13 "
                  "combinations with 5 seeds: `dense` in 13, none in 0."));
}

TEST(SeedReport, AnArmThatHardlyMergesIsNotTheFastest) {
  TestStudy test;
  add_two_arms(test);
  test.add("apart", "none", {phase("all", {.exchange_ms = 10})}).result.local_steps = 1'000'000;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double noise = 0.001 * static_cast<double>(seed);
    test.played.seeds.push_back(
        seed_of(seed, {{"dense", 0.2 + noise}, {"topk", 0.1 + 2 * noise}, {"apart", 0.01 + noise / 100}}));
  }
  EXPECT_THAT(seed_verdicts(test.played),
              ElementsAre(StartsWith("`topk` has less time per sample than `dense` in 5 seeds: ")));
}

TEST(SeedReport, SaysThatNothingIsRandom) {
  TestStudy test;
  add_two_arms(test);
  test.played.seeds_agree = true;
  EXPECT_THAT(
      seed_verdicts(test.played),
      ElementsAre(
          "The next seed gives the same figures in every column: nothing random shows in this study, and "
          "one seed is reported."));
}

TEST(SeedReport, GoesIntoTheTextAndTheJson) {
  TestStudy test;
  add_two_arms(test);
  for (std::uint64_t seed = 3; seed <= 5; ++seed)
    test.played.seeds.push_back(
        seed_of(seed, {{"dense", 0.2}, {"topk", 0.1 + 0.01 * static_cast<double>(seed)}}));
  const ExpectationReport none;
  const auto json = nlohmann::ordered_json::parse(study_json({&test.played, &none}));
  const auto& topk = json.at("over_seeds").at(1);
  EXPECT_EQ(topk.at("arm"), "topk");
  EXPECT_EQ(topk.at("seeds"), 3);
  EXPECT_NEAR(topk.at("step_time_s").at("mean").get<double>(), 0.14, 1e-12);
  EXPECT_NEAR(topk.at("step_time_s").at("low").get<double>(), 0.13, 1e-12);
  EXPECT_NEAR(topk.at("step_time_s").at("high").get<double>(), 0.15, 1e-12);
  const auto& difference = json.at("seed_differences").at(0);
  EXPECT_EQ(difference.at("arm"), "dense");
  EXPECT_EQ(difference.at("other"), "topk");
  EXPECT_EQ(difference.at("figure"), "sample_time_s");
  EXPECT_NEAR(difference.at("difference").get<double>(), (0.14 - 0.2) / 100, 1e-12);
  EXPECT_EQ(difference.at("excludes_zero"), true);
  EXPECT_EQ(difference.at("seeds"), 3);
  EXPECT_THAT(json.at("answer").get<std::string>(),
              StartsWith("`topk` has less time per sample than `dense`"));
}

}  // namespace
}  // namespace sim::report
