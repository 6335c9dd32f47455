// Reads figures by their unit.
#include "sim/language/metric.hpp"

#include <string>
#include <vector>

#include "netmodels/nearest.hpp"
#include "netmodels/quantity.hpp"
#include "sim/language/reader.hpp"

namespace sim::language {
namespace {

template <class Q>
netmodels::Result<double> count(std::string_view text) {
  return netmodels::parse<Q>(text).map([](Q value) { return value.count; });
}

}  // namespace

netmodels::Result<const ExpectableMetric*> find_metric(ExpectableMetrics metrics, std::string_view name) {
  std::vector<std::string_view> names;
  for (const ExpectableMetric& row : metrics) {
    if (row.name == name) return &row;
    names.push_back(row.name);
  }
  return netmodels::refuse("", "unknown metric `" + std::string(name) + "`",
                           netmodels::accepted_names(name, names));
}

netmodels::Result<RatioRange> parse_ratio_range(std::string_view text) {
  constexpr std::string_view to = " to ";
  const std::size_t between = text.find(to);
  if (between != std::string_view::npos) {
    const auto least = parse_number(text.substr(0, between), true);
    const auto most = parse_number(text.substr(between + to.size()), true);
    if (least && most && *least >= 0 && *least <= *most) return RatioRange{*least, *most};
  }
  return netmodels::refuse("", "`" + std::string(text) + "` is not a range of ratios",
                           "write for example `1 % to 10 %`");
}

netmodels::Result<double> parse_figure(MetricUnit unit, std::string_view text) {
  switch (unit) {
    case MetricUnit::time: return count<netmodels::Seconds>(text);
    case MetricUnit::size: return count<netmodels::Bytes>(text);
    case MetricUnit::number: return parse_number(text, true);
  }
  return 0;
}

}  // namespace sim::language
