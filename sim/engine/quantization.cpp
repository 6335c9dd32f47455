// Half of what a compressor takes, or the bytes over the bandwidth of the device's memory.
#include "sim/engine/quantization.hpp"

#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "sim/scenario/sharded_sending.hpp"

namespace sim::engine {

using netmodels::QuantizedForm;
using netmodels::Seconds;

namespace {

using scenario::CostLevel;

bool is_least(CostLevel level) { return level == CostLevel::floor || level == CostLevel::unknown; }

CostLevel level_of_quantizing(const CompressionCosts& costs, const QuantizedForm& form) {
  if (costs.stated().time) return CostLevel::stated;
  const std::string_view kernel = scenario::kernel_of(form);
  return kernel.empty() ? CostLevel::floor : costs.level(kernel);
}

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

std::string quantization_origin(const CompressionCosts& costs, const scenario::Parallelism& parallelism) {
  if (!parallelism.is_sharded()) return "";
  const netmodels::ShardSending sending = sending_of(parallelism);
  std::string text;
  for (const auto& form : sending.forms()) {
    if (!form) continue;
    const CostLevel level = level_of_quantizing(costs, *form);
    const std::string_view kernel = scenario::kernel_of(*form);
    std::string one = form->share < 1 ? fmt::format("of {:.2g} %: ", 100 * form->share)
                                      : fmt::format("in {:g} bits: ", form->bits);
    if (takes_traffic(costs, *form)) {
      one += "a floor: memory traffic on " + costs.device()->name;
    } else {
      const std::string origin = level == CostLevel::stated || is_least(level) ? "stated"
                                 : level == CostLevel::kernels
                                     ? "measured on " + costs.stated().kernels.device
                                     : fmt::format("{} on {}", describe_stack(costs.stated().framework),
                                                   costs.stated().framework.device);
      one += kernel.empty() ? origin : fmt::format("as `{}`, {}", kernel, origin);
    }
    if (text.find(one) == std::string::npos) text += (text.empty() ? "quantising " : ", ") + one;
  }
  return text;
}

}  // namespace sim::engine
