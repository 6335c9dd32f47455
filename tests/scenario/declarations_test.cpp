#include "sim/scenario/declarations.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "sim/scenario/conflicts.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/support.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using settings::Capability;
using settings::CapabilityRow;

const Declared& declared(const std::string& label) {
  const auto found = std::ranges::find(declarations(), label, &Declared::label);
  EXPECT_NE(found, declarations().end()) << label;
  return *found;
}

TEST(Declarations, EveryCapabilityIsNeededOrUsed) {
  for (const CapabilityRow& row : settings::capabilities()) {
    EXPECT_TRUE(std::ranges::any_of(declarations(), [&](const Declared& one) {
      return one.demands.needs.contains(row.capability) || one.demands.uses.contains(row.capability);
    })) << row.name;
  }
}

TEST(Declarations, EveryNeededCapabilityCanBeMissing) {
  for (const CapabilityRow& row : settings::capabilities()) {
    const bool needed = std::ranges::any_of(
        declarations(), [&](const Declared& one) { return one.demands.needs.contains(row.capability); });
    if (!needed) continue;
    EXPECT_NE(row.needed, "") << row.name;
    const bool offered = std::ranges::any_of(
        declarations(), [&](const Declared& one) { return one.demands.offers.contains(row.capability); });
    const bool denied = std::ranges::any_of(
        declarations(), [&](const Declared& one) { return one.demands.denies.contains(row.capability); });
    EXPECT_TRUE(row.only_offered ? offered : denied) << row.name;
    EXPECT_TRUE(!denied || !row.lacking.empty()) << row.name;
  }
}

TEST(Declarations, NothingOffersWhatIsGivenUnlessDenied) {
  for (const Declared& one : declarations()) {
    for (const CapabilityRow& row : settings::capabilities())
      EXPECT_TRUE(row.only_offered || !one.demands.offers.contains(row.capability))
          << one.label << " " << row.name;
  }
}

TEST(Declarations, LabelsAreUnique) {
  std::set<std::string> labels;
  for (const Declared& one : declarations()) EXPECT_TRUE(labels.insert(one.label).second) << one.label;
}

TEST(Declarations, DefaultsExcludeNothing) {
  Scenario scenario = first_arm(least);
  for (const Feature& feature : features_of(scenario, language::Value::map({}, language::Origin())))
    EXPECT_TRUE(feature.demands.denies.empty() && feature.demands.needs.empty()) << feature.label;
}

TEST(Support, RowsFollowFromDeclarations) {
  EXPECT_TRUE(exclude_each_other(declared("`synchronisation: asp`"), declared("`cluster.failures`")));
  EXPECT_TRUE(exclude_each_other(declared("`cluster.failures`"), declared("`synchronisation: asp`")));
  EXPECT_FALSE(exclude_each_other(declared("`synchronisation: diloco`"), declared("`cluster.failures`")));
  EXPECT_TRUE(exclude_each_other(declared("`parallelism.site: node`"), declared("`synchronisation: bsp`")));
  EXPECT_FALSE(exclude_each_other(declared("`synchronisation: asp`"), declared("`synchronisation: diloco`")));
}

}  // namespace
}  // namespace sim::scenario
