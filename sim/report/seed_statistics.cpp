// Bootstrap of a mean, and tests of paired seeds.
#include "sim/report/seed_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace sim::report {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Means of resamples, rising.
std::vector<double> resampled_means(std::span<const double> values) {
  constexpr std::size_t resamples = 10'000;
  std::mt19937_64 random(1);
  const auto count = values.size();
  std::vector<double> means(resamples);
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += values[random() % count];  // the same on every platform
    mean = sum / static_cast<double>(count);
  }
  std::ranges::sort(means);
  return means;
}

/// The share of resamples below the interval's lower end.
double expanded_share(std::size_t count) {
  constexpr double upper = 0.975;
  const auto n = static_cast<double>(count);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), upper);
  return boost::math::cdf(boost::math::normal(), -std::sqrt(n / (n - 1)) * t);
}

double deviation(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

}  // namespace

SeedMean mean_over_seeds(std::span<const double> values) {
  const std::vector<double> means = resampled_means(values);
  const auto last = static_cast<double>(means.size() - 1);
  const double share = expanded_share(values.size());
  return {mean_of(values), means[static_cast<std::size_t>(std::floor(share * last))],
          means[static_cast<std::size_t>(std::ceil((1 - share) * last))]};
}

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::size_t seeds_to_show(std::span<const double> differences, double size) {
  constexpr double both_quantiles = 1.959964 + 0.841621;
  const double ratio = both_quantiles * deviation(differences) / size;
  constexpr double most = 1e9;
  return static_cast<std::size_t>(std::clamp(std::ceil(ratio * ratio), 2.0, most));
}

double sign_test(std::size_t ahead, std::size_t count) {
  const std::size_t more = std::max(ahead, count - ahead);
  double chance = std::pow(0.5, static_cast<double>(count));  // of `count` heads
  double sum = 0;
  for (std::size_t heads = count; heads >= more; --heads) {
    sum += chance;
    if (heads == 0) break;
    chance *= static_cast<double>(heads) / static_cast<double>(count - heads + 1);
  }
  return std::min(1.0, 2 * sum);
}

}  // namespace sim::report
