// Cholesky factors of small kernel matrices.
#include "policies/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace policies {
namespace {

constexpr std::array lengths{0.125, 0.25, 0.5, 1.0, 2.0};
constexpr double diagonal = 1e-6;

double matern(const Place& a, const Place& b, double length) {
  const double scaled = std::sqrt(5.0) * std::hypot(a[0] - b[0], a[1] - b[1]) / length;
  return (1 + scaled + scaled * scaled / 3) * std::exp(-scaled);
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
  const std::size_t count = places_.size();
  length_ = length;
  lower_.assign(count, std::vector<double>(count, 0));
  double logarithms = 0;
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      double rest = matern(places_[row], places_[column], length) + (row == column ? diagonal : 0);
      for (std::size_t k = 0; k < column; ++k) rest -= lower_[row][k] * lower_[column][k];
      lower_[row][column] = row == column ? std::sqrt(rest) : rest / lower_[column][column];
    }
    logarithms += std::log(lower_[row][row]);
  }
  solved_ = forward(centred_);
  const double squares = std::inner_product(solved_.begin(), solved_.end(), solved_.begin(), 0.0);
  variance_ = squares / static_cast<double>(count);
  likelihood_ = variance_ > 0 ? -0.5 * static_cast<double>(count) * std::log(variance_) - logarithms : 0;
}

std::vector<double> GaussianProcess::forward(std::vector<double> right) const {
  for (std::size_t row = 0; row < right.size(); ++row) {
    for (std::size_t column = 0; column < row; ++column) right[row] -= lower_[row][column] * right[column];
    right[row] /= lower_[row][row];
  }
  return right;
}

Belief GaussianProcess::at(const Place& place) const {
  std::vector<double> kernel;
  for (const Place& known : places_) kernel.push_back(matern(place, known, length_));
  const std::vector<double> half = forward(std::move(kernel));
  const double mean = mean_ + std::inner_product(half.begin(), half.end(), solved_.begin(), 0.0);
  const double explained = std::inner_product(half.begin(), half.end(), half.begin(), 0.0);
  return {mean, std::sqrt(variance_ * std::max(0.0, 1 - explained))};
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
