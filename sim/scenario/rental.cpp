// Prices of cloud machines, and the cost of a rented cluster.
#include "sim/scenario/rental.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "netmodels/nearest.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/language/place.hpp"
#include "sim/language/table_file.hpp"

namespace sim::scenario {

// Reads prices of cloud machines.

namespace {

using netmodels::DollarRate;
using netmodels::Result;

constexpr std::array<std::string_view, 11> price_columns{
    "provider",       "instance", "accelerator", "accelerators", "vcpus", "memory_gib", "on_demand_usd_per_h",
    "spot_usd_per_h", "region",   "as_of",       "source"};

Result<std::optional<DollarRate>> read_price(const language::TableFile& table, std::size_t row,
                                             std::string_view column) {
  if (table.text(row, column).empty()) return std::nullopt;
  GRADSIM_TRY(price, table.number(row, column));
  if (*price > 0) return DollarRate{*price / netmodels::seconds_per_hour};
  return netmodels::refuse(table.where(row, column), "column `" + std::string(column) + "` is 0",
                           "write a price above 0, or leave the cell empty where it is unknown");
}

Result<MachinePrice> read_machine(const language::TableFile& table, std::size_t row) {
  MachinePrice machine{.name = table.text(row, "provider") + "/" + table.text(row, "instance"),
                       .accelerator = table.text(row, "accelerator"),
                       .on_demand = {},
                       .spot = {},
                       .region = table.text(row, "region"),
                       .as_of = table.text(row, "as_of"),
                       .source = table.text(row, "source")};
  GRADSIM_TRY(accelerators, table.count(row, "accelerators"));
  GRADSIM_TRY(vcpus, table.count(row, "vcpus"));
  GRADSIM_TRY(on_demand, read_price(table, row, "on_demand_usd_per_h"));
  GRADSIM_TRY(spot, read_price(table, row, "spot_usd_per_h"));
  if (!*on_demand) {
    return netmodels::refuse(table.where(row, "on_demand_usd_per_h"), "`" + machine.name + "` has no price",
                             "a price above 0");
  }
  machine.accelerators = *accelerators;
  machine.vcpus = *vcpus;
  machine.on_demand = **on_demand;
  machine.spot = *spot;
  return machine;
}

}  // namespace

Result<std::vector<MachinePrice>> load_prices(const std::filesystem::path& data_dir) {
  GRADSIM_TRY(table, language::TableFile::read(data_dir / "prices" / "cloud_prices.csv", price_columns));
  std::vector<MachinePrice> prices;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    GRADSIM_TRY(machine, read_machine(*table, row));
    prices.push_back(std::move(*machine));
  }
  return prices;
}

// Looks prices up.

using netmodels::Result;

Result<void> check_price(const Price& price, const language::Value& tree, const std::string& path) {
  if (price.machine.empty() == !price.per_machine.has_value()) {
    return language::refuse_at(
        tree, path, price.per_machine ? "both `machine` and `per_machine` are given" : "no price is given",
        "write `machine: NAME` of `sim list prices`, or `per_machine: 0.134 USD/h`");
  }
  if (price.spot && price.machine.empty()) {
    return language::refuse_at(tree, path + ".spot", "a stated price has no spot price beside it",
                               "state the spot price as `per_machine`, or name a `machine`");
  }
  return {};
}

Result<policies::Rental> rental_of(const Price& price, netmodels::Seconds restore,
                                   const language::Value& tree, const std::string& path,
                                   const std::filesystem::path& data_dir) {
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
    return language::refuse_at(tree, path + ".machine", "unknown machine `" + price.machine + "`",
                               (guess.empty() ? "" : guess + " ") + "`sim list prices` shows all");
  }
  if (price.spot && !found->spot)
    return language::refuse_at(tree, path + ".spot", "the spot price of `" + price.machine + "` is unknown",
                               "leave it out, or state it as `per_machine`");
  rental.price = price.spot ? *found->spot : found->on_demand;
  return rental;
}

namespace {

/// A device as a workload names it, and as the folder of devices does.
struct NamedDevice {
  std::string_view stated;
  std::optional<std::string> file;
};

bool has_accelerator(const MachinePrice& machine, const NamedDevice& device) {
  const std::string_view accelerator = machine.accelerator;
  const std::string_view model = accelerator.substr(0, accelerator.find('-'));  // T4; A100 of A100-40GB
  if (model.empty()) return false;
  return inputs::names_model(device.stated, model) ||
         (device.file && inputs::names_model(*device.file, model));
}

std::string hint_of_machines(const std::vector<MachinePrice>& prices, const NamedDevice& device) {
  std::vector<std::string> names;
  for (const MachinePrice& machine : prices)
    if (has_accelerator(machine, device)) names.push_back("`" + machine.name + "`");
  if (names.empty())
    return "no machine of `sim list prices` has it: state its price as `per_machine: 10 USD/h`";
  return fmt::format("machines that have it: {}; or state the price as `per_machine`",
                     fmt::join(names, ", "));
}

}  // namespace

Result<void> check_priced_device(const Price& price, std::string_view device, const language::Value& tree,
                                 const std::string& path, const std::filesystem::path& data_dir) {
  if (price.machine.empty()) return {};
  GRADSIM_TRY(prices, load_prices(data_dir));
  const auto matched = inputs::match_device(device, data_dir);
  if (!matched) return {};
  const NamedDevice named{device, *matched ? std::optional<std::string>(**matched) : std::nullopt};
  const bool is_known = named.file || !inputs::near_devices(device, data_dir).empty();
  const auto found = std::ranges::find(*prices, price.machine, &MachinePrice::name);
  if (!is_known || found == prices->end() || has_accelerator(*found, named)) return {};
  const std::string has = found->accelerator.empty() ? "no accelerator" : "`" + found->accelerator + "`";
  return language::refuse_at(
      tree, path + ".machine",
      fmt::format("`{}` has {}, and the compute times are of `{}`", price.machine, has, device),
      hint_of_machines(*prices, named));
}

policies::Rental share_node(policies::Rental machine, int workers_per_node) {
  machine.price *= 1.0 / workers_per_node;
  machine.interruptions *= 1.0 / workers_per_node;
  return machine;
}

}  // namespace sim::scenario
