// Which points of the product of several axes a sweep visits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/sweep/sweep_axis.hpp"

namespace sim::sweep {

enum class SweepDesign {
  grid,             ///< every combination, the last axis fastest
  latin_hypercube,  ///< so many points, each axis' values equally often, combined at random
  one_at_a_time,  ///< the first value of every axis, then each other value with the first ones of the others
};

/// The most points of one sweep.
inline constexpr std::size_t most_sweep_points = 1'000'000;

/// What is to be visited.
struct SweepPlan {
  std::vector<SweepAxis> axes;  ///< at least one, each key once
  SweepDesign design = SweepDesign::grid;
  std::optional<std::size_t> points;  ///< of a Latin hypercube
  std::uint64_t seed = 1;             ///< of a Latin hypercube
};

/// One point: for each axis the place of its value. Points are numbered from 0 in this order.
using SweepPoint = std::vector<std::size_t>;

/// @returns the points in a stable order, or an Error that names the option for no axis, an axis that stands
///          twice, too many points, and a number of points where the design has its own or where it lacks one
///
/// Source: M. D. McKay, R. J. Beckman & W. J. Conover, "A Comparison of Three Methods for Selecting Values of
///         Input Variables in the Analysis of Output from a Computer Code", Technometrics 21(2), 1979.
netmodels::Result<std::vector<SweepPoint>> sweep_points(const SweepPlan& plan);

/// The point as settings: `KEY=VALUE` per axis.
std::vector<std::string> settings_of(std::span<const SweepAxis> axes, const SweepPoint& point);

}  // namespace sim::sweep
