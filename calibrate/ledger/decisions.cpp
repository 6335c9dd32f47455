// Scores of decisions: winners, regret and rank correlation.
#include "calibrate/ledger/decisions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "calibrate/measurements/statistics.hpp"

namespace calibrate::ledger {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::string_view separators = "/:-";

/// Whether the column is a part of an arm's name, `arm1` to `arm9`.
bool is_arm_part(std::string_view column) {
  return column.size() == 4 && column.starts_with("arm") && column[3] >= '1' && column[3] <= '9';
}

/// The part of an arm's name; nothing where it has fewer.
std::optional<std::string> arm_part(std::string_view arm, int part) {
  for (; part > 1; --part) {
    const std::size_t end = arm.find_first_of(separators);
    if (end == std::string_view::npos) return std::nullopt;
    arm.remove_prefix(end + 1);
  }
  return std::string(arm.substr(0, arm.find_first_of(separators)));
}

Result<std::string> value_of(const Prediction& prediction, std::string_view column) {
  if (column == "table") return prediction.table;
  const std::string& what = prediction.what;
  if (column == "metric") return what.starts_with(prediction.arm) ? what.substr(prediction.arm.size()) : what;
  auto part = prediction.arm.empty() ? std::nullopt : arm_part(prediction.arm, column[3] - '0');
  if (!part)
    return refuse("", fmt::format("`{}` has no arm with a part {}", what, column[3]),
                  "parts of an arm's name lie between `/`, `:` or `-`");
  return std::move(*part);
}

using Group = std::vector<const Prediction*>;

Result<std::vector<Group>> groups_of(std::span<const Prediction> predictions,
                                     std::span<const std::string> columns) {
  std::map<std::vector<std::string>, Group> by_key;
  for (const Prediction& each : predictions) {
    std::vector<std::string> key;
    for (const std::string& column : columns) {
      GRADSIM_TRY(value, value_of(each, column));
      key.push_back(std::move(*value));
    }
    by_key[key].push_back(&each);
  }
  std::vector<Group> groups;
  for (auto& [key, group] : by_key) {
    if (group.size() > 1) groups.push_back(std::move(group));
  }
  if (groups.empty()) return refuse("", "no two figures compete", "name fewer columns under `choices`");
  return groups;
}

/// Measured figure of the predicted winner over the measured best, less 1.
double regret_of(const Group& group) {
  const Prediction* best = *std::ranges::min_element(group, {}, &Prediction::measured);
  const Prediction* chosen = *std::ranges::min_element(group, [](const Prediction* a, const Prediction* b) {
    return a->predicted != b->predicted ? a->predicted < b->predicted : a->measured > b->measured;
  });
  return chosen->measured / best->measured - 1;
}

std::optional<double> correlation_of(const Group& group) {
  std::vector<double> measured;
  std::vector<double> predicted;
  for (const Prediction* each : group) {
    measured.push_back(each->measured);
    predicted.push_back(each->predicted);
  }
  return rank_correlation(measured, predicted);
}

/// From 1 on; equal values share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto below = std::ranges::count_if(values, [&](double other) { return other < value; });
    const auto equal = std::ranges::count(values, value);
    ranks.push_back(static_cast<double>(below) + (static_cast<double>(equal) + 1) / 2);
  }
  return ranks;
}

}  // namespace

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2) return std::nullopt;
  const std::vector<double> x = ranks_of(a);
  const std::vector<double> y = ranks_of(b);
  const double middle = (static_cast<double>(a.size()) + 1) / 2;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
    xy += (x[i] - middle) * (y[i] - middle);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

Result<void> check_choice_column(std::string_view column) {
  if (column == "table" || column == "metric" || is_arm_part(column)) return {};
  return refuse("", fmt::format("unknown column `{}` of figures", column),
                "accepted: table, metric, and arm1 to arm9 for parts of the arm's name");
}

Result<Decisions> score_decisions(std::span<const Prediction> predictions,
                                  std::span<const std::string> columns) {
  for (const std::string& column : columns) {
    if (auto checked = check_choice_column(column); !checked) return tl::unexpected(checked.error());
  }
  GRADSIM_TRY(groups, groups_of(predictions, columns));
  Decisions decisions;
  decisions.groups = groups->size();
  std::vector<double> regrets;
  std::vector<double> correlations;
  for (const Group& group : *groups) {
    regrets.push_back(regret_of(group));
    if (regrets.back() == 0) ++decisions.right;
    if (const auto correlation = correlation_of(group)) correlations.push_back(*correlation);
  }
  decisions.regret = measurements::mean(regrets);
  decisions.worst_regret = std::ranges::max(regrets);
  if (!correlations.empty()) decisions.rank_correlation = measurements::mean(correlations);
  return decisions;
}

}  // namespace calibrate::ledger
