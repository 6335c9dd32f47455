// Smoothing every worker's norm and asking whether any has changed.
#include "policies/selsync.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace policies {

namespace {

constexpr std::size_t remembered_changes = 200;

}  // namespace

SelSync::SelSync(const Settings& settings) : settings_(settings) {
  if (settings_.quantile) changes_.emplace(*settings_.quantile, remembered_changes);
}

std::optional<double> SelSync::change(std::uint32_t worker, double squared_norm, double smoothing) {
  while (averages_.size() <= worker) averages_.emplace_back(settings_.window);
  const auto before = averages_[worker].value();
  const double now =
      averages_[worker].add(settings_.squared ? squared_norm : std::sqrt(squared_norm), smoothing);
  if (!before) return std::nullopt;
  if (*before == 0) return now == 0 ? 0 : std::numeric_limits<double>::infinity();
  const double change = (now - *before) / *before;
  return settings_.absolute ? std::abs(change) : change;
}

Synchronisation SelSync::decide(const SynchronisationObservation& seen) {
  const double smoothing =
      settings_.smoothing.value_or(weight_by_workers(static_cast<std::uint32_t>(seen.workers.size())));
  bool asked = seen.step < settings_.warmup_steps;
  std::optional<double> largest;
  for (std::size_t i = 0; i < seen.squared_norms.size(); ++i) {
    const auto changed = change(seen.workers[i], seen.squared_norms[i], smoothing);
    if (!changed || std::isnan(*changed))
      asked = true;
    else
      largest = std::max(*changed, largest.value_or(*changed));
  }
  if (!largest) return asked ? settings_.exchange : Synchronisation::stay_local;
  const double threshold = changes_ ? changes_->value().value_or(*largest) : settings_.threshold;
  if (changes_) changes_->add(*largest);
  return asked || *largest >= threshold ? settings_.exchange : Synchronisation::stay_local;
}

}  // namespace policies
