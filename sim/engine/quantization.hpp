// How long a sharded step takes to quantise what it sends: as stated, measured, published, or the floor.
#pragma once

#include <string>

#include "netmodels/shard_sending.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// By the times of the compressor that codes alike (`scenario::kernel_of`), in the order of
/// `compression_cost`: what is known of it is of quantising and restoring, and each takes half. Else the
/// floor of the device: bytes read and written once at its sustained memory bandwidth, and a launch.
class DeviceQuantization final : public netmodels::QuantizationTimes {
 public:
  /// @param scenario  outlives this; accepted by `scenario::check_sending`
  explicit DeviceQuantization(const scenario::Scenario& scenario) : scenario_(&scenario) {}

  [[nodiscard]] netmodels::Seconds quantize(const netmodels::QuantizedForm& form, double values,
                                            double held) const override;
  [[nodiscard]] netmodels::Seconds restore(const netmodels::QuantizedForm& form, double values,
                                           double results, double held) const override;

 private:
  const scenario::Scenario* scenario_;
};

/// Whether a sharded step quantises, and of some of it nothing but the floor is known.
bool quantizes_at_least(const scenario::Scenario& scenario);

/// Where these times come from; empty where a scenario quantises nothing in sharded steps.
std::string quantization_origin(const scenario::Scenario& scenario);

}  // namespace sim::engine
