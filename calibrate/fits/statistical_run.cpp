// Steps to a target, from a noisy metric.
#include "calibrate/fits/statistical_run.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "kernels/catalogue.hpp"

namespace calibrate::fits {

std::string_view to_string(StepsTo steps_to) { return steps_to == StepsTo::first ? "first" : "smoothed"; }

bool TrainingRun::is_compressed() const {
  if (method == "none") return false;
  constexpr std::string_view by_variance = "_by_variance";
  std::string_view name = method;
  if (name.ends_with(by_variance)) name.remove_suffix(by_variance.size());
  const auto format = kernels::find_wire_format(name);
  return !(ratio == 1 && format && (*format)->whole_at_one());
}

std::vector<double> monotone_regression(std::span<const double> values, std::span<const double> weights) {
  assert(!values.empty() && (weights.empty() || weights.size() == values.size()));
  struct Block {
    double mean;
    double weight;
    std::size_t size;
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < values.size(); ++i) {
    blocks.push_back({values[i], weights.empty() ? 1 : weights[i], 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean > blocks.back().mean) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& before = blocks.back();
      before.mean = (before.mean * before.weight + last.mean * last.weight) / (before.weight + last.weight);
      before.weight += last.weight;
      before.size += last.size;
    }
  }
  std::vector<double> fitted;
  for (const Block& block : blocks) fitted.insert(fitted.end(), block.size, block.mean);
  return fitted;
}

std::optional<double> steps_to_target(const TrainingRun& run, double target, StepsTo steps_to) {
  std::vector<double> steps;
  std::vector<double> metrics;
  for (const TrainingRow& row : run.rows) {
    if (!row.metric) continue;
    steps.push_back(row.step);
    metrics.push_back(*row.metric);
  }
  if (metrics.empty()) return std::nullopt;
  if (steps_to == StepsTo::smoothed) metrics = monotone_regression(metrics);
  const auto reached = static_cast<std::size_t>(
      std::ranges::find_if(metrics, [&](double m) { return m >= target; }) - metrics.begin());
  if (reached == metrics.size()) return std::nullopt;
  if (reached == 0 || steps_to == StepsTo::first) return steps[reached];
  const double share = (target - metrics[reached - 1]) / (metrics[reached] - metrics[reached - 1]);
  return steps[reached - 1] + share * (steps[reached] - steps[reached - 1]);
}

}  // namespace calibrate::fits
