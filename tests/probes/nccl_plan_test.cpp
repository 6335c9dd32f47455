// Plans of NCCL probes: errors, and the behaviour without a device.
#include "calibrate/probes/nccl_plan.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace calibrate::probes {
namespace {

using netmodels::Bytes;

NcclPlan good() {
  NcclPlan plan;
  plan.operations = {"all_reduce"};
  plan.sizes = {Bytes{4096}, Bytes{8192}};
  return plan;
}

std::string refused(const NcclPlan& plan) {
  const auto checked = check(plan);
  return checked ? "accepted" : checked.error().text();
}

TEST(NcclPlan, OfTwoRanksAndRisingSizesIsAccepted) { EXPECT_EQ(refused(good()), "accepted"); }

TEST(NcclPlan, NamesTheOptionThatIsWrong) {
  NcclPlan plan = good();
  plan.ranks = 1;
  EXPECT_EQ(refused(plan), "--ranks: 1 ranks; accepted: 2 to 64");
  plan = good();
  plan.job = JobRank{"srun", 0, 4, 0, {}};
  EXPECT_EQ(refused(plan), "--ranks: 2 ranks, and srun has started 4; leave out --ranks");
  plan = good();
  plan.ratio = 0;
  EXPECT_EQ(refused(plan), "--ratio: the ratio 0; accepted: above 0, at most 1");
  plan = good();
  plan.operations = {"all_reduce", "all_gathr"};
  EXPECT_EQ(refused(plan).substr(0, 64), "--operations: unknown operation `all_gathr`; did you mean `all_g");
  plan = good();
  plan.ranks = 4;
  plan.operations = {"point_to_point"};
  EXPECT_EQ(refused(plan),
            "--ranks: `point_to_point` among 4 ranks; use --ranks 2, or leave `point_to_point` out of "
            "--operations");
  plan = good();
  plan.sizes = {Bytes{8192}, Bytes{8192}};
  EXPECT_EQ(refused(plan), "--sizes: sizes do not increase from above 0; write for example 4KiB..64MiB");
  plan.sizes.clear();
  EXPECT_EQ(refused(plan), "--operations: nothing to measure; name operations and sizes");
}

TEST(NcclSample, IsReadAgainAsItWasPrinted) {
  const NcclSample sample{Bytes{4096}, {netmodels::Seconds{1.0 / 3}, netmodels::Seconds{2e-6}}};
  const auto read = parse_sample(print_sample(sample));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size, sample.size);
  EXPECT_EQ(read->times, sample.times);
  for (const char* text : {"", "4096", "4096 x"}) EXPECT_FALSE(parse_sample(text)) << text;
}

TEST(NcclPlan, EveryOperationIsOneThatFilesKnow) {
  for (const std::string_view name : nccl_operations())
    EXPECT_TRUE(measurements::find_operation(name)) << name;
}

/// A size takes so long as it has kilobytes in ms; said in order.
struct Course {
  std::vector<std::string> said;
  NcclMeasured measured;

  void take(const NcclPlan& plan) {
    const auto measure = [](const std::string&, Bytes size) {
      return NcclSample{size, {{size.count * 1e-6}, {1}, {0}}};
    };
    measure_planned(plan, measure, {.said = [&](const std::string& next) { said.push_back(next); }},
                    measured);
  }
};

NcclPlan of_two_operations() {
  NcclPlan plan = good();
  plan.operations = {"all_reduce", "broadcast"};
  return plan;
}

TEST(NcclProbe, GoesThroughEveryOperationAndSize) {
  Course course;
  course.take(of_two_operations());
  EXPECT_EQ(course.said, (std::vector<std::string>{"all_reduce of 4 KiB", "all_reduce of 8 KiB",
                                                   "broadcast of 4 KiB", "broadcast of 8 KiB"}));
  ASSERT_EQ(course.measured.exchanges.size(), 2U);
  EXPECT_EQ(course.measured.exchanges[1].operation->name, "broadcast");
  ASSERT_EQ(course.measured.exchanges[1].samples.size(), 2U);
  EXPECT_EQ(course.measured.exchanges[1].samples[1].median(), netmodels::Seconds{8.192e-3});
  EXPECT_TRUE(course.measured.warnings.empty());
}

TEST(NcclProbe, LeavesOutASizeThatIsThatOfTheOneBefore) {
  NcclMeasured measured;
  measure_planned(
      good(),
      [](const std::string&, Bytes) {
        return NcclSample{Bytes{4096}, {{1}}};
      },
      {}, measured);
  EXPECT_EQ(measured.exchanges.front().samples.size(), 1U);
}

TEST(NcclProbe, WarnsOfRanksThatASharedDeviceServesByTurns) {
  Course course;
  course.measured.way = NcclWay::private_copies;
  course.take(good());
  EXPECT_EQ(course.measured.warnings,
            std::vector<std::string>{"all_reduce of 4 KiB takes 4.096 ms: the device seems to time-slice "
                                     "the ranks, so latencies are of time slices and not of NCCL"});
}

/// How many samples there are of each operation where it is stopped at the size of this number.
std::vector<std::size_t> samples_until(std::size_t last, std::vector<std::string>& warnings) {
  std::atomic<bool> stop = last == 0;
  NcclPlan plan = of_two_operations();
  plan.stop = &stop;
  NcclMeasured measured;
  std::size_t number = 0;
  const auto measure = [&](const std::string&, Bytes size) {
    stop = ++number == last;
    return NcclSample{size, {{1}}};
  };
  measure_planned(plan, measure, {}, measured);
  warnings = measured.warnings;
  std::vector<std::size_t> counts;
  for (const auto& exchange : measured.exchanges) counts.push_back(exchange.samples.size());
  return counts;
}

TEST(NcclProbe, ToldToStopKeepsWhatItMeasured) {
  std::vector<std::string> warnings;
  EXPECT_EQ(samples_until(3, warnings), (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(warnings, std::vector<std::string>{"stopped after 3 of 4 sizes"});
  EXPECT_EQ(samples_until(2, warnings), std::vector<std::size_t>{2});
  EXPECT_EQ(samples_until(0, warnings), std::vector<std::size_t>{});
  EXPECT_EQ(warnings, std::vector<std::string>{"stopped after 0 of 4 sizes"});
  EXPECT_EQ(samples_until(4, warnings), (std::vector<std::size_t>{2, 2}));
  EXPECT_TRUE(warnings.empty());
}

/// Fails at one size, and at every size of a failing operation.
NcclSample fail_some(const std::string& operation, Bytes size) {
  if (operation == "all_gather" || size == Bytes{4096}) throw std::runtime_error("cudaMalloc: out of memory");
  return NcclSample{size, {{1}}};
}

TEST(NcclProbe, GoesOnAfterACaseThatFailsAndNamesIt) {
  NcclPlan plan = good();
  plan.operations = {"all_reduce", "all_gather", "broadcast"};
  NcclMeasured measured;
  measure_planned(plan, fail_some, {}, measured);
  ASSERT_EQ(measured.exchanges.size(), 2U);
  EXPECT_EQ(measured.exchanges[0].samples.size(), 1U);
  EXPECT_EQ(measured.exchanges[1].operation->name, "broadcast");
  EXPECT_EQ(measured.failures, (std::vector<std::string>{"all_reduce of 4 KiB: cudaMalloc: out of memory",
                                                         "all_gather of 4 KiB: cudaMalloc: out of memory",
                                                         "all_gather of 8 KiB: cudaMalloc: out of memory",
                                                         "broadcast of 4 KiB: cudaMalloc: out of memory"}));
  EXPECT_TRUE(measured.warnings.empty());
}

TEST(NcclProbe, TakesTheNextOperationAfterTwoFailuresInARow) {
  NcclPlan plan = good();
  plan.operations = {"all_gather", "broadcast"};
  plan.sizes = {Bytes{1024}, Bytes{2048}, Bytes{8192}, Bytes{16384}};
  NcclMeasured measured;
  measure_planned(plan, fail_some, {}, measured);
  EXPECT_EQ(measured.failures,
            (std::vector<std::string>{"all_gather of 1 KiB: cudaMalloc: out of memory",
                                      "all_gather of 2 KiB: cudaMalloc: out of memory",
                                      "all_gather from 8 KiB: left out after 2 failures in a row"}));
  ASSERT_EQ(measured.exchanges.size(), 1U);
  EXPECT_EQ(measured.exchanges[0].samples.size(), 4U);
  EXPECT_TRUE(measured.warnings.empty());  // it was not stopped
}

TEST(NcclProbe, OfOneRankOfAJobTriesEverySizeSoThatAllRanksMeet) {
  NcclPlan plan = good();
  plan.job = JobRank{"srun", 0, plan.ranks, 0, 1};
  plan.operations = {"all_gather"};
  plan.sizes = {Bytes{1024}, Bytes{2048}, Bytes{8192}, Bytes{16384}};
  NcclMeasured measured;
  measure_planned(plan, fail_some, {}, measured);
  EXPECT_EQ(measured.failures.size(), 4U);
}

TEST(NcclProbe, GivesEverySampleOutBeforeTheNextIsMeasured) {
  std::vector<std::size_t> given;
  NcclMeasured measured;
  const auto measure = [&](const std::string&, Bytes size) {
    given.push_back(0);
    return NcclSample{size, {{1}}};
  };
  const NcclProgress progress{.measured = [&](const NcclMeasured& so_far) {
    given.push_back(so_far.exchanges.back().samples.size());
  }};
  measure_planned(good(), measure, progress, measured);
  EXPECT_EQ(given, (std::vector<std::size_t>{0, 1, 0, 2}));
}

TEST(NcclProbe, SaysWhatIsMissing) {
  const auto measured = probe_nccl(good(), {});
  if (measured) GTEST_SKIP() << "skipped: there is a GPU here";
  EXPECT_NE(measured.error().text().find("; "), std::string::npos) << measured.error().text();
  EXPECT_TRUE(measured.error().where.empty() || measured.error().where == "--library")
      << measured.error().text();
}

}  // namespace
}  // namespace calibrate::probes
