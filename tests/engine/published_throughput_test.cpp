// Published throughput of FSDP, predicted by the utilisation of its stack and a sharded step on the network.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "netmodels/transformer.hpp"
#include "netmodels/utilisation.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/netmodels/published_csv.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

using netmodels::Recomputation;
using netmodels::tests::llm_data;
using netmodels::tests::published_number;
using netmodels::tests::PublishedRow;

/// What the sources state of a GPU and its nodes of eight, and the rule of pytorch-fsdp-2023. The A100
/// clusters had 1600 Gbit/s a node; those of the H100 are not described, and 3200 Gbit/s is what such nodes
/// usually have.
struct PublishedNode {
  netmodels::UtilisationRule rule;
  double peak;
  netmodels::Bandwidth network;
  netmodels::Bandwidth nvlink;
};

const std::map<std::string, PublishedNode> published_nodes{
    {"A100 40GB", {{{{1, 0.886}}, 800, 2000, 1, 0.014}, 312e12, 1600_Gbps, {300e9}}},
    {"A100 80GB", {{{{1, 0.800}}, 600, 500, 1, 0.014}, 312e12, 1600_Gbps, {300e9}}},
    {"H100 SXM 80GB", {{{{1, 0.768}}, 1200, 2000, 1.5, 0.014}, 989e12, 3200_Gbps, {450e9}}}};

netmodels::Workload published_workload(const PublishedRow& row, const PublishedNode& node) {
  const auto count = [&](const char* column) { return std::lround(published_number(row, column).value()); };
  netmodels::Transformer model;
  model.layers = count("layers");
  model.hidden = count("hidden");
  model.heads = count("heads");
  model.sequence = count("sequence");
  model.vocabulary = 50368;
  const auto recomputation = row.at("recomputation") == "full" ? Recomputation::full : Recomputation::none;
  netmodels::Workload workload;
  workload.layers = transformer_layers(model);
  const netmodels::UtilisationRule& rule = node.rule;
  netmodels::LinearTime passes = *pass_time(rule, model, recomputation, {node.peak});
  const double waiting =
      netmodels::waiting_factor(rule.lost_per_doubling, static_cast<std::uint32_t>(count("gpus")));
  passes = {passes.fixed * waiting, passes.per_sample * waiting};
  share_out(passes, repeated_forward(model, recomputation, rule.attention_weight), workload.layers,
            rule.attention_weight);
  return workload;
}

scenario::Scenario published_run(const PublishedRow& row, const PublishedNode& node) {
  const auto count = [&](const char* column) {
    return static_cast<int>(std::lround(published_number(row, column).value()));
  };
  const int workers = count("gpus");
  scenario::Scenario scenario;
  scenario.workload = published_workload(row, node);
  scenario.cluster = star(workers, 10_us, node.network);
  scenario.cluster.workers_per_node = std::min(workers, 8);
  scenario.cluster.inner_link = netmodels::LinkState{3_us, node.nvlink};
  scenario.training = {count("micro_batch"), 1, 1000000, 1};
  scenario.parallelism.data = row.at("sharding").find("ZeRO-2") != std::string::npos
                                  ? netmodels::Sharding::zero2
                                  : netmodels::Sharding::fsdp;
  return scenario;
}

bool is_scored(const PublishedRow& row) {
  return row.at("source") == "llm-foundry" && row.at("kind") == "dense" &&
         row.at("precision").find("bf16") != std::string::npos && published_nodes.contains(row.at("gpu"));
}

/// Tokens a second and GPU, predicted.
double predicted(const PublishedRow& row) {
  const scenario::Scenario scenario = published_run(row, published_nodes.at(row.at("gpu")));
  const double tokens = *published_number(row, "micro_batch") * *published_number(row, "sequence");
  return tokens / steps_of(scenario).front().duration.count;
}

double share_below(std::vector<double> errors, double share) {
  std::ranges::sort(errors);
  return errors[static_cast<std::size_t>(std::ceil(share * static_cast<double>(errors.size()))) - 1];
}

TEST(PublishedThroughput, OfFsdpIsWithinTheRecordedBand) {
  if (!std::filesystem::exists(llm_data / "throughput.csv"))
    GTEST_SKIP() << "skipped: no ../shared/data/llm beside the checkout";
  std::map<std::string, std::vector<double>> errors;
  for (const PublishedRow& row : netmodels::tests::published_rows(llm_data / "throughput.csv")) {
    if (!is_scored(row)) continue;
    const double error = std::abs(predicted(row) / *published_number(row, "tokens_s_gpu") - 1);
    for (const std::string& group : {std::string("all"), row.at("gpu"), row.at("scale")})
      errors[group].push_back(error);
  }
  for (const auto& [group, values] : errors) {
    std::cout << fmt::format(
        "{:<14} {:3} runs, error of tokens/s: median {:4.1f} %, nine of ten below {:4.1f} %\n", group,
        values.size(), 100 * share_below(values, 0.5), 100 * share_below(values, 0.9));
  }
  ASSERT_EQ(errors["all"].size(), 209U);
  EXPECT_LE(share_below(errors["all"], 0.5), 0.027);
  EXPECT_LE(share_below(errors["one node"], 0.5), 0.037);
  EXPECT_LE(share_below(errors["many nodes"], 0.5), 0.016);
}

/// Runs of one shape and micro-batch, by their number of GPUs.
using PublishedScaling = std::map<int, std::pair<double, double>>;  ///< published, predicted

TEST(PublishedThroughput, LossPerDoublingOfGpusIsNearThePublishedOne) {
  if (!std::filesystem::exists(llm_data / "throughput.csv"))
    GTEST_SKIP() << "skipped: no ../shared/data/llm beside the checkout";
  std::map<std::string, PublishedScaling> series;
  for (const PublishedRow& row : netmodels::tests::published_rows(llm_data / "throughput.csv")) {
    if (!is_scored(row) || row.at("accumulation") != "1") continue;
    std::string key;
    for (const char* column :
         {"model", "gpu", "sequence", "micro_batch", "sharding", "precision", "recomputation"})
      key += row.at(column) + ", ";
    const int gpus = static_cast<int>(*published_number(row, "gpus"));
    series[key][gpus] = {*published_number(row, "tokens_s_gpu"), predicted(row)};
  }
  std::vector<double> differences;
  for (const auto& [key, runs] : series) {
    if (runs.size() < 2) continue;
    const auto& [few, first] = *runs.begin();
    const auto& [many, last] = *runs.rbegin();
    const double doublings = std::log2(static_cast<double>(many) / few);
    const double published = 100 * (std::pow(last.first / first.first, 1 / doublings) - 1);
    const double ours = 100 * (std::pow(last.second / first.second, 1 / doublings) - 1);
    std::cout << fmt::format("{}{} to {}: published {:+.1f} %, predicted {:+.1f} % per doubling\n", key, few,
                             many, published, ours);
    differences.push_back(std::abs(ours - published));
  }
  ASSERT_GE(differences.size(), 5U);
  std::cout << fmt::format("difference: median {:.1f} points, worst {:.1f}\n", share_below(differences, 0.5),
                           share_below(differences, 1));
  EXPECT_LE(share_below(differences, 0.5), 1);
}

}  // namespace
}  // namespace sim::engine
