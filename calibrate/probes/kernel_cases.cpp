// Cases, and the gradients made up for them.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <thread>

#include "calibrate/probes/kernel_times.hpp"
#include "kernels/magnitude.hpp"

namespace calibrate::probes {
namespace {

/// The magnitude that `kept` values reach: of gradients with more values than this, among the first ones, of
/// which one value in a thousand is still found to a few percent.
constexpr std::size_t most_sorted = std::size_t{1} << 22;

double threshold_of(std::span<const float> gradient, double ratio) {
  const auto some = gradient.first(std::min(gradient.size(), most_sorted));
  std::vector<float> magnitudes(some.size());
  std::ranges::transform(some, magnitudes.begin(), [](float value) { return std::abs(value); });
  const auto last = magnitudes.begin() + kernels::kept(ratio, static_cast<std::int64_t>(some.size())) - 1;
  std::ranges::nth_element(magnitudes, last, std::greater<>());
  return *last;
}

/// Values that a thread makes at a time.
constexpr std::size_t block_values = std::size_t{1} << 20;

}  // namespace

std::vector<float> made_up_gradient(std::int64_t elements, GradientValues values) {
  std::vector<float> gradient(static_cast<std::size_t>(elements));
  const std::size_t blocks = (gradient.size() + block_values - 1) / block_values;
  const std::size_t workers =
      std::min<std::size_t>(blocks, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::jthread> threads;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    threads.emplace_back([&gradient, worker, workers, blocks, values] {
      for (std::size_t block = worker; block < blocks; block += workers) {
        const std::size_t begin = block * block_values;
        const std::size_t count = std::min(block_values, gradient.size() - begin);
        for (std::size_t i = begin; i < begin + count; ++i) gradient[i] = kernels::made_up_value(values, i);
      }
    });
  }
  threads.clear();  // joins
  return gradient;
}

std::vector<KernelCase> kernel_cases(std::span<const kernels::Entry* const> compressors,
                                     std::span<const std::int64_t> elements, std::span<const double> ratios) {
  constexpr std::array<double, 1> no_ratio{1};
  std::vector<KernelCase> cases;
  for (const kernels::Entry* compressor : compressors) {
    const std::span<const double> own = compressor->sparse ? ratios : no_ratio;
    for (const std::int64_t n : elements)
      for (const double ratio : own) cases.push_back({compressor, n, ratio});
  }
  return cases;
}

std::vector<std::int64_t> made_up_layers(std::int64_t elements) {
  constexpr std::int64_t count = 48;
  std::vector<std::int64_t> sizes;
  std::int64_t before = 0;
  for (std::int64_t layer = 1; layer <= count; ++layer) {
    const std::int64_t end =
        elements / (count * count) * layer * layer + elements % (count * count) * layer / count;
    sizes.push_back(end - before);
    before = end;
  }
  return sizes;
}

kernels::Settings settings_of(const KernelCase& of, std::span<const float> gradient) {
  kernels::Settings settings;
  settings.ratio = of.ratio;
  if (of.compressor->name == "threshold") settings.threshold = threshold_of(gradient, of.ratio);
  if (of.compressor->name == "lwtopk") settings.layer_sizes = made_up_layers(of.elements);
  return settings;
}

}  // namespace calibrate::probes
