// Judging of entries.
#include "calibrate/ledger/verdict.hpp"

#include <algorithm>
#include <cassert>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace calibrate::ledger {
namespace {

bool is_at_most(double error, const std::optional<double>& bound) { return !bound || error <= *bound; }

bool is_at_least(double share, const std::optional<double>& bound) { return !bound || share >= *bound; }

bool is_within(const Prediction& prediction, const LedgerEntry& entry) {
  if (!prediction.size) return true;
  return (!entry.least_size || *prediction.size >= *entry.least_size) &&
         (!entry.most_size || *prediction.size <= *entry.most_size);
}

}  // namespace

bool Verdict::keeps(const Band& band) const {
  assert(decisions || (!band.winners && !band.regret));
  return is_at_most(errors.mean, band.mean) && is_at_most(errors.median, band.median) &&
         is_at_most(errors.p90, band.p90) && is_at_least(right_side, band.right_side) &&
         (!decisions || (is_at_least(decisions->right_share(), band.winners) &&
                         is_at_most(decisions->regret, band.regret)));
}

std::optional<bool> Verdict::meets_goal() const {
  if (!entry.goal) return std::nullopt;
  return keeps(*entry.goal);
}

bool Verdict::in_sample() const { return std::ranges::any_of(predictions, &Prediction::in_sample); }

std::size_t Outcome::not_worse() const {
  return static_cast<std::size_t>(std::ranges::count_if(verdicts, &Verdict::not_worse));
}

std::size_t Outcome::goals() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(verdicts, [](const Verdict& each) { return each.entry.goal.has_value(); }));
}

std::size_t Outcome::goals_met() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(verdicts, [](const Verdict& each) { return each.meets_goal() == true; }));
}

measurements::RelativeErrors errors_of(std::span<const Prediction> predictions) {
  std::vector<double> errors;
  for (const Prediction& each : predictions) errors.push_back(each.error());
  return measurements::summarise(errors);
}

netmodels::Result<Verdict> judge(const LedgerEntry& entry, const Evidence& evidence) {
  GRADSIM_TRY(predictions, entry.rule->predict(evidence));
  std::erase_if(*predictions, [&](const Prediction& each) { return !is_within(each, entry); });
  if (predictions->empty())
    return netmodels::refuse("", fmt::format("`{}` has no figure within its sizes", entry.name),
                             "lower `least_size` or raise `most_size`");
  const auto right = std::ranges::count_if(*predictions, &Prediction::on_right_side);
  const double share = static_cast<double>(right) / static_cast<double>(predictions->size());
  const measurements::RelativeErrors errors = errors_of(*predictions);
  std::optional<Decisions> decisions;
  if (!entry.choices.empty()) {
    GRADSIM_TRY(scored, score_decisions(*predictions, entry.choices));
    decisions = *scored;
  }
  std::vector<FigureCounts> counts;
  if (entry.rule->count != nullptr) {
    GRADSIM_TRY(counted, entry.rule->count(evidence));
    counts = std::move(*counted);
  }
  return Verdict{entry, std::move(*predictions), errors, share, decisions, std::move(counts)};
}

std::vector<Prediction> distinct_times(const Outcome& outcome) {
  std::vector<Prediction> distinct;
  std::set<std::tuple<std::string, std::string, double>> known;
  for (const Verdict& verdict : outcome.verdicts) {
    for (const Prediction& each : verdict.predictions) {
      if (each.unit == "s" && known.insert({each.table, each.what, each.predicted}).second)
        distinct.push_back(each);
    }
  }
  return distinct;
}

}  // namespace calibrate::ledger
