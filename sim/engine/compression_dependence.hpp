// How the time of a step depends on the time that compressing takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/engine/step_simulator.hpp"

namespace sim::engine {

/// Step times over times of compressing and restoring the whole gradient.
struct CompressionDependence {
  struct Point {
    netmodels::Seconds compressing;
    netmodels::Seconds step;
  };

  CompressionCost cost;       ///< of the whole gradient: the sum over the step's buckets
  std::vector<Point> points;  ///< compressing rises; at least two

  /// Linear between two points, and beyond the last two.
  [[nodiscard]] netmodels::Seconds step_at(netmodels::Seconds compressing) const;
};

/// Simulates the step for several times of compressing, on the network as it is now.
/// @param simulator  its last step is another one afterwards
/// @returns nothing where the gradient is not compressed or no other time than the assumed one is possible;
///          an Error where the evaluator refuses an exchange
netmodels::Result<std::optional<CompressionDependence>> compression_dependence(StepSimulator& simulator,
                                                                               netmodels::Seconds now,
                                                                               std::int64_t step);

}  // namespace sim::engine
