// Steps to a target, from a noisy metric.
#include "calibrate/fits/statistical_run.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/catalogue.hpp"
#include "netmodels/monotone_regression.hpp"

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

std::optional<double> steps_to_target(const TrainingRun& run, double target, StepsTo steps_to) {
  std::vector<double> steps;
  std::vector<double> metrics;
  for (const TrainingRow& row : run.rows) {
    if (!row.metric) continue;
    steps.push_back(row.step);
    metrics.push_back(*row.metric);
  }
  if (metrics.empty()) return std::nullopt;
  if (steps_to == StepsTo::smoothed) metrics = netmodels::monotone_regression(metrics);
  const auto reached = static_cast<std::size_t>(
      std::ranges::find_if(metrics, [&](double m) { return m >= target; }) - metrics.begin());
  if (reached == metrics.size()) return std::nullopt;
  if (reached == 0 || steps_to == StepsTo::first) return steps[reached];
  const double share = (target - metrics[reached - 1]) / (metrics[reached] - metrics[reached - 1]);
  return steps[reached - 1] + share * (steps[reached] - steps[reached - 1]);
}

}  // namespace calibrate::fits
