// Correction of a model by measured points: an offset and a factor, and ratios between three and more.
#include <algorithm>
#include <cmath>

#include "netmodels/nccl/time.hpp"

namespace netmodels::nccl {

/// The largest size sets the factor, the smallest the offset, in turn: each moves the other's time a little.
Result<void> Model::fit_measured(const Measured& measured) {
  constexpr int rounds = 6;
  constexpr double least_factor = .05;
  const auto& small = measured.points.front();
  const auto& large = measured.points.back();
  for (int round = 0; round < rounds; ++round) {
    if (measured.points.size() > 1) {
      const auto here = time(measured.operation, small.size);
      if (!here) return tl::unexpected(here.error());
      offset_ += small.time - here->total();
    }
    const auto here = time(measured.operation, large.size);
    if (!here) return tl::unexpected(here.error());
    const Seconds grows = here->wire + here->fill;
    const Seconds fixed = here->total() - grows;
    if (grows.count > 0) factor_ = std::max(least_factor, factor_ * ((large.time - fixed) / grows));
  }
  return {};
}

Result<void> Model::find_ratios(const Measured& measured) {
  for (const MeasuredPoint& point : measured.points) {
    const auto here = uncorrected(measured.operation, point.size);
    if (!here) return tl::unexpected(here.error());
    ratios_.emplace_back(std::log(point.size.count), std::log(point.time / here->total()));
  }
  return {};
}

double Model::log_ratio(Bytes size) const {
  const double place = std::log(std::max(size.count, 1.));
  if (place <= ratios_.front().first) return ratios_.front().second;
  if (place >= ratios_.back().first) return ratios_.back().second;
  const auto above = std::ranges::upper_bound(ratios_, place, {}, &std::pair<double, double>::first);
  const auto& [low, at_low] = *(above - 1);
  const auto& [high, at_high] = *above;
  return at_low + (at_high - at_low) * (place - low) / (high - low);
}

}  // namespace netmodels::nccl
