// The meaning of names of policies.
#include <gtest/gtest.h>

#include "kernels/catalogue.hpp"
#include "netmodels/collective.hpp"
#include "policies/synchronisation_row.hpp"
#include "sim/language/document.hpp"
#include "sim/scenario/policy_grid.hpp"

namespace sim::scenario {
namespace {

language::Value written_out(const std::string& advice, const learning::learners::LearnerChoice& learner = {},
                            bool changes = false, int workers_per_node = 1) {
  Scenario base;
  base.cluster.workers_per_node = workers_per_node;
  base.learner.kind = learner;
  base.work.training.batch = 48;
  auto written =
      write_out_catalogue(*language::parse_value(advice, language::Origin("--set advice")), base, changes);
  EXPECT_TRUE(written) << (written ? "" : written.error().text());
  return written ? std::move(*written) : language::Value();
}

TEST(PolicyCatalogue, AListThatIsLeftOutIsTheCatalogue) {
  const language::Value written = written_out("{}");
  EXPECT_EQ(written.find("synchronisation")->items().size(), 1U);
  EXPECT_EQ(written.find("compression")->items().size(), kernels::wire_formats().size() - 1);
  for (const language::Value& compression : written.find("compression")->items())
    EXPECT_NE(compression.find("method")->text(), "randomk");  // only where it is named
  EXPECT_EQ(written.find("batches")->items().front().text(), "48");
  EXPECT_EQ(written.find("ratios")->items().size(), 3U);
  for (const language::Value& name : written.find("collectives")->items()) {
    EXPECT_NE(name.text(), "table_one_ring");  // a closed form has no messages
    EXPECT_FALSE((*netmodels::find_collective(name.text()))->two_level) << name.text();  // no nodes
  }
}

TEST(PolicyCatalogue, TwoLevelCollectivesAreListedWhereWorkersShareNodes) {
  std::string two_level;
  const language::Value written = written_out("{}", {}, false, 8);
  for (const language::Value& name : written.find("collectives")->items())
    if ((*netmodels::find_collective(name.text()))->two_level) two_level += name.text() + " ";
  EXPECT_EQ(two_level,
            "hierarchical_allreduce hierarchical_allgather leader_allgather ar_topk_hierarchical ");
}

TEST(PolicyCatalogue, ALibraryChoosesItselfAndTwoLevelsAreMadeOfItsCalls) {
  Scenario base;
  base.cluster.workers_per_node = 8;
  base.cluster.fabric = Fabric{.transport = "nccl_tcp", .library = "nccl"};
  const auto written =
      write_out_catalogue(*language::parse_value("{}", language::Origin("--set advice")), base, false);
  std::string names;
  for (const language::Value& name : written->find("collectives")->items()) names += name.text() + " ";
  EXPECT_EQ(names, "hierarchical_allreduce hierarchical_allgather leader_allgather auto ");
}

TEST(PolicyCatalogue, OnHardwareOfNcclAllIsItsChoice) {
  Scenario base;
  base.cluster.workers_per_node = 8;
  base.cluster.nccl = netmodels::nccl::Hardware{};
  const auto written =
      write_out_catalogue(*language::parse_value("{}", language::Origin("--set advice")), base, false);
  ASSERT_EQ(written->find("collectives")->items().size(), 1U);
  EXPECT_EQ(written->find("collectives")->items().front().text(), "auto");
}

TEST(PolicyCatalogue, ALiveLearnerOpensEveryRoleButPoliciesOfOtherPrograms) {
  const language::Value written = written_out("{}", learning::learners::live());
  EXPECT_EQ(written.find("synchronisation")->items().size(), policies::synchronisations().size() - 1);
  EXPECT_EQ(written.find("compression")->items().size(), kernels::wire_formats().size() + 5);
}

TEST(PolicyCatalogue, ANameBecomesAMapAtItsPlace) {
  const language::Value written =
      written_out("{synchronisation: [periodic, {method: periodic, every: 5}], compression: [gravac]}");
  const auto& meetings = written.find("synchronisation")->items();
  EXPECT_EQ(meetings[0].find("every")->text(), "20");
  EXPECT_EQ(meetings[0].find("every")->origin().text(), "--set advice");
  EXPECT_EQ(meetings[1].find("every")->text(), "5");
  EXPECT_EQ(written.find("compression")->items()[0].find("policy")->text(), "gravac");
}

TEST(PolicyCatalogue, AutoComesWithNetworksThatChange) {
  EXPECT_EQ(written_out("{}", {}, true).find("collectives")->items().back().text(), "auto");
  EXPECT_NE(written_out("{}").find("collectives")->items().back().text(), "auto");
}

}  // namespace
}  // namespace sim::scenario
