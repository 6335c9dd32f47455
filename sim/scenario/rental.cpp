// Prices of cloud machines, and the cost of a rented cluster.
#include "sim/scenario/rental.hpp"

#include <algorithm>
#include <array>
#include <charconv>
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
using Changes = std::vector<netmodels::Change>;

Result<void> check_price(const MachineRent& price, const language::Value& tree, const std::string& path) {
  if (price.machine.empty() == !price.per_machine.has_value()) {
    return language::refuse_at(
        tree, path, price.per_machine ? "both `machine` and `per_machine` are given" : "no price is given",
        price.spot && !price.per_machine
            ? "write `machine: NAME` of a row of `sim list prices` that has a spot price"
            : "write `machine: NAME` of `sim list prices`, or `per_machine: 0.134 USD/h`",
        price.per_machine ? Changes{{path + ".machine", {}}}
                          : Changes{{path + ".per_machine", "10 USD/h"}, {path + ".spot", {}}});
  }
  if (price.spot && price.machine.empty()) {
    return language::refuse_at(
        tree, path + ".spot", "`per_machine` is the only price of a machine without a name",
        "leave it out, and write the spot price as `per_machine`", {{path + ".spot", {}}});
  }
  return {};
}

namespace {

/// Another machine in place of the one that is named.
Changes named_machine(const std::string& path, const std::string& name) {
  return {{path + ".machine", name}};
}

/// The row of the table that the price names.
Result<MachinePrice> find_machine(const MachineRent& price, const language::Value& tree,
                                  const std::string& path, const std::filesystem::path& data_dir) {
  GRADSIM_TRY(prices, load_prices(data_dir));
  const auto found = std::ranges::find(*prices, price.machine, &MachinePrice::name);
  if (found != prices->end()) return std::move(*found);
  std::vector<std::string_view> names;
  for (const MachinePrice& machine : *prices) names.push_back(machine.name);
  const std::string guess = netmodels::suggestion(price.machine, names);
  const auto near = netmodels::nearest(price.machine, names);
  return language::refuse_at(tree, path + ".machine", "unknown machine `" + price.machine + "`",
                             (guess.empty() ? "" : guess + " ") + "`sim list prices` shows all",
                             near ? named_machine(path, std::string(*near)) : Changes{});
}

/// "aws/p5.48xlarge, us-east-1, approx. 2026".
std::string source_text(const MachinePrice& machine, bool spot) {
  const std::string_view as_of = machine.as_of;
  return fmt::format("{}{}, {}, {}", machine.name, spot ? " (spot)" : "", machine.region,
                     as_of.substr(0, as_of.find(" (")));
}

}  // namespace

Result<RentedMachines> rented_machine(const MachineRent& price, const language::Value& tree,
                                      const std::string& path, const std::filesystem::path& data_dir) {
  if (price.per_machine) return RentedMachines{.each = *price.per_machine, .source = "stated"};
  GRADSIM_TRY(machine, find_machine(price, tree, path, data_dir));
  if (price.spot && !machine->spot)
    return language::refuse_at(
        tree, path + ".spot", "the spot price of `" + price.machine + "` is unknown",
        "leave it out, or write its spot price as `per_machine` in place of `machine` and `spot`",
        {{path + ".spot", {}}});
  return RentedMachines{.each = price.spot ? *machine->spot : machine->on_demand,
                        .source = source_text(*machine, price.spot)};
}

Result<policies::Rental> rental_of(const Price& price, netmodels::Seconds restore,
                                   const language::Value& tree, const std::string& path,
                                   const std::filesystem::path& data_dir) {
  GRADSIM_TRY(machine, rented_machine(price, tree, path, data_dir));
  return policies::Rental{.price = machine->each,
                          .interruptions = {price.interruptions_per_hour / netmodels::seconds_per_hour},
                          .checkpoint_every = price.checkpoint_every,
                          .restore = restore};
}

namespace {

/// A device as a workload names it, and as the folder of devices does.
struct NamedDevice {
  std::string_view stated;
  std::optional<std::string> file;
};

/// Memory in GB that a name states: 40 of "A100-40GB" and of "a100_sxm4_40gb".
std::optional<int> memory_in(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    int size = 0;
    const auto [end, failed] = std::from_chars(name.data() + i, name.data() + name.size(), size);
    if (failed != std::errc{}) continue;
    const auto at = static_cast<std::size_t>(end - name.data());
    const std::string_view unit = name.substr(at, 2);
    if (unit == "GB" || unit == "gb") return size;
    i = at;
  }
  return std::nullopt;
}

/// Whether a name is that of a model, and states no other memory.
bool names_accelerator(std::string_view name, std::string_view accelerator) {
  const std::string_view model = accelerator.substr(0, accelerator.find('-'));  // T4; A100 of A100-40GB
  const auto stated = memory_in(name);
  const auto held = memory_in(accelerator);
  return !model.empty() && inputs::names_model(name, model) && (!stated || !held || *stated == *held);
}

/// The name of the file decides where it states a memory: a workload may name the model alone.
bool has_accelerator(const MachinePrice& machine, const NamedDevice& device) {
  if (device.file && memory_in(*device.file)) return names_accelerator(*device.file, machine.accelerator);
  return names_accelerator(device.stated, machine.accelerator) ||
         (device.file && names_accelerator(*device.file, machine.accelerator));
}

/// The first machine with the accelerator; none: a price of a machine's own.
Changes first_machine(const std::vector<MachinePrice>& prices, const NamedDevice& device,
                      const std::string& path) {
  const auto found = std::ranges::find_if(
      prices, [&](const MachinePrice& machine) { return has_accelerator(machine, device); });
  if (found != prices.end()) return named_machine(path, found->name);
  return {{path + ".machine", {}}, {path + ".per_machine", "10 USD/h"}};
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

Result<void> check_priced_device(const MachineRent& price, std::string_view device,
                                 const language::Value& tree, const std::string& path,
                                 const std::filesystem::path& data_dir) {
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
      hint_of_machines(*prices, named), first_machine(*prices, named, path));
}

Result<void> check_machine_size(const MachineRent& price, int workers_per_node, const language::Value& tree,
                                const std::string& path, const std::filesystem::path& data_dir) {
  if (price.machine.empty()) return {};
  GRADSIM_TRY(machine, find_machine(price, tree, path, data_dir));
  if (machine->accelerators == 0 || workers_per_node <= machine->accelerators) return {};
  GRADSIM_TRY(prices, load_prices(data_dir));
  const auto larger = std::ranges::find_if(*prices, [&](const MachinePrice& other) {
    return other.accelerator == machine->accelerator && other.accelerators >= workers_per_node;
  });
  return language::refuse_at(
      tree, path + ".machine",
      fmt::format("`{}` has {} accelerator{}, and a node of the cluster has {} workers", price.machine,
                  machine->accelerators, machine->accelerators == 1 ? "" : "s", workers_per_node),
      fmt::format("name a machine with at least {} of `sim list prices`, or state the price of a node as "
                  "`per_machine`",
                  workers_per_node),
      larger == prices->end() ? Changes{} : named_machine(path, larger->name));
}

std::string uninterrupted_spot(const language::Value& tree, const std::string& path,
                               std::string_view remedy) {
  return fmt::format(
      "{}: `{}`: the price of machines that are taken away, and no interruption is counted; write for "
      "example `{}`",
      language::place_of(tree, path), path, remedy);
}

std::vector<std::string> price_warnings(const std::optional<MachineRent>& price, int workers_per_node,
                                        const language::Value& tree, const std::filesystem::path& data_dir) {
  if (!price || price->machine.empty()) return {};
  const auto machine = find_machine(*price, tree, "price", data_dir);
  if (!machine || machine->accelerators <= workers_per_node) return {};
  return {fmt::format(
      "{}: `price.machine`: `{}` has {} accelerators, and a node {} worker{}: idle ones are paid, too",
      language::place_of(tree, "price.machine"), price->machine, machine->accelerators, workers_per_node,
      workers_per_node == 1 ? "" : "s")};
}

policies::Rental share_node(policies::Rental machine, int workers_per_node) {
  machine.price *= 1.0 / workers_per_node;
  machine.interruptions *= 1.0 / workers_per_node;
  return machine;
}

}  // namespace sim::scenario
