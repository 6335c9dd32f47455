// Every key of a device file.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <type_traits>

#include "netmodels/quantity.hpp"
#include "settings/fields.hpp"

namespace sim::scenario {

/// A share of a peak, and who measured it.
struct EfficiencyKeys {
  double share = 1;
  std::string source;
};

/// A device file as it is written.
struct DeviceKeys {
  std::string name;
  std::string provenance;
  std::string precision;
  netmodels::FlopRate peak;
  netmodels::Bandwidth memory_bandwidth;
  std::optional<EfficiencyKeys> compute_efficiency;
  std::optional<EfficiencyKeys> memory_efficiency;
  netmodels::Seconds launch;
};

void describe(settings::Fields& fields, EfficiencyKeys& value);

void describe(settings::Fields& fields, DeviceKeys& value);

}  // namespace sim::scenario
