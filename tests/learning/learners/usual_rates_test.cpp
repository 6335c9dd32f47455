// Tests that every optimizer learns at its usual rate: a perceptron on the digits, a transformer on a text.
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "learning/datasets/readers.hpp"
#include "learning/learners/live_learner.hpp"
#include "learning/models/catalogue.hpp"
#include "tests/learning/learners/phenomena.hpp"
#include "tests/source_tree.hpp"

namespace learning::learners {
namespace {

/// Two workers, with the defaults of everything that is not named.
Evaluation trained(const std::shared_ptr<const datasets::Dataset>& dataset, const char* model,
                   const models::OptimizerRow& optimizer, int steps) {
  LiveTraining training;
  training.dataset = dataset;
  training.model = models::make(model, {dataset->kind, dataset->shape, dataset->classes}).value();
  training.stated.optimizer = {.method = optimizer};
  training.stated.test_samples = 100;
  training.job.workers = 2;
  const auto learner = LiveLearner::make(training).value();
  const std::array<Share, 2> shares{{{0, 16}, {1, 16}}};
  for (int step = 0; step < steps; ++step) {
    learner->compute(shares);
    learner->update({});
  }
  return *learner->evaluate();
}

/// The entropy of the bytes, nats: the loss of who knows how often each occurs, and nothing else.
double entropy(const datasets::Samples& text) {
  std::array<double, 256> counts{};
  datasets::Batch batch{.features = text.features(), .inputs = {}, .labels = {}};
  for (std::size_t at = 0; at < text.count(); at += 7) text.append_to(batch, at);
  for (const std::uint16_t label : batch.labels) ++counts[label];
  double sum = 0;
  for (const double count : counts) {
    const double share = count / static_cast<double>(batch.labels.size());
    if (share > 0) sum -= share * std::log(share);
  }
  return sum;
}

class UsualRates : public ::testing::TestWithParam<models::OptimizerRow> {};

TEST_P(UsualRates, APerceptronLearnsTheDigits) {
  EXPECT_GT(trained(testing::optdigits(), "mlp_128", GetParam(), 200).accuracy, 0.9);
}

TEST_P(UsualRates, ATransformerLearnsMoreThanTheShareOfEachByte) {
  const auto text = std::make_shared<const datasets::Dataset>(
      datasets::load_text(tests::source_dir() + "/docs/reference.md", 16).value());
  EXPECT_LT(trained(text, "gpt_2_64_2", GetParam(), 250).loss, entropy(text->train));
}

INSTANTIATE_TEST_SUITE_P(Optimizers, UsualRates, ::testing::ValuesIn(models::optimizers()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace learning::learners
