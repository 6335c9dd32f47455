// Rows of layer kinds, and what times, buffers and exchanges take from a row.
#include "netmodels/layer_kind.hpp"

#include <set>

#include <gtest/gtest.h>

#include "netmodels/execution.hpp"
#include "netmodels/transformer.hpp"
#include "netmodels/workload.hpp"

namespace netmodels {
namespace {

TEST(LayerKind, NamesAreUniqueAndSummarised) {
  std::set<std::string_view> names;
  for (const LayerKind& kind : layer_kinds) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.summary.empty()) << kind.name;
  }
}

TEST(LayerKind, KindsWithoutARowArePlain) {
  const LayerKind& kind = find_layer_kind("conv2d");
  EXPECT_EQ(&kind, &plain_layer_kind);
  EXPECT_FALSE(kind.looks_up || kind.adds || kind.of_vocabulary || kind.tied || kind.scales_and_shifts ||
               kind.keeps_statistics || kind.without_weights);
}

TEST(LayerKind, ARowOfOnesOwnIsFoundAmongOwnRows) {
  constexpr std::array own{LayerKind{.name = "gather", .summary = "Rows by indices.", .looks_up = true}};
  EXPECT_TRUE(find_layer_kind("gather", own).looks_up);
  EXPECT_FALSE(find_layer_kind("gather").looks_up);
}

/// 2 x 4 bytes a channel and a counter of 8 bytes; scale and shift are two tensors of 3 values.
TEST(LayerKind, StatisticsAndTensorsFollowFromTheRow) {
  for (const LayerKind& kind : layer_kinds) {
    Layer layer;
    layer.kind = kind.name;
    layer.parameters = 6;
    EXPECT_EQ(known_buffers(std::span(&layer, 1)), kind.keeps_statistics ? Bytes{32} : Bytes{}) << kind.name;
    EXPECT_EQ(parameter_tensors(layer).size(), kind.scales_and_shifts ? 2U : 1U) << kind.name;
  }
}

TEST(LayerKind, EveryLayerOfATransformerHasARow) {
  Transformer model;
  model.hidden = 8;
  model.layers = 1;
  model.heads = 2;
  model.vocabulary = 16;
  model.sequence = 4;
  model.experts = 2;
  for (const Layer& layer : transformer_layers(model))
    EXPECT_FALSE(find_layer_kind(layer.kind).summary.empty()) << layer.kind;
}

}  // namespace
}  // namespace netmodels
