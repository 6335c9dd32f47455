// How long a sharded step takes to quantise what it sends: as stated, measured, published, or the floor.
#pragma once

#include "netmodels/shard_sending.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/scenario/parallelism.hpp"

namespace sim::engine {

/// By the times of the compressor that codes alike (`scenario::kernel_of`), in the order of
/// `CompressionCosts::compressing`: what is known of it is of quantising and restoring, and each takes half.
/// Else the floor of the device: bytes read and written once at its sustained memory bandwidth, and a launch.
class DeviceQuantization final : public netmodels::QuantizationTimes {
 public:
  /// @param costs  of a scenario that `scenario::check_sending` accepts
  explicit DeviceQuantization(const CompressionCosts& costs) : costs_(costs) {}

  [[nodiscard]] netmodels::Seconds quantize(const netmodels::QuantizedForm& form, double values,
                                            double held) const override;
  [[nodiscard]] netmodels::Seconds restore(const netmodels::QuantizedForm& form, double values,
                                           double results, double held) const override;

 private:
  CompressionCosts costs_;
};

/// Whether nothing but a least time is known.
constexpr bool is_least(scenario::CostLevel level) {
  return level == scenario::CostLevel::floor || level == scenario::CostLevel::unknown;
}

/// How much is known about the time of quantising to this form.
scenario::CostLevel level_of_quantizing(const CompressionCosts& costs, const netmodels::QuantizedForm& form);

/// Whether a sharded step quantises, and of some of it nothing but the floor is known.
bool quantizes_at_least(const CompressionCosts& costs, const scenario::Parallelism& parallelism);

}  // namespace sim::engine
