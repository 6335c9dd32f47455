// Smoothing every worker's norm and asking whether any has changed.
#include "policies/selsync.hpp"

#include <algorithm>
#include <cmath>

namespace policies {

std::optional<double> SelSync::change(std::uint32_t worker, double squared_norm, double smoothing) {
  if (averages_.size() <= worker) averages_.resize(worker + std::size_t{1});
  std::optional<double>& average = averages_[worker];
  if (!average) {
    average = squared_norm;
    return std::nullopt;
  }
  const double before = *average;
  *average += smoothing * (squared_norm - before);
  if (before == 0) return *average == 0 ? 0 : std::optional<double>(INFINITY);
  return std::abs(*average - before) / before;
}

Synchronisation SelSync::decide(const SynchronisationObservation& seen) {
  const double smoothing =
      settings_.smoothing.value_or(std::min(1.0, static_cast<double>(seen.workers.size()) / 100));
  bool asked = seen.step < settings_.warmup_steps;
  for (std::size_t i = 0; i < seen.squared_norms.size(); ++i) {
    const auto changed = change(seen.workers[i], seen.squared_norms[i], smoothing);
    asked = asked || !changed || !(*changed < settings_.threshold);  // NaN asks too
  }
  return asked ? settings_.exchange : Synchronisation::stay_local;
}

}  // namespace policies
