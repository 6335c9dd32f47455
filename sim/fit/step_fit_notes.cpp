// What a fit of a step says in words.
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/fit/step_fit.hpp"

namespace sim::fit {
namespace {

std::string kept_text(const FittedUnknown& unknown) {
  const UnknownRow& row = *unknown.row;
  if (!unknown.stated) return "what the scenario takes without it stays";
  return fmt::format("the scenario's {} {}", row.print(*unknown.stated),
                     unknown.prior.source.empty() ? "stay" : "stay (" + unknown.prior.source + ")");
}

std::string why_unidentified(const StepFit& fit, const FittedUnknown& unknown) {
  if (const auto other = unknown.found.confused_with)
    return fmt::format("the measurements do not tell it from {}", fit.unknowns[*other].name());
  return fit.rests_on(unknown).empty() ? "no measurement changes with it"
                                       : "the measurements change too little with it";
}

bool is_measured(const StepFit& fit, TellingFigure figure) {
  return std::ranges::any_of(fit.figures, [&](const ExplainedFigure& each) {
    const scenario::StepFigure& measured = each.measured.figure;
    switch (figure) {
      case TellingFigure::allreduce: return measured.allreduce.has_value();
      case TellingFigure::alone: return measured.alone.has_value();
      case TellingFigure::uncompressed:
        return measured.step && !each.measured.scenario.exchange.compression.compresses();
      case TellingFigure::none: break;
    }
    return true;
  });
}

std::string_view how_to_measure(TellingFigure figure) {
  switch (figure) {
    case TellingFigure::allreduce: return "an all-reduce by itself (`allreduce`)";
    case TellingFigure::alone: return "a step of one worker alone (`alone`)";
    case TellingFigure::uncompressed: return "a step of an arm without compression";
    case TellingFigure::none: break;
  }
  return "";
}

/// What else to measure where two unknowns explain the figures alike.
std::string telling_text(const StepFit& fit, const FittedUnknown& one, const FittedUnknown& other) {
  std::vector<std::string_view> ways;
  for (const TellingFigure figure : {one.row->told_by, other.row->told_by}) {
    if (!is_measured(fit, figure)) ways.push_back(how_to_measure(figure));
  }
  if (ways.empty()) return "to tell them apart, measure again with a smaller error (`within`)";
  return fmt::format("to tell them apart, measure {}", fmt::join(ways, " or "));
}

std::string range_origin(const FittedUnknown& unknown) {
  const Prior& prior = unknown.prior;
  if (!prior.source.empty()) return prior.source;
  return fmt::format("assumed: {} within a factor of {:g}", unknown.row->print(prior.expected), prior.factor);
}

/// What the other unknown means for the range of the one that is taken in its place; empty where there is
/// none.
std::string confusion_text(const StepFit& fit, const FittedUnknown& unknown) {
  if (!unknown.found.confused_with) return "";
  const FittedUnknown& other = fit.unknowns[*unknown.found.confused_with];
  std::string telling = telling_text(fit, unknown, other);
  if (!other.found.identified) {
    telling.front() = 'T';
    return " " + telling + ".";
  }
  return fmt::format(" The range of {} allows for {} to {} of {} ({}); {}.", other.name(),
                     unknown.row->print(unknown.low()), unknown.row->print(unknown.high()), unknown.name(),
                     range_origin(unknown), telling);
}

/// Nothing where the value lies within the factor that was assumed.
std::optional<std::string> beyond_assumption(const StepFit& fit, const FittedUnknown& unknown) {
  const Prior& prior = unknown.prior;
  const double ratio = unknown.found.value / prior.expected;
  if (ratio == 0 || (ratio <= prior.factor && ratio >= 1 / prior.factor)) return std::nullopt;
  const TellingFigure figure = unknown.row->told_by;
  return fmt::format(
      "{} {} lies outside of what was assumed, {} within a factor of {:g}: something else may take "
      "the time{}.",
      unknown.name(), unknown.row->print(unknown.found.value), unknown.row->print(prior.expected),
      prior.factor, is_measured(fit, figure) ? "" : fmt::format("; measure {}", how_to_measure(figure)));
}

/// Nothing where the value lies in the range that was known before.
std::optional<std::string> beyond_prior(const StepFit& fit, const FittedUnknown& unknown) {
  const Prior& prior = unknown.prior;
  const double value = unknown.found.value;
  if (prior.source.empty()) return beyond_assumption(fit, unknown);
  if (value >= prior.low && value <= prior.high) return std::nullopt;
  const UnknownRow& row = *unknown.row;
  return fmt::format("{} {} lies outside of the published range, {} to {} ({}).", unknown.name(),
                     row.print(value), row.print(prior.low), row.print(prior.high), prior.source);
}

}  // namespace

std::string FittedUnknown::name() const {
  if (row->per_arm) return fmt::format("{} of `{}`", row->name(), arm);
  return std::string(row->title.empty() ? row->name() : row->title);
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
      lines.push_back(fmt::format("{} is not identified: {}; {}.{}", unknown.name(),
                                  why_unidentified(*this, unknown), kept_text(unknown),
                                  confusion_text(*this, unknown)));
    else if (const auto beyond = beyond_prior(*this, unknown))
      lines.push_back(*beyond);
  }
  return lines;
}

}  // namespace sim::fit
