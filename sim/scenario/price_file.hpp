// Prices of cloud machines as they lie in scenarios/prices.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace sim::scenario {

/// One kind of machine.
struct MachinePrice {
  std::string name;         ///< `provider/instance`
  std::string accelerator;  ///< empty where it has none
  std::int64_t accelerators = 0;
  std::int64_t vcpus = 0;
  netmodels::DollarRate on_demand;
  std::optional<netmodels::DollarRate> spot;  ///< median; nothing where it is not known
  std::string region;
  std::string as_of;
  std::string source;
};

/// @param data_dir  the folder `scenarios`
/// @returns every row of prices/cloud_prices.csv, or an Error with its position
netmodels::Result<std::vector<MachinePrice>> load_prices(const std::filesystem::path& data_dir);

}  // namespace sim::scenario
