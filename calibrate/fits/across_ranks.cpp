// Time of a ring collective over size and number of ranks, from tables on some numbers of ranks.
#include "calibrate/fits/across_ranks.hpp"

#include <set>
#include <vector>

#include <fmt/format.h>

#include "calibrate/fits/least_squares.hpp"

namespace calibrate::fits {
namespace {

std::vector<double> terms_of(const measurements::Operation& operation, int ranks, netmodels::Bytes size) {
  const double rounds = operation.bus == measurements::BusShare::both_ways ? 2.0 : 1.0;
  return {1, rounds * (ranks - 1), measurements::bus_factor(operation, ranks) * size.count};
}

}  // namespace

netmodels::Result<RingModel> fit_across_ranks(std::span<const measurements::Measurements> tables) {
  std::set<int> ranks;
  std::vector<Observation> observations;
  for (const measurements::Measurements& table : tables) {
    if (table.operation != tables.front().operation)
      return netmodels::refuse(
          "",
          fmt::format("mixed collectives: {} and {}", tables.front().operation->name, table.operation->name),
          "fit each by itself");
    ranks.insert(table.ranks);
    for (const measurements::MeasuredPoint& point : table.points)
      observations.push_back({terms_of(*table.operation, table.ranks, point.size), point.time.count});
  }
  if (ranks.size() < 2)
    return netmodels::refuse(
        "", fmt::format("{} number of ranks cannot determine the dependence on ranks", ranks.size()),
        "give tables on at least two");
  const auto factors = fit_factors(observations);
  return RingModel{tables.front().operation, {factors[0]}, {factors[1]}, {factors[2]}};
}

netmodels::Seconds predict(const RingModel& model, int ranks, netmodels::Bytes size) {
  const auto terms = terms_of(*model.operation, ranks, size);
  return model.start + terms[1] * model.per_step + netmodels::Bytes{terms[2]} * model.per_byte;
}

}  // namespace calibrate::fits
