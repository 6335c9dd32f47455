// The shipped megatron-te-2025 against its 58 published runs on H100, with what their replicas exchange.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/inputs/stack_file.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/netmodels/published_csv.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using netmodels::tests::llm_data;
using netmodels::tests::published_number;
using netmodels::tests::published_rows;
using netmodels::tests::PublishedRow;

/// Its first word: the table's proxies are named after the model whose width they have.
std::string family(const PublishedRow& row) { return row.at("model").substr(0, row.at("model").find(' ')); }

/// What the table does not hold. Chunks of a stage: llama3.1/README.md and nemotron/README.md.
struct MegatronFamily {
  std::string shape;  ///< its keys, but for layers, hidden, heads and sequence
  long interleave = 1;
};

const std::map<std::string, MegatronFamily> megatron_families{
    {"Llama3.1-8B", {"kv_heads: 8, ffn: 14336, ffn_kind: swiglu, norm: rms, vocabulary: 128256", 1}},
    {"Llama3.1-70B", {"kv_heads: 8, ffn: 28672, ffn_kind: swiglu, norm: rms, vocabulary: 128256", 5}},
    {"Llama3.1-405B", {"kv_heads: 8, ffn: 53248, ffn_kind: swiglu, norm: rms, vocabulary: 128256", 8}},
    {"Nemotron4-15B", {"kv_heads: 8, ffn: 24576, vocabulary: 256000", 1}},
    {"Nemotron4-340B", {"kv_heads: 8, ffn: 73728, vocabulary: 256000", 12}}};

/// One run. Two devices of context parallelism take half of a sequence each, which is played as a sequence of
/// half the length: what they exchange of keys and values is left in the utilisation.
struct MegatronRun {
  double step = 0;       ///< seconds, as published
  double exchanges = 0;  ///< seconds of a step that are exchanges inside a replica
  double bubble = 0;     ///< waits over computing and exchanges
  double at_peak = 0;    ///< seconds of a step that the slowest stage computes, at the peak
};

/// The scenario of a run, at a utilisation of 1, on a device of so much memory that it fits without context
/// parallelism. Where the blocks do not fill the stages, as embedding and head take the place of one each,
/// blocks fill it.
Scenario megatron_scenario(const PublishedRow& row) {
  const auto count = [&](const char* column) { return std::lround(*published_number(row, column)); };
  const MegatronFamily& model = megatron_families.at(family(row));
  const long interleave = count("pp") > 1 ? model.interleave : 1;
  const long parts = count("pp") * interleave;
  const tests::ScratchFolder scratch;
  std::stringstream device;
  device << std::ifstream(data_dir / "devices/h100_sxm_datasheet.yaml").rdbuf();
  std::string roomy = device.str();
  roomy.replace(roomy.find("memory: 80 GB"), 13, "memory: 8 TB");
  scratch.write("roomy.yaml", roomy);
  const auto reading = read(
      scratch,
      fmt::format("# What does a step take?\n"
                  "workload: {{transformer: {{layers: {}, hidden: {}, heads: {}, sequence: {}, positions: "
                  "rotary, bias: none, tied: false, {}}}, precision: {}, mfu: 100 %}}\n"
                  "cluster: {{use: nvidia_dgx_h100, device: {}, workers: {}}}\n"
                  "training: {{batch: {}, accumulation: {}, steps: 1}}\n"
                  "parallelism: {{tensor: {}, pipeline: {}, interleave: {}}}\n",
                  (count("layers") + parts - 1) / parts * parts, count("hidden"), count("heads"),
                  count("sequence") / count("cp"), model.shape, row.at("precision"),
                  (scratch.path() / "roomy.yaml").string(), std::max(8L, count("tp") * count("pp")),
                  count("micro_batch") * count("accumulation"), count("accumulation"), count("tp"),
                  count("pp"), interleave));
  EXPECT_TRUE(reading) << row.at("model") << ": " << reading.error().text();
  return reading ? reading->study.arms.front() : Scenario{};
}

/// Seconds of a step that the last stage computes more than blocks that fill it, at the peak.
double head_time(const netmodels::Workload& share, double batch) {
  const double flops =
      6 * static_cast<double>(share.layers.back().parameters) * share.token_work->tokens * batch;
  const double peak = share.token_work->peak.count / share.replica->devices;  // of one of them
  return flops / peak;
}

MegatronRun run_of(const PublishedRow& row) {
  const auto number = [&](const char* column) { return published_number(row, column).value(); };
  const auto flops = [&](double sequence) {
    return 6 * number("params") + 12 * number("layers") * number("hidden") * sequence;
  };
  const auto count = [&](const char* column) { return std::lround(number(column)); };
  const Scenario scenario = megatron_scenario(row);
  const netmodels::Workload& workload = scenario.work.workload;
  const double batch = scenario.work.training.batch;
  const double whole = workload.compute(batch).count;
  const double longer = flops(number("sequence")) / flops(number("sequence") / number("cp"));
  if (!workload.replica) return {.step = number("value"), .at_peak = whole * longer};
  const double exchanges = workload.replica->exchanges.at(batch).count;
  const double bubble = workload.replica->bubble.at(batch).count;
  double computing = whole - exchanges - bubble;
  if (workload.memory->blocks * count("pp") != count("layers")) computing -= head_time(workload, batch);
  return {.step = number("value"),
          .exchanges = exchanges,
          .bubble = bubble / (whole - bubble),
          .at_peak = computing * longer};
}

/// Seconds of a step.
double step_of(const MegatronRun& run, double share) {
  return (run.at_peak / share + run.exchanges) * (1 + run.bubble);
}

/// The share while a device computes with which the published time comes out.
double alone(const MegatronRun& run) { return run.at_peak / (run.step / (1 + run.bubble) - run.exchanges); }

/// The rule at a size: a model of that many parameters in one layer.
double ruled_share(const netmodels::UtilisationRule& rule, double parameters) {
  netmodels::Transformer model;
  model.positions = netmodels::PositionEncoding::rotary;
  model.vocabulary = static_cast<std::int64_t>(parameters / 1000);
  model.hidden = 1000;
  const auto share = model_utilisation(rule, model, netmodels::Recomputation::none, 1);
  EXPECT_TRUE(share) << share.error().text();
  return share.value_or(0);
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values.at(values.size() / 2);
}

struct MegatronRunList {
  std::vector<std::pair<double, MegatronRun>> all;  ///< by parameters
  std::map<double, std::vector<double>> alone_by_size;
};

MegatronRunList runs_in(const std::string& precision) {
  MegatronRunList found;
  for (const PublishedRow& row : published_rows(llm_data / "throughput.csv")) {
    if (!row.at("source").starts_with("dgxc") || row.at("precision") != precision) continue;
    const double size = *published_number(row, "params");
    found.all.emplace_back(size, run_of(row));
    if (row.at("model").find("proxy") == std::string::npos)
      found.alone_by_size[size].push_back(alone(found.all.back().second));
  }
  return found;
}

inputs::StackUtilisation shipped_stack(inputs::Precision precision) {
  const auto stack =
      inputs::load_stack(language::Value::scalar("megatron-te-2025", language::Origin("test")), data_dir,
                         "h100_sxm_datasheet", precision, netmodels::FlopRate{989e12});
  EXPECT_TRUE(stack) << stack.error().text();
  return stack ? *stack : inputs::StackUtilisation{};
}

class MegatronRuns : public testing::TestWithParam<inputs::Precision> {};

TEST_P(MegatronRuns, StepsAreThoseOfTheirReplicas) {
  const MegatronRunList runs = runs_in(std::string(settings::name_of(GetParam())));
  ASSERT_EQ(runs.all.size(), 29U);
  std::vector<double> errors, sizes_of_errors;
  for (const auto& [size, run] : runs.all) {
    const double share = ruled_share(shipped_stack(GetParam()).rule, size);
    errors.push_back(run.step / step_of(run, share) - 1);
    sizes_of_errors.push_back(std::abs(errors.back()));
  }
  double bias = 0;
  for (const double error : errors) bias += error / static_cast<double>(errors.size());
  std::cout << fmt::format("{}: throughput, median {:.2f} %, worst {:.1f} %, bias {:+.2f} %\n",
                           settings::name_of(GetParam()), 100 * median_of(sizes_of_errors),
                           100 * std::ranges::max(sizes_of_errors), 100 * bias);
  EXPECT_LT(median_of(sizes_of_errors), 0.01);
  EXPECT_LT(std::abs(bias), 0.03);
}

TEST_P(MegatronRuns, ShippedSharesAreTheMediansOfASize) {
  const MegatronRunList runs = runs_in(std::string(settings::name_of(GetParam())));
  for (const auto& [size, shares] : runs.alone_by_size)
    std::cout << fmt::format("{}: {:.3g} parameters, {:.2f} %\n", settings::name_of(GetParam()), size,
                             100 * median_of(shares));
  const netmodels::UtilisationRule rule = shipped_stack(GetParam()).rule;
  ASSERT_EQ(rule.sizes.size(), runs.alone_by_size.size());
  for (const netmodels::SizeUtilisation& size : rule.sizes)
    EXPECT_NEAR(size.share, median_of(runs.alone_by_size.at(size.parameters)), 0.001) << size.parameters;
}

TEST_P(MegatronRuns, WithinIsTheWorstSizeThatIsLeftOut) {
  const auto stack = shipped_stack(GetParam());
  double worst = 0;
  for (std::size_t i = 0; i < stack.rule.sizes.size(); ++i) {
    netmodels::UtilisationRule others = stack.rule;
    others.sizes.erase(others.sizes.begin() + static_cast<std::ptrdiff_t>(i));
    const netmodels::SizeUtilisation& left_out = stack.rule.sizes[i];
    worst = std::max(worst, std::abs(ruled_share(others, left_out.parameters) / left_out.share - 1));
  }
  EXPECT_LE(worst, stack.range.within);
  EXPECT_GT(worst, stack.range.within - 0.01);
}

INSTANTIATE_TEST_SUITE_P(Precisions, MegatronRuns,
                         testing::Values(inputs::Precision::bf16, inputs::Precision::fp8),
                         [](const auto& one) { return std::string(settings::name_of(one.param)); });

}  // namespace
}  // namespace sim::scenario
