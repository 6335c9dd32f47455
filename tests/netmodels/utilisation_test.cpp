// Utilisation of published stacks: times by hand, limits, and 209 published runs of MPT.
#include "netmodels/utilisation.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/netmodels/published_csv.hpp"

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

struct PublishedClass {
  double efficiency;
  double peak_tflops;
};

// scenarios/stacks/pytorch-fsdp-2023.yaml
const std::map<std::string, PublishedClass> published_classes{
    {"A100 40GB", {0.777, 312}}, {"A100 80GB", {0.812, 312}}, {"H100 SXM 80GB", {0.555, 989}}};

/// Relative error of tokens/s and GPU; nothing for rows that the rule was not made for.
std::optional<double> throughput_error(const tests::PublishedRow& row) {
  const auto known = published_classes.find(row.at("gpu"));
  const bool bf16 = row.at("precision").find("bf16") != std::string::npos;
  if (row.at("source") != "llm-foundry" || row.at("kind") != "dense" || !bf16 ||
      known == published_classes.end())
    return std::nullopt;
  const auto number = [&](const char* column) { return tests::published_number(row, column).value(); };
  Transformer model;
  model.layers = std::lround(number("layers"));
  model.hidden = std::lround(number("hidden"));
  model.heads = std::lround(number("heads"));
  model.sequence = std::lround(number("sequence"));
  model.vocabulary = 50368;
  EXPECT_EQ(static_cast<double>(parameters(model)), number("params")) << row.at("model");
  const UtilisationRule rule{
      .sizes = {{1, known->second.efficiency}}, .hidden_half = 600, .tokens_half = 1000};
  const bool full = row.at("recomputation") == "full";
  const double batch = number("micro_batch");
  const Seconds time = pass_time(rule, model, full ? Recomputation::full : Recomputation::none,
                                 FlopRate{known->second.peak_tflops * 1e12})
                           ->at(batch);
  return batch * number("sequence") / time.count / number("tokens_s_gpu") - 1;
}

double share_below(std::vector<double> errors, double share) {
  std::ranges::sort(errors);
  return errors[static_cast<std::size_t>(std::ceil(share * static_cast<double>(errors.size()))) - 1];
}

TEST(Utilisation, PublishedThroughputOfFsdpIsWithinTheRecordedBand) {
  if (!std::filesystem::exists(tests::llm_data / "throughput.csv"))
    GTEST_SKIP() << "skipped: no ../shared/data/llm beside the checkout";
  std::map<std::string, std::vector<double>> errors;
  for (const tests::PublishedRow& row : tests::published_rows(tests::llm_data / "throughput.csv")) {
    const std::optional<double> error = throughput_error(row);
    if (!error) continue;
    for (const std::string& group : {std::string("all"), row.at("gpu"), row.at("scale")})
      errors[group].push_back(std::abs(*error));
  }
  for (const auto& [group, values] : errors) {
    std::cout << fmt::format(
        "{:<14} {:3} runs, error of tokens/s: median {:4.1f} %, nine of ten below {:4.1f} %\n", group,
        values.size(), 100 * share_below(values, 0.5), 100 * share_below(values, 0.9));
  }
  EXPECT_EQ(errors["all"].size(), 209U);
  EXPECT_LE(share_below(errors["all"], 0.5), 0.044);
  EXPECT_LE(share_below(errors["one node"], 0.5), 0.05);
  EXPECT_LE(share_below(errors["many nodes"], 0.5), 0.05);
  EXPECT_LE(share_below(errors["A100 40GB"], 0.9), 0.088);
  EXPECT_LE(share_below(errors["A100 80GB"], 0.9), 0.135);
  EXPECT_LE(share_below(errors["H100 SXM 80GB"], 0.9), 0.167);
}

}  // namespace
}  // namespace netmodels
