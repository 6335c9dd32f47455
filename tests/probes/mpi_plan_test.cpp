// What the MPI probe is asked for, in words, and how it shares its time.
#include "calibrate/probes/mpi_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/measurements/operation.hpp"

namespace calibrate::probes {
namespace {

using namespace netmodels::literals;
using netmodels::Bytes;
using netmodels::Seconds;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(MpiPlan, EveryRowIsAnOperationOfMeasurementsFiles) {
  for (const MpiRow& row : mpi_rows()) EXPECT_TRUE(measurements::find_operation(row.name)) << row.name;
  EXPECT_EQ(read_exchanges("all")->size(), mpi_rows().size());
}

TEST(MpiPlan, ExchangesKeepTheOrderOfTheirNames) {
  const auto exchanges = read_exchanges("broadcast, all_reduce");
  ASSERT_TRUE(exchanges);
  EXPECT_EQ(exchanges->at(0)->name, "broadcast");
  EXPECT_EQ(exchanges->at(1)->name, "all_reduce");
}

TEST(MpiPlan, UnknownOrRepeatedExchangeIsRefused) {
  EXPECT_THAT(read_exchanges("all_redus").error().text(),
              HasSubstr("--collectives: unknown exchange `all_redus`; did you mean `all_reduce`?"));
  EXPECT_EQ(read_exchanges("ar_topk,ar_topk").error().text(),
            "--collectives: duplicate `ar_topk`; name each once");
  EXPECT_THAT(read_exchanges("").error().text(), HasSubstr("unknown exchange ``"));
}

TEST(MpiPlan, OutOfRangeIsRefusedByTheOptionsName) {
  const auto refusal = [](int repetitions, double ratio, Seconds most_time) {
    return check({{}, {}, repetitions, ratio, most_time}).error().text();
  };
  EXPECT_EQ(refusal(2, 0.1, 1_s), "--repetitions: `2` is out of range; accepted: 3 to 10000");
  EXPECT_EQ(refusal(3, 0, 1_s),
            "--ratio: `0` is not a compression ratio; accepted: above 0 to 1; 0.01 keeps 1 %");
  EXPECT_EQ(refusal(3, 1, 0_s), "--most-time: no time is given; accepted: a time above 0");
  EXPECT_TRUE(check({{}, {}, 3, 1, 1_s}));
}

TEST(RepetitionBudget, SharesTheTimeLeftEvenly) {
  RepetitionBudget budget(10_s, 4, 20);
  EXPECT_EQ(budget.grant(0_s, 100_ms), 20);  // 2.5 s each: 25 would fit
  EXPECT_EQ(budget.grant(1_s, 1_s), 3);      // 3 s each
  EXPECT_EQ(budget.grant(4_s, 500_ms), 6);   // 3 s each
  EXPECT_EQ(budget.grant(9_s, 100_ms), 10);
}

TEST(RepetitionBudget, GrantsAMedianAtLeastAndNothingOnceTheTimeIsOver) {
  RepetitionBudget budget(10_s, 3, 20);
  EXPECT_EQ(budget.grant(0_s, 60_s), fewest_repetitions);
  EXPECT_EQ(budget.grant(180_s, 1_ms), 0);
  EXPECT_EQ(budget.grant(10_s, 1_ms), 0);
}

}  // namespace
}  // namespace calibrate::probes
