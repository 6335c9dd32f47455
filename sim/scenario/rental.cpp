// Looks prices up.
#include "sim/scenario/rental.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "netmodels/nearest.hpp"
#include "sim/scenario/place.hpp"
#include "sim/scenario/price_file.hpp"

namespace sim::scenario {

using netmodels::Result;

Result<void> check_price(const Price& price, const Value& tree, const std::string& path) {
  if (price.machine.empty() == !price.per_machine.has_value()) {
    return refuse_at(tree, path,
                     price.per_machine ? "both `machine` and `per_machine` are given" : "no price is given",
                     "write `machine: NAME` of `sim list prices`, or `per_machine: 0.134 USD/h`");
  }
  if (price.spot && price.machine.empty()) {
    return refuse_at(tree, path + ".spot", "a stated price has no spot price beside it",
                     "state the spot price as `per_machine`, or name a `machine`");
  }
  return {};
}

Result<policies::Rental> rental_of(const Price& price, netmodels::Seconds restore, const Value& tree,
                                   const std::string& path, const std::filesystem::path& data_dir) {
  policies::Rental rental{.price = {},
                          .interruptions = {price.interruptions_per_hour / netmodels::seconds_per_hour},
                          .checkpoint_every = price.checkpoint_every,
                          .restore = restore};
  if (price.per_machine) {
    rental.price = *price.per_machine;
    return rental;
  }
  GRADSIM_TRY(prices, load_prices(data_dir));
  const auto found = std::ranges::find(*prices, price.machine, &MachinePrice::name);
  if (found == prices->end()) {
    std::vector<std::string_view> names;
    for (const MachinePrice& machine : *prices) names.push_back(machine.name);
    const std::string guess = netmodels::suggestion(price.machine, names);
    return refuse_at(tree, path + ".machine", "`" + price.machine + "` is no known machine",
                     (guess.empty() ? "" : guess + " ") + "`sim list prices` shows all");
  }
  if (price.spot && !found->spot)
    return refuse_at(tree, path + ".spot", "no spot price of `" + price.machine + "` is known",
                     "leave it out, or state it as `per_machine`");
  rental.price = price.spot ? *found->spot : found->on_demand;
  return rental;
}

policies::Rental share_node(policies::Rental machine, int workers_per_node) {
  machine.price *= 1.0 / workers_per_node;
  machine.interruptions *= 1.0 / workers_per_node;
  return machine;
}

}  // namespace sim::scenario
