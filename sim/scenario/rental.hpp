// The cost of a rented cluster, and the prices of cloud machines in scenarios/prices.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "policies/rental.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/planning.hpp"

namespace sim::scenario {

// Prices of cloud machines in scenarios/prices.

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

// The cost of renting the machines of a training, as a scenario states it.

/// @param path  of the key in `tree`, such as `planning.price`
/// @returns nothing, or the Error of a price that is missing, stated twice, or of no spot machine
netmodels::Result<void> check_price(const MachineRent& price, const language::Value& tree,
                                    const std::string& path);

/// The price of one machine, with its source.
/// @param price     that `check_price` accepts
/// @param data_dir  the folder `scenarios`, which holds prices/
/// @returns an Error for a machine that is not known, or has no spot price
netmodels::Result<RentedMachines> rented_machine(const MachineRent& price, const language::Value& tree,
                                                 const std::string& path,
                                                 const std::filesystem::path& data_dir);

/// A price that `check_price` accepts, of one machine.
/// @param restore   from a checkpoint, after each interruption
/// @param data_dir  the folder `scenarios`, which holds prices/
/// @returns the rental, or an Error for a machine that is not known, or has no spot price
netmodels::Result<policies::Rental> rental_of(const Price& price, netmodels::Seconds restore,
                                              const language::Value& tree, const std::string& path,
                                              const std::filesystem::path& data_dir);

/// Whether the machine that is priced has the accelerator whose times are used.
/// @param device  of the workload, as it states it; one that names no model, such as `not stated`, is not
///                judged
/// @returns nothing, also where a price is stated without a machine, or an Error whose hint names machines
///          with that accelerator
netmodels::Result<void> check_priced_device(const MachineRent& price, std::string_view device,
                                            const language::Value& tree, const std::string& path,
                                            const std::filesystem::path& data_dir);

/// Whether a node has no more workers than the priced machine has accelerators; machines without any are not
/// judged.
netmodels::Result<void> check_machine_size(const MachineRent& price, int workers_per_node,
                                           const language::Value& tree, const std::string& path,
                                           const std::filesystem::path& data_dir);

/// Warning of a spot price beside which no interruption is counted.
/// @param path    of the key `spot`
/// @param remedy  keys that state interruptions
std::string uninterrupted_spot(const language::Value& tree, const std::string& path, std::string_view remedy);

/// A warning where a machine has more accelerators than a node has workers: those that stay idle are paid.
std::vector<std::string> price_warnings(const std::optional<MachineRent>& price, int workers_per_node,
                                        const language::Value& tree, const std::filesystem::path& data_dir);

/// Workers of one node share its price and its interruptions.
/// @param machine  rental of a node
policies::Rental share_node(policies::Rental machine, int workers_per_node);

}  // namespace sim::scenario
