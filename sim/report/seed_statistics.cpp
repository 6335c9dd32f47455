// Student's interval and test, the sign test, Holm's correction, and tiers.
#include "sim/report/seed_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

namespace sim::report {
namespace {

using boost::math::complement;
using boost::math::students_t;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

students_t distribution_for(std::size_t seeds) { return students_t(static_cast<double>(seeds - 1)); }

double error_of_mean(std::span<const double> values) {
  return deviation(values) / std::sqrt(static_cast<double>(values.size()));
}

}  // namespace

SeedMean mean_over_seeds(std::span<const double> values) {
  constexpr double upper = 0.975;
  const double mean = mean_of(values);
  const double half = boost::math::quantile(distribution_for(values.size()), upper) * error_of_mean(values);
  return {mean, mean - half, mean + half};
}

double paired_test(std::span<const double> differences) {
  const double mean = std::abs(mean_of(differences));
  const double error = error_of_mean(differences);
  if (error == 0) return mean == 0 ? 1 : 0;
  return 2 * boost::math::cdf(complement(distribution_for(differences.size()), mean / error));
}

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::size_t seeds_to_show(std::span<const double> differences, double size, double level) {
  constexpr double power = 0.8;
  const double ratio = deviation(differences) / size;
  const auto needed_by = [&](std::size_t seeds) {
    const students_t distribution = distribution_for(seeds);
    const double quantiles = boost::math::quantile(complement(distribution, level / 2)) +
                             boost::math::quantile(distribution, power);
    return quantiles * quantiles * ratio * ratio;  // falls with the number of seeds
  };
  constexpr std::size_t most = 1'000'000'000;
  std::size_t low = seeds_for_verdict;
  std::size_t high = most;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (needed_by(middle) <= static_cast<double>(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
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

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t place) { return p_values[place]; });
  std::vector<double> corrected(p_values.size());
  double last = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto left = static_cast<double>(order.size() - k);
    last = std::min(1.0, std::max(last, left * p_values[order[k]]));
    corrected[order[k]] = last;
  }
  return corrected;
}

std::vector<std::vector<std::size_t>> tiers_of(const BetterThan& better) {
  const std::size_t count = better.size();
  // Arms that win more pairs than they lose come first: in this order no split of tiers is missed.
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto lead = [&](std::size_t arm) {
    std::ptrdiff_t wins = 0;
    for (std::size_t other = 0; other < count; ++other) wins += better[arm][other] - better[other][arm];
    return -wins;
  };
  std::ranges::stable_sort(order, {}, lead);
  std::vector<std::vector<std::size_t>> tiers;
  for (std::size_t begin = 0, end = 1; end <= count; ++end) {
    const bool splits = std::ranges::all_of(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(end), [&](std::size_t one) {
          return std::ranges::all_of(order.begin() + static_cast<std::ptrdiff_t>(end), order.end(),
                                     [&](std::size_t other) { return better[one][other]; });
        });
    if (!splits) continue;
    tiers.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(begin),
                       order.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  return tiers;
}

}  // namespace sim::report
