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

struct PublishedClass {
  UtilisationRule rule;
  double peak_tflops;
};

// scenarios/stacks/pytorch-fsdp-2023.yaml
const std::map<std::string, PublishedClass> published_classes{
    {"A100 40GB", {{{{1, 0.886}}, 800, 2000, 1, 0.014}, 312}},
    {"A100 80GB", {{{{1, 0.800}}, 600, 500, 1, 0.014}, 312}},
    {"H100 SXM 80GB", {{{{1, 0.768}}, 1200, 2000, 1.5, 0.014}, 989}}};

Transformer shape_of(const tests::PublishedRow& row) {
  const auto count = [&](const char* column) {
    return std::lround(tests::published_number(row, column).value());
  };
  Transformer model;
  model.layers = count("layers");
  model.hidden = count("hidden");
  model.heads = count("heads");
  model.sequence = count("sequence");
  model.vocabulary = 50368;
  return model;
}

/// Relative error of tokens/s and GPU; nothing for rows that the rule was not made for.
std::optional<double> throughput_error(const tests::PublishedRow& row) {
  const auto known = published_classes.find(row.at("gpu"));
  const bool bf16 = row.at("precision").find("bf16") != std::string::npos;
  if (row.at("source") != "llm-foundry" || row.at("kind") != "dense" || !bf16 ||
      known == published_classes.end())
    return std::nullopt;
  const auto number = [&](const char* column) { return tests::published_number(row, column).value(); };
  const Transformer model = shape_of(row);
  EXPECT_EQ(static_cast<double>(parameters(model)), number("params")) << row.at("model");
  const UtilisationRule& rule = known->second.rule;
  const bool full = row.at("recomputation") == "full";
  const double batch = number("micro_batch");
  const Seconds time = pass_time(rule, model, full ? Recomputation::full : Recomputation::none,
                                 FlopRate{known->second.peak_tflops * 1e12})
                           ->at(batch) *
                       waiting_factor(rule.lost_per_doubling, static_cast<std::uint32_t>(number("gpus")));
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
  EXPECT_LE(share_below(errors["all"], 0.5), 0.027);
  EXPECT_LE(share_below(errors["one node"], 0.5), 0.035);
  EXPECT_LE(share_below(errors["many nodes"], 0.5), 0.017);
  EXPECT_LE(share_below(errors["A100 40GB"], 0.9), 0.089);
  EXPECT_LE(share_below(errors["A100 80GB"], 0.9), 0.109);
  EXPECT_LE(share_below(errors["H100 SXM 80GB"], 0.9), 0.078);
}

/// A published run as the rule sees it.
struct FittedRun {
  std::string gpu;
  std::string model;
  Transformer shape;
  double batch = 1;
  double work = 1;       ///< seconds of a micro-batch at the peak, without what attention's weight adds
  double attention = 0;  ///< the part of it that is attention's
  double waiting = 1;
  double time = 1;  ///< published, of a micro-batch
};

/// Time over efficiency.
double time_of(const FittedRun& run, const UtilisationRule& rule) {
  const auto hidden = static_cast<double>(run.shape.hidden);
  const double tokens = run.batch * static_cast<double>(run.shape.sequence);
  const double reached = hidden / (hidden + rule.hidden_half) * tokens / (tokens + rule.tokens_half);
  return (run.work + (rule.attention_weight - 1) * run.attention) / reached * run.waiting;
}

/// The rule of the grid whose mean error is least; the efficiency is the median that each run needs.
UtilisationRule fitted(const std::vector<FittedRun>& runs) {
  UtilisationRule best;
  double least = 1e9;
  for (const double weight : {1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0}) {
    for (const double width : {0, 100, 200, 300, 400, 600, 800, 1000, 1200, 1500}) {
      for (const double tokens : {0, 300, 500, 700, 1000, 1500, 2000, 3000, 4000, 6000, 8000}) {
        const UtilisationRule rule{{}, width, tokens, weight, 0};
        std::vector<double> needed;
        for (const FittedRun& run : runs) needed.push_back(time_of(run, rule) / run.time);
        const double efficiency = share_below(needed, 0.5);
        double error = 0;
        for (const double each : needed) error += std::abs(efficiency / each - 1);
        if (error >= least) continue;
        least = error;
        best = rule;
        best.sizes = {{1, efficiency}};
      }
    }
  }
  return best;
}

std::vector<FittedRun> fitted_runs() {
  std::vector<FittedRun> runs;
  for (const tests::PublishedRow& row : tests::published_rows(tests::llm_data / "throughput.csv")) {
    if (!throughput_error(row)) continue;
    const auto number = [&](const char* column) { return tests::published_number(row, column).value(); };
    const bool full = row.at("recomputation") == "full";
    FittedRun run{.gpu = row.at("gpu"), .model = row.at("model"), .shape = shape_of(row)};
    run.batch = number("micro_batch");
    const double peak = 1e12 * published_classes.at(run.gpu).peak_tflops;
    const double again = hardware_factor(run.shape, full ? Recomputation::full : Recomputation::none);
    run.work = again * run.batch * training_flops(run.shape).count / peak;
    run.attention = again * run.batch * training_flops(run.shape, 2).count / peak - run.work;
    run.waiting = waiting_factor(0.014, static_cast<std::uint32_t>(number("gpus")));
    run.time = run.batch * number("sequence") / number("tokens_s_gpu");
    runs.push_back(std::move(run));
  }
  return runs;
}

TEST(Utilisation, FsdpsRuleIsTheBestOfItsGrid) {
  if (!std::filesystem::exists(tests::llm_data / "throughput.csv"))
    GTEST_SKIP() << "skipped: no ../shared/data/llm beside the checkout";
  for (const auto& published : published_classes) {
    const std::string& gpu = published.first;
    const PublishedClass& known = published.second;
    std::vector<FittedRun> runs = fitted_runs();
    std::erase_if(runs, [&](const FittedRun& run) { return run.gpu != gpu; });
    const UtilisationRule rule = fitted(runs);
    EXPECT_NEAR(rule.sizes.front().share, known.rule.sizes.front().share, 0.002) << gpu;
    EXPECT_EQ(rule.hidden_half, known.rule.hidden_half) << gpu;
    EXPECT_EQ(rule.tokens_half, known.rule.tokens_half) << gpu;
    EXPECT_EQ(rule.attention_weight, known.rule.attention_weight) << gpu;
  }
}

TEST(Utilisation, FsdpsRuleHoldsForASizeOfModelThatItWasNotFittedTo) {
  if (!std::filesystem::exists(tests::llm_data / "throughput.csv"))
    GTEST_SKIP() << "skipped: no ../shared/data/llm beside the checkout";
  std::map<std::pair<std::string, std::string>, std::vector<FittedRun>> left_out;
  const std::vector<FittedRun> all = fitted_runs();
  for (const FittedRun& run : all) left_out[{run.gpu, run.model}].push_back(run);
  std::map<std::string, std::vector<double>> errors;
  for (const auto& one : left_out) {
    const auto& which = one.first;
    std::vector<FittedRun> others = all;
    std::erase_if(others,
                  [&](const FittedRun& run) { return run.gpu != which.first || run.model == which.second; });
    const UtilisationRule rule = fitted(others);
    for (const FittedRun& run : one.second) {
      const double error = std::abs(run.time * rule.sizes.front().share / time_of(run, rule) - 1);
      errors[which.first].push_back(error);
      errors["all"].push_back(error);
    }
  }
  for (const auto& [group, values] : errors)
    std::cout << fmt::format("{:<14} {:3} runs left out: median {:4.1f} %, nine of ten below {:4.1f} %\n",
                             group, values.size(), 100 * share_below(values, 0.5),
                             100 * share_below(values, 0.9));
  EXPECT_EQ(errors["all"].size(), 209U);
  EXPECT_LE(share_below(errors["all"], 0.5), 0.043);
  EXPECT_LE(share_below(errors["all"], 0.9), 0.11);
}

}  // namespace
}  // namespace netmodels
