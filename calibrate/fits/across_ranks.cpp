// Time of a collective over size and number of ranks, from tables on some numbers of ranks.
#include "calibrate/fits/across_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "calibrate/fits/least_squares.hpp"

namespace calibrate::fits {
namespace {

std::vector<double> terms_of(const measurements::Operation& operation, int ranks, netmodels::Bytes size) {
  const double rounds = operation.bus == measurements::BusShare::both_ways ? 2.0 : 1.0;
  return {1, rounds * (ranks - 1), measurements::bus_factor(operation, ranks) * size.count};
}

/// Points without sizes that lie close above the one before: a table with a size each MB weighs little on
/// small ones.
std::vector<measurements::MeasuredPoint> thinned(std::span<const measurements::MeasuredPoint> points) {
  const double least_step = std::pow(2, 0.25);
  std::vector<measurements::MeasuredPoint> kept;
  for (const measurements::MeasuredPoint& point : points) {
    if (kept.empty() || point.size >= kept.back().size * least_step) kept.push_back(point);
  }
  return kept;
}

using Tables = std::span<const measurements::Measurements>;

netmodels::Result<void> check_one_operation(Tables tables) {
  for (const measurements::Measurements& table : tables) {
    if (table.operation != tables.front().operation)
      return netmodels::refuse(
          "",
          fmt::format("mixed collectives: {} and {}", tables.front().operation->name, table.operation->name),
          "fit each by itself");
  }
  return {};
}

std::set<int> ranks_of(Tables tables) {
  std::set<int> ranks;
  for (const measurements::Measurements& table : tables) ranks.insert(table.ranks);
  return ranks;
}

}  // namespace

netmodels::Result<RingModel> fit_across_ranks(Tables tables) {
  if (const auto one = check_one_operation(tables); !one) return tl::unexpected(one.error());
  std::vector<Observation> observations;
  for (const measurements::Measurements& table : tables) {
    for (const measurements::MeasuredPoint& point : thinned(table.points))
      observations.push_back({terms_of(*table.operation, table.ranks, point.size), point.time.count});
  }
  if (const std::size_t numbers = ranks_of(tables).size(); numbers < 2)
    return netmodels::refuse(
        "", fmt::format("{} number of ranks cannot determine the dependence on ranks", numbers),
        "give tables on at least two");
  const auto factors = fit_factors(observations);
  return RingModel{tables.front().operation, {factors[0]}, {factors[1]}, {factors[2]}};
}

netmodels::Seconds predict(const RingModel& model, int ranks, netmodels::Bytes size) {
  const auto terms = terms_of(*model.operation, ranks, size);
  return model.start + terms[1] * model.per_step + netmodels::Bytes{terms[2]} * model.per_byte;
}

netmodels::Result<LargestTable> largest_table_of(Tables tables) {
  if (const auto one = check_one_operation(tables); !one) return tl::unexpected(one.error());
  const auto& table = *std::ranges::max_element(tables, {}, &measurements::Measurements::ranks);
  if (table.points.size() < points_per_segment)
    return netmodels::refuse(
        "", fmt::format("{} sizes on {} ranks are too few", table.points.size(), table.ranks),
        fmt::format("measure at least {}", points_per_segment));
  LargestTable largest{table.operation, table.ranks, fit_segments(table.points, 1)};
  largest.times.interpolation = Interpolation::lines;
  for (const measurements::MeasuredPoint& point : table.points)
    largest.times.points.push_back({point.size, point.time});
  return largest;
}

netmodels::Seconds predict(const LargestTable& model, int ranks, netmodels::Bytes size) {
  const double scale = measurements::bus_factor(*model.operation, ranks) /
                       measurements::bus_factor(*model.operation, model.ranks);
  return predict(model.times, size * scale);
}

// The better of the two.

namespace {

constexpr std::size_t ranks_to_fit = 2;

/// The mean error of fits to the tables on fewer ranks, over all but the fewest numbers of ranks.
template <class Fit>
netmodels::Result<double> error_across_ranks(Tables tables, const Fit& fit) {
  double sum = 0;
  std::size_t count = 0;
  for (const measurements::Measurements& table : tables) {
    std::vector<measurements::Measurements> seen;
    std::ranges::copy_if(tables, std::back_inserter(seen),
                         [&](const measurements::Measurements& each) { return each.ranks < table.ranks; });
    if (ranks_of(seen).size() < ranks_to_fit) continue;
    GRADSIM_TRY(model, fit(seen));
    count += table.points.size();
    for (const measurements::MeasuredPoint& point : table.points)
      sum += std::abs(predict(*model, table.ranks, point.size) / point.time - 1);
  }
  return sum / static_cast<double>(count);
}

}  // namespace

std::string_view name_of(const RanksModel& model) {
  return std::holds_alternative<RingModel>(model.model) ? "ring" : "largest table";
}

netmodels::Result<RanksModel> choose_across_ranks(Tables tables) {
  GRADSIM_TRY(ring, fit_across_ranks(tables));
  GRADSIM_TRY(largest, largest_table_of(tables));
  if (ranks_of(tables).size() <= ranks_to_fit) return RanksModel{std::move(*largest), std::nullopt};
  GRADSIM_TRY(ring_error, error_across_ranks(tables, fit_across_ranks));
  GRADSIM_TRY(largest_error, error_across_ranks(tables, largest_table_of));
  if (*ring_error < *largest_error) return RanksModel{*ring, *ring_error};
  return RanksModel{std::move(*largest), *largest_error};
}

netmodels::Seconds predict(const RanksModel& model, int ranks, netmodels::Bytes size) {
  return std::visit([&](const auto& chosen) { return predict(chosen, ranks, size); }, model.model);
}

}  // namespace calibrate::fits
