// Prices: all that are shipped load, and what is refused.
#include "sim/scenario/price_file.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::scenario {
namespace {

const std::string price_header =
    "provider,instance,accelerator,accelerators,vcpus,memory_gib,on_demand_usd_per_h,spot_usd_per_h,region,"
    "as_of,"
    "source\n";

std::string price_error(const std::string& row) {
  const tests::ScratchFolder scratch;
  scratch.write("prices/cloud_prices.csv", price_header + row);
  const auto prices = load_prices(scratch.path());
  return prices ? "accepted" : prices.error().text().substr(scratch.path().string().size());
}

TEST(PriceFile, ShippedPricesHaveADateASourceAndAName) {
  const auto prices = load_prices(tests::source_dir() + "/scenarios");
  ASSERT_TRUE(prices) << prices.error().text();
  std::set<std::string> names;
  for (const MachinePrice& machine : *prices) {
    EXPECT_TRUE(names.insert(machine.name).second) << machine.name;
    EXPECT_FALSE(machine.as_of.empty());
    EXPECT_FALSE(machine.source.empty());
    EXPECT_GT(machine.on_demand.count, 0);
    if (machine.spot) {
      EXPECT_LT(*machine.spot, machine.on_demand);
    }
  }
}

TEST(PriceFile, HoldsThePriceThatScavengerCalculatesWith) {
  const auto prices = load_prices(tests::source_dir() + "/scenarios");
  const auto machine = std::ranges::find(*prices, "gcp/e2-standard-4_scavenger", &MachinePrice::name);
  ASSERT_NE(machine, prices->end());
  EXPECT_NEAR(machine->on_demand.count * 3600, 0.13402, 1e-12);
  EXPECT_FALSE(machine->spot);
}

TEST(PriceFile, RefusesAMachineWithoutAPrice) {
  EXPECT_EQ(price_error("a,b,,0,4,16,,0.1,x,y,z\n"),
            "/prices/cloud_prices.csv:2:13: `a/b` has no price; a price above 0");
  EXPECT_EQ(
      price_error("a,b,,0,4,16,0,0.1,x,y,z\n"),
      "/prices/cloud_prices.csv:2:13: column `on_demand_usd_per_h` is 0; a price above 0, or nothing where "
      "it is not known");
}

}  // namespace
}  // namespace sim::scenario
