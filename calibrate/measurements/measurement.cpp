// Bandwidths, checks and merging of measured times.
#include "calibrate/measurements/measurement.hpp"

#include <cassert>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "calibrate/measurements/statistics.hpp"

namespace calibrate::measurements {
namespace {

using netmodels::refuse;

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

std::string setting(const Measurements& measured) {
  const std::string nodes = measured.nodes ? fmt::format(" on {} nodes", *measured.nodes) : "";
  return fmt::format("{}, {} ranks{}", measured.operation->name, measured.ranks, nodes);
}

}  // namespace

netmodels::Bandwidth algorithm_bandwidth(const MeasuredPoint& point) { return point.size / point.time; }

netmodels::Bandwidth bus_bandwidth(const Measurements& measured, const MeasuredPoint& point) {
  return bus_factor(*measured.operation, measured.ranks) * algorithm_bandwidth(point);
}

netmodels::Result<void> check_next(std::span<const MeasuredPoint> before, const MeasuredPoint& point) {
  const double size = point.size.count;
  if (!is_positive(size))
    return refuse("", fmt::format("invalid size of {} bytes", size), "accepted: above 0");
  if (!is_positive(point.time.count)) {
    return refuse("", fmt::format("invalid time {} us at {} bytes", point.time.count * 1e6, size),
                  "accepted: finite and above 0");
  }
  if (before.empty() || before.back().size < point.size) return {};
  return refuse(
      "", fmt::format("sizes do not increase: {} bytes comes after {} bytes", size, before.back().size.count),
      "use a separate file for each run of the tool");
}

netmodels::Result<void> check(const Measurements& measured) {
  assert(measured.operation != nullptr);
  if (measured.ranks < 2) {
    return refuse("", fmt::format("{} ranks exchange nothing", measured.ranks), "accepted: 2 or more");
  }
  if (measured.nodes && (*measured.nodes < 1 || *measured.nodes > measured.ranks)) {
    return refuse("", fmt::format("{} ranks cannot be on {} nodes", measured.ranks, *measured.nodes),
                  fmt::format("accepted: 1 to {}", measured.ranks));
  }
  const std::span<const MeasuredPoint> points = measured.points;
  if (points.empty()) return refuse("", "no measured size", "a measurement has at least one row");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const auto next = check_next(points.first(i), points[i]); !next) return next;
  }
  return {};
}

netmodels::Result<Measurements> merge(std::span<const Measurements> sets) {
  assert(!sets.empty());
  Measurements all = sets.front();
  std::map<netmodels::Bytes, std::vector<double>> times;
  for (const Measurements& set : sets) {
    if (set.operation != all.operation || set.ranks != all.ranks || set.nodes != all.nodes) {
      return refuse("", fmt::format("mixed measurements: {}, and {}", setting(all), setting(set)),
                    "import them one at a time");
    }
    for (const MeasuredPoint& point : set.points) times[point.size].push_back(point.time.count);
  }
  for (const Measurements& set : sets.subspan(1)) {
    if (set.facts.source) all.facts.source = all.facts.source.value_or("") + " + " + *set.facts.source;
    all.facts.notes.insert(all.facts.notes.end(), set.facts.notes.begin(), set.facts.notes.end());
  }
  all.points.clear();
  for (const auto& [size, each] : times) all.points.push_back({size, {median(each)}});
  return all;
}

}  // namespace calibrate::measurements
