// Half of what a compressor takes, or the bytes over the bandwidth of the device's memory.
#include "sim/engine/quantization.hpp"

#include <cmath>
#include <optional>
#include <string_view>

#include "sim/scenario/sharded_sending.hpp"

namespace sim::engine {

using netmodels::QuantizedForm;
using netmodels::Seconds;

scenario::CostLevel level_of_quantizing(const CompressionCosts& costs, const QuantizedForm& form) {
  if (costs.stated().time) return scenario::CostLevel::stated;
  const std::string_view kernel = scenario::kernel_of(form);
  return kernel.empty() ? scenario::CostLevel::floor : costs.level(kernel);
}

namespace {

/// Whether memory traffic is all that is known.
bool takes_traffic(const CompressionCosts& costs, const QuantizedForm& form) {
  return costs.device() != nullptr && is_least(level_of_quantizing(costs, form));
}

/// Of quantising or restoring; nothing where only a floor is known.
std::optional<Seconds> known_half(const CompressionCosts& costs, const QuantizedForm& form, double values) {
  if (takes_traffic(costs, form)) return std::nullopt;
  const std::string_view kernel = scenario::kernel_of(form);
  const policies::CompressionChoice choice{kernel.empty() ? std::string_view("int8") : kernel, form.share};
  return costs.compressing_time(choice, std::llround(values)) / 2;
}

Seconds traffic_time(const CompressionCosts& costs, netmodels::Bytes traffic) {
  return traffic / costs.device()->sustained_memory() + costs.device()->launch;
}

}  // namespace

Seconds DeviceQuantization::quantize(const QuantizedForm& form, double values, double held) const {
  if (const auto known = known_half(costs_, form, values)) return *known;
  return traffic_time(costs_, netmodels::Bytes{held * values} + form.bytes(values));
}

Seconds DeviceQuantization::restore(const QuantizedForm& form, double values, double results,
                                    double held) const {
  if (const auto known = known_half(costs_, form, values)) return *known;
  return traffic_time(costs_, form.bytes(values) + netmodels::Bytes{held * results});
}

bool quantizes_at_least(const CompressionCosts& costs, const scenario::Parallelism& parallelism) {
  const netmodels::ShardSending sending = sending_of(parallelism);
  for (const auto& form : sending.forms()) {
    if (form && is_least(level_of_quantizing(costs, *form))) return true;
  }
  return false;
}

}  // namespace sim::engine
