// Groups the rows by the other axes and interpolates between the swept bandwidths.
#include "sim/sweep/sweep_crossover.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "netmodels/crossover.hpp"
#include "sim/report/crossover_verdict.hpp"
#include "sim/scenario/tie.hpp"

namespace sim::sweep {
namespace {

using netmodels::Bandwidth;
using netmodels::Seconds;

/// Times per sample in seconds by bytes per second.
using TimeCurve = std::map<double, double>;

/// The arms at one combination of the other axes.
struct Combination {
  std::string where;  ///< "cluster.workers = 8"; empty without other axes
  std::vector<std::string> arms;
  std::vector<TimeCurve> curves;  ///< one for each arm
};

constexpr std::size_t least_bandwidths = 3;

const FigureColumn* bandwidth_axis(const SweepTable& table) {
  const auto found = std::ranges::find_if(table.axis_figures, [](const FigureColumn& column) {
    const std::set<std::optional<double>> values(column.values.begin(), column.values.end());
    return column.heading.measure == command_line::Measure::rate && values.size() >= least_bandwidths;
  });
  return found == table.axis_figures.end() ? nullptr : &*found;
}

std::string other_axes(const SweepTable& table, const std::string& bandwidth, std::size_t row) {
  std::string text;
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    if (table.axes[axis].key == bandwidth || table.axes[axis].values.size() < 2) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", table.axes[axis].key, table.values[axis][row]);
  }
  return text;
}

/// Combinations in the order of their first rows.
std::vector<Combination> combinations_of(const SweepTable& table, const FigureColumn& bandwidth) {
  std::vector<Combination> list;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::optional<double> time = table.times[row];
    if (!time || !bandwidth.values[row]) continue;
    const std::string where = other_axes(table, bandwidth.heading.key, row);
    auto place = std::ranges::find(list, where, &Combination::where);
    if (place == list.end()) place = list.insert(list.end(), {where, {}, {}});
    const auto arm = std::ranges::find(place->arms, table.arms[row]) - place->arms.begin();
    if (arm == std::ssize(place->arms)) {
      place->arms.push_back(table.arms[row]);
      place->curves.emplace_back();
    }
    place->curves[static_cast<std::size_t>(arm)][*bandwidth.values[row]] = *time;
  }
  return list;
}

/// Leaves the arms that were simulated at the same bandwidths as the arm with the most.
void keep_complete(Combination& combination) {
  const auto same = [](const TimeCurve& one, const TimeCurve& other) {
    return std::ranges::equal(one, other, {}, &TimeCurve::value_type::first, &TimeCurve::value_type::first);
  };
  const TimeCurve most = *std::ranges::max_element(combination.curves, {}, &TimeCurve::size);
  for (std::size_t arm = combination.arms.size(); arm-- > 0;) {
    if (same(combination.curves[arm], most)) continue;
    combination.arms.erase(combination.arms.begin() + static_cast<std::ptrdiff_t>(arm));
    combination.curves.erase(combination.curves.begin() + static_cast<std::ptrdiff_t>(arm));
  }
}

/// @param bandwidth  between the ends of the curve
Seconds time_between(const TimeCurve& curve, double bandwidth) {
  const auto above = curve.lower_bound(bandwidth);
  if (above == curve.end()) return {std::prev(above)->second};
  if (above == curve.begin()) return {above->second};
  const auto below = std::prev(above);
  const double way = std::log(bandwidth / below->first) / std::log(above->first / below->first);
  return {below->second * std::pow(above->second / below->second, way)};
}

std::optional<std::string> sentence_of(Combination combination, const std::string& axis) {
  keep_complete(combination);
  if (combination.arms.size() < 2 || combination.curves.front().size() < least_bandwidths)
    return std::nullopt;
  constexpr int steps = 64;
  const TimeCurve& first = combination.curves.front();
  const netmodels::BandwidthSpan span{{first.begin()->first}, {first.rbegin()->first}, steps};
  const auto winners = netmodels::fastest_by_bandwidth(
      span, scenario::tie, [&](Bandwidth bandwidth) -> netmodels::Result<std::vector<Seconds>> {
        std::vector<Seconds> times;
        for (const TimeCurve& curve : combination.curves)
          times.push_back(time_between(curve, bandwidth.count));
        return times;
      });
  return fmt::format("Along `{}`, interpolated{}{}: the least time per sample has {}.", axis,
                     combination.where.empty() ? "" : ", at ", combination.where,
                     report::fastest_text(combination.arms, *winners));
}

}  // namespace

std::vector<std::string> crossovers(const SweepTable& table) {
  constexpr std::size_t most_combinations = 6;
  std::vector<std::string> sentences;
  const FigureColumn* bandwidth = bandwidth_axis(table);
  if (bandwidth == nullptr) return sentences;
  const std::vector<Combination> combinations = combinations_of(table, *bandwidth);
  if (combinations.size() > most_combinations) return sentences;
  for (const Combination& combination : combinations) {
    if (auto sentence = sentence_of(combination, bandwidth->heading.key))
      sentences.push_back(std::move(*sentence));
  }
  return sentences;
}

}  // namespace sim::sweep
