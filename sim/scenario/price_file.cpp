// Reads prices of cloud machines.
#include "sim/scenario/price_file.hpp"

#include <array>

#include "sim/scenario/table_file.hpp"

namespace sim::scenario {
namespace {

using netmodels::DollarRate;
using netmodels::Result;

constexpr std::array<std::string_view, 11> price_columns{
    "provider",       "instance", "accelerator", "accelerators", "vcpus", "memory_gib", "on_demand_usd_per_h",
    "spot_usd_per_h", "region",   "as_of",       "source"};

Result<std::optional<DollarRate>> read_price(const TableFile& table, std::size_t row,
                                             std::string_view column) {
  if (table.text(row, column).empty()) return std::nullopt;
  GRADSIM_TRY(price, table.number(row, column));
  if (*price > 0) return DollarRate{*price / netmodels::seconds_per_hour};
  return netmodels::refuse(table.where(row, column), "column `" + std::string(column) + "` is 0",
                           "a price above 0, or nothing where it is not known");
}

Result<MachinePrice> read_machine(const TableFile& table, std::size_t row) {
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
  GRADSIM_TRY(table, TableFile::read(data_dir / "prices" / "cloud_prices.csv", price_columns));
  std::vector<MachinePrice> prices;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    GRADSIM_TRY(machine, read_machine(*table, row));
    prices.push_back(std::move(*machine));
  }
  return prices;
}

}  // namespace sim::scenario
