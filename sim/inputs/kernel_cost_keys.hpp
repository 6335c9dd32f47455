// Keys of measured costs of compressors: in a file of `kernel_times`, or measured for one run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/kernel_cost.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"

namespace sim::language {
class Value;
}

namespace sim::inputs {

/// The cost of restoring one message at one ratio.
struct RestoringKeys {
  double ratio = 1;
  netmodels::Seconds fixed, per_million_values;
};

/// The cost of one compressor.
struct KernelCostKeys {
  std::string method;
  netmodels::Seconds fixed, per_million_values, per_million_kept;
  std::int64_t smallest = 1, largest = 1;
  double smallest_ratio = 0, largest_ratio = 1;
  std::optional<double> median_error, p90_error, worst_error;  ///< required where no `stack` is stated
  std::vector<RestoringKeys> restore;
  double restore_median_error = 0, restore_p90_error = 0, restore_worst_error = 0;
  netmodels::Seconds per_tensor;
  double low = 1, high = 1;
  std::string source;
};

/// A file of `kernel_times`, as `calibrate fit kernels` writes it.
struct KernelCostsKeys {
  std::string device;
  std::string stack;
  bool measured = false;
  std::optional<netmodels::Bandwidth> memory_bandwidth;
  std::vector<KernelCostKeys> kernels;
};

/// Processor that compressors were measured on.
enum class MeasuredOn : std::uint8_t { cpu, gpu };

constexpr auto names_of(MeasuredOn) {
  return std::to_array<settings::Named<MeasuredOn>>({{"cpu", MeasuredOn::cpu}, {"gpu", MeasuredOn::gpu}});
}

/// Measurements for one run: `compression.measured`.
struct MeasuredCostsKeys {
  std::string device;
  MeasuredOn on = MeasuredOn::cpu;
  std::vector<KernelCostKeys> kernels;
  std::string hash;  ///< hash of the rest, as `hash_of` has it
};

void describe(settings::Fields& fields, RestoringKeys& value);
void describe(settings::Fields& fields, KernelCostKeys& value);
void describe(settings::Fields& fields, KernelCostsKeys& value);
void describe(settings::Fields& fields, MeasuredCostsKeys& value);

/// Hash of all values but the hash itself, as they were read.
std::string hash_of(const MeasuredCostsKeys& measured);

/// @param tree  of the arm that states them, for places of errors
/// @returns the costs, or an Error for a hash that does not match, and as `read_kernel_costs`
netmodels::Result<netmodels::KernelCosts> measured_costs(const MeasuredCostsKeys& measured,
                                                         const language::Value& tree);

}  // namespace sim::inputs
