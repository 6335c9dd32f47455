// Looking up stated times, and falling back.
#include "sim/engine/compression_time.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "netmodels/compression_floor.hpp"

namespace sim::engine {
namespace {

using netmodels::Seconds;

/// Of the whole gradient; nothing where no time of this method is stated.
std::optional<Seconds> stated_time(const scenario::Compression& compression,
                                   const policies::CompressionChoice& choice) {
  if (compression.time) return compression.time;
  std::vector<const scenario::CompressionTime*> rows;
  for (const scenario::CompressionTime& row : compression.times) {
    if (row.method == choice.method) rows.push_back(&row);
  }
  if (rows.empty()) return std::nullopt;
  std::ranges::sort(rows, {}, [](const auto* row) { return row->ratio; });
  const auto above =
      std::ranges::lower_bound(rows, choice.ratio, {}, [](const auto* row) { return row->ratio; });
  if (above == rows.begin()) return rows.front()->time;
  if (above == rows.end()) return rows.back()->time;
  const scenario::CompressionTime& low = **std::prev(above);
  const scenario::CompressionTime& high = **above;
  const double part = std::log(choice.ratio / low.ratio) / std::log(high.ratio / low.ratio);
  return low.time + (high.time - low.time) * part;
}

}  // namespace

Seconds compression_time(const scenario::Scenario& scenario, const policies::CompressionChoice& choice,
                         std::int64_t values) {
  if (const auto stated = stated_time(scenario.compression, choice)) {
    return *stated * (static_cast<double>(values) / static_cast<double>(scenario.workload.parameters()));
  }
  if (!scenario.device || values == 0) return {};
  const auto format = netmodels::find_wire_format(choice.method);
  return netmodels::compression_floor(
      **format, {values, choice.ratio, scenario.compression.index_bytes, false}, *scenario.device);
}

Seconds time_of_trials(const scenario::Scenario& scenario,
                       std::span<const policies::CompressionChoice> trials) {
  Seconds sum;
  double given = 1;
  for (const policies::CompressionChoice& trial : trials) {
    if (trial.method == "none") continue;  // sent as it is
    const auto values = std::llround(given * static_cast<double>(scenario.workload.parameters()));
    sum += compression_time(scenario, trial, values);
    given = std::min(given, trial.ratio);
  }
  return sum;
}

std::string compression_time_origin(const scenario::Scenario& scenario) {
  const bool policy = scenario::decided_by_step(scenario.compression);
  if (scenario.compression.method == "none" && !policy) return "none";
  if (scenario.compression.time) return "as stated";
  const std::string otherwise = scenario.device ? "a floor: memory traffic on " + scenario.device->name
                                                : "not known for this device, counted as 0";
  if (scenario.compression.times.empty()) return otherwise;
  return "as stated, interpolated between ratios; of methods without a stated time: " + otherwise;
}

}  // namespace sim::engine
