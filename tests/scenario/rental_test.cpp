// Prices of machines, shared among the workers of a node.
#include "sim/scenario/rental.hpp"

#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

const Value nowhere = Value::map({}, Origin("s.yaml"));

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
            "`p.machine`: `aws/g9` is no known machine");
}

}  // namespace
}  // namespace sim::scenario
