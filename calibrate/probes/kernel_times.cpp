// Runs compressors on made-up gradients and looks at the clock.
#include "calibrate/probes/kernel_times.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "calibrate/measurements/statistics.hpp"
#include "kernels/error_feedback.hpp"
#include "kernels/kept.hpp"
#include "netmodels/wire_format.hpp"

namespace calibrate::probes {
namespace {

using netmodels::Seconds;

constexpr int warm_up_steps = 3;

std::vector<float> made_up_gradient(std::int64_t elements, GradientValues values) {
  std::mt19937_64 random(7);
  std::normal_distribution<float> normal(0, 1e-3F);
  std::student_t_distribution<float> tailed(2);
  std::vector<float> gradient(static_cast<std::size_t>(elements));
  for (float& value : gradient)
    value = values == GradientValues::bell_shaped ? normal(random) : 1e-4F * tailed(random);
  return gradient;
}

/// The magnitude that `kept` values reach.
double threshold_of(std::span<const float> gradient, double ratio) {
  std::vector<float> magnitudes(gradient.size());
  std::ranges::transform(gradient, magnitudes.begin(), [](float value) { return std::abs(value); });
  const auto last = magnitudes.begin() + kernels::kept(ratio, static_cast<std::int64_t>(gradient.size())) - 1;
  std::ranges::nth_element(magnitudes, last, std::greater<>());
  return *last;
}

Seconds time_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

/// A rank that takes part in step after step with the same gradient.
class Rank {
 public:
  Rank(const KernelCase& of, const std::vector<float>& gradient)
      : of_(of),
        gradient_(gradient),
        compressor_(of.compressor->make({.ratio = of.ratio, .threshold = threshold_of(gradient, of.ratio)})),
        sum_(gradient.size()) {
    if (of.compressor->error_feedback) memory_.emplace(of.elements);
  }

  void step() {
    message_ = memory_ ? memory_->compress(*compressor_, gradient_) : compressor_->compress(gradient_);
    compressor_->accumulate(message_, sum_);
  }

  /// What was sent and what is kept add up to the gradient in the first step of a compressor with a residual.
  void check_first_step() {
    step();
    if (!memory_) return;
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      const float found = sum_[i] + memory_->residual()[i];
      const float least_digit = std::abs(sum_[i]) + std::abs(gradient_[i]);
      if (std::abs(found - gradient_[i]) <= 1e-5F * least_digit) continue;
      throw std::runtime_error(std::string(of_.compressor->name) + " lost value " + std::to_string(i) +
                               " of " + std::to_string(gradient_.size()) + ": it neither sent nor kept it");
    }
  }

  [[nodiscard]] netmodels::Bytes wire() const {
    return netmodels::Bytes{static_cast<double>(message_.wire_bytes)};
  }
  void copy() { std::memcpy(sum_.data(), gradient_.data(), gradient_.size() * sizeof(float)); }

 private:
  KernelCase of_;
  const std::vector<float>& gradient_;
  std::unique_ptr<kernels::Compressor> compressor_;
  std::optional<kernels::ErrorFeedback> memory_;
  std::vector<float> sum_;
  kernels::Message message_;
};

measurements::KernelTime measure(const KernelCase& of, const std::vector<float>& gradient,
                                 const KernelEffort& effort) {
  Rank rank(of, gradient);
  rank.check_first_step();
  for (int step = 1; step < warm_up_steps; ++step) rank.step();
  std::vector<double> steps, copies;
  Seconds spent;
  const auto enough = [&] {
    const int done = static_cast<int>(steps.size());
    return done >= effort.most_repetitions || (done >= effort.least_repetitions && spent >= effort.time);
  };
  while (!enough()) {
    const Seconds step = time_of([&] { rank.step(); });
    const Seconds copy = time_of([&] { rank.copy(); });
    steps.push_back(step.count);
    copies.push_back(copy.count);
    spent += step + copy;
  }
  constexpr double most_of_them = 0.95;
  return {.compressor = std::string(of.compressor->name),
          .elements = of.elements,
          .ratio = of.ratio,
          .repetitions = static_cast<int>(steps.size()),
          .median = Seconds{measurements::median(steps)},
          .least = Seconds{std::ranges::min(steps)},
          .p95 = Seconds{measurements::quantile(steps, most_of_them)},
          .copy = Seconds{measurements::median(copies)},
          .wire = rank.wire()};
}

bool has_ratio(const kernels::Entry& compressor) {
  const auto format = netmodels::find_wire_format(compressor.name);
  return !format || (*format)->sparse;  // multilevel has no format of its own
}

}  // namespace

std::string_view to_string(GradientValues values) {
  return values == GradientValues::bell_shaped ? "bell_shaped" : "heavy_tailed";
}

std::vector<KernelCase> kernel_cases(std::span<const kernels::Entry* const> compressors,
                                     std::span<const std::int64_t> elements, std::span<const double> ratios) {
  constexpr std::array<double, 1> no_ratio{1};
  std::vector<KernelCase> cases;
  for (const kernels::Entry* compressor : compressors) {
    const std::span<const double> own = has_ratio(*compressor) ? ratios : no_ratio;
    for (const std::int64_t n : elements)
      for (const double ratio : own) cases.push_back({compressor, n, ratio});
  }
  return cases;
}

std::vector<measurements::KernelTime> measure_kernels(std::span<const KernelCase> cases,
                                                      const KernelEffort& effort,
                                                      const std::function<void(const KernelCase&)>& said) {
  std::vector<measurements::KernelTime> times;
  std::vector<float> gradient;
  for (const KernelCase& of : cases) {
    if (said) said(of);
    if (static_cast<std::int64_t>(gradient.size()) != of.elements)
      gradient = made_up_gradient(of.elements, effort.values);
    times.push_back(measure(of, gradient, effort));
  }
  return times;
}

}  // namespace calibrate::probes
