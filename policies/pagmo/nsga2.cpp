// NSGA-II by pagmo, over the logarithm of the ratio.
#include "policies/nsga2.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

namespace policies {
namespace {

constexpr unsigned population_size = 40;
constexpr unsigned generations = 40;

/// The objectives over log(ratio), in the shape that pagmo asks for.
struct RatioProblem {
  const RatioObjectives* objectives = nullptr;  ///< outlives the problem
  RatioRange range;
  std::size_t count = 1;  ///< number of objectives

  /// Rounding does not lead out of the range.
  [[nodiscard]] double ratio(double logarithm) const {
    return std::clamp(std::exp(logarithm), range.least, range.most);
  }
  [[nodiscard]] pagmo::vector_double fitness(const pagmo::vector_double& unknown) const {
    return (*objectives)(ratio(unknown[0]));
  }
  [[nodiscard]] std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    return {{std::log(range.least)}, {std::log(range.most)}};
  }
  [[nodiscard]] pagmo::vector_double::size_type get_nobj() const { return count; }
};

}  // namespace
}  // namespace policies

extern "C" policies::EvolveRatios gradsim_module;
extern "C" void gradsim_module(const policies::RatioObjectives& objectives, const policies::RatioRange& range,
                               std::uint32_t seed, std::vector<policies::ParetoPoint>& points) {
  const policies::RatioProblem problem{&objectives, range, objectives(range.most).size()};
  pagmo::population start{pagmo::problem{problem}, policies::population_size, seed};
  const pagmo::population last =
      pagmo::nsga2(policies::generations, 0.9, 15, 1, 20, seed).evolve(std::move(start));
  for (std::size_t i = 0; i < last.size(); ++i)
    points.push_back({problem.ratio(last.get_x()[i][0]), last.get_f()[i]});
}
