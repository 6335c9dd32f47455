// Times of the compressors' CUDA versions on a device, of CUB and of a plain copy, with a cold L2 cache.
#include "tests/bench/device_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "calibrate/measurements/statistics.hpp"
#include "calibrate/probes/device_kernel_times.hpp"
#include "calibrate/probes/kernel_times.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/magnitude.hpp"
#include "kernels/top_k.hpp"
#include "tests/bench/device_rivals.hpp"
#include "tests/bench/device_values.hpp"

namespace bench {
namespace {

using calibrate::probes::ColdTimer;
using calibrate::probes::KernelCase;

constexpr std::array<std::int64_t, 5> sizes{1'000'000, 4'000'000, 25'000'000, 100'000'000, 1'000'000'000};
constexpr std::array ratios{0.1, 0.01, 0.001};
constexpr std::array all_values{Values::bell_shaped, Values::heavy_tailed, Values::recorded_like};
constexpr std::int64_t bytes_per_value =
    48;  // of device memory: sorting needs 40, CUB's histograms and the cache come on top

/// The case of one row.
struct Row {
  std::int64_t elements = 0;
  double ratio = 1;  ///< 1 where there is none
  Values values = Values::bell_shaped;
};

/// A gradient and a residual that every step finds as they were.
class Vectors {
 public:
  Vectors(const Row& row, StreamHandle stream) : elements_(row.elements) {
    for (auto* vector : {&gradient_, &start_, &residual_}) vector->reserve(elements_);
    make_values(gradient_.first(elements_), row.values, 1, stream);
    make_values(start_.first(elements_), row.values, 2, stream);
    restore(stream);
  }

  [[nodiscard]] std::span<const float> gradient() const { return gradient_.first(elements_); }
  [[nodiscard]] std::span<float> residual() const { return residual_.first(elements_); }
  void restore(StreamHandle stream) const { copy_to_residual(start_, stream); }
  /// The yardstick.
  void copy(StreamHandle stream) const { copy_to_residual(gradient_, stream); }

 private:
  void copy_to_residual(const kernels::DeviceWorkspace<float>& from, StreamHandle stream) const {
    kernels::copy_bytes_on_device(from.data(), residual_.data(), residual().size_bytes(), stream);
  }

  std::int64_t elements_;
  kernels::DeviceWorkspace<float> gradient_, start_, residual_;
};

/// The magnitude that k values of gradient + residual reach, or of only the gradient.
double threshold_of(const Vectors& vectors, double ratio, bool fed, StreamHandle stream) {
  const auto top_k = kernels::TopK::make_on_device({ratio});
  const kernels::DeviceMessage message =
      fed ? top_k->compress_fed(vectors.gradient(), vectors.residual(), stream)
          : top_k->compress(vectors.gradient(), stream);
  const std::vector<float> sent = downloaded(message, stream).values;
  vectors.restore(stream);
  return std::abs(*std::ranges::min_element(sent, {}, [](float value) { return std::abs(value); }));
}

/// Steps and copies in turn; `copies` is how many copies a median step takes, `spread` how far nine of ten
/// steps keep from each other, as a share of the median.
void measure(benchmark::State& state, const Vectors& vectors, ColdTimer& timer,
             const std::function<void()>& step) {
  constexpr int warm_up_steps = 3;
  std::vector<double> steps, copies;
  const auto timed = [&] {
    vectors.restore(timer.stream());
    return timer.time_of(step).count;
  };
  for (int i = 0; i < warm_up_steps; ++i) timed();
  for (auto _ : state) {
    steps.push_back(timed());
    state.SetIterationTime(steps.back());
    copies.push_back(timer.time_of([&] { vectors.copy(timer.stream()); }).count);
  }
  using calibrate::measurements::median;
  using calibrate::measurements::quantile;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(vectors.gradient().size_bytes()));
  state.counters["copies"] = median(steps) / median(copies);
  state.counters["spread"] = (quantile(steps, 0.95) - quantile(steps, 0.05)) / median(steps);
}

using Run = std::function<void(benchmark::State&, const Row&, const Vectors&, ColdTimer&)>;

/// @param name  of the benchmark
void add_row(const std::string& name, const Row& row, const std::shared_ptr<ColdTimer>& timer, Run run) {
  constexpr std::int64_t large = 25'000'000;
  const std::string ratio = row.ratio < 1 ? fmt::format("/c:{:g}", row.ratio) : "";
  const std::string whole =
      fmt::format("device/{}/{}/n:{}{}", name, to_string(row.values), row.elements, ratio);
  const auto measured = [row, timer, own = std::move(run)](benchmark::State& state) {
    try {
      const Vectors vectors(row, timer->stream());
      own(state, row, vectors, *timer);
    } catch (const kernels::DeviceError& error) {
      state.SkipWithError(error.what());  // no memory for this size
    }
  };
  benchmark::RegisterBenchmark(whole.c_str(), measured)
      ->UseManualTime()
      ->Iterations(row.elements < large ? 100 : 30)
      ->Unit(benchmark::kMicrosecond);
}

/// A step of a row of the catalogue, with error feedback where it is meant to be.
void run_implementation(benchmark::State& state, const Row& row, const Vectors& vectors, ColdTimer& timer,
                        const kernels::Entry& entry) {
  kernels::Settings settings;
  settings.ratio = row.ratio;
  if (entry.name == "lwtopk") settings.layer_sizes = calibrate::probes::made_up_layers(row.elements);
  const bool fed = entry.error_feedback;
  if (entry.name == "threshold") settings.threshold = threshold_of(vectors, row.ratio, fed, timer.stream());
  const auto compressor = entry.make_on_device(settings);
  measure(state, vectors, timer, [&] {
    if (fed) {
      compressor->compress_fed(vectors.gradient(), vectors.residual(), timer.stream());
    } else {
      compressor->compress(vectors.gradient(), timer.stream());
    }
  });
}

void run_copy(benchmark::State& state, const Row&, const Vectors& vectors, ColdTimer& timer) {
  measure(state, vectors, timer, [&] { vectors.copy(timer.stream()); });
}

/// Only the sorting, without making the pairs.
void run_sort(benchmark::State& state, const Row& row, const Vectors& vectors, ColdTimer& timer) {
  SortRival rival(row.elements);
  rival.pair_up(vectors.gradient(), timer.stream());
  measure(state, vectors, timer, [&] { rival.sort(timer.stream()); });
}

/// Whether both send the same magnitudes in a step of error feedback; long vectors are not looked at.
bool agrees_with_top_k(SortRival& rival, const Row& row, const Vectors& vectors, StreamHandle stream) {
  constexpr std::int64_t looked_at = 4'000'000;
  if (row.elements > looked_at) return true;
  const std::int64_t k = kernels::kept(row.ratio, row.elements);
  rival.step(vectors.gradient(), vectors.residual(), k, stream);
  std::vector<float> theirs = kernels::downloaded(rival.sent(k), stream);
  vectors.restore(stream);
  const auto top_k = kernels::TopK::make_on_device({row.ratio});
  std::vector<float> ours =
      downloaded(top_k->compress_fed(vectors.gradient(), vectors.residual(), stream), stream).values;
  const auto size = [](float value) { return std::abs(value); };
  for (auto* sent : {&ours, &theirs}) std::ranges::sort(*sent, {}, size);
  return std::ranges::equal(ours, theirs, {}, size, size);
}

void run_sort_with_feedback(benchmark::State& state, const Row& row, const Vectors& vectors,
                            ColdTimer& timer) {
  SortRival rival(row.elements);
  const std::int64_t k = kernels::kept(row.ratio, row.elements);
  if (!agrees_with_top_k(rival, row, vectors, timer.stream()))
    return state.SkipWithError("CUB sends other values");
  measure(state, vectors, timer,
          [&] { rival.step(vectors.gradient(), vectors.residual(), k, timer.stream()); });
}

/// Without error feedback.
void run_select(benchmark::State& state, const Row& row, const Vectors& vectors, ColdTimer& timer) {
  const auto threshold = static_cast<float>(threshold_of(vectors, row.ratio, false, timer.stream()));
  SelectRival rival(row.elements);
  rival.select(vectors.gradient(), threshold, timer.stream());
  if (rival.count(timer.stream()) < kernels::kept(row.ratio, row.elements))
    return state.SkipWithError("CUB selects too few values");
  measure(state, vectors, timer, [&] { rival.select(vectors.gradient(), threshold, timer.stream()); });
}

/// Top-k without error feedback; the row of the catalogue has it.
void run_top_k(benchmark::State& state, const Row& row, const Vectors& vectors, ColdTimer& timer) {
  const auto top_k = kernels::TopK::make_on_device({row.ratio});
  measure(state, vectors, timer, [&] { top_k->compress(vectors.gradient(), timer.stream()); });
}

void add_yardsticks(std::int64_t elements, Values values, const std::shared_ptr<ColdTimer>& timer) {
  const Row whole{elements, 1, values};
  if (values == Values::bell_shaped) add_row("copy", whole, timer, run_copy);
  add_row("cub_sort_pairs", whole, timer, run_sort);
  for (const double ratio : ratios) {
    const Row row{elements, ratio, values};
    add_row("cub_sort_pairs_with_feedback", row, timer, run_sort_with_feedback);
    add_row("cub_select_if", row, timer, run_select);
    add_row("topk_without_feedback", row, timer, run_top_k);
  }
}

void add_implementations(std::int64_t elements, Values values, const std::shared_ptr<ColdTimer>& timer) {
  std::vector<const kernels::Entry*> entries;
  for (const kernels::Entry& row : kernels::catalogue())
    if (row.make_on_device != nullptr) entries.push_back(&row);
  for (const KernelCase& one : calibrate::probes::kernel_cases(entries, std::span(&elements, 1), ratios)) {
    const kernels::Entry& entry = *one.compressor;
    const auto run = [&entry](benchmark::State& state, const Row& row, const Vectors& vectors,
                              ColdTimer& its_timer) {
      run_implementation(state, row, vectors, its_timer, entry);
    };
    const std::string name = std::string(entry.name) + (entry.error_feedback ? "_with_feedback" : "");
    add_row(name, {elements, one.ratio, values}, timer, run);
  }
}

}  // namespace

void register_device_rows() {
  if (kernels::device_count() == 0) {
    std::cerr << "kernels_bench: no usable CUDA device found; its rows are left out\n";
    return;
  }
  const kernels::DeviceFacts facts = kernels::device_facts();
  benchmark::AddCustomContext("device", calibrate::probes::describe(facts));
  const auto timer = std::make_shared<ColdTimer>();
  for (const std::int64_t elements : sizes) {
    if (elements * bytes_per_value > facts.memory_bytes) continue;
    for (const Values values : all_values) {
      add_yardsticks(elements, values, timer);
      add_implementations(elements, values, timer);
    }
  }
}

}  // namespace bench
