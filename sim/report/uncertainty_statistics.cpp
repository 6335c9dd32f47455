// Percentiles, and values of information by regression.
#include "sim/report/uncertainty_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/fisher_f.hpp>

namespace sim::report {
namespace {

constexpr std::size_t polynomial_degree = 3;

using Numbers = std::vector<double>;

double mean_of_numbers(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double dot(const Numbers& one, const Numbers& other) {
  return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

double percentile(const Numbers& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

/// Polynomials of rising degree from 1 on, of mean 0, orthogonal over the samples, of length 1.
std::vector<Numbers> polynomials_in(std::span<const double> input) {
  const auto count = input.size();
  const auto [low, high] = std::ranges::minmax(input);
  Numbers scaled(count);
  for (std::size_t i = 0; i < count; ++i) scaled[i] = 2 * (input[i] - low) / (high - low) - 1;
  std::vector<Numbers> found{Numbers(count, 1 / std::sqrt(static_cast<double>(count)))};
  for (std::size_t degree = 1; degree <= polynomial_degree; ++degree) {
    Numbers next(count);
    for (std::size_t i = 0; i < count; ++i) next[i] = scaled[i] * found.back()[i];
    for (const Numbers& before : found) {
      const double part = dot(next, before);
      for (std::size_t i = 0; i < count; ++i) next[i] -= part * before[i];
    }
    const double length = std::sqrt(dot(next, next));
    constexpr double rounding = 1e-9;  // an input of few different values has no more polynomials
    if (length < rounding) break;
    for (double& value : next) value /= length;
    found.push_back(std::move(next));
  }
  found.erase(found.begin());
  return found;
}

/// Whether the polynomials explain more than chance does.
bool explains(double explained, double total, std::size_t degree, std::size_t samples) {
  const double left = total - explained;
  constexpr double rounding = 1e-12;
  if (explained <= rounding * total) return false;
  if (left <= rounding * total) return true;
  const auto own = static_cast<double>(degree);
  const double freedom = static_cast<double>(samples) - own - 1;
  constexpr double certain = 0.99;
  return explained / own / (left / freedom) >
         boost::math::quantile(boost::math::fisher_f(own, freedom), certain);
}

/// The mean of the values at each sample's input, fitted to all other samples. With orthonormal polynomials p
/// of the n samples, leaving out sample i changes its fit to y_i - (y_i - fit_i) / (1 - h_i) with the
/// leverage h_i = 1 / n + sum p(x_i)^2.
Numbers conditional_means(const std::vector<Numbers>& polynomials, const Numbers& values) {
  const double mean = mean_of_numbers(values);
  Numbers centred = values;
  for (double& value : centred) value -= mean;
  Numbers means(values.size(), mean);
  Numbers leverages(values.size(), 1 / static_cast<double>(values.size()));
  double explained = 0;
  for (const Numbers& polynomial : polynomials) {
    const double part = dot(polynomial, centred);
    explained += part * part;
    for (std::size_t i = 0; i < means.size(); ++i) {
      means[i] += part * polynomial[i];
      leverages[i] += polynomial[i] * polynomial[i];
    }
  }
  if (!explains(explained, dot(centred, centred), polynomials.size(), values.size()))
    return Numbers(values.size(), mean);
  constexpr double decided_alone = 1 - 1e-9;  // the fit passes through the sample, whatever its value
  for (std::size_t i = 0; i < means.size(); ++i)
    means[i] = leverages[i] < decided_alone ? values[i] - (values[i] - means[i]) / (1 - leverages[i]) : mean;
  return means;
}

/// The mean, over samples, of the most that another choice saves.
double mean_saving(const std::vector<Numbers>& savings, std::size_t samples) {
  double sum = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    double most = 0;
    for (const Numbers& saving : savings) most = std::max(most, saving[i]);
    sum += most;
  }
  return sum / static_cast<double>(samples);
}

/// What each other choice saves against the best one on average.
std::vector<Numbers> savings_of(const Costs& costs) {
  const std::size_t best = best_on_average(costs);
  std::vector<Numbers> savings;
  for (std::size_t choice = 0; choice < costs.size(); ++choice) {
    if (choice == best) continue;
    Numbers& saving = savings.emplace_back(costs[best]);
    for (std::size_t i = 0; i < saving.size(); ++i) saving[i] -= costs[choice][i];
  }
  return savings;
}

}  // namespace

Percentiles percentiles_of(std::span<const double> values) {
  Numbers sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return {percentile(sorted, 0.5), percentile(sorted, 0.05), percentile(sorted, 0.95)};
}

std::size_t best_on_average(const Costs& costs) {
  const auto best =
      std::ranges::min_element(costs, {}, [](const Numbers& list) { return mean_of_numbers(list); });
  return static_cast<std::size_t>(best - costs.begin());
}

double value_of_all(const Costs& costs) { return mean_saving(savings_of(costs), costs.front().size()); }

double value_of_knowing(std::span<const double> input, const Costs& costs) {
  const std::vector<Numbers> polynomials = polynomials_in(input);
  const std::vector<Numbers> savings = savings_of(costs);
  std::vector<Numbers> expected;
  for (const Numbers& saving : savings) expected.push_back(conditional_means(polynomials, saving));
  double sum = 0;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const auto most = std::ranges::max_element(expected, {}, [i](const Numbers& list) { return list[i]; });
    if (most != expected.end() && (*most)[i] > 0)
      sum += savings[static_cast<std::size_t>(most - expected.begin())][i];
  }
  return std::max(0.0, sum / static_cast<double>(input.size()));
}

}  // namespace sim::report
