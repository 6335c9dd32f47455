// Tests of the table of models: sizes, errors, and that each kind really learns.
#include "learning/models/catalogue.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "learning/models/optimizer.hpp"
#include "tests/learning/models/layer_check.hpp"

namespace learning::models {
namespace {

using datasets::SampleKind;

constexpr Task fashion{SampleKind::image, {1, 28, 28}, 10};
constexpr Task vectors{SampleKind::vector, {1, 1, 64}, 10};
constexpr Task text{SampleKind::tokens, {1, 1, 8}, 65};

std::string refusal(std::string_view name, const Task& task) {
  const auto model = make(name, task);
  return model ? "" : model.error().text();
}

TEST(Models, HaveTheParametersOfTheirNames) {
  EXPECT_EQ((*make("softmax", fashion))->parameter_count(), 7850U);
  EXPECT_EQ((*make("mlp_128", fashion))->parameter_count(), 101770U);
  EXPECT_EQ((*make("mlp_256_128", fashion))->parameter_count(), 235146U);
  // Weights without biases by hand: 9 (1 8 + 2 64 + 8 16 + 2 256 + 16 32 + 2 1024), 56 3 biases and norms, 49
  // 32 10 + 10.
  EXPECT_EQ((*make("resnet_8_bn", fashion))->parameter_count(), 9U * 3336 + 9U * 56 + 15680U + 10U);
  EXPECT_EQ((*make("mlp_32", vectors))->parameter_count(), 2410U);
  EXPECT_EQ((*make("cnn", fashion))->parameter_count(), 54314U);
  EXPECT_EQ((*make("mlp_128_64_bn", vectors))->state_count(), 2U * (128 + 64));
  EXPECT_EQ((*make("lstm_64", text))->parameter_count(), 65U * 32 + 256U * (32 + 64 + 1) + 65U * 65);
}

TEST(Models, TakeHiddenSizesFromTheirNames) {
  EXPECT_EQ((*make("mlp_7_5_3", vectors))->parameter_count(), 65U * 7 + 8U * 5 + 6U * 3 + 4U * 10);
  EXPECT_EQ((*make("mlp_7_bn", vectors))->layers()[1].name, "batch_norm 7");
  EXPECT_EQ((*make("mlp_7", vectors))->name(), "mlp_7");
}

TEST(Models, OfTheTableAreAllMadeForSomeTask) {
  for (const Row& row : catalogue()) {
    const Task& task = row.takes(SampleKind::tokens) ? text : fashion;
    EXPECT_EQ(refusal(row.name, task), "") << row.name;
  }
}

TEST(Models, RefuseNamesThatAreNone) {
  EXPECT_EQ(refusal("mpl_64", vectors),
            "unknown model `mpl_64`; did you mean `mlp_64`? accepted: softmax, mlp_32, mlp_64, mlp_128, "
            "mlp_256_128, mlp_128_64_bn, cnn, resnet_8_bn, resnet_8_gn, resnet_20_bn, lstm_64, attention_64, "
            "gpt_2_64_2, gpt_3_96_4, gpt_4_144_4, "
            "gpt_6_384_6, or mlp_A_B_... and mlp_A_B_..._bn with any hidden sizes, or "
            "resnet_DEPTH_bn or resnet_DEPTH_gn of depth 8, 14, 20, ..., or "
            "gpt_LAYERS_WIDTH_HEADS of any sizes, `_untied` behind it or not");
  EXPECT_EQ(
      refusal("resnet_9_gn", fashion),
      "model `resnet_9_gn` has an impossible depth; accepted: 8, 14, 20, ..., 56; name it resnet_DEPTH_bn or "
      "resnet_DEPTH_gn, for example resnet_14_gn");
  EXPECT_NE(refusal("mlp_", vectors), "");
  EXPECT_NE(refusal("mlp", vectors), "");
  EXPECT_NE(refusal("mlp_bn", vectors), "");
  EXPECT_NE(refusal("mlp_12x", vectors), "");
  EXPECT_NE(refusal("mlp_-3", vectors), "");
}

TEST(Models, RefuseImpossibleHiddenSizes) {
  EXPECT_EQ(refusal("mlp_64_0", vectors),
            "model `mlp_64_0` has a hidden layer of an impossible size; hidden sizes are whole numbers in "
            "[1, 65536]");
  EXPECT_NE(refusal("mlp_99999999999999999999", vectors), "");
}

TEST(Models, OfTransformersTakeTheirSizesFromTheirNames) {
  const std::size_t block = 12U * 16 * 16 + 13U * 16;  // weights, then biases and norms
  EXPECT_EQ((*make("gpt_2_16_4", text))->parameter_count(), (65U + 8) * 16 + 2 * block + 2U * 16);
  EXPECT_EQ((*make("gpt_2_16_4_untied", text))->parameter_count(), (130U + 8) * 16 + 2 * block + 2U * 16);
  EXPECT_EQ((*make("gpt_1_16_4", text))->predictions(), 8U);
  EXPECT_EQ((*make("lstm_64", text))->predictions(), 1U);
}

TEST(Models, OfTransformersRefuseImpossibleSizes) {
  const std::string hint = "; name it gpt_LAYERS_WIDTH_HEADS, for example gpt_2_64_2";
  EXPECT_EQ(refusal("gpt_0_16_4", text), "model `gpt_0_16_4` has 0 layers; accepted: 1 to 64" + hint);
  EXPECT_EQ(refusal("gpt_1_4_4", text), "model `gpt_1_4_4` has a width of 4; accepted: 8 to 4096" + hint);
  EXPECT_EQ(refusal("gpt_1_16_3", text),
            "model `gpt_1_16_3` has 3 heads for a width of 16; accepted: heads that divide it" + hint);
  EXPECT_EQ(refusal("gpt_1_16", text).substr(0, 24), "unknown model `gpt_1_16`");
}

TEST(Models, RefuseSamplesThatTheyCannotTake) {
  EXPECT_EQ(refusal("mlp_64", text),
            "model `mlp_64` cannot take tokens; models for tokens: lstm_64, attention_64, gpt_2_64_2, "
            "gpt_3_96_4, gpt_4_144_4, gpt_6_384_6");
  EXPECT_EQ(refusal("gpt_1_8_1", vectors).substr(0, 46), "model `gpt_1_8_1` cannot take plain vectors; m");
  EXPECT_EQ(
      refusal("lstm_64", fashion),
      "model `lstm_64` cannot take images; models for images: softmax, mlp_32, mlp_64, mlp_128, mlp_256_128, "
      "mlp_128_64_bn, cnn, resnet_8_bn, resnet_8_gn, resnet_20_bn");
  EXPECT_EQ(
      refusal("cnn", vectors),
      "model `cnn` cannot take plain vectors; models for plain vectors: softmax, mlp_32, mlp_64, mlp_128, "
      "mlp_256_128, mlp_128_64_bn");
  EXPECT_EQ(refusal("cnn", {SampleKind::image, {1, 3, 8}, 10}),
            "model `cnn` cannot take images of 3x8 positions; both sides must be at least 4");
  EXPECT_NE(refusal("resnet_14_gn", {SampleKind::image, {1, 8, 3}, 10}), "");
  EXPECT_EQ(refusal("resnet_14_gn", vectors).substr(0, 47),
            "model `resnet_14_gn` cannot take plain vectors;");
}

/// The mean loss of some batch before training, and the accuracy on it after `steps` of momentum SGD.
std::pair<double, double> trained_on(const datasets::Batch& batch, std::string_view name, const Task& task,
                                     int steps, double rate) {
  const auto model = *make(name, task);
  const auto workspace = model->workspace();
  std::vector<float> parameters(model->parameter_count()), gradient(parameters.size()),
      state(model->state_count());
  model->initialise(1, parameters, state);
  Optimizer optimizer(*find_optimizer("sgd"));
  Score first, last;
  for (int i = 0; i < steps; ++i) {
    last = model->gradient(parameters, state, batch, *workspace, gradient);
    if (i == 0) first = last;
    optimizer.step(parameters, gradient, rate);
  }
  const auto mean = [](const Score& score) { return score.loss_sum / static_cast<double>(score.count); };
  return {mean(first), mean(last)};
}

/// Images with one bright quarter, which is their label, in noise.
datasets::Batch quarters() {
  datasets::Batch batch{.features = 64, .inputs = testing::random_values(64 * 16, 3), .labels = {}};
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t label = i % 4;
    batch.labels.push_back(static_cast<std::uint16_t>(label));
    for (std::size_t at = 0; at < 16; ++at) {
      const std::size_t y = 4 * (label / 2) + at / 4, x = 4 * (label % 2) + at % 4;
      batch.inputs[64 * i + 8 * y + x] += 1;
    }
  }
  return batch;
}

TEST(Models, OfImagesLearnWhichQuarterIsBright) {
  for (const char* name : {"softmax", "mlp_32", "mlp_16_8_bn", "cnn", "resnet_8_bn", "resnet_8_gn",
                           "resnet_14_bn", "resnet_14_gn", "resnet_20_bn", "resnet_20_gn"}) {
    const auto [first, last] = trained_on(quarters(), name, {SampleKind::image, {1, 8, 8}, 4}, 30, 0.05);
    EXPECT_GT(first, 0.7) << name;
    EXPECT_LT(last, 0.1) << name;
  }
}

TEST(Models, OfTokensLearnWhatCameFirst) {
  datasets::Batch batch{.features = 4, .inputs = {}, .labels = {}};
  for (int i = 0; i < 12; ++i) {  // the label is the first of four tokens
    for (const int token : {i % 3, i % 2, (i / 3) % 2, 1}) batch.inputs.push_back(static_cast<float>(token));
    batch.labels.push_back(static_cast<std::uint16_t>(i % 3));
  }
  const std::vector<std::pair<std::string, double>> rates{{"lstm_64", 0.1}, {"attention_64", 0.01}};
  for (const auto& [name, rate] : rates) {
    const auto [first, last] = trained_on(batch, name, {SampleKind::tokens, {1, 1, 4}, 3}, 40, rate);
    EXPECT_GT(first, 0.7) << name;
    EXPECT_LT(last, 0.1) << name;
  }
}

/// The loss of a batch that moves, after ten steps of Adam.
double loss_after_ten(std::string_view name, const Task& task) {
  const auto model = *make(name, task);
  const auto workspace = model->workspace();
  std::vector<float> parameters(model->parameter_count()), gradient(parameters.size()),
      state(model->state_count());
  model->initialise(1, parameters, state);
  Optimizer optimizer(*find_optimizer("adam"));
  double loss = 0;
  for (std::size_t step = 0; step < 10; ++step) {
    datasets::Batch batch{.features = task.shape.size(), .inputs = {}, .labels = {}};
    for (std::size_t sample = 0; sample < 16; ++sample) {
      batch.labels.push_back(static_cast<std::uint16_t>(sample % 10));
      for (std::size_t i = 0; i < batch.features; ++i) {
        batch.inputs.push_back(static_cast<float>((sample * 7 + i * 3 + step) % 10));
      }
    }
    loss = model->gradient(parameters, state, batch, *workspace, gradient).loss_sum;
    optimizer.step(parameters, gradient, 0.001);
  }
  return loss;
}

TEST(Models, OfTransformersPredictEveryToken) {
  const auto model = *make("gpt_1_8_2", {SampleKind::tokens, {1, 1, 4}, 3});
  datasets::Batch batch{.features = 4, .inputs = {0, 1, 2, 0}, .labels = {1}};
  const auto workspace = model->workspace();
  std::vector<float> parameters(model->parameter_count()), gradient(parameters.size());
  model->initialise(1, parameters, {});
  Optimizer optimizer(*find_optimizer("adam"));
  for (int i = 0; i < 100; ++i) {
    model->gradient(parameters, {}, batch, *workspace, gradient);
    optimizer.step(parameters, gradient, 0.01);
  }
  const Score score = model->evaluate(parameters, {}, batch, *workspace);
  EXPECT_EQ(score.count, 4U);
  EXPECT_EQ(score.correct, 4U);
  EXPECT_LT(score.loss_sum, 0.4);
}

TEST(Models, TrainToTheSameBitsOnEveryMachine) {
  // Figures of g++ 12 at -O0 and -O3, and of clang 14, with and without vectors: all the same.
  EXPECT_EQ(loss_after_ten("mlp_128_64_bn", {SampleKind::image, {1, 8, 8}, 10}), 0x1.520ba7af65d8fp+5);
  EXPECT_EQ(loss_after_ten("cnn", {SampleKind::image, {3, 8, 8}, 10}), 0x1.ccc438909e128p+5);
  EXPECT_EQ(loss_after_ten("lstm_64", {SampleKind::tokens, {1, 1, 12}, 10}), 0x1.2fb39f01aa3dcp+5);
}

TEST(Models, RefuseMoreParametersThanMemoryIsMeantFor) {
  const Task task{SampleKind::vector, {1, 1, 10}, 2};
  EXPECT_EQ(make("mlp_65536_65536", task).error().text(),
            "model `mlp_65536_65536` has 4295884802 parameters; at most 268435456 can be trained here; take "
            "fewer or smaller hidden layers");
}

}  // namespace
}  // namespace learning::models
