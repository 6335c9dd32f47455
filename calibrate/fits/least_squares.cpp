// Sums of known terms with unknown factors of 0 or above, fitted to measured times.
#include "calibrate/fits/least_squares.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

namespace calibrate::fits {
namespace {

constexpr double huber_threshold = 0.05;  // relative residual beyond which an observation counts linearly
constexpr int most_reweightings = 50;
constexpr int most_sweeps = 3000;

/// Terms divided by the value, a row each, so that every residual is relative.
Eigen::MatrixXd relative_terms(std::span<const Observation> observations) {
  Eigen::MatrixXd terms(observations.size(), observations.front().terms.size());
  for (Eigen::Index row = 0; row < terms.rows(); ++row) {
    const Observation& each = observations[static_cast<std::size_t>(row)];
    for (Eigen::Index column = 0; column < terms.cols(); ++column)
      terms(row, column) = each.terms[static_cast<std::size_t>(column)] / each.value;
  }
  return terms;
}

/// min (f' A f / 2 - b' f) under f >= 0.
Eigen::VectorXd non_negative(const Eigen::MatrixXd& square, const Eigen::VectorXd& product,
                             Eigen::VectorXd factors) {
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0;
    for (Eigen::Index i = 0; i < factors.size(); ++i) {
      if (square(i, i) <= 0) continue;
      const double next =
          std::max(0.0, factors[i] + (product[i] - square.row(i).dot(factors)) / square(i, i));
      change = std::max(change, std::abs(next - factors[i]) * std::sqrt(square(i, i)));
      factors[i] = next;
    }
    if (change < 1e-12 * std::sqrt(static_cast<double>(square.rows()))) break;
  }
  return factors;
}

}  // namespace

double sum_of(std::span<const double> factors, std::span<const double> terms) {
  assert(factors.size() == terms.size());
  return std::inner_product(factors.begin(), factors.end(), terms.begin(), 0.0);
}

std::vector<double> fit_factors(std::span<const Observation> observations) {
  assert(!observations.empty());
  const Eigen::MatrixXd terms = relative_terms(observations);
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(terms.rows());
  Eigen::VectorXd factors = Eigen::VectorXd::Zero(terms.cols());
  for (int round = 0; round < most_reweightings; ++round) {
    const Eigen::MatrixXd weighted = weights.asDiagonal() * terms;
    const Eigen::VectorXd next =
        non_negative(terms.transpose() * weighted, weighted.colwise().sum().transpose(), factors);
    const Eigen::VectorXd residuals = ((terms * next).array() - 1).abs();
    weights = (residuals.array() <= huber_threshold).select(1.0, huber_threshold / residuals.array());
    const bool settled = round > 0 && (terms * (next - factors)).cwiseAbs().maxCoeff() < 1e-9;
    factors = next;
    if (settled) break;
  }
  return {factors.begin(), factors.end()};
}

}  // namespace calibrate::fits
