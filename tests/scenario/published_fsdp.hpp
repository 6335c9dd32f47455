// Values of the shipped pytorch-fsdp-2023 for the GPUs in llm-foundry's table of throughput.
#pragma once

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "netmodels/roofline.hpp"
#include "netmodels/transformer.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/stack_file.hpp"
#include "tests/netmodels/published_csv.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {

/// A GPU of the table, as the shipped files describe it.
struct FsdpGpu {
  inputs::StackUtilisation stack;
  netmodels::FlopRate peak;
};

/// GPUs by the table's names.
inline const std::map<std::string, FsdpGpu>& fsdp_gpus() {
  static const std::map<std::string, FsdpGpu> known = [] {
    std::map<std::string, FsdpGpu> found;
    for (const auto& [gpu, file] : {std::pair{"A100 40GB", "a100_sxm4_40gb_datasheet"},
                                    std::pair{"A100 80GB", "a100_sxm4_80gb_datasheet"},
                                    std::pair{"H100 SXM 80GB", "h100_sxm_datasheet"}}) {
      const language::Origin here("test");
      const auto device =
          inputs::load_device(language::Value::scalar(file, here), data_dir, inputs::Precision::bf16);
      const auto stack =
          inputs::load_stack(language::Value::scalar("pytorch-fsdp-2023", here), data_dir, file,
                             inputs::Precision::bf16, device ? device->peak : netmodels::FlopRate{1});
      EXPECT_TRUE(stack && device) << file;
      if (stack && device) found.emplace(gpu, FsdpGpu{*stack, device->peak});
    }
    return found;
  }();
  return known;
}

/// Whether it is a run that the stack was fitted to.
inline bool is_of_fsdp(const netmodels::tests::PublishedRow& row) {
  return row.at("source") == "llm-foundry" && row.at("kind") == "dense" &&
         row.at("precision").find("bf16") != std::string::npos && fsdp_gpus().contains(row.at("gpu"));
}

/// The model of a run.
inline netmodels::Transformer shape_of(const netmodels::tests::PublishedRow& row) {
  const auto count = [&](const char* column) {
    return std::lround(netmodels::tests::published_number(row, column).value());
  };
  netmodels::Transformer model;
  model.layers = count("layers");
  model.hidden = count("hidden");
  model.heads = count("heads");
  model.sequence = count("sequence");
  model.vocabulary = 50368;
  return model;
}

/// The error that this share of them does not exceed.
inline double share_below(std::vector<double> errors, double share) {
  std::ranges::sort(errors);
  return errors[static_cast<std::size_t>(std::ceil(share * static_cast<double>(errors.size()))) - 1];
}

/// Sizes of errors of tokens/s, by group.
inline void print_errors(const std::map<std::string, std::vector<double>>& errors) {
  for (const auto& [group, values] : errors)
    std::cout << fmt::format(
        "{:<14} {:3} runs, error of tokens/s: median {:4.1f} %, nine of ten below {:4.1f} %\n", group,
        values.size(), 100 * share_below(values, 0.5), 100 * share_below(values, 0.9));
}

inline netmodels::Recomputation recomputation_of(const netmodels::tests::PublishedRow& row) {
  using netmodels::Recomputation;
  return row.at("recomputation") == "full" ? Recomputation::full : Recomputation::none;
}

}  // namespace sim::scenario
