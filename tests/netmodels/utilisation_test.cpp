// Utilisation of stacks: times by hand and limits.
#include "netmodels/utilisation.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

/// 1000 parameters a block and no more than that matters: h 600 halves the utilisation, so do 1000 tokens.
Transformer narrow() {
  Transformer model;
  model.layers = 2;
  model.hidden = 600;
  model.heads = 6;
  model.sequence = 500;
  model.vocabulary = 1000;
  return model;
}

const UtilisationRule halves{.sizes = {{1, 0.8}}, .hidden_half = 600, .tokens_half = 1000};

TEST(Utilisation, FallsWithNarrowModelsFewTokensAndRecomputation) {
  EXPECT_DOUBLE_EQ(*model_utilisation(halves, narrow(), Recomputation::none, 2), 0.8 / 2 / 2);
  EXPECT_DOUBLE_EQ(*model_utilisation(halves, narrow(), Recomputation::selective, 2), 0.2);
  EXPECT_DOUBLE_EQ(*model_utilisation(halves, narrow(), Recomputation::full, 2), 0.2 * 3 / 4);
  const double repeated = repeated_forward(narrow(), Recomputation::every_second_product);
  EXPECT_DOUBLE_EQ(*model_utilisation(halves, narrow(), Recomputation::every_second_product, 2),
                   0.2 / (1 + repeated / 3));
}

TEST(Utilisation, FlopsOfAttentionMayCountMore) {
  UtilisationRule rule = halves;
  rule.attention_weight = 1.5;
  const Transformer model = narrow();
  const double attention = 12.0 * 2 * 600 * 500 * 500;  // 12 L H e s for each token
  const double all = training_flops(model).count;
  EXPECT_DOUBLE_EQ(training_flops(model, 1.5).count, all + attention / 2);
  EXPECT_DOUBLE_EQ(*model_utilisation(rule, model, Recomputation::none, 2),
                   0.2 * all / (all + attention / 2));
}

TEST(Utilisation, LayersOfAttentionTakeTheirWeightedShare) {
  std::vector<Layer> layers(2);
  layers[0].kind = "linear";
  layers[0].forward_flops = Flops{5};
  layers[1].kind = "attention";
  layers[1].forward_flops = Flops{2};
  share_out({Seconds{}, Seconds{4}}, 1, layers, 1.5);
  EXPECT_DOUBLE_EQ(layers[0].forward.at(1).count, 5.0 / 8);  // a quarter of 4 s, as one of four passes
  EXPECT_DOUBLE_EQ(layers[1].forward.at(1).count, 3.0 / 8);
  EXPECT_DOUBLE_EQ(layers[1].backward.at(1).count, 9.0 / 8);
}

TEST(Utilisation, EachDoublingOfTheDevicesThatWaitBeyondANodeCostsAShare) {
  EXPECT_DOUBLE_EQ(waiting_factor(0.02, 1), 1);
  EXPECT_DOUBLE_EQ(waiting_factor(0.02, 8), 1);
  EXPECT_NEAR(waiting_factor(0.02, 16), 1 / 0.98, 1e-12);
  EXPECT_NEAR(waiting_factor(0.02, 64), 1 / std::pow(0.98, 3), 1e-12);
  EXPECT_DOUBLE_EQ(waiting_factor(0, 512), 1);
}

TEST(Utilisation, TimeIsTheWorkOverTheUtilisedPeak) {
  const Transformer model = narrow();
  const FlopRate peak{1e12};
  for (const Recomputation recomputation : {Recomputation::none, Recomputation::full}) {
    for (const double batch : {1.0, 2.0, 7.0}) {
      const Seconds time = pass_time(halves, model, recomputation, peak)->at(batch);
      const double utilisation = *model_utilisation(halves, model, recomputation, batch);
      EXPECT_NEAR(time.count, training_flops(model).count * batch / (1e12 * utilisation), 1e-12 * time.count);
    }
  }
}

TEST(Utilisation, IsLinearInTheLogarithmOfTheParametersBetweenSizes) {
  const auto parameters = static_cast<double>(active_parameters(narrow()));
  const UtilisationRule rule{.sizes = {{parameters / 10, 0.7}, {parameters * 10, 0.5}}};
  EXPECT_NEAR(*model_utilisation(rule, narrow(), Recomputation::none, 1), 0.6, 1e-12);
  const UtilisationRule smaller{.sizes = {{parameters / 3, 0.7}, {parameters / 1.5, 0.5}}};
  EXPECT_NEAR(*model_utilisation(smaller, narrow(), Recomputation::none, 1), 0.5, 1e-12);
  const UtilisationRule larger{.sizes = {{parameters * 1.5, 0.7}, {parameters * 3, 0.5}}};
  EXPECT_NEAR(*model_utilisation(larger, narrow(), Recomputation::none, 1), 0.7, 1e-12);
  const UtilisationRule limit{.sizes = {{parameters * UtilisationRule::beyond, 0.7}, {1e12, 0.5}}};
  EXPECT_NEAR(*model_utilisation(limit, narrow(), Recomputation::none, 1), 0.7, 1e-12);
}

TEST(Utilisation, RefusesModelsBeyondTheMeasuredSizes) {
  const UtilisationRule rule{.sizes = {{1e9, 0.7}, {7e10, 0.5}}};
  const auto refused = pass_time(rule, narrow(), Recomputation::none, FlopRate{1e12});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(),
            "a model of 9.56e+06 parameters; the utilisation was measured for 1e+09 to 7e+10; state the "
            "model's own utilisation as `mfu`");
}

TEST(Utilisation, LayersShareTheTimeByTheirFlops) {
  std::vector<Layer> layers = transformer_layers(narrow());
  share_out({Seconds{3}, Seconds{6}}, 0, layers);
  Seconds forward;
  Seconds backward;
  for (const Layer& layer : layers) {
    forward += layer.forward.at(2);
    backward += layer.backward.at(2);
    if (layer.kind == "embedding") {
      EXPECT_EQ(layer.forward.at(2).count, 0) << layer.name;
    }
  }
  EXPECT_NEAR(forward.count, 5, 1e-12);
  EXPECT_NEAR(backward.count, 10, 1e-12);
  share_out({Seconds{4}, Seconds{}}, 1, layers);
  forward = {};
  for (const Layer& layer : layers) forward += layer.forward.at(2);
  EXPECT_NEAR(forward.count, 1, 1e-12);
}

}  // namespace
}  // namespace netmodels
