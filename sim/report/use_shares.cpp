// Counting steps by what they used.
#include <cmath>
#include <compare>
#include <cstdint>
#include <map>
#include <set>

#include <fmt/format.h>

#include "sim/report/run_page.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::Measure;
using command_line::Table;

namespace {

/// Steps by arm, each arm's by what they used; `T` orders the columns.
template <class T>
struct Counts {
  std::string arm;
  std::map<T, std::int64_t> steps{};
};

template <class T, class Title>
Table share_table(const std::vector<Counts<T>>& arms, Title title) {
  std::set<T> columns;
  for (const Counts<T>& arm : arms)
    for (const auto& [what, steps] : arm.steps) columns.insert(what);
  Table table;
  table.columns.push_back({"arm", "arm", Measure::none});
  for (const T& what : columns)
    table.columns.push_back({"share of " + title(what), title(what), Measure::share});
  for (const Counts<T>& arm : arms) {
    double all = 0;
    for (const auto& [what, steps] : arm.steps) all += static_cast<double>(steps);
    std::vector<Cell>& row = table.rows.emplace_back();
    row.emplace_back(arm.arm);
    for (const T& what : columns) {
      Cell& share = row.emplace_back();
      if (const auto found = arm.steps.find(what); found != arm.steps.end())
        share = static_cast<double>(found->second) / all;
    }
  }
  return table;
}

/// From `least` on, up to the next one.
struct RatioRange {
  double least;
  double end;

  auto operator<=>(const RatioRange&) const = default;
};

RatioRange range_of(double ratio) {
  constexpr double rounding = 1e-9;
  const double power = std::pow(10, std::floor(std::log10(ratio) + rounding));
  for (const auto& [least, end] : {std::pair{5, 10}, std::pair{2, 5}})
    if (ratio >= least * power * (1 - rounding)) return {least * power, end * power};
  return {power, 2 * power};
}

}  // namespace

Table use_shares(std::span<const Uses<std::string>> arms) {
  std::vector<Counts<std::string>> counts;
  for (const auto& uses : arms) {
    auto& count = counts.emplace_back(Counts<std::string>{uses.arm});
    for (const auto& [what, steps] : uses.steps) count.steps[what] += steps;
  }
  return share_table(counts, [](const std::string& name) { return name; });
}

Table ratio_shares(std::span<const Uses<double>> arms) {
  constexpr std::size_t most = 10;
  std::vector<Counts<double>> each;
  std::vector<Counts<RatioRange>> ranges;
  std::set<double> known;
  for (const auto& uses : arms) {
    auto& count = each.emplace_back(Counts<double>{uses.arm});
    auto& range = ranges.emplace_back(Counts<RatioRange>{uses.arm});
    for (const auto& [ratio, steps] : uses.steps) {
      known.insert(ratio);
      count.steps[ratio] += steps;
      range.steps[range_of(ratio)] += steps;
    }
  }
  if (known.size() <= most)
    return share_table(each, [](double ratio) { return fmt::format("ratio {:.6g}", ratio); });
  return share_table(ranges, [](const RatioRange& range) {
    return range.least >= 1 ? std::string("ratio 1")
                            : fmt::format("ratio {:.3g} to {:.3g}", range.least, range.end);
  });
}

}  // namespace sim::report
