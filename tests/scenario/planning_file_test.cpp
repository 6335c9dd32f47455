// Questions to a planner: what is read, and what is refused with place, reason and mend.
#include "sim/scenario/planning_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

const std::string table =
    "job,workers,batch,epochs,noise,step_s,sync_s,time_h,cost_usd\n"
    "a,2,8,1,,1,,,\na,4,8,1,,2,,,\na,4,16,1,,2,,,\nb,2,8,,,3,,,\n";

std::string of_table(const std::string& profiles, const std::string& more = "") {
  return "planning:\n  profiles: {source: table, file: t.csv, " + profiles +
         "}\n  workers: [2, 4]\n  batches: [8]\n  price: {per_machine: 1 USD/h}\n" + more;
}
std::string good(const std::string& more = "") { return of_table("job: a, samples: 100", more); }

std::string of_simulation(const std::string& more, const std::string& price = "{per_machine: 1 USD/h}") {
  return least + "planning:\n  workers: [2, 4]\n  batches: [64, 128]\n  price: " + price + "\n" + more;
}

netmodels::Result<Plan> plan(const tests::ScratchFolder& scratch, const std::string& text,
                             const std::vector<std::string>& settings = {}) {
  scratch.write("t.csv", table);
  return read_plan(scratch.write("s.yaml", text), settings, data_dir, some_metrics);
}

std::string planning_error(const std::string& text, const std::vector<std::string>& settings = {}) {
  const tests::ScratchFolder scratch;
  const auto read = plan(scratch, text, settings);
  if (read) return "accepted";
  std::string error = read.error().text();
  const std::string folder = scratch.path().string() + "/";
  for (std::size_t at = error.find(folder); at != std::string::npos; at = error.find(folder))
    error.erase(at, folder.size());
  return error;
}

TEST(PlanningFile, ReadsATableWithItsDefaults) {
  const tests::ScratchFolder scratch;
  const auto read = plan(scratch, good());
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->arms.size(), 1U);
  const PlanArm& arm = read->arms.front();
  EXPECT_EQ(arm.grid, (std::vector<policies::Configuration>{{2, 8}, {4, 8}}));
  EXPECT_EQ(arm.planning.objective, policies::PlanningObjective::knee);
  EXPECT_EQ(arm.planning.search.planner, policies::PlannerChoice());
  EXPECT_EQ(label_of(arm.planning.search.planner), "scavenger (ends)");
  EXPECT_NEAR(arm.rental.price.count, 1.0 / 3600, 1e-15);
  EXPECT_FALSE(read->job);
}

TEST(PlanningFile, ThePriceOfAnotherAcceleratorIsRefused) {
  const tests::ScratchFolder scratch;
  const std::string text = of_simulation("", "{machine: aws/g4dn.xlarge}");
  const std::vector<std::string> v100{
      "workload={name: tiny, parameters: 1000, compute: 1 ms, batch: 32, device: V100}"};
  const auto read = plan(scratch, text, v100);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().what,
            "`planning.price.machine`: `aws/g4dn.xlarge` has `T4`, and the compute times are of `V100`");
  EXPECT_TRUE(plan(scratch, text));  // the device of the times is not stated
}

TEST(PlanningFile, LimitsCutTheGrid) {
  const tests::ScratchFolder scratch;
  const auto read = plan(scratch, good("  limits: {workers: 3}\n"));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->arms.front().grid, (std::vector<policies::Configuration>{{2, 8}}));
}

TEST(PlanningFile, ArmsOverrideAndSettingsWin) {
  const tests::ScratchFolder scratch;
  const std::string arms = "  compare: {fast: {objective: time}, cheap: {objective: cost}}\n";
  const auto read = plan(scratch, good(arms));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->arms[0].name, "fast");
  EXPECT_EQ(read->arms[0].planning.objective, policies::PlanningObjective::time);
  EXPECT_EQ(read->arms[1].planning.objective, policies::PlanningObjective::cost);
  const auto set = plan(scratch, good(arms), {"planning.objective=knee"});
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->arms[0].planning.objective, policies::PlanningObjective::knee);
}

TEST(PlanningFile, WarnsOfASpotPriceWithoutInterruptions) {
  const tests::ScratchFolder scratch;
  const auto warnings = [&](const std::string& price) {
    const auto found = plan(scratch, of_simulation("", price));
    return found ? found->warnings : std::vector<std::string>{found.error().text()};
  };
  EXPECT_THAT(warnings("{machine: aws/p3.2xlarge, spot: true, interruptions_per_hour: 0.1}"),
              testing::Not(testing::Contains(testing::HasSubstr("spot"))));
  EXPECT_THAT(warnings("{machine: aws/p3.2xlarge, spot: true}"),
              testing::Contains(testing::EndsWith(
                  "`planning.price.spot`: the price of machines that are taken away, and no interruption is "
                  "counted; write for example `planning.price.interruptions_per_hour: 0.2`")));
}

TEST(PlanningFile, TakesSpotPricesAndInterruptionsFromTheFile) {
  const tests::ScratchFolder scratch;
  const auto read =
      plan(scratch, of_simulation("", "{machine: aws/p3.2xlarge, spot: true, interruptions_per_hour: 0.1}"));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_NEAR(read->arms.front().rental.price.count * 3600, 1.76, 1e-12);
  EXPECT_NEAR(read->arms.front().rental.interruptions.count * 3600, 0.1, 1e-12);
  EXPECT_TRUE(read->job);
}

TEST(PlanningFile, WorkersOfANodeShareItsPrice) {
  const tests::ScratchFolder scratch;
  const auto read =
      plan(scratch, of_simulation(""),
           {"cluster.workers_per_node=2", "cluster.inner_link={latency: 1 us, bandwidth: 1 GB/s}"});
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_NEAR(read->arms.front().rental.price.count * 3600, 0.5, 1e-12);
}

TEST(PlanningFile, APrintedPlanIsAgainOne) {
  const tests::ScratchFolder scratch;
  const auto read = plan(scratch, good("  search: {restore: 37 s}\n"));
  ASSERT_TRUE(read) << read.error().text();
  const auto again = read_plan(scratch.write("again/p.yaml", print_plan(*read)), {}, data_dir, some_metrics);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->arms.front().planning.search.restore, netmodels::Seconds{37});
  EXPECT_EQ(again->arms.front().table.size(), 4U);
}

TEST(PlanningFile, KnowsWhatAFileHolds) {
  const tests::ScratchFolder scratch;
  EXPECT_TRUE(plan_kind(scratch.write("t.yaml", good()), data_dir).planning);
  EXPECT_FALSE(plan_kind(scratch.write("t.yaml", good()), data_dir).scenario);
  EXPECT_TRUE(plan_kind(scratch.write("s.yaml", of_simulation("")), data_dir).scenario);
  EXPECT_FALSE(plan_kind(scratch.write("l.yaml", least), data_dir).planning);
  EXPECT_FALSE(plan_kind(scratch / "none.yaml", data_dir).planning);
}

TEST(PlanningFile, RefusesAFileThatAsksNothing) {
  EXPECT_EQ(planning_error(least),
            "s.yaml:1:1: the file has no `planning`; write `planning: {workers: [4, 8], batches: [256, "
            "512], price: {per_machine: 0.134 USD/h}}`");
}

TEST(PlanningFile, RefusesPricesThatAreNoneOrTwo) {
  const std::string hint = "; write `machine: NAME` of `sim list prices`, or `per_machine: 0.134 USD/h`";
  EXPECT_EQ(planning_error(of_simulation("", "{}")),
            "s.yaml:8:10: `planning.price`: no price is given" + hint);
  EXPECT_EQ(planning_error(of_simulation("", "{machine: aws/p3.2xlarge, per_machine: 1 USD/h}")),
            "s.yaml:8:10: `planning.price`: both `machine` and `per_machine` are given" + hint);
  EXPECT_EQ(planning_error(of_simulation("", "{machine: aws/p3.2xlarg}")),
            "s.yaml:8:20: `planning.price.machine`: unknown machine `aws/p3.2xlarg`; did you mean "
            "`aws/p3.2xlarge`? `sim list prices` shows all");
  EXPECT_EQ(planning_error(of_simulation("", "{machine: lambda/cpu_4x_general, spot: true}")),
            "s.yaml:8:49: `planning.price.spot`: the spot price of `lambda/cpu_4x_general` is unknown; leave "
            "it out, or write its spot price as `per_machine` in place of `machine` and `spot`");
  EXPECT_EQ(planning_error(of_simulation("", "{per_machine: 1 USD/h, spot: true}")),
            "s.yaml:8:39: `planning.price.spot`: `per_machine` is the only price of a machine without a "
            "name; leave "
            "it out, and write the spot price as `per_machine`");
}

TEST(PlanningFile, RefusesTablesThatDoNotHoldTheGrid) {
  EXPECT_EQ(planning_error(of_table("job: c, samples: 100")),
            "s.yaml:2:47: `planning.profiles.job`: `c` is not a job of the table; accepted: a, b");
  EXPECT_EQ(
      planning_error(of_table("job: b, samples: 100")),
      "s.yaml:2:35: `planning.profiles.file`: the table has no epochs of `b` with 2 workers and a batch "
      "of 8; leave that size or batch out");
  EXPECT_EQ(
      planning_error(good(), {"planning.batches=16"}),
      "s.yaml:2:35: `planning.profiles.file`: the table has no row of `a` with 2 workers and a batch of 16; "
      "leave that size or batch out");
}

TEST(PlanningFile, RefusesGridsThatAreEmptyOrDouble) {
  EXPECT_EQ(planning_error(good("  limits: {workers: 1}\n")),
            "s.yaml:6:11: `planning.limits`: the limits exclude all configurations; larger limits, or "
            "smaller `workers` and `batches`");
  EXPECT_EQ(planning_error(good(), {"planning.workers=[2, 2]"}),
            "--set planning.workers: `planning.workers[0]`: duplicate 2; name each once");
}

TEST(PlanningFile, RefusesWhatCannotBePlayedAtOtherSizes) {
  EXPECT_EQ(
      planning_error(of_simulation(""), {"planning.batches=[64, 66]"}),
      "--set planning.batches: `planning.batches[1]`: 66 samples do not divide among 4 workers; batches that "
      "every number of workers divides");
  EXPECT_EQ(planning_error(of_simulation(""), {"learner={kind: parametric, file: resnet18_cifar10}"}),
            "s.yaml:6:3: `planning`: the learner has no target, so no training would ever finish; write "
            "`learner.target`, for example `target: 90 %`");
  EXPECT_EQ(planning_error(of_simulation("") + "compare: {one: {seed: 1}, two: {seed: 2}}\n"),
            "s.yaml:6:3: `planning`: a planner plans one training, but this file compares several; leave out "
            "`compare` and `axes`");
  EXPECT_EQ(
      planning_error(of_simulation(""), {"cluster.speeds=[1, 1, 1, 0.5]"}),
      "s.yaml:6:3: `planning`: settings of single workers cannot be used with a variable number of "
      "workers; leave out what is stated for single workers: `training.batches`, `cluster.speeds`, "
      "`cores`, `worker_links`, `speed_changes`, `traces`, `background`, `failures`, `absences` and `churn`, "
      "`compute.slowdowns`, `streams.rates` and `changes`");
  EXPECT_NE(
      planning_error(of_simulation(""), {"streams={rates: [100, 100, 100, 100]}"}).find("single workers"),
      std::string::npos);
  EXPECT_NE(planning_error(of_simulation(""), {"cluster.topology={kind: torus, dimensions: [2, 2]}"})
                .find("only a star grows with its number of workers"),
            std::string::npos);
  EXPECT_NE(planning_error(of_simulation(""), {"compute.batch_limits=[{memory: 40, beyond: refuse}]"})
                .find("a worker would take 64 samples, but its memory holds 40; smaller batches, more "
                      "workers, or `beyond: slow`"),
            std::string::npos);
}

TEST(PlanningFile, RefusesSettingsOfWhatIsNotPlayed) {
  EXPECT_EQ(
      planning_error(good(), {"learner.target=0.9"}),
      "--set learner.target: `learner`: nothing is simulated where profiles come from a table; set keys of "
      "`planning`");
}

TEST(PlanningFile, RefusesSearchesThatAreNot) {
  EXPECT_EQ(
      planning_error(of_simulation("  search: {stored: [a]}\n")),
      "s.yaml:9:20: `planning.search.stored`: models of other jobs need a table; leave it out, or write "
      "`profiles: {source: table, ...}`");
  EXPECT_EQ(planning_error(good("  search: {method: grid, as_printed: true}\n")).substr(0, 53),
            "s.yaml:6:26: unknown key `planning.search.as_printed`");
  EXPECT_EQ(planning_error(good("  search: {stored: [c]}\n")),
            "s.yaml:6:21: `planning.search.stored[0]`: `c` is not a job of the table; accepted: a, b");
  EXPECT_EQ(planning_error(good("  search: {stored: [b]}\n")),
            "s.yaml:6:21: `planning.search.stored[0]`: the table has no epochs for `b`; name a job that was "
            "trained to its end");
  EXPECT_EQ(planning_error(good("  search: {metod: grid}\n")).substr(0, 59),
            "s.yaml:6:12: unknown key `planning.search.metod`; did you m");
}

TEST(PlanningFile, RefusesBoundsAndArmsThatMeanNothing) {
  EXPECT_EQ(planning_error(good("  compare: {}\n")),
            "s.yaml:6:12: `planning.compare`: expected a map of arms with overrides; write `compare: {ARM: "
            "{search: {design: all}}}`");
  EXPECT_EQ(
      planning_error(good("  expect: [{arm: x, metric: explored, at_most: 1, source: y}]\n")),
      "s.yaml:6:12: `planning.expect[0].arm`: no arm matches `x`; a pattern such as `*` that fits arms under "
      "`planning.compare`");
  EXPECT_EQ(
      planning_error(good("  expect: 3\n")),
      "s.yaml:6:11: `planning.expect` is not a list; write `- {metric: time_error, at_most: 5 %, source: "
      "...}`");
}

}  // namespace
}  // namespace sim::scenario
