// The shipped pytorch-fsdp-2023 against the 209 published runs of MPT that it is fitted to.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "netmodels/utilisation.hpp"
#include "tests/scenario/published_fsdp.hpp"

namespace sim::scenario {
namespace {

using netmodels::Recomputation;
using netmodels::Seconds;
using netmodels::Transformer;
using netmodels::UtilisationRule;
using netmodels::tests::llm_data;
using netmodels::tests::published_number;
using netmodels::tests::published_rows;
using netmodels::tests::PublishedRow;

/// Relative error of tokens/s and GPU.
double throughput_error(const PublishedRow& row) {
  const auto number = [&](const char* column) { return published_number(row, column).value(); };
  const Transformer model = shape_of(row);
  EXPECT_EQ(static_cast<double>(parameters(model)), number("params")) << row.at("model");
  const FsdpGpu& gpu = fsdp_gpus().at(row.at("gpu"));
  const UtilisationRule& rule = gpu.stack.rule;
  const double batch = number("micro_batch");
  const Seconds time =
      pass_time(rule, model, recomputation_of(row), gpu.peak)->at(batch) *
      netmodels::waiting_factor(rule.lost_per_doubling, static_cast<std::uint32_t>(number("gpus")));
  return batch * number("sequence") / time.count / number("tokens_s_gpu") - 1;
}

TEST(StackFit, ThroughputOfFsdpIsWithinTheRecordedBand) {
  std::map<std::string, std::vector<double>> errors;
  for (const PublishedRow& row : published_rows(llm_data / "throughput.csv")) {
    if (!is_of_fsdp(row)) continue;
    const double error = std::abs(throughput_error(row));
    for (const std::string& group : {std::string("all"), row.at("gpu"), row.at("scale")})
      errors[group].push_back(error);
  }
  print_errors(errors);
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
  for (const PublishedRow& row : published_rows(llm_data / "throughput.csv")) {
    if (!is_of_fsdp(row)) continue;
    const auto number = [&](const char* column) { return published_number(row, column).value(); };
    FittedRun run{.gpu = row.at("gpu"), .model = row.at("model"), .shape = shape_of(row)};
    run.batch = number("micro_batch");
    const FsdpGpu& gpu = fsdp_gpus().at(run.gpu);
    const double again = hardware_factor(run.shape, recomputation_of(row));
    run.work = again * run.batch * (training_flops(run.shape) / gpu.peak).count;
    run.attention = again * run.batch * (training_flops(run.shape, 2) / gpu.peak).count - run.work;
    run.waiting = netmodels::waiting_factor(gpu.stack.rule.lost_per_doubling,
                                            static_cast<std::uint32_t>(number("gpus")));
    run.time = run.batch * number("sequence") / number("tokens_s_gpu");
    runs.push_back(std::move(run));
  }
  return runs;
}

TEST(StackFit, FsdpsRuleIsTheBestOfItsGrid) {
  for (const auto& one : fsdp_gpus()) {
    const std::string& gpu = one.first;
    const UtilisationRule& shipped = one.second.stack.rule;
    std::vector<FittedRun> runs = fitted_runs();
    std::erase_if(runs, [&](const FittedRun& run) { return run.gpu != gpu; });
    const UtilisationRule rule = fitted(runs);
    EXPECT_NEAR(rule.sizes.front().share, shipped.sizes.front().share, 0.002) << gpu;
    EXPECT_EQ(rule.hidden_half, shipped.hidden_half) << gpu;
    EXPECT_EQ(rule.tokens_half, shipped.tokens_half) << gpu;
    EXPECT_EQ(rule.attention_weight, shipped.attention_weight) << gpu;
  }
}

TEST(StackFit, FsdpsRuleHoldsForASizeOfModelThatItWasNotFittedTo) {
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
  for (const auto& [gpu, known] : fsdp_gpus())
    EXPECT_NEAR(share_below(errors[gpu], 0.9), known.stack.range.within, 0.0005) << gpu;
}

}  // namespace
}  // namespace sim::scenario
