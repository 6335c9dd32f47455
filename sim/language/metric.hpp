// Metrics as the reader of `expect` knows them: their names and units, and how a figure is written.
#pragma once

#include <span>
#include <string_view>

#include "netmodels/result.hpp"

namespace sim::language {

/// The unit of a figure.
enum class MetricUnit { time, size, number };

/// The whole of a share; the key `of` says which one.
enum class ShareOf { nothing, collective, method, ratios };

/// A metric that `expect` may name.
struct ExpectableMetric {
  std::string_view name;
  MetricUnit unit;
  ShareOf of = ShareOf::nothing;
};

/// The metrics that `expect` may name. The reader of scenarios gets them from its caller: the source of a
/// metric is known where results are (`sim/report/metric.hpp`, which has the one list).
using ExpectableMetrics = std::span<const ExpectableMetric>;

/// @returns the row, or an Error that names the nearest known one
netmodels::Result<const ExpectableMetric*> find_metric(ExpectableMetrics metrics, std::string_view name);

/// Ratios from the first to the second, both included.
struct RatioRange {
  double least = 0;
  double most = 1;
};

/// Reads `1 % to 10 %`.
/// @returns an Error without a place for anything else
netmodels::Result<RatioRange> parse_ratio_range(std::string_view text);

/// A figure in base units: with its unit, or for a number plain or in percent.
netmodels::Result<double> parse_figure(MetricUnit unit, std::string_view text);

}  // namespace sim::language
