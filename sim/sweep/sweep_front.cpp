// Sorting by one figure, and keeping whoever improves the other.
#include "sim/sweep/sweep_front.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

namespace sim::sweep {
namespace {

constexpr std::array list{Objective{"sent_bytes"},
                          Objective{"step_time_s"},
                          Objective{"total_time_s"},
                          Objective{"target_time_s"},
                          Objective{"target_bytes"},
                          Objective{"cost_usd"},
                          Objective{"accuracy", true},
                          Objective{"best_accuracy", true},
                          Objective{"throughput_samples_per_s", true},
                          Objective{"scaling_efficiency", true},
                          Objective{"gain", true}};

}  // namespace

std::span<const Objective> objectives() { return list; }

std::vector<std::size_t> front(const Figures& x, const Figures& y, bool more_x_is_better,
                               bool more_y_is_better) {
  struct Place {
    double x;
    double y;
    std::size_t row;
  };
  std::vector<Place> places;
  for (std::size_t row = 0; row < x.size(); ++row) {
    if (x[row] && y[row])
      places.push_back({more_x_is_better ? -*x[row] : *x[row], more_y_is_better ? -*y[row] : *y[row], row});
  }
  std::ranges::sort(places, {}, [](const Place& place) { return std::tie(place.x, place.y, place.row); });
  std::vector<std::size_t> rows;
  double best = std::numeric_limits<double>::infinity();
  for (const Place& place : places) {
    if (place.y >= best) continue;
    best = place.y;
    rows.push_back(place.row);
  }
  return rows;
}

}  // namespace sim::sweep
