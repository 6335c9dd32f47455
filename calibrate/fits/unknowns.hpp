// Unknowns of a model, found from a few measured figures and from what is known of them before.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "netmodels/result.hpp"

namespace calibrate::fits {

/// An unknown, and what is known of it before anything is measured: a log-normal distribution.
struct Unknown {
  double expected = 1;  ///< the middle, above 0
  double factor = 2;    ///< expected / factor to expected x factor hold 95 % of it; above 1
  double kept = 1;      ///< value where no figure identifies it; may be 0
  double most = std::numeric_limits<double>::infinity();  ///< values above it count as this one
};

/// A measured figure.
struct MeasuredFigure {
  double value = 1;      ///< above 0
  double within = 0.05;  ///< the relative error that 95 % of measurements stay below, above 0
};

/// The figures, in the order in which they were measured, for values of the unknowns; each above 0.
using FigureModel = std::function<netmodels::Result<std::vector<double>>(std::span<const double> unknowns)>;

/// An unknown after the fit.
struct FoundUnknown {
  double value = 1;
  double factor = 1;        ///< as `Unknown::factor`, now; not above it
  bool identified = false;  ///< false: `value` is the kept one
  double low = 1;   ///< 95 %, to `high`: where each unknown that is not identified may be anything in its
  double high = 1;  ///< own range. Of one that is not identified, as far as the figures leave it
  /// Share of each figure in what all figures say about this unknown alone; all 0 where they say
  /// nothing.
  std::vector<double> shares;
  /// Unknown that explains the figures as well, where they depend on this one, anywhere in its range, and
  /// still do not identify it.
  std::optional<std::size_t> confused_with;
};

struct UnknownsFit {
  std::vector<FoundUnknown> unknowns;
  std::vector<double> explained;  ///< the figures by the model
  double chi_square = 0;          ///< chi-square of the figures, without what was known before
  std::size_t freedom = 1;        ///< figures less identified unknowns, at least 1

  /// Whether errors as stated leave such differences in less than one of a thousand measurements.
  [[nodiscard]] bool contradicts() const;
};

/// An unknown counts as identified where the figures narrow its range, on a logarithmic scale, to this share;
/// no more unknowns than there are figures do, those with the narrowest ranges.
inline constexpr double identified_share = 0.8;

/// The values that are most likely after the measurements: they minimise
///
///   sum_i (ln(model_i / figure_i) / within_i)^2 + sum_j (ln(u_j / expected_j) / ln factor_j)^2
///
/// by Levenberg-Marquardt on ln u, from the best of a few starting points along each unknown; the Jacobian by
/// central differences. Unknowns that the figures do not identify keep `kept`, and the others are fitted
/// again. Factors are those of the inverse normal matrix. From `low` to `high`, on a logarithmic scale: the
/// square root of the sum of squares of this range among identified unknowns, and of how far the value moves
/// when each other unknown goes to the ends of its range (or as far as the loss grows by 1 at most) and the
/// fit is made again.
///
/// @param figures  at least one
/// @returns the fit, or the first Error of the model
/// Leaves out: ranges of identified unknowns far from log-normal, such as those of a time that hides behind
///             another one.
/// Source: D. W. Marquardt, "An Algorithm for Least-Squares Estimation of Nonlinear Parameters", J. SIAM
///         11(2), 1963; A. Tarantola, "Inverse Problem Theory", SIAM 2005, section 3.2 (priors as rows,
///         posterior covariance).
netmodels::Result<UnknownsFit> fit_unknowns(std::span<const Unknown> unknowns,
                                            std::span<const MeasuredFigure> figures,
                                            const FigureModel& model);

}  // namespace calibrate::fits
