// What several seeds of a study show.
#include "sim/report/seed_report.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <boost/random/normal_distribution.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/report/seed_comparison.hpp"
#include "sim/report/seed_json.hpp"
#include "sim/report/seed_verdict.hpp"
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

TEST(SeedReport, NamesAWinnerThatSeedsTellApart) {
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

TEST(SeedReport, SpeedsAreComparedOnTheMachinesOfEachArmForOneModelOnly) {
  TestStudy test;
  add_two_arms(test);
  test.scenario().cluster.workers = 4;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    test.played.seeds.push_back(
        seed_of(seed, {{"dense", 0.2 + 0.001 * static_cast<double>(seed)}, {"topk", 0.1}}));
  EXPECT_THAT(seed_verdicts(test.played),
              ElementsAre(StartsWith("`topk` has less time per sample than `dense` in 5 seeds")));
  test.scenario().work.workload.name = "large";
  EXPECT_THAT(seed_verdicts(test.played), IsEmpty());
}

/// Differences of 20 and -10 ms: 5 ms on average, with a deviation of 16 ms.
TEST(SeedReport, SaysHowManySeedsWouldShowADifference) {
  TestStudy test;
  add_two_arms(test);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const double noise = seed % 2 == 0 ? 0.02 : -0.01;
    test.played.seeds.push_back(seed_of(seed, {{"dense", 0.1 + noise}, {"topk", 0.1}}));
  }
  EXPECT_THAT(
      seed_verdicts(test.played),
      ElementsAre(
          "`topk` and `dense` are not told apart in time per sample by 6 seeds: 1 ms against 1.05 ms, "
          "4.8 % (95 % interval -12 % to 21 %); about 79 seeds would show one of 5 %."));
}

TEST(SeedReport, FewerThanFiveSeedsNameNoWinner) {
  TestStudy test;
  add_two_arms(test);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const double noise = 0.001 * static_cast<double>(seed);
    test.played.seeds.push_back(seed_of(seed, {{"dense", 0.2 + noise}, {"topk", 0.1 + 2 * noise}}));
  }
  EXPECT_THAT(
      seed_verdicts(test.played),
      ElementsAre("4 seeds: no verdict; 5 and more compare the arms.",
                  "time per sample: `topk` 1.05 ms, `dense` 2.025 ms, 48 % less (95 % interval 47 % to "
                  "49 %)."));
  EXPECT_THAT(seeds_text(test.played), HasSubstr("105 ms (10"));
  EXPECT_EQ(seed_comparisons(test.played).front().tiers.size(), 1U);
  EXPECT_TRUE(seed_tiers_json(test.played).empty());
}

/// Arms with these times per step, each with a deviation of 1 ms of its own.
void add_arms(TestStudy& test, const std::vector<double>& times_ms, std::uint64_t seeds = 10) {
  std::mt19937_64 random(3);
  boost::random::normal_distribution<double> normal;  // the same on every platform
  for (std::size_t arm = 0; arm < times_ms.size(); ++arm)
    test.add(std::string(1, static_cast<char>('a' + arm)), "none", {phase("all", {.exchange_ms = 10})});
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::vector<SeedArmFigures> figures;
    for (std::size_t arm = 0; arm < times_ms.size(); ++arm)
      figures.push_back(
          {std::string(1, static_cast<char>('a' + arm)), (times_ms[arm] + normal(random)) / 1e3});
    test.played.seeds.push_back(seed_of(seed, figures));
  }
}

TEST(SeedReport, ArmsThatAreNotToldApartAreOneTier) {
  TestStudy test;
  add_arms(test, {120, 100, 100, 140, 140});
  const std::vector<std::string> sentences = seed_verdicts(test.played);
  ASSERT_EQ(sentences.size(), 3U);
  EXPECT_THAT(sentences[0], testing::MatchesRegex(
                                "`[bc]` and `[bc]` are not told apart in time per sample by 10 seeds; both "
                                "have less than `a`, which has less than `[de]` and `[de]`, which are not "
                                "told apart."));
  EXPECT_THAT(sentences[1], AllOf(StartsWith("time per sample: `"), HasSubstr(" corrected for 10 pairs)"),
                                  HasSubstr(" seeds would show one of 5 %.")));
  EXPECT_THAT(sentences[2], AllOf(HasSubstr("`a` 1.2"), HasSubstr(" corrected for 10 pairs).")));
  const nlohmann::ordered_json tiers = seed_tiers_json(test.played);
  ASSERT_EQ(tiers.size(), 1U);
  EXPECT_EQ(tiers[0]["figure"], "sample_time_s");
  ASSERT_EQ(tiers[0]["tiers"].size(), 3U);
  EXPECT_EQ(tiers[0]["tiers"][1], nlohmann::ordered_json::array({"a"}));
}

/// `a` and `c` differ by 1.8 deviations, `b` lies between them.
TEST(SeedReport, ATierSaysWhichOfItsArmsAreToldApart) {
  TestStudy test;
  add_arms(test, {100, 100.9, 101.8});
  EXPECT_THAT(
      seed_verdicts(test.played).front(),
      "`a`, `b` and `c` are not all told apart in time per sample by 10 seeds (`a` has less than `c`).");
}

TEST(SeedReport, ArmsThatDifferByRoundingAreNotToldApart) {
  TestStudy test;
  add_two_arms(test);
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    test.played.seeds.push_back(seed_of(seed, {{"dense", 0.1}, {"topk", 0.1 * (1 + 1e-15)}}));
  EXPECT_THAT(seed_verdicts(test.played), ElementsAre(HasSubstr("are not told apart")));
}

TEST(SeedReport, IntervalsEndWhereAFigureCanGoNoFurther) {
  TestStudy test;
  add_two_arms(test);
  test.played.arms[0].result.learning.emplace();
  for (std::uint64_t seed = 1; seed <= 2; ++seed)
    test.played.seeds.push_back(
        seed_of(seed, {{"dense", 0.1 * static_cast<double>(seed), 0.9 + 0.04 * static_cast<double>(seed)},
                       {"topk", 0.1, 0.9}}));
  EXPECT_THAT(seeds_text(test.played), AllOf(HasSubstr("150 ms (0 s to "), HasSubstr(" to 100.00 %)")));
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

/// In 6 of 6 seeds p = 0.031 for a pair alone, which three pairs make 0.094.
TEST(SeedReport, SignTestsAreCorrectedForTheNumberOfPairs) {
  TestStudy test;
  add_two_arms(test, 0.9);
  test.add("signs", "none", {phase("all", {.exchange_ms = 10})});
  test.scenario().learner.target = 0.9;
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    test.played.seeds.push_back(seed_of(seed, {{"dense", 0.2, {}, 20.0 + static_cast<double>(seed)},
                                               {"topk", 0.1, {}, {}},
                                               {"signs", 0.1, {}, {}}}));
  EXPECT_THAT(seed_verdicts(test.played),
              ElementsAre("`dense`, `topk` and `signs` are not told apart in time to the target by 6 seeds.",
                          "`dense` reaches the target before `topk` in 6 of 6 seeds (sign test: p = 0.094 "
                          "corrected for 3 pairs)."));
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

/// Share of studies whose verdicts name a better arm. Accuracies are normal; that of arm i has the mean
/// i * `step`, in standard deviations.
double share_with_winner(int arms, std::uint64_t seeds, double step) {
  TestStudy test;
  for (int arm = 0; arm < arms; ++arm)
    test.add("arm" + std::to_string(arm), "none", {phase("all", {.exchange_ms = 10})});
  std::mt19937_64 random(11);
  boost::random::normal_distribution<double> normal;  // the same on every platform
  constexpr int studies = 400;
  int named = 0;
  for (int study = 0; study < studies; ++study) {
    test.played.seeds.clear();
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      std::vector<SeedArmFigures> figures;
      for (int arm = 0; arm < arms; ++arm)
        figures.push_back({"arm" + std::to_string(arm), 0.1, 0.9 + 0.01 * (normal(random) + arm * step)});
      test.played.seeds.push_back(seed_of(seed, figures));
    }
    named += std::ranges::any_of(seed_verdicts(test.played), [](const std::string& sentence) {
      return sentence.find("than `") != std::string::npos;
    });
  }
  return static_cast<double>(named) / studies;
}

TEST(SeedReport, NamesAWinnerAmongEqualArmsInAtMostFivePercentOfStudies) {
  constexpr double noise = 0.01;  // of 400 studies
  for (const std::uint64_t seeds : {2U, 3U, 5U, 10U})
    for (const int arms : {2, 5, 12})
      EXPECT_LE(share_with_winner(arms, seeds, 0), 0.05 + noise) << arms << " arms, " << seeds << " seeds";
}

TEST(SeedReport, TellsTwoArmsApartThatDifferByTwoDeviationsOnTenSeeds) {
  EXPECT_GT(share_with_winner(2, 10, 2), 0.95);
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
  for (std::uint64_t seed = 2; seed <= 6; ++seed)
    test.played.seeds.push_back(
        seed_of(seed, {{"dense", 0.2}, {"topk", 0.1 + 0.01 * static_cast<double>(seed)}}));
  const ExpectationReport none;
  const auto json = nlohmann::ordered_json::parse(study_json({&test.played, &none}));
  const auto& topk = json.at("over_seeds").at(1);
  EXPECT_EQ(topk.at("arm"), "topk");
  EXPECT_EQ(topk.at("seeds"), 5);
  EXPECT_NEAR(topk.at("step_time_s").at("mean").get<double>(), 0.14, 1e-12);
  EXPECT_NEAR(topk.at("step_time_s").at("low").get<double>(), 0.14 - 2.776445 * std::sqrt(2.5e-4 / 5), 1e-8);
  EXPECT_NEAR(topk.at("step_time_s").at("high").get<double>(), 0.14 + 2.776445 * std::sqrt(2.5e-4 / 5), 1e-8);
  const auto& difference = json.at("seed_differences").at(0);
  EXPECT_EQ(difference.at("arm"), "dense");
  EXPECT_EQ(difference.at("other"), "topk");
  EXPECT_EQ(difference.at("figure"), "sample_time_s");
  EXPECT_NEAR(difference.at("difference").get<double>(), (0.14 - 0.2) / 100, 1e-12);
  EXPECT_EQ(difference.at("excludes_zero"), true);
  EXPECT_LT(difference.at("p_value").get<double>(), 0.01);
  EXPECT_EQ(difference.at("seeds"), 5);
  EXPECT_EQ(json.at("seed_tiers").at(0).at("tiers").size(), 2U);
  EXPECT_THAT(json.at("answer").get<std::string>(),
              StartsWith("`topk` has less time per sample than `dense`"));
}

}  // namespace
}  // namespace sim::report
