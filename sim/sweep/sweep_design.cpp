// The axes of a sweep, and the designs over them.
#include "sim/sweep/sweep_design.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <fmt/format.h>

namespace sim::sweep {

// Reads axes.

namespace {

using netmodels::refuse;
using netmodels::Result;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Parted at commas that no bracket, brace or quote holds.
std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quote != 0) {
      if (letter == quote) quote = 0;
    } else if (letter == '"' || letter == '\'') {
      quote = letter;
    } else if (letter == '[' || letter == '{') {
      ++depth;
    } else if (letter == ']' || letter == '}') {
      --depth;
    } else if (letter == ',' && depth == 0) {
      pieces.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  pieces.push_back(trimmed(text.substr(begin)));
  return pieces;
}

/// The number at the beginning of a text, which becomes the rest.
std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

enum class Spacing { whole_numbers, linear, logarithmic };

struct Range {
  double first = 0;
  double last = 0;
  std::string unit;  ///< unit with a blank before it; empty where there is none
  Spacing spacing = Spacing::whole_numbers;
  int count = 0;
};

/// `log 8` at the end of a range, taken off. @returns false where a spacing has no count
bool take_spacing(std::string_view& text, Range& range) {
  for (const auto& [word, spacing] :
       {std::pair{std::string_view(" linear "), Spacing::linear}, {" log ", Spacing::logarithmic}}) {
    const auto found = text.rfind(word);
    if (found == std::string_view::npos) continue;
    std::string_view count = trimmed(text.substr(found + word.size()));
    const auto [end, failed] = std::from_chars(count.data(), count.data() + count.size(), range.count);
    if (failed != std::errc{} || end != count.data() + count.size()) return false;
    range.spacing = spacing;
    text = text.substr(0, found);
  }
  return true;
}

/// The unit of a range, which may follow both ends: `1 Gbit/s..25 Gbit/s`. @returns false where they
/// differ
bool take_unit(std::string_view behind_first, std::string_view behind_last, Range& range) {
  if (!behind_first.empty() && behind_first != behind_last) return false;
  if (!behind_last.empty()) range.unit = " " + std::string(behind_last);
  return true;
}

/// Number of values of a range, ends included.
double value_count(const Range& range) {
  return range.spacing == Spacing::whole_numbers ? range.last - range.first + 1 : range.count;
}

/// Why a range has no values; empty where it has.
std::string problem_of(const Range& range) {
  if (!(range.first < range.last)) return "it does not increase";
  const bool whole = range.spacing == Spacing::whole_numbers;
  if (whole && (!range.unit.empty() || range.first != std::floor(range.first)))
    return "`linear` or `log` with a count may be left out only for whole numbers without a unit";
  if (range.spacing == Spacing::logarithmic && range.first <= 0) return "`log` needs a start above 0";
  const double values = value_count(range);
  if (values < 2 || values > static_cast<double>(most_axis_values))
    return fmt::format("{:.0f} values; accepted: 2 to {}", values, most_axis_values);
  return "";
}

/// Nothing where the piece is a plain value. @returns an Error without a place for a range that cannot be
Result<std::optional<Range>> read_range(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  std::string_view head = trimmed(text.substr(0, dots));
  std::string_view rest = text.substr(dots + 2);
  const auto first = take_number(head);
  if (!first) return std::nullopt;
  Range range;
  range.first = *first;
  const auto broken = [&](const std::string& why) {
    return refuse("", fmt::format("`{}` is not a range: {}", text, why),
                  "write for example `1..5`, `1..25 Gbit/s log 8` or `0.1..0.5 linear 5`");
  };
  if (!take_spacing(rest, range)) return broken("expected a count after `linear` or `log`");
  const auto last = take_number(rest);
  if (!last) return broken("expected a number after `..`");
  range.last = *last;
  if (!take_unit(trimmed(head), trimmed(rest), range)) return broken("its ends have different units");
  if (const std::string problem = problem_of(range); !problem.empty()) return broken(problem);
  range.count = static_cast<int>(value_count(range));
  return range;
}

std::vector<std::string> values_of(const Range& range) {
  std::vector<std::string> values;
  for (int i = 0; i < range.count; ++i) {
    const double share = static_cast<double>(i) / (range.count - 1);
    double value = range.first + i;
    if (range.spacing == Spacing::linear) value = range.first + (range.last - range.first) * share;
    if (range.spacing == Spacing::logarithmic)
      value = range.first * std::pow(range.last / range.first, share);
    if (range.spacing != Spacing::whole_numbers && i + 1 == range.count) value = range.last;
    values.push_back(range.spacing == Spacing::whole_numbers ? fmt::format("{:.0f}", value)
                                                             : fmt::format("{:.6g}{}", value, range.unit));
  }
  return values;
}

}  // namespace

Result<SweepAxis> parse_axis(std::string_view text) {
  const auto sign = text.find('=');
  const std::string_view key = trimmed(text.substr(0, sign));
  if (sign == std::string_view::npos || key.empty()) {
    return refuse("--axis", fmt::format("`{}` is not an axis", text),
                  "write KEY=VALUE,VALUE,... such as cluster.workers=4,8,16");
  }
  SweepAxis axis{.key = std::string(key), .values = {}};
  const std::string where = "--axis " + axis.key;
  std::unordered_set<std::string> seen;
  for (const std::string_view piece : pieces_of(text.substr(sign + 1))) {
    if (piece.empty()) return refuse(where, "a value is empty", "write it, or leave out a comma");
    auto range = read_range(piece);
    if (!range) return refuse(where, range.error().what, range.error().hint);
    const auto values = *range ? values_of(**range) : std::vector{std::string(piece)};
    axis.written.push_back(axis.values.size());
    if (values.size() > 1) axis.written.push_back(axis.values.size() + values.size() - 1);
    for (const std::string& value : values) {
      if (!seen.insert(value).second)
        return refuse(where, "duplicate value `" + value + "`", "write each value once");
      axis.values.push_back(value);
    }
  }
  if (axis.values.size() <= most_axis_values) return axis;
  return refuse(where, fmt::format("{} values", axis.values.size()),
                fmt::format("accepted: at most {}", most_axis_values));
}

// Points of a sweep.

namespace {

using netmodels::refuse;
using netmodels::Result;

Result<void> check(const SweepPlan& plan) {
  if (plan.axes.empty())
    return refuse("--axis", "no axis given", "write for example --axis cluster.workers=4,8,16");
  for (auto axis = plan.axes.begin(); axis != plan.axes.end(); ++axis) {
    if (std::find_if(plan.axes.begin(), axis,
                     [&](const SweepAxis& before) { return before.key == axis->key; }) != axis)
      return refuse("--axis " + axis->key, "duplicate axis", "write all its values after one --axis");
  }
  const bool draws = plan.design == SweepDesign::latin_hypercube;
  if (draws && !plan.points)
    return refuse("--points", "a Latin hypercube needs a number of points", "write for example --points 100");
  if (!draws && plan.points)
    return refuse("--points", "only a Latin hypercube has a number of points", "leave it out");
  if (draws && (*plan.points < 1 || *plan.points > most_sweep_points))
    return refuse("--points", fmt::format("{} points", *plan.points),
                  fmt::format("accepted: 1 to {}", most_sweep_points));
  return {};
}

Result<std::vector<SweepPoint>> grid(const std::vector<SweepAxis>& axes) {
  std::size_t count = 1;
  for (const SweepAxis& axis : axes) {
    count *= axis.values.size();
    if (count > most_sweep_points)
      return refuse("--axis", fmt::format("the grid has more than {} points", most_sweep_points),
                    "leave out values, or let --design latin_hypercube choose some");
  }
  std::vector<SweepPoint> points(count, SweepPoint(axes.size()));
  for (std::size_t number = 0; number < count; ++number) {
    std::size_t rest = number;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      points[number][axis] = rest % axes[axis].values.size();
      rest /= axes[axis].values.size();
    }
  }
  return points;
}

std::vector<SweepPoint> one_at_a_time(const std::vector<SweepAxis>& axes) {
  std::vector<SweepPoint> points{SweepPoint(axes.size())};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    for (std::size_t value = 1; value < axes[axis].values.size(); ++value) {
      points.emplace_back(axes.size());
      points.back()[axis] = value;
    }
  }
  return points;
}

/// Each axis is cut into as many strata as there are points, and each stratum is used once.
std::vector<SweepPoint> latin_hypercube(const SweepPlan& plan) {
  const std::size_t count = *plan.points;
  boost::random::mt19937_64 random(plan.seed);
  std::vector<SweepPoint> points(count, SweepPoint(plan.axes.size()));
  std::vector<std::size_t> strata(count);
  for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
    std::iota(strata.begin(), strata.end(), std::size_t{0});
    for (std::size_t i = count; i-- > 1;)
      std::swap(strata[i], strata[boost::random::uniform_int_distribution<std::size_t>(0, i)(random)]);
    for (std::size_t i = 0; i < count; ++i)
      points[i][axis] = strata[i] * plan.axes[axis].values.size() / count;
  }
  return points;
}

}  // namespace

Result<std::vector<SweepPoint>> sweep_points(const SweepPlan& plan) {
  if (auto checked = check(plan); !checked) return tl::unexpected(checked.error());
  switch (plan.design) {
    case SweepDesign::grid: return grid(plan.axes);
    case SweepDesign::latin_hypercube: return latin_hypercube(plan);
    case SweepDesign::one_at_a_time: return one_at_a_time(plan.axes);
  }
  return std::vector<SweepPoint>{};
}

std::vector<std::string> settings_of(std::span<const SweepAxis> axes, const SweepPoint& point) {
  std::vector<std::string> settings;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    settings.push_back(axes[axis].key + "=" + axes[axis].values[point[axis]]);
  return settings;
}

}  // namespace sim::sweep
