// DBS by hand: once an epoch, by the speed in the epoch before.
#include "policies/dbs_batch.hpp"

#include <gtest/gtest.h>

#include "tests/policies/batching_job.hpp"

namespace policies {
namespace {

BatchingJob dbs_job(TimeOfBatch time) {
  BatchingJob job(std::make_unique<DbsBatch>(DbsBatch::Settings{}, BatchBounds{}), {60, 60}, std::move(time));
  job.epochs_of(10);
  return job;
}

TEST(DbsBatch, FollowsTheSpeedOnceAnEpoch) {  // three times as fast: 30 and 90
  BatchingJob run =
      dbs_job([](std::uint32_t worker, int samples) { return (worker == 0 ? 3 : 1) * samples * 1e-3; });
  run.run(10);
  EXPECT_EQ(run.changes(), 0);
  EXPECT_TRUE(run.step());
  EXPECT_EQ(run.samples(), (std::vector<int>{30, 90}));
  EXPECT_EQ(run.run(100).changes(), 1);
}

// Ten steps of which the first worker takes 9 at 1 ms and one at 11 ms per sample: 600 samples in 1.2 s.
TEST(DbsBatch, WeighsTheWholeEpoch) {
  int step = 0;
  BatchingJob run = dbs_job([&](std::uint32_t worker, int samples) {
    const bool slow = worker == 0 && ++step == 4;
    return (slow ? 11 : 1) * samples * 1e-3;
  });
  run.run(11);
  EXPECT_EQ(run.samples(), (std::vector<int>{40, 80}));
  run.run(10);
  EXPECT_EQ(run.samples(), (std::vector<int>{60, 60}));  // its mind changes with the next epoch
}

}  // namespace
}  // namespace policies
