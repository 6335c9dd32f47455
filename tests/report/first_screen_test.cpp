// The first screen: what it holds, and that it fits.
#include "sim/report/first_screen.hpp"

#include <algorithm>
#include <sstream>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string screen_of(const SimulatedStudy& study, const Screen& screen = {}) {
  const ExpectationReport report = judge(study);
  return first_screen({&study, &report}, screen);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(FirstScreen, OfSixArmsFitsFifteenLinesOfEightyColumns) {
  TestStudy test("Which of six?");
  for (int i = 0; i < 6; ++i)
    test.add("arm-with-a-long-name-" + std::to_string(i), i == 0 ? "none" : "topk",
             {phase("all", {.exchange_ms = 100.0 / (1 + i), .compress_ms = 2.0 * i, .sent_mb = 9.0 - i})});
  const auto lines = lines_of(screen_of(test.played));
  const auto filled = std::ranges::count_if(lines, [](const std::string& line) { return !line.empty(); });
  EXPECT_LE(filled, 15);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80U) << line;
}

TEST(FirstScreen, ListsTheFastestFirstAndSixOfMany) {
  TestStudy test;
  for (int i = 0; i < 9; ++i)
    test.add("arm" + std::to_string(i), "none", {phase("all", {.exchange_ms = 90.0 - 10 * i})});
  const std::string text = screen_of(test.played);
  EXPECT_LT(text.find("\narm8 "), text.find("\narm7 "));
  EXPECT_THAT(text, HasSubstr("\n3 more\n"));
  EXPECT_THAT(text, Not(HasSubstr("\narm2 ")));
}

TEST(FirstScreen, HasColumnsOnlyWhereArmsDiffer) {
  TestStudy test;
  test.add("a", "none", {phase("all", {.exchange_ms = 10, .sent_mb = 5})});
  test.add("b", "none", {phase("all", {.exchange_ms = 90, .sent_mb = 5})});
  const std::string text = screen_of(test.played);
  EXPECT_THAT(text, HasSubstr("exchange (ms)"));
  EXPECT_THAT(text, Not(HasSubstr("compute (ms)")));
  EXPECT_THAT(text, Not(HasSubstr("sent/worker")));
}

TEST(FirstScreen, HasEveryPartThatMakesArmsDiffer) {
  TestStudy test;
  for (const double scale : {1.0, 2.0}) {
    engine::PhaseResult whole =
        phase("all", {.exchange_ms = 10 * scale, .compress_ms = 5 * scale, .wait_ms = 3 * scale});
    whole.parts.stream_wait = ms(40 * scale);
    test.add(scale > 1 ? "slow" : "fast", "topk", {whole});
  }
  const std::string text = screen_of(test.played, {.width = 200});
  for (const char* title : {"exchange (ms)", "compress (ms)", "wait (ms)", "stream wait (ms)"})
    EXPECT_THAT(text, HasSubstr(title));
}

TEST(FirstScreen, NeverCutsAWarning) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  for (int i = 0; i < 30; ++i) test.study().warnings.push_back("caveat " + std::to_string(i));
  const std::string text = screen_of(test.played);
  for (const std::string& warning : test.study().warnings)
    EXPECT_THAT(text, HasSubstr("\nwarning: " + warning + "\n"));
}

TEST(FirstScreen, SaysWhatTheNumbersRestOn) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  test.scenario().work.workload.device = "some GPU";
  EXPECT_THAT(screen_of(test.played, {.width = 200}),
              EndsWith("inputs: computing: roofline on some GPU; network: links as stated; accuracy: not "
                       "predicted. More: --details\n"));
}

TEST(FirstScreen, SaysThatCollectivesAreMeasuredWhereTheirTimesWereUsed) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  engine::EvaluatorCounts& by = test.played.arms.front().result.evaluators;
  const auto says = [&](const std::string& network) {
    return HasSubstr("network: " + network + "; accuracy");
  };
  by.reused = 1;
  EXPECT_THAT(screen_of(test.played, {.width = 200}), says("links as stated"));
  by.measured = 1;
  EXPECT_THAT(screen_of(test.played, {.width = 200}), says("partly measured collectives"));
  by.reused = 0;
  EXPECT_THAT(screen_of(test.played, {.width = 200}), says("measured collectives"));
}

TEST(FirstScreen, OfATargetNamesWhoReachesItAndWhoTies) {
  TestStudy test;
  for (const auto& [name, seconds] : {std::pair{"slow", 3.0}, {"near", 1.05}, {"first", 1.0}}) {
    SimulatedArm& arm = test.add(name, "none", {phase("all", {})});
    test.scenario().learner.target = 0.9;
    engine::Evaluated reached;
    reached.at = {seconds};
    reached.accuracy = 0.95;
    arm.result.learning = engine::LearningResult{};
    arm.result.learning->curve = {reached};
    arm.result.learning->target = reached;
  }
  EXPECT_THAT(screen_of(test.played, {.width = 200}),
              HasSubstr("90.00 % accuracy is reached by `first` after 1 s, a tie with `near` (up to 7.5 % "
                        "later); then `slow` after 3 s.\n"));
}

/// An arm that reaches 90 % after so many seconds.
SimulatedArm& add_reaching(TestStudy& test, const std::string& name, const std::string& method,
                           double seconds) {
  SimulatedArm& arm = test.add(name, method, {phase("all", {})});
  test.scenario().learner.target = 0.9;
  engine::Evaluated reached;
  reached.at = {seconds};
  reached.accuracy = 0.95;
  arm.result.learning = engine::LearningResult{};
  arm.result.learning->curve = {reached};
  arm.result.learning->target = reached;
  return arm;
}

TEST(FirstScreen, AFloorReachesNoTargetFirst) {
  TestStudy test;
  add_reaching(test, "int8", "int8", 1).result.compression_level = scenario::CostLevel::floor;
  add_reaching(test, "dense", "none", 3);
  const std::string text = screen_of(test.played, {.width = 200});
  EXPECT_THAT(text, HasSubstr("90.00 % accuracy is reached by `dense` after 3 s; not judged: `int8` after at "
                              "least 1 s, as no longest time of compressing is known.\n"));
  EXPECT_LT(text.find("\ndense "), text.find("\nint8 "));
}

TEST(FirstScreen, SaysOfArmsThatDidNotFinishWhyTheyAreLeftOut) {
  TestStudy test;
  test.add("broken", "none", {phase("all", {})}).result.ending = engine::Ending::stopped_by_failure;
  test.add("whole", "none", {phase("all", {.exchange_ms = 50})});
  const std::string text = screen_of(test.played, {.width = 200});
  EXPECT_THAT(text, HasSubstr("\n`whole` takes 150 ms per step"));
  EXPECT_THAT(text, HasSubstr("\n`broken` is not compared: a failure ended it after 10 steps.\n"));
  EXPECT_LT(text.find("\nwhole "), text.find("\nbroken "));
}

TEST(FirstScreen, KeepsTheLeadingArmAmongSixOfMany) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 900})});
  for (int i = 0; i < 8; ++i)
    test.add("topk" + std::to_string(i), "topk", {phase("all", {.exchange_ms = 10.0 + i})});
  const std::string text = screen_of(test.played);
  EXPECT_THAT(text, HasSubstr("\ndense "));
  EXPECT_THAT(text, Not(HasSubstr("\ntopk5 ")));
}

TEST(FirstScreen, ShortensLongNamesInTheTableOnly) {
  TestStudy test;
  const std::string name(60, 'n');
  test.add(name, "none", {phase("all", {})});
  const std::string text = screen_of(test.played, {.width = 200});
  EXPECT_THAT(text, HasSubstr("\n" + std::string(27, 'n') + "..."));
  EXPECT_THAT(text, HasSubstr("`" + name + "` takes"));
}

TEST(FirstScreen, DetailsFollowTheAnswer) {
  TestStudy test;
  test.add("a", "none", {phase("early", {}), phase("late", {.exchange_ms = 9})});
  const ExpectationReport report = judge(test.played);
  const std::string text = study_document({&test.played, &report}, {.width = 80, .details = true}).text();
  EXPECT_EQ(text.find(screen_of(test.played)), 0U);
  EXPECT_THAT(text, HasSubstr("early\narm "));
  EXPECT_THAT(text, HasSubstr("left out: "));
}

TEST(FirstScreen, WarningsAreAColumnOfTheRows) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  test.study().warnings = {"one", "two"};
  const ExpectationReport report = judge(test.played);
  const command_line::Table table = study_document({&test.played, &report}).rows();
  const auto column = command_line::column_of(table, "warnings");
  ASSERT_TRUE(column);
  EXPECT_EQ(table.rows[0][*column], command_line::Cell("one; two"));
}

TEST(FirstScreen, AnArmThatFailuresKeepFromEndingHasNoCost) {  // 3600 USD/h are 1 USD/s
  TestStudy test;
  for (const char* name : {"steady", "failing"}) {
    add_reaching(test, name, "none", 15.0);
    test.scenario().rented = {1, {1.0}, "stated"};
    test.scenario().objective = scenario::StudyObjective::cost;
  }
  test.scenario().availability = {.mtbf = {1e-3}};  // of the second arm
  EXPECT_THAT(
      screen_of(test.played, {.width = 200}),
      HasSubstr("90.00 % accuracy is reached by `steady` for 15 USD, after 15 s; without a cost, as failures "
                "come too often: `failing`.\n"));
}

// 3600 USD/h are 1 USD/s.
TEST(FirstScreen, ByCostTheCheapestAtTheTargetIsFirst) {
  TestStudy test;
  for (const auto& [name, seconds, usd_per_hour] :
       {std::tuple{"fast", 10.0, 7200.0}, {"near", 15.0, 3720.0}, {"cheap", 15.0, 3600.0}}) {
    add_reaching(test, name, "none", seconds);
    test.scenario().rented = {1, {usd_per_hour / 3600}, "stated"};
    test.scenario().objective = scenario::StudyObjective::cost;
  }
  const std::string text = screen_of(test.played, {.width = 200});
  EXPECT_THAT(text,
              HasSubstr("90.00 % accuracy is reached by `cheap` for 15 USD, after 15 s, a tie with `near` "
                        "(up to 7.5 % more); then `fast` for 20 USD, after 10 s.\n"));
  EXPECT_THAT(text, HasSubstr("to target (s)  to target (USD)"));
  EXPECT_THAT(text,
              HasSubstr("; price: 1 machine at 7200 USD/h (stated) or 1 machine at 3720 USD/h (stated) or "
                        "1 more. More: --details\n"));
  EXPECT_LT(text.find("\ncheap "), text.find("\nnear "));
  EXPECT_LT(text.find("\nnear "), text.find("\nfast "));
}

// Ten steps of 100 ms at 3600 USD/h are 1 USD; per 1000 samples it says no more where arms do the same work.
TEST(FirstScreen, HasTheCostWherePricesAreStated) {
  TestStudy test;
  test.add("one", "none", {phase("all", {.compute_ms = 100})});
  test.scenario().rented = {1, {1}, "stated"};
  const std::string text = screen_of(test.played, {.width = 200});
  EXPECT_THAT(text, HasSubstr("cost (USD)"));
  EXPECT_THAT(text, Not(HasSubstr("per 1000 samples")));
  EXPECT_THAT(text, HasSubstr("`one` takes 100 ms per step and 1 s in all, for 1 USD; most of it"));
  test.add("two", "none", {phase("all", {.compute_ms = 100}, 20)});
  test.scenario().rented = {1, {2}, "stated"};
  EXPECT_THAT(screen_of(test.played, {.width = 200}), HasSubstr("cost (USD)  per 1000 samples (USD)"));
}

}  // namespace
}  // namespace sim::report
