// The fastest arm over the range of the goodput.
#include "sim/report/goodput_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/study_document.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// 4, 20 and 35 Gbit/s.
scenario::FabricRange tcp_range() {
  const auto link = [](double gigabits) { return netmodels::LinkState{{50e-6}, {gigabits * 1e9 / 8}}; };
  return {.kind = inputs::FabricKind::ethernet,
          .name = "nccl_tcp over 50 Gbit/s Ethernet",
          .low = link(4),
          .mid = link(20),
          .high = link(35),
          .source = "by hand"};
}

/// An arm whose samples take these times, in microseconds.
void add_arm(TestStudy& test, const std::string& name, const std::string& method, double low, double mid,
             double high) {
  SimulatedArm& arm = test.add(name, method, {phase("all", {.exchange_ms = mid})});
  test.scenario().cluster.link_range = tcp_range();
  arm.goodput = engine::GoodputSteps{{low / 1e6}, {mid / 1e6}, {high / 1e6}};
}

TEST(GoodputVerdict, SaysWhichArmWinsAtWhichGoodput) {
  TestStudy test;
  add_arm(test, "dense", "none", 500, 120, 80);
  add_arm(test, "topk", "topk", 150, 110, 100);
  const std::string sentence =
      "the arm with the least time per sample depends on the goodput: at 4 Gbit/s `topk`, at 20 Gbit/s "
      "`topk`, "
      "at 35 Gbit/s `dense` (nccl_tcp over 50 Gbit/s Ethernet).";
  EXPECT_THAT(goodput_verdicts(test.played), ElementsAre(sentence));
  const ExpectationReport none;
  EXPECT_THAT(study_json({&test.played, &none}), HasSubstr(sentence));
}

TEST(GoodputVerdict, SaysNothingWhereOneArmWinsEverywhere) {
  TestStudy test;
  add_arm(test, "dense", "none", 500, 120, 101);
  add_arm(test, "topk", "topk", 150, 110, 100);
  EXPECT_THAT(goodput_verdicts(test.played), IsEmpty());
}

TEST(GoodputVerdict, ATieIsNoOtherWinner) {
  TestStudy test;
  add_arm(test, "dense", "none", 500, 120, 100);
  add_arm(test, "topk", "topk", 150, 110, 100);
  EXPECT_THAT(goodput_verdicts(test.played), IsEmpty());
}

TEST(GoodputVerdict, SaysNothingWhereAnArmHasNoSuchSteps) {
  TestStudy test;
  add_arm(test, "dense", "none", 500, 120, 80);
  add_arm(test, "topk", "topk", 150, 110, 100);
  test.played.arms.front().goodput.reset();
  EXPECT_THAT(goodput_verdicts(test.played), IsEmpty());
}

}  // namespace
}  // namespace sim::report
