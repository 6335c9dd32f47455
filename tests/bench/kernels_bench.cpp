// The cost of compressors: the CPU versions' time per value on one core, std::nth_element and a plain
// copy; the CUDA versions, where there is a device, as in device_rows.cpp.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "calibrate/probes/kernel_times.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/error_feedback.hpp"
#include "kernels/magnitude.hpp"
#include "tests/bench/device_rows.hpp"

namespace {

using kernels::Index;

enum class Values { bell_shaped, heavy_tailed };

/// Gradients of the size that training shows; never zeros.
std::vector<float> gradient(std::int64_t elements, Values kind) {
  std::mt19937_64 random(7);
  std::normal_distribution<float> normal(0, 1e-3F);
  std::student_t_distribution<float> tailed(2);
  std::vector<float> values(static_cast<std::size_t>(elements));
  for (float& value : values) value = kind == Values::bell_shaped ? normal(random) : 1e-4F * tailed(random);
  return values;
}

void count(benchmark::State& state, std::int64_t elements) {
  const auto values = static_cast<double>(state.iterations()) * static_cast<double>(elements);
  state.counters["time_per_value"] =
      benchmark::Counter(values, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

double ratio_of(const benchmark::State& state) { return 1.0 / static_cast<double>(state.range(1)); }

/// The memory bound: the least that any compressor must read and write.
void copy(benchmark::State& state) {
  const std::vector<float> from = gradient(state.range(0), Values::bell_shaped);
  std::vector<float> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size() * sizeof(float));
    benchmark::ClobberMemory();
  }
  count(state, state.range(0));
}
BENCHMARK(copy)->Arg(1 << 20)->Arg(4 << 20)->Arg(25 << 20)->Unit(benchmark::kMicrosecond);

/// Selection without these kernels: error feedback, pairs, std::nth_element, zeroing.
class Rival {
 public:
  explicit Rival(std::size_t elements) : residual_(elements), pairs_(elements) {}

  double step(const std::vector<float>& gradient, std::int64_t k) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      residual_[i] += gradient[i];
      pairs_[i] = {std::abs(residual_[i]), static_cast<Index>(i)};
    }
    const auto before = [](const Pair& a, const Pair& b) {
      return a.first > b.first || (a.first == b.first && a.second < b.second);
    };
    std::nth_element(pairs_.begin(), pairs_.begin() + k, pairs_.end(), before);
    double sum = 0;
    for (std::int64_t i = 0; i < k; ++i)
      sum += std::exchange(residual_[pairs_[static_cast<std::size_t>(i)].second], 0.0F);
    return sum;
  }

 private:
  using Pair = std::pair<float, Index>;
  std::vector<float> residual_;
  std::vector<Pair> pairs_;
};

void nth_element_with_feedback(benchmark::State& state) {
  const std::vector<float> values = gradient(state.range(0), Values::bell_shaped);
  Rival rival(values.size());
  const std::int64_t k = kernels::kept(ratio_of(state), state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(rival.step(values, k));
  count(state, state.range(0));
}
BENCHMARK(nth_element_with_feedback)
    ->ArgNames({"n", "1/c"})
    ->ArgsProduct({{1 << 20, 4 << 20}, {10, 100, 1000}})
    ->Unit(benchmark::kMicrosecond);

void top_k_with_feedback(benchmark::State& state, Values kind) {
  const std::vector<float> values = gradient(state.range(0), kind);
  kernels::ErrorFeedback memory(state.range(0));
  const auto compressor = kernels::find("topk")->make({.ratio = ratio_of(state)});
  for (auto _ : state) benchmark::DoNotOptimize(memory.compress(*compressor, values));
  count(state, state.range(0));
}
BENCHMARK_CAPTURE(top_k_with_feedback, bell_shaped, Values::bell_shaped)
    ->ArgNames({"n", "1/c"})
    ->ArgsProduct({{1 << 20, 4 << 20, 25 << 20}, {10, 100, 1000}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(top_k_with_feedback, heavy_tailed, Values::heavy_tailed)
    ->ArgNames({"n", "1/c"})
    ->ArgsProduct({{1 << 20}, {10, 100, 1000}})
    ->Unit(benchmark::kMicrosecond);

/// Both on the same vector in turn, so that a noisy machine hits both; prints how many times faster ours is.
void times_faster_than_nth_element(benchmark::State& state) {
  const std::vector<float> values = gradient(state.range(0), Values::bell_shaped);
  const double ratio = ratio_of(state);
  kernels::ErrorFeedback memory(state.range(0));
  const auto compressor = kernels::find("topk")->make({.ratio = ratio});
  Rival rival(values.size());
  std::vector<double> times;
  const auto seconds = [](auto work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (auto _ : state) {
    const double ours = seconds([&] { benchmark::DoNotOptimize(memory.compress(*compressor, values)); });
    const double theirs =
        seconds([&] { benchmark::DoNotOptimize(rival.step(values, kernels::kept(ratio, state.range(0)))); });
    times.push_back(theirs / ours);
  }
  std::ranges::sort(times);
  state.counters["times_faster"] = times[times.size() / 2];
}
BENCHMARK(times_faster_than_nth_element)
    ->ArgNames({"n", "1/c"})
    ->ArgsProduct({{1 << 20}, {10, 100, 1000}})
    ->Unit(benchmark::kMicrosecond);

/// Every row of the catalogue with its residual, ratio 0.01.
void step_of(benchmark::State& state, const kernels::Entry& row) {
  const std::vector<float> values = gradient(state.range(0), Values::bell_shaped);
  kernels::Settings settings;
  settings.ratio = 0.01;
  settings.threshold = 2.6e-3;
  if (row.name == "lwtopk") settings.layer_sizes = calibrate::probes::made_up_layers(state.range(0));
  const auto compressor = row.make(settings);
  kernels::ErrorFeedback memory(state.range(0));
  for (auto _ : state) {
    if (row.error_feedback) {
      benchmark::DoNotOptimize(memory.compress(*compressor, values));
    } else {
      benchmark::DoNotOptimize(compressor->compress(values));
    }
  }
  count(state, state.range(0));
}

const bool every_row = [] {
  for (const kernels::Entry& row : kernels::catalogue()) {
    benchmark::RegisterBenchmark(("step/" + std::string(row.name)).c_str(),
                                 [&row](benchmark::State& state) { step_of(state, row); })
        ->Arg(1 << 20)
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
#if GRADSIM_HAS_CUDA
  bench::register_device_rows();  // here and not before main, when the CUDA runtime cannot be called
#endif
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  benchmark::ClearRegisteredBenchmarks();  // what they hold of a device is given back before main ends
}
