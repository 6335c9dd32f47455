// Cholesky factors of small kernel matrices.
#include "policies/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <utility>

#include <Eigen/Cholesky>

namespace policies {
namespace {

constexpr std::array lengths{0.125, 0.25, 0.5, 1.0, 2.0};
constexpr double diagonal = 1e-6;

double matern(const Place& a, const Place& b, double length) {
  const double scaled = std::sqrt(5.0) * std::hypot(a[0] - b[0], a[1] - b[1]) / length;
  return (1 + scaled + scaled * scaled / 3) * std::exp(-scaled);
}

Eigen::Map<const Eigen::VectorXd> vector_of(const std::vector<double>& numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

}  // namespace

GaussianProcess::GaussianProcess(std::span<const Place> places, std::span<const double> values)
    : places_(places.begin(), places.end()), centred_(values.begin(), values.end()) {
  mean_ = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& value : centred_) value -= mean_;
  double best = lengths.front();
  double best_likelihood = 0;
  for (const double length : lengths) {
    factor(length);
    if (length != lengths.front() && likelihood_ <= best_likelihood) continue;
    best = length;
    best_likelihood = likelihood_;
  }
  factor(best);
}

void GaussianProcess::factor(double length) {
  const auto count = static_cast<Eigen::Index>(places_.size());
  length_ = length;
  Eigen::MatrixXd kernel(count, count);
  for (Eigen::Index row = 0; row < count; ++row) {
    for (Eigen::Index column = 0; column < count; ++column) {
      kernel(row, column) =
          matern(places_[static_cast<std::size_t>(row)], places_[static_cast<std::size_t>(column)], length) +
          (row == column ? diagonal : 0);
    }
  }
  const Eigen::MatrixXd lower = kernel.llt().matrixL();
  lower_.assign(lower.data(), lower.data() + lower.size());
  solved_ = forward(centred_);
  const auto number = static_cast<double>(count);
  variance_ = vector_of(solved_).squaredNorm() / number;
  const double logarithms = lower.diagonal().array().log().sum();
  likelihood_ = variance_ > 0 ? -0.5 * number * std::log(variance_) - logarithms : 0;
}

std::vector<double> GaussianProcess::forward(std::vector<double> right) const {
  const auto count = static_cast<Eigen::Index>(right.size());
  const Eigen::Map<const Eigen::MatrixXd> lower(lower_.data(), count, count);
  Eigen::Map<Eigen::VectorXd> solved(right.data(), count);
  lower.triangularView<Eigen::Lower>().solveInPlace(solved);
  return right;
}

Belief GaussianProcess::at(const Place& place) const {
  std::vector<double> kernel;
  for (const Place& known : places_) kernel.push_back(matern(place, known, length_));
  const std::vector<double> half = forward(std::move(kernel));
  const double mean = mean_ + vector_of(half).dot(vector_of(solved_));
  return {mean, std::sqrt(variance_ * std::max(0.0, 1 - vector_of(half).squaredNorm()))};
}

double expected_improvement(const Belief& belief, double best) {
  const double less = best - belief.mean;
  if (belief.deviation <= 0) return std::max(0.0, less);
  const double z = less / belief.deviation;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  return std::max(0.0, less * below + belief.deviation * density);
}

}  // namespace policies
