// Every key of a file of kernel costs, as `calibrate fit kernels` writes it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "netmodels/quantity.hpp"
#include "settings/fields.hpp"

namespace sim::scenario {

/// What restoring one message costs at one ratio.
struct RestoringKeys {
  double ratio = 1;
  netmodels::Seconds fixed, per_million_values;
};

/// What one compressor costs.
struct KernelCostKeys {
  std::string method;
  netmodels::Seconds fixed, per_million_values, per_million_kept;
  std::int64_t smallest = 1, largest = 1;
  double smallest_ratio = 0, largest_ratio = 1;
  double median_error = 0, p90_error = 0, worst_error = 0;
  std::vector<RestoringKeys> restore;
  double restore_median_error = 0, restore_p90_error = 0, restore_worst_error = 0;
};

/// The file.
struct KernelCostsKeys {
  std::string device;
  std::vector<KernelCostKeys> kernels;
};

void describe(settings::Fields& fields, RestoringKeys& value);

void describe(settings::Fields& fields, KernelCostKeys& value);

void describe(settings::Fields& fields, KernelCostsKeys& value);

}  // namespace sim::scenario
