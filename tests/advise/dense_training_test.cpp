// What counts as dense, and what a training is without its policies.
#include "sim/advise/dense_training.hpp"

#include <gtest/gtest.h>

#include "policies/periodic.hpp"

namespace sim::advise {
namespace {

TEST(DenseTraining, MeetsInEveryStepAndSendsAll) {
  EXPECT_TRUE(is_dense({}));
  scenario::Scenario local;
  local.synchronisation = policies::synchronisation("periodic", policies::Periodic::Settings{});
  EXPECT_FALSE(is_dense(local));
  scenario::Scenario compressed;
  compressed.compression.method = "topk";
  EXPECT_FALSE(is_dense(compressed));
  scenario::Scenario decided;
  decided.compression.policy = *policies::find_compression("gravac");
  EXPECT_FALSE(is_dense(decided));
}

TEST(DenseTraining, KeepsNothingOfAPolicy) {
  scenario::Scenario training;
  training.training.batch = 48;
  training.synchronisation = policies::synchronisation("periodic", policies::Periodic::Settings{});
  training.compression.method = "ar_topk";
  training.compression.selection = scenario::Selection::variance;
  training.compression.warm_up.epochs = 3;
  training.exchange.collective = "ring_allreduce";
  const scenario::Scenario dense = dense_of(training);
  EXPECT_TRUE(is_dense(dense));
  EXPECT_EQ(dense.compression.selection, scenario::Selection::staleness);
  EXPECT_EQ(dense.exchange.collective, "auto");
  EXPECT_EQ(dense.training.batch, 48);
}

}  // namespace
}  // namespace sim::advise
