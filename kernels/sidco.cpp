// Stage by stage into the tail.
#include "kernels/sidco.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kernels/statistics.hpp"

namespace kernels {
namespace {

/// Mean of |v| - threshold over the finite exceedances; 0 of none.
double mean_excess(std::span<const Magnitude> exceedances, double threshold) {
  double sum = 0;
  std::int64_t finite = 0;
  for (const Magnitude size : exceedances) {
    if (size >= infinite_magnitude) continue;
    sum += static_cast<double>(absolute(size)) - threshold;
    ++finite;
  }
  return finite == 0 ? 0 : sum / static_cast<double>(finite);
}

}  // namespace

Sidco::Sidco(const Settings& settings) : Sparsifier(settings.index_bytes), stages_(stages(settings)) {}

std::vector<double> Sidco::stages(const Settings& settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1);
  assert(settings.first > 0 && settings.first < 1 && settings.later > 0 && settings.later < 1);
  std::vector<double> found{std::max(settings.ratio, settings.first)};
  for (double remaining = settings.ratio / found.back(); remaining < 1; remaining /= found.back()) {
    found.push_back(std::max(remaining, settings.later));
  }
  return found;
}

Message Sidco::compress(std::span<const float> vector) {
  const Statistics found = measure(vector);
  double threshold = -found.mean() * std::log(stages_.front());
  candidates_.collect(vector, at_least(threshold));
  for (const double stage : std::span(stages_).subspan(1)) {
    threshold -= mean_excess(candidates_.sizes(), threshold) * std::log(stage);
    candidates_.keep_at_least(at_least(threshold));
  }
  if (candidates_.count() == 0 && !vector.empty()) {
    candidates_.collect(vector, found.largest);
    candidates_.keep_largest(1);
  }
  return gathered(vector, candidates_.indices(), found.energy);
}

}  // namespace kernels
