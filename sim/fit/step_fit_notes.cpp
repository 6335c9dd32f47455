// What a fit of a step says in words.
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "sim/fit/step_fit.hpp"

namespace sim::fit {
namespace {

std::string kept_text(const FittedUnknown& unknown) {
  const UnknownRow& row = *unknown.row;
  if (!unknown.stated) return "the time that the scenario takes without one stays";
  return fmt::format("the scenario's {} {}", row.print(*unknown.stated),
                     unknown.prior.source.empty() ? "stay" : "stay (" + unknown.prior.source + ")");
}

std::string why_unidentified(const StepFit& fit, const FittedUnknown& unknown) {
  if (const auto other = unknown.found.confused_with)
    return fmt::format("the measurements do not tell it from {}", fit.unknowns[*other].name());
  return fit.rests_on(unknown).empty() ? "no measurement changes with it"
                                       : "the measurements change too little with it";
}

/// Nothing where the value lies in the range that was known before, or there was none.
std::optional<std::string> beyond_prior(const FittedUnknown& unknown) {
  const Prior& prior = unknown.prior;
  const double value = unknown.found.value;
  if (prior.source.empty() || (value >= prior.low && value <= prior.high)) return std::nullopt;
  const UnknownRow& row = *unknown.row;
  return fmt::format("{} {} lies outside of the published range, {} to {} ({}).", unknown.name(),
                     row.print(value), row.print(prior.low), row.print(prior.high), prior.source);
}

}  // namespace

std::string FittedUnknown::name() const {
  return row->per_arm ? fmt::format("{} of `{}`", row->name(), arm) : std::string(row->name());
}

std::vector<std::string> StepFit::rests_on(const FittedUnknown& unknown) const {
  constexpr double least_share = 0.1;
  const std::vector<double>& shares = unknown.found.shares;
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return shares[i]; });
  std::vector<std::string> names;
  for (const std::size_t i : order) {
    if (shares[i] >= least_share) names.push_back(figures[i].measured.name);
  }
  return names;
}

std::vector<std::string> StepFit::notes() const {
  std::vector<std::string> lines;
  for (const FittedUnknown& unknown : unknowns) {
    if (!unknown.found.identified)
      lines.push_back(fmt::format("{} is not identified: {}; {}.", unknown.name(),
                                  why_unidentified(*this, unknown), kept_text(unknown)));
    else if (const auto beyond = beyond_prior(unknown))
      lines.push_back(*beyond);
  }
  return lines;
}

}  // namespace sim::fit
