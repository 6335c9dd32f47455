// Plans of NCCL probes: what is refused, and what happens where there is no device.
#include "calibrate/probes/nccl_plan.hpp"

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
  plan.ratio = 0;
  EXPECT_EQ(refused(plan), "--ratio: the ratio 0; accepted: above 0, at most 1");
  plan = good();
  plan.operations = {"all_reduce", "all_gathr"};
  EXPECT_EQ(refused(plan).substr(0, 68),
            "--operations: there is no operation `all_gathr`; did you mean `all_g");
  plan = good();
  plan.sizes = {Bytes{8192}, Bytes{8192}};
  EXPECT_EQ(refused(plan), "--sizes: sizes do not rise from above 0; write for example 4KiB..64MiB");
  plan.sizes.clear();
  EXPECT_EQ(refused(plan), "--operations: nothing is to be measured; name operations and sizes");
}

TEST(NcclPlan, EveryOperationIsOneThatFilesKnow) {
  for (const std::string_view name : nccl_operations())
    EXPECT_TRUE(measurements::find_operation(name)) << name;
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
