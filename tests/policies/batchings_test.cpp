// The rows of the batching policies: which decides at all, and within which bounds.
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "policies/batch_shares.hpp"
#include "policies/batching_row.hpp"
#include "policies/lb_bsp_batch.hpp"
#include "tests/policies/batching_job.hpp"
#include "tests/policies/described_keys.hpp"

namespace policies {
namespace {

std::vector<int> by_stated_speeds(BatchChanges changes, std::vector<std::optional<int>> most_of_worker) {
  BatchingJob job(make_policy(batching("proportional", changes), std::move(most_of_worker)), {32, 32},
                  [](std::uint32_t, int) { return 1.0; });
  return job.states({3, 1}).run(2).samples();
}

TEST(MakeBatchingPolicy, UniformNeverDecides) { EXPECT_EQ(make_policy(BatchingChoice(), {}), nullptr); }

TEST(MakeBatchingPolicy, KeepsToTheStatedBoundsAndToEachWorkersMemory) {  // 64 samples by 3 : 1
  EXPECT_EQ(by_stated_speeds({}, {}), (std::vector<int>{48, 16}));
  EXPECT_EQ(by_stated_speeds({.min = 20}, {}), (std::vector<int>{44, 20}));
  EXPECT_EQ(by_stated_speeds({.max = 40}, {}), (std::vector<int>{40, 24}));
  EXPECT_EQ(by_stated_speeds({.max = 40}, {36, std::nullopt}), (std::vector<int>{36, 28}));
}

TEST(ChangesOfBatches, AreThoseOfTheChosenPolicy) {
  LbBspBatch::Settings settings;
  settings.changes = {.min = 4, .max = 64, .restart = netmodels::Seconds{2}};
  EXPECT_EQ(changes_of(batching("lb_bsp", settings)), settings.changes);
  EXPECT_EQ(changes_of(batching("dbs", BatchChanges{.max = 7})), BatchChanges{.max = 7});
  EXPECT_EQ(changes_of(BatchingChoice()), BatchChanges{});
}

TEST(KeysOfBatches, StateTheReleasedBoundsOfStreamsAndNoMaximumElsewhere) {
  const auto of_streams = described_defaults<StreamRateBatch::Settings>();
  EXPECT_EQ(of_streams.at("min"), "8");
  EXPECT_EQ(of_streams.at("max"), "1024");
  const auto of_others = described_defaults<BatchChanges>();
  EXPECT_EQ(of_others.at("min"), "1");
  EXPECT_EQ(of_others.at("max"), std::nullopt);
}

}  // namespace
}  // namespace policies
