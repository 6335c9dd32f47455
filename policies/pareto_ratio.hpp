// Pareto-optimal compression ratios, by curves through measurements at a few ratios.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "settings/fields.hpp"

namespace policies {

// Measurements at a few compression ratios, interpolated at any ratio in between.

/// One measurement.
struct RatioPoint {
  double ratio = 1;  ///< kept / original, in (0, 1]
  double value = 0;
};

/// Straight lines between the points over the logarithm of the ratio; constant beyond the outermost points.
///
/// The published code fits a rational of exponentials with six parameters to five points and two anchors. A
/// line from point to point keeps the measurements, cannot fail to converge, and rises wherever the points
/// do; over the logarithm because the candidates lie about evenly there.
class RatioCurve {
 public:
  /// @param points  at least one, in any order, no ratio twice
  explicit RatioCurve(std::vector<RatioPoint> points);
  /// The curve that comes closest to the points (least squares) among those that never fall as the ratio
  /// rises: neighbours out of order share their mean.
  static RatioCurve rising(std::vector<RatioPoint> points);

  [[nodiscard]] double at(double ratio) const;

 private:
  std::vector<RatioPoint> points_;  ///< points by ratio
};

// Compression ratios that no other beats in everything, and the one of them that balances best.

/// The costs of a ratio, one number per objective, smaller is better; always equally many, all finite.
using RatioObjectives = std::function<std::vector<double>(double ratio)>;

/// Range of the search, ends included.
struct RatioRange {
  double least = 0.001;  ///< above 0
  double most = 0.1;     ///< not below `least`, at most 1
};

/// A ratio and its costs.
struct ParetoPoint {
  double ratio = 1;
  std::vector<double> objectives;
};

/// How the front is found.
enum class ParetoSolver : std::uint8_t {
  exact,  ///< every point of a grid of 513 ratios, even in their logarithm, that no other dominates
  /// Population 40, 40 generations, simulated binary crossover 0.9 with index 15, polynomial mutation with
  /// index 20 and probability 1, over the logarithm of the ratio.
  nsga2,
};

constexpr auto names_of(ParetoSolver) {
  return std::to_array<settings::Named<ParetoSolver>>(
      {{"exact", ParetoSolver::exact}, {"nsga2", ParetoSolver::nsga2}});
}

/// The ratios that no other ratio beats in one objective without losing in another, by ratio.
///
/// There is one unknown, so a fine grid finds the front itself; NSGA-II is used because the
/// published system uses it.
/// @param seed  of NSGA-II; the exact solver draws nothing
/// Source: Deb et al., "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE Transactions on
///         Evolutionary Computation 6(2), 2002; parameters: Tyagi & Swany, "Flexible Communication for
///         Optimal Distributed Learning over Unpredictable Networks", IEEE BigData 2023 (released code, which
///         breeds 10 of 40 per generation; here all 40 are bred).
std::vector<ParetoPoint> pareto_front(ParetoSolver solver, const RatioObjectives& objectives,
                                      const RatioRange& range, std::uint32_t seed);

/// The point of a front with the least achievement scalarising value
///
///   max_i w_i (F_i - ideal_i) / (nadir_i - ideal_i)
///
/// where ideal and nadir are the least and greatest of each objective on the front; an objective that is the
/// same everywhere counts 0. The lowest ratio wins a tie.
/// @param front    at least one point
/// @param weights  one per objective, at least 0
/// Source: Wierzbicki, "The Use of Reference Objectives in Multiobjective Optimization", 1980.
const ParetoPoint& knee(std::span<const ParetoPoint> front, std::span<const double> weights);

}  // namespace policies
