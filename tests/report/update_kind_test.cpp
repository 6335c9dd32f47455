// Which arms change the model alike, and a property of verdicts over random studies.
#include "sim/report/update_kind.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/local_steps.hpp"
#include "sim/report/study_document.hpp"
#include "sim/scenario/tie.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

policies::SynchronisationChoice every(std::int64_t steps) {
  return policies::synchronisation("periodic", policies::Periodic::Settings{steps});
}

/// An arm that trains so many samples in a step of so many milliseconds.
SimulatedArm& add_arm(TestStudy& test, const std::string& name, const std::string& method, double step_ms,
                      int batch = 32) {
  engine::PhaseResult steps = phase("all", {.compute_ms = step_ms});
  steps.samples_per_second *= batch / 32.0;
  SimulatedArm& arm = test.add(name, method, {steps});
  test.scenario().work.training.batch = batch;
  return arm;
}

UpdateKind kind_of(TestStudy& test) {
  const scenario::Scenario& last = test.scenario();
  return update_kind(last.exchange.synchronisation, last.exchange.compression, last.work.parallelism);
}

TEST(UpdateKind, IsExactOnlyWithoutLossAndInEveryStep) {
  TestStudy test;
  add_arm(test, "dense", "none", 100);
  EXPECT_EQ(kind_of(test), UpdateKind::exact);
  test.scenario().work.parallelism.data = netmodels::find_sharding("hsdp");
  EXPECT_EQ(kind_of(test), UpdateKind::exact);
  test.scenario().work.parallelism.data = netmodels::find_sharding("zero++");
  EXPECT_EQ(kind_of(test), UpdateKind::approximated);
  add_arm(test, "topk", "topk", 100);
  EXPECT_EQ(kind_of(test), UpdateKind::approximated);
  test.scenario().exchange.synchronisation = every(10);
  EXPECT_EQ(kind_of(test), UpdateKind::other);
}

// 256 samples in 100 ms against 1024 in 200 ms: twice the samples per second, in steps of four times as many.
TEST(UpdateKind, ALargerBatchIsFasterOnlyIfItLearnsAsWell) {
  TestStudy test;
  add_arm(test, "small", "none", 100);
  add_arm(test, "large", "none", 200, 128);
  EXPECT_THAT(answer(test.played),
              StartsWith("`small` trains 2560 samples/s. Faster, if it learns as well per "
                         "sample: `large` 2 times (5120 samples/s), because"));
}

TEST(UpdateKind, ASmallerBatchThatIsFasterWins) {
  TestStudy test;
  add_arm(test, "many", "none", 1000);
  add_arm(test, "few", "none", 50, 8);
  add_arm(test, "many-topk", "topk", 800);
  EXPECT_THAT(answer(test.played),
              StartsWith("`few` wins with 1280 samples/s, 4.0 times as fast as `many-topk` "
                         "(320 samples/s), because"));
}

TEST(UpdateKind, LongerLocalRunsDoNotWin) {
  TestStudy test;
  add_arm(test, "every-100", "none", 120);
  test.scenario().exchange.synchronisation = every(100);
  add_arm(test, "every-500", "none", 104);
  test.scenario().exchange.synchronisation = every(500);
  EXPECT_EQ(answer(test.played),
            "no winner without a learner, as the arms make different updates: `every-500` 104 ms per "
            "step, `every-100` 120 ms per step.");
}

TEST(UpdateKind, ArmsOfOneCompressionAreDecidedByTime) {
  TestStudy test;
  add_arm(test, "ring", "topk", 120);
  add_arm(test, "tree", "topk", 100);
  EXPECT_THAT(answer(test.played), StartsWith("`tree` wins with 100 ms per step"));
  test.scenario().exchange.compression.ratio = 0.5;
  EXPECT_THAT(answer(test.played), StartsWith("no winner without a learner"));
}

TEST(UpdateKind, TheExactArmIsNamedFirstInATie) {
  TestStudy test;
  add_arm(test, "topk", "topk", 100);
  add_arm(test, "dense", "none", 103);
  EXPECT_THAT(answer(test.played), StartsWith("`dense` and `topk` tie: `dense` takes 103 ms per step, `topk` "
                                              "100 ms per step; differences up to 7.5 %"));
}

TEST(UpdateKind, ArmsOfOtherMachinesAreInOneOrder) {
  const auto headline = [](bool reversed) {
    TestStudy test;
    const auto add = [&](const std::string& name, int workers, double step_ms) {
      add_arm(test, name, "none", step_ms).result.whole.samples_per_second *= workers / 8.0;
      test.scenario().cluster.workers = workers;
    };
    std::vector<std::tuple<std::string, int, double>> arms{
        {"two", 2, 110}, {"four", 4, 120}, {"eight", 8, 900}};
    if (reversed) std::ranges::reverse(arms);
    for (const auto& [name, workers, step] : arms) add(name, workers, step);
    return answer(test.played);
  };
  EXPECT_THAT(headline(false), StartsWith("`two` trains 581.8 samples/s. Faster, if it learns as well per "
                                          "sample: `four` 1.83 times (1067 samples/s)"));
  EXPECT_EQ(headline(false), headline(true));
}

// The axis changes the cluster, so that no two arms are of one world.
TEST(UpdateKind, ArmsAlongAnAxisOfMachinesAreInOneOrder) {
  TestStudy test;
  test.study().axes = {"workers"};
  for (const auto& [name, workers] : {std::pair{"two", 2}, {"four", 4}}) {
    add_arm(test, name, "none", 110).result.whole.samples_per_second *= workers / 8.0;
    test.scenario().cluster.workers = workers;
  }
  EXPECT_THAT(answer(test.played), HasSubstr("`two` trains 581.8 samples/s. Faster, if it learns as well per "
                                             "sample: `four` 2 times (1164 samples/s)"));
}

TEST(UpdateKind, OtherSettingsOfALearnerAreAnotherUpdate) {
  TestStudy test;
  add_arm(test, "low", "none", 100).result.learner = "SGD at 0.0001";
  add_arm(test, "high", "none", 120).result.learner = "SGD at 0.1";
  const Comparison comparison = comparisons(test.played).front();
  EXPECT_FALSE(same_update(comparison.candidates[0], comparison.candidates[1]));
}

/// One arm of a random study.
struct RandomArm {
  std::string name;
  std::string method;
  int batch;
  std::int64_t local;
  double step_ms;
  double price;  ///< of all machines, USD/h; 0: time decides

  [[nodiscard]] double spent() const { return step_ms / batch * (price > 0 ? price : 1); }
};

std::vector<RandomArm> random_arms(std::mt19937& random) {
  const auto one_of = [&](auto... values) {
    const std::array list{values...};
    return list[std::uniform_int_distribution<std::size_t>(0, list.size() - 1)(random)];
  };
  std::vector<RandomArm> arms;
  const int count = one_of(2, 3, 4, 5);
  const bool by_cost = one_of(false, true);
  for (int i = 0; i < count; ++i)
    arms.push_back({"arm" + std::to_string(i), one_of("none", "none", "topk", "int8"), one_of(32, 32, 128),
                    one_of(1, 1, 50), std::exp(std::uniform_real_distribution(4.0, 6.0)(random)),
                    by_cost ? one_of(1.0, 8.0, 12.0, 100.0) : 0});
  return arms;
}

/// @param usd_per_hour  of all machines
void decide_by_cost(scenario::Scenario& arm, double usd_per_hour) {
  arm.rented = {.count = 1, .each = {usd_per_hour / netmodels::seconds_per_hour}, .source = "stated"};
  arm.objective = scenario::StudyObjective::cost;
}

void fill(TestStudy& test, const std::vector<RandomArm>& arms) {
  for (const RandomArm& arm : arms) {
    add_arm(test, arm.name, arm.method, arm.step_ms, arm.batch);
    if (arm.local > 1) test.scenario().exchange.synchronisation = every(arm.local);
    if (arm.price > 0) decide_by_cost(test.scenario(), arm.price);
  }
}

/// Least time or cost per sample among exact arms of the fewest samples per step; infinite without exact
/// arms.
double least_exact(const std::vector<RandomArm>& arms) {
  double least = std::numeric_limits<double>::infinity();
  int batch = std::numeric_limits<int>::max();
  const auto exact = [](const RandomArm& arm) { return arm.method == "none" && arm.local == 1; };
  for (const RandomArm& arm : arms)
    if (exact(arm)) batch = std::min(batch, arm.batch);
  for (const RandomArm& arm : arms)
    if (exact(arm) && arm.batch == batch) least = std::min(least, arm.spent());
  return least;
}

std::string first_name(const std::string& text) {
  const std::size_t from = text.find('`') + 1;
  return text.substr(from, text.find('`', from) - from);
}

TEST(UpdateKind, OfRandomStudiesTheFirstNameIsTheBestOfItsUpdate) {
  std::mt19937 random(7);
  int led = 0;
  for (int study = 0; study < 1000; ++study) {
    std::vector<RandomArm> arms = random_arms(random);
    TestStudy test;
    fill(test, arms);
    const std::string text = answer(test.played);
    if (const double least = least_exact(arms); std::isfinite(least)) {
      ++led;
      const auto named = std::ranges::find(arms, first_name(text), &RandomArm::name);
      ASSERT_NE(named, arms.end()) << text;
      EXPECT_EQ(named->method, "none") << text;
      EXPECT_LE(named->spent(), least * (1 + scenario::tie)) << text;
      EXPECT_THAT(text, Not(HasSubstr("no winner")));
    }
    std::ranges::shuffle(arms, random);
    TestStudy other_order;
    fill(other_order, arms);
    EXPECT_EQ(answer(other_order.played), text);
  }
  EXPECT_GT(led, 500);
}

}  // namespace
}  // namespace sim::report
