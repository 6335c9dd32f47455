// Values of few bits by hand, and the sums of nodes that send them.
#include "learning/learners/sharded_exchange.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace learning::learners {
namespace {

using netmodels::QuantizedForm;
using netmodels::ShardSending;
using ::testing::Each;
using ::testing::FloatNear;
using ::testing::IsNan;
using ::testing::Pointwise;
using Vector = std::vector<float>;

constexpr QuantizedForm nibbles{.bits = 4, .block = 4};
constexpr QuantizedForm bytes{.bits = 8, .block = 4};
constexpr QuantizedForm floats{.bits = 8, .block = 0, .integer = false};

Vector sent_as(const QuantizedForm& form, Vector values) {
  round_as_sent(form, values);
  return values;
}

auto almost(const Vector& expected) { return Pointwise(FloatNear(1e-6F), expected); }

TEST(RoundAsSent, FourBitsHaveSevenStepsToTheLargestOfABlock) {  // steps of 1, halves to even
  EXPECT_THAT(sent_as(nibbles, {7, -3.4F, 2.5F, 0.4F}), almost({7, -3, 2, 0}));
}

TEST(RoundAsSent, EachBlockHasItsScale) {  // 1/7 = 0.142857 in the second one
  EXPECT_THAT(sent_as(nibbles, {7, 0.5F, 0, 0, 1, 0.5F}), almost({7, 0, 0, 0, 1, 4 / 7.0F}));
}

TEST(RoundAsSent, EightBitsHave127Steps) {
  EXPECT_THAT(sent_as(bytes, {127, 0.6F, -0.4F, 63.7F}), almost({127, 1, 0, 64}));
}

// 448 is the largest. 17 lies between 16 and 18, one of 8 steps of an octave; 1/512 is the least above 0.
TEST(RoundAsSent, FloatsOfEightBitsHaveEightStepsAnOctave) {
  EXPECT_THAT(sent_as(floats, {448, 17, 19, -0.3F, 0.002F, 0.0005F, 0}),
              almost({448, 16, 20, -0.3125F, 0.001953125F, 0, 0}));
}

TEST(RoundAsSent, ScalesOfFloatsFollowTheLargest) {
  EXPECT_THAT(sent_as(floats, {1, 0.5F}), almost({1, 0.5F}));
}

TEST(RoundAsSent, ZerosStayAndNaNSpreadsOverItsBlock) {
  EXPECT_THAT(sent_as(nibbles, {0, 0, 0, 0}), almost({0, 0, 0, 0}));
  const Vector found = sent_as(nibbles, {1, std::numeric_limits<float>::infinity(), 2, 3, 7, 1});
  EXPECT_THAT(Vector(found.begin(), found.begin() + 4), Each(IsNan()));
  EXPECT_THAT(Vector(found.begin() + 4, found.end()), almost({7, 1}));
}

/// Four workers on nodes of `node`, with four values each.
ShardedExchange exchange_of(const ShardSending& sending, std::uint32_t node) {
  return {sending, node, {4}, GradientExchange({4}, 1)};
}

Vector mean_of(ShardedExchange& exchange, const std::vector<Vector>& gradients,
               const Compression& compression = {}) {
  std::vector<Contribution> given;
  for (std::size_t i = 0; i < gradients.size(); ++i)
    given.push_back({static_cast<std::uint32_t>(i), gradients[i], 1});
  Vector mean(4, -1);
  exchange.mean(compression, 0, given, mean);
  return mean;
}

const std::vector<Vector> four_alike(4, Vector{7, 3.4F, 0, 0});

TEST(ShardedExchange, GradientsAreRoundedInsideNodesAndBetweenThem) {
  // inside: 7 and 3; a node of two sums 14 and 6, whose steps are 2
  ShardedExchange both = exchange_of({.gradients_within = nibbles, .gradients_between = nibbles}, 2);
  EXPECT_THAT(mean_of(both, four_alike), almost({7, 3, 0, 0}));
  // nodes of one worker round once: 3.4 to 3
  ShardedExchange alone = exchange_of({.gradients_within = bytes, .gradients_between = nibbles}, 1);
  EXPECT_THAT(mean_of(alone, four_alike), almost({7, 3, 0, 0}));
  // one node rounds inside: steps of 7/127
  ShardedExchange one = exchange_of({.gradients_within = bytes, .gradients_between = nibbles}, 4);
  EXPECT_THAT(mean_of(one, four_alike), almost({7, 62 * 7 / 127.0F, 0, 0}));
}

// Nodes sum 7 + 7 and 2.6 + 2.6 -> 3 + 3 inside; 14 and 6 in steps of 2 between. Weighted, worker 0 counts
// twice.
TEST(ShardedExchange, WeightsCountBeforeRounding) {
  ShardedExchange exchange = exchange_of({.gradients_within = nibbles, .gradients_between = nibbles}, 2);
  const Vector first{3.5F, 1.3F, 0, 0};
  const Vector second{7, 2.6F, 0, 0};
  std::vector<Contribution> given{{0, first, 2}, {1, second, 1}};
  Vector mean(4);
  exchange.mean({}, 0, given, mean);
  EXPECT_THAT(mean, almost({7, 3, 0, 0}));
}

TEST(ShardedExchange, WhatAWorkerRoundedAwayGoesAlongWithErrorFeedback) {  // 3.4, then 3.8, then 3.2
  ShardedExchange exchange =
      exchange_of({.gradients_within = nibbles, .gradients_between = nibbles, .error_bytes = 1}, 1);
  EXPECT_THAT(mean_of(exchange, four_alike), almost({7, 3, 0, 0}));
  EXPECT_THAT(mean_of(exchange, four_alike), almost({7, 4, 0, 0}));
  EXPECT_THAT(mean_of(exchange, four_alike), almost({7, 3, 0, 0}));
  ShardedExchange without =
      exchange_of({.gradients_within = nibbles, .gradients_between = nibbles, .error_bytes = 1}, 1);
  const Compression no_feedback{.error_feedback = false};
  EXPECT_THAT(mean_of(without, four_alike, no_feedback), almost({7, 3, 0, 0}));
  EXPECT_THAT(mean_of(without, four_alike, no_feedback), almost({7, 3, 0, 0}));
}

TEST(ShardedExchange, ResidualsDecay) {  // 3.4, then 3.4 + 0.5 x 0.4 = 3.6
  ShardedExchange exchange =
      exchange_of({.gradients_within = nibbles, .gradients_between = nibbles, .error_bytes = 1}, 1);
  const Compression decays{.residual_decay = 0.5};
  EXPECT_THAT(mean_of(exchange, four_alike, decays), almost({7, 3, 0, 0}));
  EXPECT_THAT(mean_of(exchange, four_alike, decays), almost({7, 4, 0, 0}));
  EXPECT_THAT(mean_of(exchange, four_alike, decays), almost({7, 3, 0, 0}));  // 3.4 - 0.5 x 0.4
}

TEST(ShardedExchange, TheGainIsOfRoundingInsideNodesAndBetweenThem) {  // 49 + 9 of 49 + 11.56, then all
  ShardedExchange exchange = exchange_of({.gradients_within = nibbles, .gradients_between = nibbles}, 2);
  std::vector<Contribution> given;
  for (std::uint32_t worker = 0; worker < 4; ++worker) given.push_back({worker, four_alike[worker], 1});
  Vector mean(4);
  EXPECT_NEAR(exchange.mean({}, 0, given, mean).gain, 58 / 60.56, 1e-6);
}

TEST(ShardedExchange, WorkersComputeWithRoundedParameters) {
  ShardedExchange exchange = exchange_of({.parameters = nibbles}, 2);
  const Vector parameters{7, 3.4F, -2.6F, 0};
  const std::span<const float> found = exchange.computed_with(parameters);
  EXPECT_THAT(Vector(found.begin(), found.end()), almost({7, 3, -3, 0}));
}

// From 7 and 1 to 7.7 and 1.3: differences of 0.7 and 0.3 in steps of 0.1; then 7.7 and 1.34: 0.04 is sent
// whole.
TEST(ShardedExchange, DifferencesFollowTheParameters) {
  ShardedExchange exchange = exchange_of({.parameters = nibbles, .differences = true}, 2);
  const auto computed = [&](const Vector& parameters) {
    const std::span<const float> found = exchange.computed_with(parameters);
    return Vector(found.begin(), found.end());
  };
  EXPECT_THAT(computed({7, 1.234F, 0, 0}), almost({7, 1.234F, 0, 0}));
  EXPECT_THAT(computed({7.7F, 1.27F, 0, 0}), almost({7.7F, 1.234F, 0, 0}));  // 0.036 is less than half a step
  EXPECT_THAT(computed({7.7F, 1.27F, 0, 0}), almost({7.7F, 1.27F, 0, 0}));
}

TEST(ShardedExchange, WithoutAFormParametersAreTheirOwn) {
  ShardedExchange exchange = exchange_of({.gradients_within = nibbles, .gradients_between = nibbles}, 2);
  const Vector parameters{1, 2, 3, 4};
  EXPECT_EQ(exchange.computed_with(parameters).data(), parameters.data());
}

// Nodes of two have means of (1, ...) and (3, ...); with a share of 1 all coefficients are sent.
TEST(ShardedExchange, NodesSumExactlyBeforeTheySendCoefficients) {
  const QuantizedForm all{.bits = 48, .integer = false, .share = 1};
  ShardedExchange exchange = exchange_of({.replicas = all}, 2);
  EXPECT_THAT(mean_of(exchange, {Vector(4, 0), Vector(4, 2), Vector(4, 2), Vector(4, 4)}),
              Pointwise(FloatNear(1e-4F), Vector(4, 2)));
}

}  // namespace
}  // namespace learning::learners
