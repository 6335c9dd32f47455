// Levenberg-Marquardt on the logarithms of unknowns, with what is known of them before as further rows.
#include "calibrate/fits/unknowns.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include <Eigen/Dense>

namespace calibrate::fits {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using netmodels::Result;

constexpr int most_iterations = 60;
constexpr double settled_step = 1e-7;  // change of the unknowns, in units of their prior range
constexpr double difference = 1e-3;    // relative, of an unknown for the Jacobian
constexpr double first_damping = 1e-3;
constexpr double most_damping = 1e9;
constexpr double damping_factor = 10;
constexpr double deviations_of_range = 2;  // 95 % of a normal distribution
constexpr double noticed = 1e-9;           // squared sensitivity below which a figure does not depend
constexpr double quantile_one_of_1000 = 3.0902;

/// The problem on a scale on which each unknown is 0 as expected and +-1 at the ends of its range, and each
/// residual is +-1 at the ends of its error.
class ScaledProblem {
 public:
  ScaledProblem(std::span<const Unknown> unknowns, std::span<const MeasuredFigure> figures,
                const FigureModel& model)
      : unknowns_(unknowns), figures_(figures), model_(model), free_(unknowns.size(), true) {
    for (const Unknown& unknown : unknowns) kept_.push_back(unknown.kept);
  }

  void fix(std::size_t unknown) { free_[unknown] = false; }
  void keep_at(std::size_t unknown, double value) { kept_[unknown] = value; }
  [[nodiscard]] bool is_free(std::size_t unknown) const { return free_[unknown]; }
  [[nodiscard]] Index count() const { return std::ssize(unknowns_); }

  [[nodiscard]] std::vector<double> values_at(const VectorXd& x) const {
    std::vector<double> values;
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      const Unknown& each = unknowns_[j];
      const double scaled = x[static_cast<Index>(j)] * std::log(each.factor);
      values.push_back(free_[j] ? std::min(each.expected * std::exp(scaled), each.most) : kept_[j]);
    }
    return values;
  }

  [[nodiscard]] Result<VectorXd> residuals(const VectorXd& x) const { return residuals_of(values_at(x)); }

  /// Also for unknowns that are kept, where they are above 0.
  [[nodiscard]] Result<MatrixXd> jacobian(const VectorXd& x) const {
    MatrixXd jacobian(std::ssize(figures_), count());
    const std::vector<double> values = values_at(x);
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      std::vector<double> up = values, down = values;
      up[j] = std::min(up[j] * (1 + difference), std::max(up[j], unknowns_[j].most));
      down[j] *= 1 - difference;
      GRADSIM_TRY(high, residuals_of(up));
      GRADSIM_TRY(low, residuals_of(down));
      const double run = std::log((1 + difference) / (1 - difference)) / std::log(unknowns_[j].factor);
      jacobian.col(static_cast<Index>(j)) = (*high - *low) / run;
    }
    return jacobian;
  }

 private:
  [[nodiscard]] Result<VectorXd> residuals_of(const std::vector<double>& values) const {
    GRADSIM_TRY(figures, model_(values));
    VectorXd residuals(std::ssize(figures_));
    for (std::size_t i = 0; i < figures_.size(); ++i)
      residuals[static_cast<Index>(i)] = std::log((*figures)[i] / figures_[i].value) / figures_[i].within;
    return residuals;
  }

  std::span<const Unknown> unknowns_;
  std::span<const MeasuredFigure> figures_;
  const FigureModel& model_;
  std::vector<bool> free_;
  std::vector<double> kept_;  ///< values of the unknowns that are not free
};

double loss(const VectorXd& residuals, const VectorXd& x) {
  return residuals.squaredNorm() + x.squaredNorm();
}

/// The best of a few points along one unknown after the other: far from the answer, figures may not change
/// with an unknown at all.
Result<VectorXd> starting_point(const ScaledProblem& problem) {
  constexpr std::array places{-1.5, -1.0, -0.5, 0.5, 1.0, 1.5};
  VectorXd best = VectorXd::Zero(problem.count());
  GRADSIM_TRY(first, problem.residuals(best));
  double least = loss(*first, best);
  for (Index j = 0; j < problem.count(); ++j) {
    if (!problem.is_free(static_cast<std::size_t>(j))) continue;
    const VectorXd origin = best;
    for (const double place : places) {
      VectorXd tried = origin;
      tried[j] = place;
      GRADSIM_TRY(residuals, problem.residuals(tried));
      const double now = loss(*residuals, tried);
      if (now >= least) continue;
      least = now;
      best = tried;
    }
  }
  return best;
}

/// J'J + 1, with the columns of kept unknowns left out.
MatrixXd normal_matrix(const ScaledProblem& problem, MatrixXd& jacobian) {
  for (Index j = 0; j < problem.count(); ++j) {
    if (!problem.is_free(static_cast<std::size_t>(j))) jacobian.col(j).setZero();
  }
  return jacobian.transpose() * jacobian + MatrixXd::Identity(problem.count(), problem.count());
}

/// Takes the first damped step that lowers the loss.
/// @returns whether there was one of any length
Result<bool> descend(const ScaledProblem& problem, VectorXd& x, VectorXd& residuals, double& damping) {
  GRADSIM_TRY(jacobian, problem.jacobian(x));
  const MatrixXd normal = normal_matrix(problem, *jacobian);
  const VectorXd gradient = jacobian->transpose() * residuals + x;
  for (; damping < most_damping; damping *= damping_factor) {
    const MatrixXd damped = normal + damping * MatrixXd(normal.diagonal().asDiagonal());
    const VectorXd step = -damped.ldlt().solve(gradient);
    const VectorXd tried = x + step;
    GRADSIM_TRY(next, problem.residuals(tried));
    if (loss(*next, tried) >= loss(residuals, x)) continue;
    x = tried;
    residuals = std::move(*next);
    damping /= damping_factor;
    return step.cwiseAbs().maxCoeff() > settled_step;
  }
  return false;
}

Result<VectorXd> minimise_from(const ScaledProblem& problem, VectorXd x) {
  GRADSIM_TRY(residuals, problem.residuals(x));
  double damping = first_damping;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    GRADSIM_TRY(moved, descend(problem, x, *residuals, damping));
    if (!*moved) break;
  }
  return x;
}

Result<VectorXd> minimise(const ScaledProblem& problem) {
  GRADSIM_TRY(start, starting_point(problem));
  return minimise_from(problem, std::move(*start));
}

std::vector<double> shares_of(const MatrixXd& jacobian, Index unknown) {
  const VectorXd squares = jacobian.col(unknown).array().square();
  const double sum = squares.sum();
  std::vector<double> shares;
  for (const double square : squares) shares.push_back(sum > noticed ? square / sum : 0);
  return shares;
}

/// The unknown with which this one is most correlated.
std::optional<std::size_t> most_correlated(const MatrixXd& covariance, Index unknown) {
  std::optional<std::size_t> found;
  double most = 0;
  for (Index other = 0; other < covariance.cols(); ++other) {
    const double scale = std::sqrt(covariance(unknown, unknown) * covariance(other, other));
    const double correlation = std::abs(covariance(unknown, other)) / scale;
    if (other == unknown || correlation <= most) continue;
    most = correlation;
    found = static_cast<std::size_t>(other);
  }
  return found;
}

/// How far the figures narrow the range of each unknown.
VectorXd narrowed_shares(const MatrixXd& covariance) { return covariance.diagonal().array().sqrt(); }

/// Unknowns that are narrowed enough: at most as many as there are figures, the narrowest first.
std::vector<bool> identified_unknowns(const VectorXd& shares, std::size_t figures) {
  std::vector<bool> identified(static_cast<std::size_t>(shares.size()), false);
  for (std::size_t round = 0; round < figures; ++round) {
    Index best = -1;
    for (Index j = 0; j < shares.size(); ++j) {
      const bool is_candidate = !identified[static_cast<std::size_t>(j)] && shares[j] <= identified_share;
      if (is_candidate && (best < 0 || shares[j] < shares[best])) best = j;
    }
    if (best >= 0) identified[static_cast<std::size_t>(best)] = true;
  }
  return identified;
}

FoundUnknown judge_unknown(const Unknown& unknown, const MatrixXd& jacobian, const MatrixXd& covariance,
                           Index index) {
  FoundUnknown found;
  found.factor = std::pow(unknown.factor, narrowed_shares(covariance)[index]);
  found.shares = shares_of(jacobian, index);
  const double alone = 1 / std::sqrt(1 + jacobian.col(index).squaredNorm());
  if (alone <= identified_share) found.confused_with = most_correlated(covariance, index);
  return found;
}

/// Widens the ranges of identified unknowns by what the others leave open.
class OpenUnknowns {
 public:
  /// @param settled  where the loss is least
  OpenUnknowns(std::span<const Unknown> unknowns, const ScaledProblem& problem, VectorXd settled)
      : unknowns_(unknowns),
        problem_(problem),
        settled_(std::move(settled)),
        below_(VectorXd::Zero(problem.count())),
        above_(VectorXd::Zero(problem.count())) {}

  /// Moves an unknown that is not identified to the ends of its range.
  Result<void> move(std::size_t unknown, FoundUnknown& found) {
    const Unknown& moved = unknowns_[unknown];
    found.low = std::min(moved.kept, moved.expected / moved.factor);
    found.high = std::max(moved.kept, std::min(moved.expected * moved.factor, moved.most));
    GRADSIM_TRY(residuals, problem_.residuals(settled_));
    least_ = loss(*residuals, settled_);
    VectorXd below = VectorXd::Zero(problem_.count()), above = below;
    bool matters = false;
    for (double* end : {&found.low, &found.high}) {
      GRADSIM_TRY(changed, at(unknown, *end).residuals(settled_));
      const double change = (*changed - *residuals).norm();
      matters |= 1 / std::sqrt(1 + change * change) <= identified_share;
      if (change * change <= noticed) continue;
      GRADSIM_TRY(reached, refit_near(unknown, *end));
      *end = reached->value;
      const VectorXd shift = reached->x - settled_;
      below = below.cwiseMax(-shift);
      above = above.cwiseMax(shift);
    }
    below_ += below.cwiseAbs2();
    above_ += above.cwiseAbs2();
    if (matters) confuse(below.cwiseMax(above), found);
    return {};
  }

  /// @param share  of its range, that the figures leave to it among the identified unknowns
  void judge(std::size_t unknown, double share, FoundUnknown& found) const {
    const auto j = static_cast<Index>(unknown);
    const Unknown& judged = unknowns_[unknown];
    const auto width = [&](double squares) {
      return std::pow(judged.factor, std::min(1.0, std::sqrt(share * share + squares)));
    };
    found.low = found.value / width(below_[j]);
    found.high = std::max(found.value, std::min(found.value * width(above_[j]), judged.most));
  }

 private:
  struct Refit {
    double value;
    VectorXd x;
  };

  [[nodiscard]] ScaledProblem at(std::size_t unknown, double value) const {
    ScaledProblem moved = problem_;
    moved.keep_at(unknown, value);
    return moved;
  }

  /// Refits with the unknown at `end`, or as close to it as the figures are still explained.
  [[nodiscard]] Result<Refit> refit_near(std::size_t unknown, double end) const {
    constexpr int halvings = 6;
    const double kept = unknowns_[unknown].kept;
    Refit best{kept, settled_};
    double step = end - kept;
    for (int i = 0; i <= halvings; ++i, step /= 2) {
      const double value = i == 0 ? end : best.value + step;
      const ScaledProblem moved = at(unknown, value);
      GRADSIM_TRY(x, minimise_from(moved, settled_));
      GRADSIM_TRY(residuals, moved.residuals(*x));
      if (loss(*residuals, *x) > least_ + 1) continue;
      best = {value, std::move(*x)};
      if (i == 0) break;
    }
    return best;
  }

  static void confuse(const VectorXd& shift, FoundUnknown& found) {
    constexpr double least_shift = 0.01;  // share of the range before
    Index most = 0;
    if (shift.maxCoeff(&most) >= least_shift) found.confused_with = static_cast<std::size_t>(most);
  }

  std::span<const Unknown> unknowns_;
  const ScaledProblem& problem_;
  VectorXd settled_;
  double least_ = 0;        ///< loss
  VectorXd below_, above_;  ///< squared shifts, summed over unknowns
};

Result<void> find_ranges(std::span<const Unknown> unknowns, const ScaledProblem& problem,
                         const VectorXd& settled, std::vector<FoundUnknown>& found) {
  GRADSIM_TRY(jacobian, problem.jacobian(settled));
  const VectorXd shares = narrowed_shares(normal_matrix(problem, *jacobian).inverse());
  OpenUnknowns open(unknowns, problem, settled);
  for (std::size_t j = 0; j < found.size(); ++j) {
    if (found[j].identified) continue;
    if (auto moved = open.move(j, found[j]); !moved) return moved;
  }
  for (std::size_t j = 0; j < found.size(); ++j) {
    if (found[j].identified) open.judge(j, shares[static_cast<Index>(j)], found[j]);
  }
  return {};
}

}  // namespace

bool UnknownsFit::contradicts() const {  // the quantile by E. B. Wilson & M. M. Hilferty, PNAS 17, 1931
  const auto degrees = static_cast<double>(freedom);
  const double spread = 2 / (9 * degrees);
  const double root = 1 - spread + quantile_one_of_1000 * std::sqrt(spread);
  return chi_square > degrees * root * root * root;
}

Result<UnknownsFit> fit_unknowns(std::span<const Unknown> unknowns, std::span<const MeasuredFigure> figures,
                                 const FigureModel& model) {
  assert(!figures.empty());
  ScaledProblem problem(unknowns, figures, model);
  GRADSIM_TRY(likeliest, minimise(problem));
  GRADSIM_TRY(jacobian, problem.jacobian(*likeliest));
  const MatrixXd covariance = normal_matrix(problem, *jacobian).inverse();
  const std::vector<bool> identified = identified_unknowns(narrowed_shares(covariance), figures.size());
  UnknownsFit fit;
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    fit.unknowns.push_back(judge_unknown(unknowns[j], *jacobian, covariance, static_cast<Index>(j)));
    fit.unknowns.back().identified = identified[j];
    if (identified[j])
      fit.unknowns.back().confused_with.reset();
    else
      problem.fix(j);
  }
  GRADSIM_TRY(settled, minimise(problem));
  const std::vector<double> values = problem.values_at(*settled);
  GRADSIM_TRY(residuals, problem.residuals(*settled));
  GRADSIM_TRY(explained, model(values));
  for (std::size_t j = 0; j < values.size(); ++j) fit.unknowns[j].value = values[j];
  if (auto ranged = find_ranges(unknowns, problem, *settled, fit.unknowns); !ranged)
    return tl::unexpected(ranged.error());
  fit.explained = std::move(*explained);
  fit.chi_square = deviations_of_range * deviations_of_range * residuals->squaredNorm();
  const auto found = static_cast<std::size_t>(std::ranges::count(identified, true));
  fit.freedom = figures.size() > found ? figures.size() - found : 1;
  return fit;
}

}  // namespace calibrate::fits
