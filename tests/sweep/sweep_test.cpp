// Sweeps, point by point, and the files that they name.
#include "sim/sweep/sweep.hpp"

#include <csignal>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "sim/language/document.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"
#include "tests/sweep/swept.hpp"

namespace sim::sweep {

// What the files hold that a scenario names.

namespace {

TEST(NamedFiles, AreToldWithTheirContentsOnceEach) {
  const tests::ScratchFolder scratch;
  const std::string a = scratch.write("a.yaml", "a").string();
  const std::string b = scratch.write("b.csv", "").string();
  const auto document = language::read_document(scratch.write(
      "s.yaml", "b: {file: " + b + "}\nlist: [{file: " + a + "}, " + a +
                    "]\nname: a.yaml\nnone: /no/such/file\nfolder: " + scratch.path().string() + "\n"));
  ASSERT_TRUE(document) << document.error().text();
  EXPECT_EQ(contents_of_files(document->root),
            "# " + a + ": 1 bytes, af63dc4c8601ec8c\n# " + b + ": 0 bytes, cbf29ce484222325\n");
}

}  // namespace

// Whole sweeps: what they give, and that a sweep that was killed goes on to the same end.

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string text =
    "# Does it pay?\n"
    "workload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
    "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
    "training: {batch: 32, steps: 20}\n"
    "compute: {jitter: {distribution: lognormal, sigma: 0.1}}\n"
    "compare: {dense: {}, sparse: {compression: {method: topk, ratio: 1 %}}}\n";

SweepRequest request(const tests::ScratchFolder& scratch, const std::vector<std::string>& axes) {
  SweepRequest asked{
      scratch.write("s.yaml", text).string(), {}, {}, tests::source_dir() + "/scenarios", "1.0"};
  for (const std::string& axis : axes) asked.plan.axes.push_back(*parse_axis(axis));
  return asked;
}

SweepStore opened(const std::filesystem::path& path, const SweepRequest& asked, bool resume = false) {
  const auto identity = identify(asked);
  EXPECT_TRUE(identity) << (identity ? "" : identity.error().text());
  auto store = SweepStore::open(path, *identity, resume);
  EXPECT_TRUE(store) << (store ? "" : store.error().text());
  return std::move(*store);
}

std::size_t lines(const std::string& csv) { return static_cast<std::size_t>(std::ranges::count(csv, '\n')); }

TEST(Sweep, PlaysEveryArmAtEveryPoint) {
  const tests::ScratchFolder scratch;
  const SweepRequest asked = request(scratch, {"cluster.workers=2,4", "seed=1..3"});
  SweepStore store = opened(":memory:", asked);
  std::size_t told = 0;
  SweepEffort effort{.jobs = 2};
  effort.said = [&](const SweptPoint&, std::size_t done, std::size_t all) {
    EXPECT_EQ(done, ++told);
    EXPECT_EQ(all, 6U);
  };
  const auto outcome = sweep(asked, effort, store);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->simulated, 6U);
  EXPECT_EQ(outcome->failed, 0U);
  const std::string csv = csv_of(store);
  EXPECT_THAT(csv, StartsWith("point,cluster.workers,seed,arm,steps,step_time_s,"));
  EXPECT_EQ(lines(csv), 1 + 6 * 2);
}

TEST(Sweep, GivesTheSameWithOneProcessAndWithMany) {
  const tests::ScratchFolder scratch;
  const SweepRequest asked = request(scratch, {"seed=1..8"});
  SweepStore one = opened(":memory:", asked);
  SweepStore many = opened(":memory:", asked);
  ASSERT_TRUE(sweep(asked, {.jobs = 1}, one));
  ASSERT_TRUE(sweep(asked, {.jobs = 4}, many));
  EXPECT_EQ(csv_of(one), csv_of(many));
}

TEST(Sweep, StepsAreKeptWhereTheyAreAskedFor) {
  const tests::ScratchFolder scratch;
  SweepRequest asked = request(scratch, {"seed=1..3"});
  asked.steps = true;
  const auto path = scratch / "steps.db";
  SweepStore store = opened(path, asked);
  ASSERT_TRUE(sweep(asked, {.jobs = 2}, store));
  const auto file = Database::open(path, false);
  ASSERT_TRUE(file);
  Statement rows(*file,
                 "SELECT count(*), count(DISTINCT point), count(DISTINCT arm), "
                 "(SELECT sum(steps) FROM result), typeof(step_time_s), typeof(collective) FROM step");
  ASSERT_TRUE(rows.step());
  EXPECT_GT(rows.count(0), 0);
  EXPECT_EQ(rows.count(0), rows.count(3));
  EXPECT_EQ(rows.count(1), 3);
  EXPECT_EQ(rows.count(2), 2);
  EXPECT_EQ(rows.text(4), "real");
  EXPECT_EQ(rows.text(5), "text");
  asked.steps = false;
  const auto other = SweepStore::open(path, *identify(asked), true);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text(), HasSubstr("contains another sweep: it keeps steps"));
}

TEST(Sweep, GoesOnOnlyWhileTheFilesHoldTheSameThatItsScenarioNames) {
  const tests::ScratchFolder scratch;
  const auto costs = [&](const std::string& fixed) {
    scratch.write("k.yaml",
                  "device: d\nkernels:\n  - {method: topk, fixed: " + fixed +
                      ", per_million_values: 1 ms, per_million_kept: 30 ms, smallest: 1000, largest: "
                      "1000000, median_error: 2 %, p90_error: 5 %, worst_error: 9 %}\n");
  };
  costs("20 us");
  SweepRequest asked = request(scratch, {"seed=1..2"});
  asked.settings = {"compression.kernel_times=" + (scratch / "k.yaml").string()};
  const auto path = scratch / "s.db";
  { const SweepStore store = opened(path, asked); }
  EXPECT_TRUE(SweepStore::open(path, *identify(asked), true));
  costs("90 us");
  const auto other = SweepStore::open(path, *identify(asked), true);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text(),
              HasSubstr("contains another sweep: its scenario differs: the file, a file "
                        "that it names, or a --set has changed"));
}

TEST(Sweep, APointThatIsRefusedFailsAlone) {
  const tests::ScratchFolder scratch;
  const SweepRequest asked = request(scratch, {"cluster.workers=2,3", "cluster.speeds=[1, 1],[1, 1, 1]"});
  SweepStore store = opened(":memory:", asked);
  const auto outcome = sweep(asked, {}, store);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failed, 2U);
  EXPECT_THAT(csv_of(store),
              HasSubstr("--axis cluster.speeds: `cluster.speeds`: 3 speeds are given for 2 workers"));
}

TEST(Sweep, AMistakeInAnAxisIsRefusedBeforeAnythingIsPlayed) {
  const tests::ScratchFolder scratch;
  const auto identity = identify(request(scratch, {"cluster.wrkers=2,4"}));
  ASSERT_FALSE(identity);
  EXPECT_THAT(identity.error().text(), HasSubstr("wrkers"));
  EXPECT_THAT(identity.error().where, StartsWith("--axis"));
}

/// The error of identifying this sweep, or "accepted".
std::string sweep_error(const std::vector<std::string>& axes) {
  const tests::ScratchFolder scratch;
  const auto identity = identify(request(scratch, axes));
  return identity ? "accepted" : identity.error().text();
}

TEST(Sweep, AMistakeInAnyValueThatWasWrittenIsRefusedBeforeAnythingIsPlayed) {
  EXPECT_THAT(sweep_error({"seed=1..3", "cluster.workers=2,4,0,8"}),
              StartsWith("--axis cluster.workers=0: "));
  EXPECT_THAT(sweep_error({"cluster.workers=2,4", "cluster.link.bandwidth=1 Gbit/s,ten"}),
              StartsWith("--axis cluster.link.bandwidth=ten: "));
  EXPECT_THAT(sweep_error({"cluster.workers=4000..5000"}), StartsWith("--axis cluster.workers=5000: "));
  EXPECT_EQ(sweep_error({"cluster.workers=2,4..6,8"}), "accepted");
}

TEST(Sweep, AValueThatGoesWithSomeOthersIsNoMistake) {
  EXPECT_EQ(sweep_error({"cluster.workers=2,3", "cluster.speeds=[1, 1],[1, 1, 1]"}), "accepted");
  EXPECT_EQ(sweep_error({"cluster.workers=2,3,4", "cluster.speeds=[1, 1],[1, 1, 1],[1, 1, 1, 1]"}),
            "accepted");
  EXPECT_THAT(sweep_error({"cluster.workers=2,3", "cluster.speeds=[1, 1],[1]"}),
              StartsWith("--axis cluster.workers=3: --axis cluster.speeds: `cluster.speeds`: 2 speeds"));
}

/// Sweeps in a separate process, which is killed once so many points are in the file.
void sweep_until_killed(const std::filesystem::path& path, const SweepRequest& asked, bool resume,
                        std::size_t points) {
  const pid_t child = fork();
  if (child == 0) {
    SweepStore store = opened(path, asked, resume);
    SweepEffort effort{.jobs = 2};
    effort.said = [&](const SweptPoint&, std::size_t done, std::size_t) {
      if (done >= points) (void)std::raise(SIGKILL);
    };
    (void)sweep(asked, effort, store);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(Sweep, KilledTwiceGoesOnToTheSameEnd) {
  const tests::ScratchFolder scratch;
  const SweepRequest asked = request(scratch, {"cluster.workers=2,4,8", "seed=1..5"});
  const auto path = scratch / "killed.db";
  sweep_until_killed(path, asked, false, 4);
  sweep_until_killed(path, asked, true, 9);
  SweepStore store = opened(path, asked, true);
  const std::size_t known = store.done().size();
  EXPECT_GE(known, 9U);
  const auto outcome = sweep(asked, {.jobs = 2}, store);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->known, known);
  EXPECT_EQ(outcome->simulated, 15 - known);
  SweepStore whole = opened(":memory:", asked);
  ASSERT_TRUE(sweep(asked, {.jobs = 1}, whole));
  EXPECT_EQ(csv_of(store), csv_of(whole));
}

}  // namespace
}  // namespace sim::sweep
