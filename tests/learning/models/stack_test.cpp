// Models of layers, and the loss at their end.
#include "learning/models/stack.hpp"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "learning/models/catalogue.hpp"
#include "learning/models/layers.hpp"
#include "learning/models/optimizer.hpp"
#include "tests/learning/models/layer_check.hpp"

namespace learning::models {

// Tests of the loss.

namespace {

TEST(CrossEntropy, OfEqualOutputsIsTheLogarithmOfTheClasses) {
  const std::vector<float> outputs(8, 3);
  const std::vector<std::uint16_t> labels{0, 3};
  std::vector<float> gradient(8);
  const Score score = cross_entropy(4, outputs, labels, gradient);
  EXPECT_NEAR(score.loss_sum, 2 * std::log(4), 1e-7);
  EXPECT_EQ(score.correct, 1U);  // the first of equal outputs is the answer
  EXPECT_EQ(score.count, 2U);
  EXPECT_EQ(gradient, (std::vector<float>{-0.375F, 0.125F, 0.125F, 0.125F, 0.125F, 0.125F, 0.125F, -0.375F}));
}

TEST(CrossEntropy, IsTheSameWithAndWithoutGradient) {
  const std::vector<float> outputs{0.3F, -2, 1.5F, 4, 0, -1};
  const std::vector<std::uint16_t> labels{2, 1};
  std::vector<float> gradient(6);
  const Score with = cross_entropy(3, outputs, labels, gradient);
  EXPECT_EQ(with.loss_sum, cross_entropy(3, outputs, labels, {}).loss_sum);
  EXPECT_NEAR(
      with.loss_sum,
      std::log(std::exp(0.3) + std::exp(-2) + std::exp(1.5)) - 1.5 + std::log(std::exp(4) + 1 + std::exp(-1)),
      1e-6);
  EXPECT_NEAR(gradient[0], 0.5 * std::exp(0.3) / (std::exp(0.3) + std::exp(-2) + std::exp(1.5)), 1e-7);
}

TEST(CrossEntropy, OfFarOutputsIsFiniteAndOfNaNIsNaN) {
  const std::vector<std::uint16_t> label{1};
  std::vector<float> gradient(2);
  EXPECT_NEAR(cross_entropy(2, std::vector<float>{1e4F, -1e4F}, label, gradient).loss_sum, 2e4, 1e-3);
  const std::vector<float> broken{std::numeric_limits<float>::quiet_NaN(), 0};
  EXPECT_TRUE(std::isnan(cross_entropy(2, broken, label, gradient).loss_sum));
}

TEST(Score, AddsUp) {
  Score score{1.5, 2, 4};
  score += Score{0.5, 1, 3};
  EXPECT_EQ(score.loss_sum, 2);
  EXPECT_EQ(score.correct, 3U);
  EXPECT_EQ(score.count, 7U);
}

}  // namespace
}  // namespace learning::models

// Tests of models as stacks: where values lie, whole gradients, evaluation, reuse of memory.

namespace {

std::atomic<long> allocations{0};

}  // namespace

// Not inlined, or g++ takes malloc and delete for a pair that does not match.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace learning::models {
namespace {

using testing::random_values;
using testing::Values;

Stack small_stack() {
  std::vector<std::unique_ptr<const Layer>> layers;
  layers.push_back(std::make_unique<Relu>(3));
  layers.push_back(std::make_unique<Dense>(3, 4, Next::relu));
  layers.push_back(std::make_unique<BatchNorm>(4, 1));
  layers.push_back(std::make_unique<Dense>(4, 2, Next::other));
  return {"small", std::move(layers)};
}

datasets::Batch some_batch(std::size_t samples, std::size_t features, std::size_t classes) {
  datasets::Batch batch{.features = features, .inputs = random_values(samples * features, 21), .labels = {}};
  for (std::size_t i = 0; i < samples; ++i) batch.labels.push_back(static_cast<std::uint16_t>(i % classes));
  return batch;
}

/// A model with all that one worker keeps.
struct Worker {
  explicit Worker(const Model& trained)
      : model(trained),
        workspace(trained.workspace()),
        parameters(trained.parameter_count()),
        gradient(trained.parameter_count(), 77),
        state(trained.state_count()) {
    model.initialise(11, parameters, state);
  }
  Score step(const datasets::Batch& batch) {
    return model.gradient(parameters, state, batch, *workspace, gradient);
  }

  const Model& model;
  std::unique_ptr<Workspace> workspace;
  Values parameters, gradient, state;
};

TEST(Stack, ListsTheLayersThatHaveParameters) {
  const Stack stack = small_stack();
  EXPECT_EQ(stack.parameter_count(), 16U + 8U + 10U);
  EXPECT_EQ(stack.state_count(), 8U);
  ASSERT_EQ(stack.layers().size(), 3U);
  EXPECT_EQ(stack.layers()[1].name, "batch_norm 4");
  EXPECT_EQ(stack.layers()[2].offset, 24U);
  EXPECT_EQ(stack.layers()[2].count, 10U);
}

TEST(Stack, StartsFromItsSeedAlone) {
  const Stack stack = small_stack();
  Values first(34), second(34), other(34), state(8);
  stack.initialise(1, first, state);
  stack.initialise(1, second, state);
  stack.initialise(2, other, state);
  EXPECT_EQ(first, second);
  EXPECT_NE(first, other);
  EXPECT_NE(first[0], first[24]);  // layers draw apart
}

TEST(Stack, GradientIsTheSlopeOfTheMeanLoss) {
  const Stack stack = small_stack();
  const datasets::Batch batch = some_batch(6, 3, 2);
  Worker worker(stack);
  const double loss = worker.step(batch).loss_sum;
  EXPECT_GT(loss, 0);
  const Values gradient = worker.gradient;
  constexpr float step = 3e-3F;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const float before = worker.parameters[i];
    worker.parameters[i] = before + step;
    const double above = worker.step(batch).loss_sum;
    worker.parameters[i] = before - step;
    const double below = worker.step(batch).loss_sum;
    worker.parameters[i] = before;
    EXPECT_NEAR(static_cast<double>(gradient[i]), (above - below) / 6 / (2 * static_cast<double>(step)), 5e-4)
        << i;
  }
}

TEST(Stack, EvaluatesAnyNumberOfSamplesAlike) {
  const Stack stack = small_stack();
  Worker worker(stack);
  const datasets::Batch all = some_batch(600, 3, 2);
  const Score together = stack.evaluate(worker.parameters, worker.state, all, *worker.workspace);
  Score one_by_one;
  for (std::size_t i = 0; i < 600; ++i) {
    const datasets::Batch one{3,
                              {all.inputs.begin() + static_cast<std::ptrdiff_t>(3 * i),
                               all.inputs.begin() + static_cast<std::ptrdiff_t>(3 * i + 3)},
                              {all.labels[i]}};
    one_by_one += stack.evaluate(worker.parameters, worker.state, one, *worker.workspace);
  }
  EXPECT_NEAR(together.loss_sum, one_by_one.loss_sum, 1e-9 * together.loss_sum);
  EXPECT_EQ(together.correct, one_by_one.correct);
  EXPECT_EQ(together.count, 600U);
}

TEST(Stack, OfNothingEvaluatesToNothing) {
  const Stack stack = small_stack();
  const Worker worker(stack);
  EXPECT_EQ(stack.evaluate(worker.parameters, worker.state, {3, {}, {}}, *worker.workspace).count, 0U);
}

TEST(Stack, TrainingMovesTheStateAndEvaluationReadsIt) {
  const Stack stack = small_stack();
  Worker worker(stack);
  const datasets::Batch batch = some_batch(8, 3, 2);
  const double before = stack.evaluate(worker.parameters, worker.state, batch, *worker.workspace).loss_sum;
  const Values start = worker.state;
  worker.step(batch);
  EXPECT_NE(worker.state, start);
  EXPECT_NE(stack.evaluate(worker.parameters, worker.state, batch, *worker.workspace).loss_sum, before);
}

TEST(Stack, DoesNotRememberOtherBatches) {
  const Stack stack = small_stack();
  Worker fresh(stack), used(stack);
  used.step(some_batch(20, 3, 2));
  used.state = fresh.state;
  const datasets::Batch batch = some_batch(5, 3, 2);
  EXPECT_EQ(fresh.step(batch).loss_sum, used.step(batch).loss_sum);
  EXPECT_EQ(fresh.gradient, used.gradient);
}

TEST(Stack, AllocatesNothingAfterTheLargestBatch) {
  using datasets::SampleKind;
  const std::vector<std::pair<const char*, Task>> kinds{
      {"mlp_128_64_bn", {SampleKind::vector, {1, 1, 20}, 4}},
      {"cnn", {SampleKind::image, {3, 8, 8}, 4}},
      {"lstm_64", {SampleKind::tokens, {1, 1, 5}, 6}},
      {"attention_64", {SampleKind::tokens, {1, 1, 5}, 6}}};
  for (const auto& [name, task] : kinds) {
    const auto model = *make(name, task);
    Worker worker(*model);
    datasets::Batch batch = some_batch(6, task.shape.size(), 4);
    for (float& input : batch.inputs) input = input < 0 ? 0.0F : 1.0F;  // tokens, too
    Optimizer momentum(optimizer("sgd", Sgd{})), adam(optimizer("adam", Adam{}));
    const auto step = [&] {
      worker.step(batch);
      momentum.step(worker.parameters, worker.gradient, 0.1);
      adam.step(worker.parameters, worker.gradient, 0.1);
    };
    const long start = allocations;
    step();
    const long before = allocations;
    EXPECT_GT(before, start);
    step();
    batch.inputs.resize(3 * task.shape.size());
    batch.labels.resize(3);
    step();
    EXPECT_EQ(allocations, before) << name;
  }
}

}  // namespace
}  // namespace learning::models
