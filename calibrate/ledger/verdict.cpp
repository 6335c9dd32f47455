// Judging of entries.
#include "calibrate/ledger/verdict.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace calibrate::ledger {
namespace {

bool keeps(double error, const std::optional<double>& bound) { return !bound || error <= *bound; }

bool is_within(const Prediction& prediction, const LedgerEntry& entry) {
  if (!prediction.size) return true;
  return (!entry.least_size || *prediction.size >= *entry.least_size) &&
         (!entry.most_size || *prediction.size <= *entry.most_size);
}

}  // namespace

bool Verdict::holds() const {
  const Band& band = entry.band;
  return keeps(errors.mean, band.mean) && keeps(errors.median, band.median) && keeps(errors.p90, band.p90) &&
         (!band.right_side || right_side >= *band.right_side);
}

bool Verdict::in_sample() const { return std::ranges::any_of(predictions, &Prediction::in_sample); }

std::size_t Outcome::held() const {
  return static_cast<std::size_t>(std::ranges::count_if(verdicts, &Verdict::holds));
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
  return Verdict{entry, std::move(*predictions), errors, share};
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
