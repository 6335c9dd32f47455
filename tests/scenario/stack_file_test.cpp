// Shipped stacks against the runs that they are taken from.
#include "sim/scenario/stack_file.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/netmodels/published_csv.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using netmodels::tests::llm_data;
using netmodels::tests::published_number;
using netmodels::tests::PublishedRow;

/// Model FLOPs of a run over the peak of an H100, in tera: 989 in bf16, 1979 in fp8.
double published_share(const PublishedRow& row) {
  const auto number = [&](const char* column) { return published_number(row, column).value(); };
  const double flops = 6 * number("params") + 12 * number("layers") * number("hidden") * number("sequence");
  const double tokens = number("global_batch") * number("sequence") / number("value") / number("gpus");
  return flops * tokens / (row.at("precision") == "fp8" ? 1979e12 : 989e12);
}

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

TEST(StackFile, MegatronIsWithinTheRecordedBandOfItsRuns) {
  for (const auto& [name, precision] :
       {std::pair{"bf16", Precision::bf16}, std::pair{"fp8", Precision::fp8}}) {
    const auto stack = load_stack(Value::scalar("megatron-te-2025", Origin("test")), data_dir,
                                  "h100_sxm_datasheet", precision);
    ASSERT_TRUE(stack) << stack.error().text();
    std::vector<double> errors;
    for (const PublishedRow& row : netmodels::tests::published_rows(llm_data / "throughput.csv")) {
      if (!row.at("source").starts_with("dgxc") || row.at("precision") != name) continue;
      errors.push_back(
          std::abs(ruled_share(stack->rule, *published_number(row, "params")) / published_share(row) - 1));
    }
    ASSERT_EQ(errors.size(), 29U);
    std::ranges::sort(errors);
    std::cout << fmt::format(
        "megatron-te-2025 in {}: 29 runs, error of the utilisation: median {:.1f} %, worst {:.1f} %\n", name,
        100 * errors[14], 100 * errors.back());
    EXPECT_LE(errors[14], 0.01);
    EXPECT_LE(errors.back(), stack->within);
  }
}

TEST(StackFile, IsReadWithAllDevicesThatItWasMeasuredOn) {
  const auto stack = read_stack(Value::scalar("pytorch-fsdp-2023", Origin("test")), data_dir);
  ASSERT_TRUE(stack) << stack.error().text();
  ASSERT_EQ(stack->devices.size(), 3U);
  EXPECT_EQ(stack->devices[2].device, "h100_sxm_datasheet");
  EXPECT_EQ(stack->devices[2].efficiency, 0.768);
  EXPECT_EQ(stack->devices[2].attention_weight, 1.5);
  EXPECT_DOUBLE_EQ(stack->devices[2].lost_per_doubling, 0.014);
  const auto unknown = read_stack(Value::scalar("pytorch-fsdp", Origin("test")), data_dir);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().text().find("pytorch-fsdp-2023"), std::string::npos) << unknown.error().text();
}

}  // namespace
}  // namespace sim::scenario
