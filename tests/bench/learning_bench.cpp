// The cost of real training in a simulation: steps of a whole job on one core, evaluations, memory.
#include <cstdint>
#include <malloc.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "kernels/philox.hpp"
#include "learning/datasets/catalogue.hpp"
#include "learning/learners/live_learner.hpp"
#include "learning/models/catalogue.hpp"
#include "tests/source_tree.hpp"

namespace {

using learning::learners::LiveLearner;

using Data = std::shared_ptr<const learning::datasets::Dataset>;

/// The shipped digits: 3823 training and 1797 test samples of 8 x 8 pixels.
const Data& digits() {
  static const Data dataset = learning::datasets::load({}, tests::source_dir() + "/scenarios").value();
  return dataset;
}

learning::datasets::Samples noise(std::size_t count, std::size_t features) {
  const kernels::RandomStream random{1, count};
  std::vector<std::uint8_t> bytes(count * features);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(random.word(i));
  std::vector<std::uint16_t> labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<std::uint16_t>(i % 10);
  return {features, std::move(bytes), 1 / 74.0F, -127.5F / 74, std::move(labels)};
}

/// Samples of the size of Fashion-MNIST, with nothing to learn in them: time does not depend on their values.
const Data& pictures() {
  static const Data dataset = std::make_shared<const learning::datasets::Dataset>(
      learning::datasets::Dataset{.name = "noise",
                                  .provenance = "random bytes",
                                  .kind = learning::datasets::SampleKind::image,
                                  .shape = {1, 28, 28},
                                  .classes = 10,
                                  .train = noise(20'000, 784),
                                  .test = noise(2'000, 784),
                                  .sample_bytes = 785});
  return dataset;
}

std::unique_ptr<LiveLearner> learner_of(const Data& dataset, std::uint32_t workers) {
  learning::learners::LiveTraining training;
  training.dataset = dataset;
  training.model =
      learning::models::make("mlp_128", {dataset->kind, dataset->shape, dataset->classes}).value();
  training.stated.optimizer.learning_rate = 0.01;
  training.job.workers = workers;
  return LiveLearner::make(training).value();
}

std::vector<learning::learners::Share> shares_of(std::uint32_t workers, int batch) {
  std::vector<learning::learners::Share> shares;
  for (std::uint32_t worker = 0; worker < workers; ++worker) shares.push_back({worker, batch});
  return shares;
}

void step(LiveLearner& learner, const std::vector<learning::learners::Share>& shares,
          const learning::learners::Update& update) {
  benchmark::DoNotOptimize(learner.compute(shares));
  benchmark::DoNotOptimize(learner.update(update));
}

void train(benchmark::State& state, const Data& dataset, int batch,
           const learning::learners::Update& update) {
  constexpr std::uint32_t workers = 8;
  const auto learner = learner_of(dataset, workers);
  const auto shares = shares_of(workers, batch);
  step(*learner, shares, update);
  for (auto _ : state) step(*learner, shares, update);
  state.counters["samples_per_s"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * workers * batch, benchmark::Counter::kIsRate);
}

learning::learners::Update sending(const std::string& method, double ratio) {
  return {.compression = {.method = method, .ratio = ratio}};
}

learning::learners::Update exchanging(learning::learners::Exchange exchange) {
  return {.exchange = exchange};
}

void digits_step(benchmark::State& state, const learning::learners::Update& update) {
  train(state, digits(), 16, update);
}
BENCHMARK_CAPTURE(digits_step, dense, learning::learners::Update{})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits_step, topk_1_percent, sending("topk", 0.01))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits_step, ar_topk_1_percent, sending("ar_topk", 0.01))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits_step, local, exchanging(learning::learners::Exchange::nothing))
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(digits_step, average_parameters, exchanging(learning::learners::Exchange::parameters))
    ->Unit(benchmark::kMicrosecond);

void pictures_step(benchmark::State& state, const learning::learners::Update& update) {
  train(state, pictures(), 32, update);
}
BENCHMARK_CAPTURE(pictures_step, dense, learning::learners::Update{})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(pictures_step, topk_1_percent, sending("topk", 0.01))->Unit(benchmark::kMicrosecond);

/// The gain that a policy sees when it tries a ratio.
void gain(benchmark::State& state) {
  const auto learner = learner_of(digits(), 8);
  const auto shares = shares_of(8, 16);
  const learning::learners::Update update = sending("topk", 0.01);
  step(*learner, shares, update);
  learner->compute(shares);
  for (auto _ : state) benchmark::DoNotOptimize(learner->gain(update.compression));
}
BENCHMARK(gain)->Unit(benchmark::kMicrosecond);

/// The whole test set; `time_per_1000` is the time of a thousand samples.
void evaluate(benchmark::State& state, const Data& (*read)()) {
  const Data& dataset = read();
  const auto learner = learner_of(dataset, 8);
  for (auto _ : state) benchmark::DoNotOptimize(learner->evaluate());
  const double samples = static_cast<double>(state.iterations()) * static_cast<double>(dataset->test.count());
  state.counters["time_per_1000"] =
      benchmark::Counter(samples / 1000, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(evaluate, digits, digits)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate, pictures, pictures)->Unit(benchmark::kMicrosecond);

/// Bytes that 32 workers hold after a step: replicas in one while equal, one each once parted.
void memory(benchmark::State& state, learning::learners::Exchange exchange) {
  constexpr std::uint32_t workers = 32;
  const auto shares = shares_of(workers, 4);
  for (auto _ : state) {
    const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    const auto learner = learner_of(pictures(), workers);
    step(*learner, shares, {.exchange = exchange});
    const std::size_t held = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    state.counters["megabytes"] = static_cast<double>(held) / 1e6;
  }
}
BENCHMARK_CAPTURE(memory, together, learning::learners::Exchange::gradients)->Iterations(1);
BENCHMARK_CAPTURE(memory, parted, learning::learners::Exchange::nothing)->Iterations(1);

}  // namespace
