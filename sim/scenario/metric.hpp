// The figures a run can be held against, and how each is written.
#pragma once

#include <span>
#include <string_view>

#include "netmodels/result.hpp"

namespace sim::scenario {

/// What a figure is measured in.
enum class MetricUnit { time, size, number };

/// One row of the table.
struct Metric {
  std::string_view name;
  MetricUnit unit;
  std::string_view doc;
  std::string_view of = {};  ///< what the key `of` must say; empty where it must not be there
};

/// In place of a metric's name: a figure that is a plain number.
inline constexpr std::string_view plain_number = "";

/// Every metric, in a stable order.
std::span<const Metric> metrics();

/// @returns the row, or an Error that names the nearest known one
netmodels::Result<const Metric*> find_metric(std::string_view name);

/// Ratios from the first to the second, both included.
struct RatioRange {
  double least = 0;
  double most = 1;
};

/// Reads `1 % to 10 %`.
/// @returns an Error without a place for anything else
netmodels::Result<RatioRange> parse_ratio_range(std::string_view text);

/// A figure in base units: with a unit where the metric has one, else a plain number or a share in percent.
netmodels::Result<double> parse_figure(const Metric& metric, std::string_view text);

}  // namespace sim::scenario
