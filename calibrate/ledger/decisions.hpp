// Decisions: of figures that compete, whether the predicted winner is the measured one, and what a wrong one
// costs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// How the decisions of some predictions came out. Of the figures that compete, the smallest wins, as of
/// times.
struct Decisions {
  std::size_t groups = 0;   ///< groups of two figures and more that compete; at least one
  std::size_t right = 0;    ///< groups whose predicted winner is the measured winner
  double regret = 0;        ///< mean over groups: measured figure of the predicted winner / measured best - 1
  double worst_regret = 0;  ///< regret of the worst group
  /// Mean over groups of Spearman's rank correlation; nothing where every group has equal figures only.
  std::optional<double> rank_correlation{};

  /// Share of groups, 0 to 1.
  [[nodiscard]] double right_share() const {
    return static_cast<double>(right) / static_cast<double>(groups);
  }
};

/// Spearman's rank correlation: Pearson's of the ranks, equal values sharing their mean.
/// @param a, b  of the same length
/// @returns -1 to 1; nothing where all values of a list are equal, or there are fewer than two
/// Source: C. Spearman, "The Proof and Measurement of Association between Two Things", 1904.
std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b);

/// Whether `column` is one that `score_decisions` knows: `table`, `metric`, or `arm1` to `arm9`.
/// @returns an Error with an empty `where` for another name
netmodels::Result<void> check_choice_column(std::string_view column);

/// Figures compete where they agree in all columns: `table`, `metric` (what follows the arm's name in
/// `what`; without an arm, all of it), `arm1` to `arm9` (parts of the arm's name, cut at `/`, which joins
/// axes, `:` or `-`). So for arms `vgg16/dense` and `vgg16/int8`, arm1 makes one group. A figure that
/// competes with none is left out. Where several figures are predicted to be equally good, the one that was
/// measured to be worst counts as chosen.
/// @returns an Error with an empty `where` where a figure has no arm with such a part, or no two figures
/// compete
netmodels::Result<Decisions> score_decisions(std::span<const Prediction> predictions,
                                             std::span<const std::string> columns);

}  // namespace calibrate::ledger
