// Parameter server: figures by hand, and the limits of its closed form.
#include "netmodels/parameter_server.hpp"

#include <gtest/gtest.h>

#include "tests/netmodels/slow_link.hpp"

namespace netmodels {
namespace {

using namespace literals;

using netmodels::testing::kLink;

TEST(ParameterServer, FourRanksPushAndPullThroughOneLink) {  // 2 ms + 2 * 3 * 10 MB / 100 MB/s
  EXPECT_NEAR(parameter_server_allreduce_time({4, 10_MB}, kLink).count, 0.602, 1e-15);
}

TEST(ParameterServer, OneRankIsFree) {
  EXPECT_EQ(parameter_server_allreduce_time({1, 10_MB}, kLink), Seconds{});
  EXPECT_EQ(parameter_server_allreduce({1, 10_MB}).messages(), 0U);
}

TEST(ParameterServer, TwoRanksSendOneMessageEachWay) {
  EXPECT_NEAR(parameter_server_allreduce_time({2, 10_MB}, kLink).count, 0.202, 1e-15);
  EXPECT_EQ(parameter_server_allreduce({2, 10_MB}).messages(), 2U);
}

TEST(ParameterServer, EveryMessageHasTheServerAtOneEnd) {
  const Schedule schedule = parameter_server_allreduce({5, 10_MB});
  ASSERT_EQ(schedule.phases.size(), 2U);
  for (const Transfer& transfer : schedule.phases[0].rounds[0]) EXPECT_EQ(transfer.to, 0U);
  for (const Transfer& transfer : schedule.phases[1].rounds[0]) EXPECT_EQ(transfer.from, 0U);
  EXPECT_EQ(schedule.bytes(), 80_MB);
}

TEST(ParameterServer, TimeGrowsWithTheNumberOfWorkersServed) {
  const double ten = parameter_server_allreduce_time({11, 10_MB}, {{}, {100e6}}).count;
  const double twenty = parameter_server_allreduce_time({21, 10_MB}, {{}, {100e6}}).count;
  EXPECT_NEAR(twenty, 2 * ten, 1e-14);
}

}  // namespace
}  // namespace netmodels
