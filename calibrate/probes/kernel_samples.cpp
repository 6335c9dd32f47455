// Samples become times; cases become calls.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "calibrate/measurements/statistics.hpp"
#include "calibrate/probes/kernel_times.hpp"

namespace calibrate::probes {

using netmodels::Seconds;

void KernelSamples::add(Seconds step, Seconds restore, Seconds copy) {
  steps.push_back(step.count);
  restores.push_back(restore.count);
  copies.push_back(copy.count);
  spent += step + copy;
}

bool KernelSamples::enough(const KernelEffort& effort) const {
  const int done = static_cast<int>(steps.size());
  return done >= effort.most_repetitions || (done >= effort.least_repetitions && spent >= effort.time);
}

measurements::KernelTime summarise(const KernelCase& of, const KernelSamples& samples,
                                   netmodels::Bytes wire) {
  constexpr double most_of_them = 0.95;
  return {.compressor = std::string(of.compressor->name),
          .elements = of.elements,
          .ratio = of.ratio,
          .repetitions = static_cast<int>(samples.steps.size()),
          .median = Seconds{measurements::median(samples.steps)},
          .least = Seconds{std::ranges::min(samples.steps)},
          .p95 = Seconds{measurements::quantile(samples.steps, most_of_them)},
          .copy = Seconds{measurements::median(samples.copies)},
          .wire = wire,
          .restore = Seconds{measurements::median(samples.restores)}};
}

void check_nothing_lost(const KernelCase& of, std::span<const float> gradient, std::span<const float> sum,
                        std::span<const float> residual) {
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const float found = sum[i] + residual[i];
    const float least_digit = std::abs(sum[i]) + std::abs(gradient[i]);
    if (std::abs(found - gradient[i]) <= 1e-5F * least_digit) continue;
    throw std::runtime_error(std::string(of.compressor->name) + " lost value " + std::to_string(i) + " of " +
                             std::to_string(gradient.size()) + ": it was neither sent nor kept");
  }
}

std::vector<measurements::KernelTime> measure_each(
    std::span<const KernelCase> cases, const KernelEffort& effort,
    const std::function<void(const KernelCase&)>& said,
    const std::function<measurements::KernelTime(const KernelCase&, std::span<const float>)>& measure) {
  std::vector<measurements::KernelTime> times;
  std::vector<float> gradient;
  for (const KernelCase& of : cases) {
    if (effort.stop != nullptr && *effort.stop) break;
    if (said) said(of);
    try {
      const std::int64_t on_host = std::min(of.elements, effort.most_on_host);
      if (static_cast<std::int64_t>(gradient.size()) != on_host)
        gradient = made_up_gradient(on_host, effort.values);
      times.push_back(measure(of, gradient));
    } catch (const std::exception& failure) {
      if (!effort.failed) throw;
      effort.failed(of, failure.what());
      continue;
    }
    if (effort.measured) effort.measured(times.back());
  }
  return times;
}

}  // namespace calibrate::probes
