// Half of what a compressor takes, or the bytes over the bandwidth of the device's memory.
#include "sim/engine/quantization.hpp"

#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "sim/engine/compression_cost.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/sharded_sending.hpp"

namespace sim::engine {

using netmodels::QuantizedForm;
using netmodels::Seconds;

namespace {

using scenario::CostLevel;

bool is_least(CostLevel level) { return level == CostLevel::floor || level == CostLevel::unknown; }

CostLevel level_of_quantizing(const scenario::Scenario& scenario, const QuantizedForm& form) {
  if (scenario.compression.time) return CostLevel::stated;
  const std::string_view kernel = scenario::kernel_of(form);
  return kernel.empty() ? CostLevel::floor : compression_level(scenario, kernel);
}

/// Whether memory traffic is all that is known.
bool takes_traffic(const scenario::Scenario& scenario, const QuantizedForm& form) {
  return scenario.device && is_least(level_of_quantizing(scenario, form));
}

/// Of quantising or restoring; nothing where only a floor is known.
std::optional<Seconds> known_half(const scenario::Scenario& scenario, const QuantizedForm& form,
                                  double values) {
  if (takes_traffic(scenario, form)) return std::nullopt;
  const std::string_view kernel = scenario::kernel_of(form);
  const policies::CompressionChoice choice{kernel.empty() ? std::string_view("int8") : kernel, form.share};
  return compression_time(scenario, choice, std::llround(values)) / 2;
}

Seconds traffic_time(const scenario::Scenario& scenario, netmodels::Bytes traffic) {
  return traffic / scenario.device->sustained_memory() + scenario.device->launch;
}

}  // namespace

Seconds DeviceQuantization::quantize(const QuantizedForm& form, double values, double held) const {
  if (const auto known = known_half(*scenario_, form, values)) return *known;
  return traffic_time(*scenario_, netmodels::Bytes{held * values} + form.bytes(values));
}

Seconds DeviceQuantization::restore(const QuantizedForm& form, double values, double results,
                                    double held) const {
  if (const auto known = known_half(*scenario_, form, values)) return *known;
  return traffic_time(*scenario_, form.bytes(values) + netmodels::Bytes{held * results});
}

bool quantizes_at_least(const scenario::Scenario& scenario) {
  const netmodels::ShardSending sending = sending_of(scenario.parallelism);
  for (const auto& form : sending.forms()) {
    if (form && is_least(level_of_quantizing(scenario, *form))) return true;
  }
  return false;
}

std::string quantization_origin(const scenario::Scenario& scenario) {
  if (!is_sharded(scenario)) return "";
  const netmodels::ShardSending sending = sending_of(scenario.parallelism);
  std::string text;
  for (const auto& form : sending.forms()) {
    if (!form) continue;
    const CostLevel level = level_of_quantizing(scenario, *form);
    const std::string_view kernel = scenario::kernel_of(*form);
    std::string one = form->share < 1 ? fmt::format("of {:.2g} %: ", 100 * form->share)
                                      : fmt::format("in {:g} bits: ", form->bits);
    if (takes_traffic(scenario, *form)) {
      one += "a floor: memory traffic on " + scenario.device->name;
    } else {
      const std::string origin = level == CostLevel::stated || is_least(level) ? "stated"
                                 : level == CostLevel::kernels
                                     ? "measured on " + scenario.compression.kernels.device
                                     : fmt::format("{} on {}", describe_stack(scenario.compression.framework),
                                                   scenario.compression.framework.device);
      one += kernel.empty() ? origin : fmt::format("as `{}`, {}", kernel, origin);
    }
    if (text.find(one) == std::string::npos) text += (text.empty() ? "quantising " : ", ") + one;
  }
  return text;
}

}  // namespace sim::engine
