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
};

/// Every metric, in a stable order.
std::span<const Metric> metrics();

/// @returns the row, or an Error that names the nearest known one
netmodels::Result<const Metric*> find_metric(std::string_view name);

/// A figure in base units: with a unit where the metric has one, else a plain number or a share in percent.
netmodels::Result<double> parse_figure(const Metric& metric, std::string_view text);

}  // namespace sim::scenario
