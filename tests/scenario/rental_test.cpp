// Prices as shipped and as refused, and the cost of a cluster.
#include "sim/scenario/rental.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::scenario {

// Prices: all shipped ones load, and errors.

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
  EXPECT_EQ(price_error("a,b,,0,4,16,0,0.1,x,y,z\n"),
            "/prices/cloud_prices.csv:2:13: column `on_demand_usd_per_h` is 0; write a price above 0, or "
            "leave the cell empty where it is unknown");
}

}  // namespace

// Prices of machines, shared among the workers of a node.

namespace {

const language::Value nowhere = language::Value::map({}, language::Origin("s.yaml"));

TEST(Rental, ALookedUpPriceIsThatOfTheTable) {  // 3.06 USD/h on demand, 1.76 on the spot market
  Price price;
  price.machine = "aws/p3.2xlarge";
  EXPECT_NEAR(rental_of(price, {}, nowhere, "p", data_dir)->price.count, 3.06 / 3600, 1e-12);
  price.spot = true;
  EXPECT_NEAR(rental_of(price, {}, nowhere, "p", data_dir)->price.count, 1.76 / 3600, 1e-12);
}

TEST(Rental, WorkersOfANodeShareItsPriceAndItsInterruptions) {
  const policies::Rental machine{.price = {8}, .interruptions = {4}};
  EXPECT_EQ(share_node(machine, 8).price.count, 1);
  EXPECT_EQ(share_node(machine, 8).interruptions.count, 0.5);
}

TEST(Rental, RefusesAPriceThatIsNone) {
  EXPECT_EQ(check_price({}, nowhere, "advice.price").error().text(),
            "s.yaml: `advice.price`: no price is given; write `machine: NAME` of `sim list prices`, or "
            "`per_machine: "
            "0.134 USD/h`");
  Price price;
  price.machine = "aws/g9";
  EXPECT_EQ(rental_of(price, {}, nowhere, "p", data_dir).error().what,
            "`p.machine`: unknown machine `aws/g9`");
}

/// The error where this machine is priced and the times are of that device.
std::string refusal_of(const std::string& machine, const std::string& device) {
  Price price;
  price.machine = machine;
  const auto checked = check_priced_device(price, device, nowhere, "planning.price", data_dir);
  return checked ? "none" : checked.error().text();
}

TEST(Rental, ThePriceOfAnotherAcceleratorIsRefused) {
  EXPECT_EQ(refusal_of("aws/g4dn.xlarge", "Tesla V100-SXM2-32GB"),
            "s.yaml: `planning.price.machine`: `aws/g4dn.xlarge` has `T4`, and the compute times are of "
            "`Tesla V100-SXM2-32GB`; machines that have it: `aws/p3.2xlarge`, `aws/p3.8xlarge`, "
            "`aws/p3.16xlarge`, `aws/p3dn.24xlarge`, `lambda/gpu_8x_v100`; or state the price as "
            "`per_machine`");
  EXPECT_TRUE(refusal_of("aws/c5.24xlarge", "v100_sxm2_datasheet")
                  .starts_with("s.yaml: `planning.price.machine`: `aws/c5.24xlarge` has no accelerator, and "
                               "the compute times are of `v100_sxm2_datasheet`; machines that have it: "));
  EXPECT_NE(refusal_of("aws/g4dn.xlarge", "Tesla V100-DGXS-32GB"), "none");  // no file, yet a known model
}

TEST(Rental, AnAcceleratorThatNoListedMachineHasIsPricedByHand) {
  EXPECT_EQ(refusal_of("aws/g4dn.xlarge", "l4_datasheet"),
            "s.yaml: `planning.price.machine`: `aws/g4dn.xlarge` has `T4`, and the compute times are of "
            "`l4_datasheet`; no machine of `sim list prices` has it: state its price as `per_machine: 10 "
            "USD/h`");
}

TEST(Rental, ThePriceOfTheSameAcceleratorIsAccepted) {
  EXPECT_EQ(refusal_of("aws/p3.2xlarge", "Tesla V100-SXM2-32GB"), "none");
  EXPECT_EQ(refusal_of("aws/p4d.24xlarge", "NVIDIA A100-PG509-200"), "none");
  EXPECT_EQ(refusal_of("aws/p5.48xlarge", "NVIDIA H100 80GB HBM3"), "none");
  EXPECT_EQ(refusal_of("aws/g4dn.xlarge", "not stated"), "none");
  EXPECT_EQ(refusal_of("", "Tesla V100-SXM2-32GB"), "none");
}

TEST(Rental, MachinesOfTheH100ClassHaveDatedPrices) {  // per machine of 8: 55.04 and 31.92 USD/h
  const auto prices = load_prices(data_dir);
  ASSERT_TRUE(prices);
  const auto price = [&](const std::string& name) {
    const auto found = std::ranges::find(*prices, name, &MachinePrice::name);
    return found == prices->end() ? 0 : found->on_demand.count * 3600;
  };
  EXPECT_NEAR(price("aws/p5.48xlarge"), 55.04, 1e-9);
  EXPECT_NEAR(price("lambda/gpu_8x_h100_sxm5"), 31.92, 1e-9);
  for (const MachinePrice& machine : *prices) EXPECT_FALSE(machine.as_of.empty()) << machine.name;
}

// The price of a cluster that `sim run` simulates.

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// Eight V100s, four in each node, with a price.
std::string priced(const std::string& price, const std::string& per_node = "4") {
  return with_cluster("workers: 8, workers_per_node: " + per_node +
                      ", inner_link: {latency: 10 us, bandwidth: 100 Gbit/s}, device: v100_sxm2_datasheet, " +
                      good_link) +
         "price: " + price + "\n";
}

std::string replaced(std::string text, std::string_view old, std::string_view with) {
  text.replace(text.find(old), old.size(), with);
  return text;
}

TEST(RentedCluster, PaysForEachNode) {  // 12.24 USD/h for four V100s
  const auto rented = first_arm(priced("{machine: aws/p3.8xlarge}")).rented.value();
  EXPECT_EQ(rented.count, 2);
  EXPECT_NEAR(rented.all().count, 2 * 12.24 / 3600, 1e-12);
  EXPECT_EQ(rented.source, "aws/p3.8xlarge, us-east-1, approx. 2023");
  EXPECT_EQ(first_arm(priced("{machine: aws/p3.8xlarge, spot: true}")).rented->source,
            "aws/p3.8xlarge (spot), us-east-1, approx. 2023");
  EXPECT_EQ(first_arm(priced("{per_machine: 36 USD/h}")).rented->each.count, 0.01);
  EXPECT_FALSE(first_arm(least).rented.has_value());
}

TEST(RentedCluster, RefusesAMachineThatTheClusterDoesNotHave) {
  EXPECT_THAT(refusal(priced("{machine: aws/g4dn.metal}")),
              HasSubstr("`price.machine`: `aws/g4dn.metal` has `T4`, and the compute times are of "
                        "`v100_sxm2_datasheet`"));
  EXPECT_THAT(refusal(replaced(priced("{machine: aws/p4d.24xlarge}"), "v100_sxm2_datasheet",
                               "a100_sxm4_80gb_datasheet")),
              HasSubstr("`price.machine`: `aws/p4d.24xlarge` has `A100-40GB`, and the compute times are of "
                        "`a100_sxm4_80gb_datasheet`"));
  EXPECT_THAT(
      refusal(priced("{machine: aws/p3.2xlarge}")),
      EndsWith("`price.machine`: `aws/p3.2xlarge` has 1 accelerator, and a node of the cluster has 4 "
               "workers; name a machine with at least 4 of `sim list prices`, or state the price of a "
               "node as `per_machine`"));
  EXPECT_THAT(refusal(priced("{spot: true}")), HasSubstr("`price`: no price is given"));
  EXPECT_THAT(refusal(priced("{machine: aws/p9}")), HasSubstr("`price.machine`: unknown machine `aws/p9`"));
}

TEST(RentedCluster, WarnsOfAcceleratorsThatStayIdle) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch, priced("{machine: aws/p3.16xlarge}"));
  EXPECT_THAT(
      reading->study.warnings,
      Contains(EndsWith("`price.machine`: `aws/p3.16xlarge` has 8 accelerators, and a node 4 workers: "
                        "idle ones are paid, too")));
}

TEST(RentedCluster, CostDecidesOnlyWhereMachinesHaveAPrice) {
  EXPECT_THAT(
      refusal(least + "objective: cost\n"),
      HasSubstr("`objective: cost` needs the price of a machine, and nothing provides it; write `price: "
                "{machine: aws/p5.48xlarge}` or `objective: time`"));
  EXPECT_EQ(refusal(least + "objective: cost\nprice: {per_machine: 3 USD/h}\n"), "accepted");
}

TEST(RentedCluster, ArmsHaveOneObjective) {
  EXPECT_THAT(
      refusal(least + "price: {per_machine: 3 USD/h}\ncompare: {a: {objective: cost}, b: {}}\n"),
      HasSubstr("`objective`: arm `b` is ordered by time, and arm `a` by cost; write one `objective` at "
                "the top of the file"));
}

}  // namespace
}  // namespace sim::scenario
