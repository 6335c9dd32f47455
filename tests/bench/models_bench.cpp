// The cost of training: gradients of the shipped models per second on one core, and the product beneath them.
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "kernels/philox.hpp"
#include "learning/models/catalogue.hpp"
#include "learning/models/optimizer.hpp"
#include "learning/models/product.hpp"

namespace {

std::vector<float> uniform(std::size_t count, std::uint64_t seed) {
  std::vector<float> values(count);
  const kernels::RandomStream random{seed, 0};
  for (std::size_t i = 0; i < count; ++i) values[i] = kernels::unit_interval(random.word(i)) - 0.5F;
  return values;
}

/// One replica of a model with a batch before it.
class Replica {
 public:
  Replica(const std::string& name, const learning::models::Task& task, std::size_t samples)
      : model_(*learning::models::make(name, task)),
        workspace_(model_->workspace()),
        parameters_(model_->parameter_count()),
        gradient_(model_->parameter_count()),
        state_(model_->state_count()) {
    model_->initialise(1, parameters_, state_);
    const bool tokens = task.kind == learning::datasets::SampleKind::tokens;
    batch_.features = task.shape.size();
    batch_.inputs = uniform(samples * batch_.features, 2);
    for (float& input : batch_.inputs) {
      if (tokens)
        input = static_cast<float>(static_cast<int>((input + 0.5F) * static_cast<float>(task.classes)));
    }
    for (std::size_t i = 0; i < samples; ++i) {
      batch_.labels.push_back(static_cast<std::uint16_t>(i % static_cast<std::size_t>(task.classes)));
    }
  }

  double step() { return model_->gradient(parameters_, state_, batch_, *workspace_, gradient_).loss_sum; }
  std::pair<std::vector<float>&, const std::vector<float>&> weights() { return {parameters_, gradient_}; }

 private:
  std::shared_ptr<const learning::models::Model> model_;
  std::unique_ptr<learning::models::Workspace> workspace_;
  std::vector<float> parameters_, gradient_, state_;
  learning::datasets::Batch batch_;
};

const learning::models::Task fashion{learning::datasets::SampleKind::image, {1, 28, 28}, 10};
const learning::models::Task digits{learning::datasets::SampleKind::image, {1, 8, 8}, 10};
const learning::models::Task cifar{learning::datasets::SampleKind::image, {3, 32, 32}, 10};
const learning::models::Task text{learning::datasets::SampleKind::tokens, {1, 1, 32}, 65};

void gradient(benchmark::State& state, const std::string& name, const learning::models::Task& task) {
  const auto samples = static_cast<std::size_t>(state.range(0));
  Replica replica(name, task, samples);
  for (auto _ : state) benchmark::DoNotOptimize(replica.step());
  state.counters["samples_per_s"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(samples), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(gradient, softmax_28x28, "softmax", fashion)->ArgName("batch")->Arg(32);
BENCHMARK_CAPTURE(gradient, mlp_128_28x28, "mlp_128", fashion)->ArgName("batch")->Arg(32);
BENCHMARK_CAPTURE(gradient, mlp_256_128_28x28, "mlp_256_128", fashion)->ArgName("batch")->Arg(32);
BENCHMARK_CAPTURE(gradient, mlp_128_64_bn_28x28, "mlp_128_64_bn", fashion)->ArgName("batch")->Arg(32);
BENCHMARK_CAPTURE(gradient, cnn_28x28, "cnn", fashion)->ArgName("batch")->Arg(32);
BENCHMARK_CAPTURE(gradient, cnn_3x32x32, "cnn", cifar)->ArgName("batch")->Arg(32);
BENCHMARK_CAPTURE(gradient, mlp_32_8x8, "mlp_32", digits)->ArgName("batch")->Arg(16);
BENCHMARK_CAPTURE(gradient, mlp_128_8x8, "mlp_128", digits)->ArgName("batch")->Arg(16);
BENCHMARK_CAPTURE(gradient, lstm_64_32_tokens, "lstm_64", text)->ArgName("batch")->Arg(16);
BENCHMARK_CAPTURE(gradient, attention_64_32_tokens, "attention_64", text)->ArgName("batch")->Arg(16);

/// Momentum SGD and Adam on 101,770 parameters.
void update(benchmark::State& state, std::string_view name) {
  Replica replica("mlp_128", fashion, 32);
  replica.step();
  auto [parameters, slope] = replica.weights();
  learning::models::Optimizer optimizer(*learning::models::find_optimizer(name));
  for (auto _ : state) optimizer.step(parameters, slope, 1e-6);
}
BENCHMARK_CAPTURE(update, momentum, "sgd");
BENCHMARK_CAPTURE(update, adam, "adam");

/// Every form of the product that this CPU runs, on the first layer of mlp_128.
void product(benchmark::State& state) {
  const auto& variants = learning::models::product_variants();
  const auto number = static_cast<std::size_t>(state.range(0));
  if (number >= variants.size()) {
    state.SkipWithError("this CPU does not run it");
    return;
  }
  const std::vector<float> left = uniform(128 * 784, 1), right = uniform(784 * 32, 2);
  std::vector<float> result(128 * 32);
  const learning::models::Product task{128,           32, 784, {left.data(), 1, 128}, {right.data(), 1, 784},
                                       result.data(), 128};
  for (auto _ : state) {
    variants[number].multiply(task);
    benchmark::ClobberMemory();
  }
  state.SetLabel(std::string(variants[number].name));
  state.counters["flops"] = benchmark::Counter(static_cast<double>(state.iterations()) * 2 * 128 * 32 * 784,
                                               benchmark::Counter::kIsRate);
}
BENCHMARK(product)->DenseRange(0, 2);

}  // namespace
