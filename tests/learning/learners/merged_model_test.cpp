// Merges of two workers' changes by hand: means, lengths and directions, fragments.
#include "learning/learners/merged_model.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/learning/learners/three_workers.hpp"

namespace learning::learners {
namespace {

using policies::Merging;
using ::testing::FloatNear;
using ::testing::Pointwise;
using testing::three_workers;
using testing::values;
using Vector = std::vector<float>;

const Vector unmoved(6, 0.0F);
const Fragment all_values{};
const OuterRule as_it_is{.rate = 1, .momentum = 0};

/// Worker 0 at `first`, worker 1 at `second`.
Replicas workers_at(const Vector& first, const Vector& second) {
  Replicas replicas = three_workers();
  replicas.set(0, first);
  replicas.set(1, second);
  return replicas;
}

MergedModel model_of(const Vector& centre = unmoved, std::vector<std::size_t> tensors = {6}) {
  return {centre, std::move(tensors), GradientExchange({6}, 1)};
}

/// After one merge of both workers' messages.
Vector after_merge(MergedModel& model, const Replicas& replicas, const Merge& merge) {
  for (const Offered& offered : merge.offers) model.offer(merge.fragment, offered.worker, {}, 0, replicas);
  EXPECT_FALSE(model.merge(merge).has_value());
  return {model.parameters().begin(), model.parameters().end()};
}

auto close_to(const Vector& expected) { return Pointwise(FloatNear(1e-5F), expected); }

TEST(MergedModel, TakesTheWeightedMeanOfChanges) {  // (1 x 4 + 3 x 8) / 4
  MergedModel model = model_of();
  const Replicas replicas = workers_at(Vector(6, 4), Vector(6, 8));
  EXPECT_THAT(after_merge(model, replicas, {all_values, {{0, 1}, {1, 3}}, Merging::mean, as_it_is}),
              close_to(Vector(6, 7)));
}

// Two orthogonal changes of length 2: their mean is of length 1.41, lengths and directions apart give 2.
TEST(MergedModel, LengthsAndDirectionsApartDoNotMakeOrthogonalChangesShorter) {
  const Replicas replicas = workers_at({2, 0, 0, 0, 0, 0}, {0, 2, 0, 0, 0, 0});
  MergedModel by_mean = model_of();
  EXPECT_THAT(after_merge(by_mean, replicas, {all_values, {{0, 1}, {1, 1}}, Merging::mean, as_it_is}),
              close_to({1, 1, 0, 0, 0, 0}));
  MergedModel apart = model_of();
  EXPECT_THAT(
      after_merge(apart, replicas, {all_values, {{0, 1}, {1, 1}}, Merging::radial_directional, as_it_is}),
      close_to({1.414214F, 1.414214F, 0, 0, 0, 0}));
}

// Lengths 4 and 1 with weights 1/4 and 3/4: 1.75; directions (1/4, 3/4) of length 0.790569.
TEST(MergedModel, WeightsCountForLengthsAndForDirections) {
  const Replicas replicas = workers_at({4, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0});
  MergedModel model = model_of();
  EXPECT_THAT(
      after_merge(model, replicas, {all_values, {{0, 1}, {1, 3}}, Merging::radial_directional, as_it_is}),
      close_to({0.553399F, 1.660196F, 0, 0, 0, 0}));
}

TEST(MergedModel, EachTensorHasALengthAndADirectionOfItsOwn) {
  const Replicas replicas = workers_at({2, 0, 3, 0, 0, 0}, {0, 2, 1, 0, 0, 0});
  MergedModel model = model_of(unmoved, {2, 4});
  EXPECT_THAT(
      after_merge(model, replicas, {all_values, {{0, 1}, {1, 1}}, Merging::radial_directional, as_it_is}),
      close_to({1.414214F, 1.414214F, 2, 0, 0, 0}));
}

TEST(MergedModel, OneChangeIsMergedAsItIs) {
  const Vector moved{1, -2, 3, 0, 5, 0.5F};
  MergedModel model = model_of();
  EXPECT_THAT(after_merge(model, workers_at(moved, unmoved),
                          {all_values, {{0, 7}}, Merging::radial_directional, as_it_is}),
              close_to(moved));
}

TEST(MergedModel, DirectionsThatCancelLeaveTheMean) {  // of 4 and -2
  MergedModel model = model_of();
  EXPECT_THAT(after_merge(model, workers_at(Vector(6, 4), Vector(6, -2)),
                          {all_values, {{0, 1}, {1, 1}}, Merging::radial_directional, as_it_is}),
              close_to(Vector(6, 1)));
}

TEST(MergedModel, WorkersThatHaveNotMovedMoveNothing) {
  MergedModel model = model_of();
  EXPECT_THAT(after_merge(model, workers_at(unmoved, unmoved),
                          {all_values, {{0, 1}, {1, 1}}, Merging::radial_directional, as_it_is}),
              close_to(unmoved));
}

// v = 4, c = 0.5 (4 + 0.9 x 4) = 3.8; then the change is 4 - 3.8: v = 0.9 x 4 + 0.2 = 3.8, c += 0.5 (0.2
// + 3.42)
TEST(MergedModel, OuterStepsHaveMomentum) {
  MergedModel model = model_of();
  const Replicas replicas = workers_at(Vector(6, 4), Vector(6, 4));
  const Merge merge{all_values, {{0, 1}, {1, 1}}, Merging::mean, {.rate = 0.5, .momentum = 0.9}};
  EXPECT_THAT(after_merge(model, replicas, merge), close_to(Vector(6, 3.8F)));
  EXPECT_THAT(after_merge(model, replicas, merge), close_to(Vector(6, 5.61F)));
}

TEST(MergedModel, AFragmentLeavesTheOthersAlone) {  // values 2 and 3 of 6
  MergedModel model = model_of();
  const Replicas replicas = workers_at(Vector(6, 4), Vector(6, 8));
  EXPECT_THAT(after_merge(model, replicas, {{1, 3}, {{0, 1}, {1, 1}}, Merging::radial_directional, as_it_is}),
              close_to({0, 0, 6, 6, 0, 0}));
}

TEST(MergedModel, AWorkerReceivesAFragmentButForAShareOfItsOwn) {
  MergedModel model = model_of();
  Replicas replicas = workers_at(Vector(6, 4), Vector(6, 8));
  (void)after_merge(model, replicas, {{1, 3}, {{0, 1}, {1, 1}}, Merging::mean, as_it_is});
  model.answer({1, 3}, 0);
  model.receive({1, 3}, 0, 0, replicas);
  EXPECT_THAT(values(replicas, 0), close_to({4, 4, 6, 6, 4, 4}));
  model.answer({1, 3}, 1);
  model.receive({1, 3}, 1, 0.25, replicas);  // 1/4 x 8 + 3/4 x 6
  EXPECT_THAT(values(replicas, 1), close_to({8, 8, 6.5F, 6.5F, 8, 8}));
}

TEST(MergedModel, AWorkerReceivesWhatWasSentAndNotWhatWasMergedSince) {
  MergedModel model = model_of();
  Replicas replicas = workers_at(Vector(6, 4), Vector(6, 8));
  (void)after_merge(model, replicas, {all_values, {{0, 1}}, Merging::mean, as_it_is});
  model.answer(all_values, 1);
  (void)after_merge(model, replicas, {all_values, {{1, 1}}, Merging::mean, as_it_is});
  model.receive(all_values, 1, 0, replicas);
  EXPECT_THAT(values(replicas, 1), close_to(Vector(6, 4)));
}

TEST(MergedModel, MessagesThatWereNotMergedAreDropped) {
  MergedModel model = model_of();
  const Replicas replicas = workers_at(Vector(6, 4), Vector(6, 8));
  model.offer(all_values, 1, {}, 0, replicas);
  EXPECT_THAT(after_merge(model, replicas, {all_values, {{0, 1}}, Merging::mean, as_it_is}),
              close_to(Vector(6, 4)));
}

TEST(MergedModel, AMessageIsTheChangeAsItWasWhenItWasSent) {
  MergedModel model = model_of();
  Replicas replicas = workers_at(Vector(6, 4), unmoved);
  model.offer(all_values, 0, {}, 0, replicas);
  replicas.set(0, Vector(6, 100));
  EXPECT_FALSE(model.merge({all_values, {{0, 1}}, Merging::mean, as_it_is}).has_value());
  EXPECT_THAT(Vector(model.parameters().begin(), model.parameters().end()), close_to(Vector(6, 4)));
}

// Signs times the mean magnitude: 3.5 for all of 1 and 6; what they lack, -2.5 and 2.5, goes along next time.
TEST(MergedModel, CompressedChangesKeepWhatTheyLack) {
  MergedModel model = model_of();
  const Compression signs{.method = "ef_sign"};
  const Vector moved{1, 6, 1, 6, 1, 6};
  Replicas replicas = workers_at(moved, unmoved);
  model.offer(all_values, 0, signs, 0, replicas);
  EXPECT_TRUE(model.merge({all_values, {{0, 1}}, Merging::mean, as_it_is}).has_value());
  EXPECT_THAT(Vector(model.parameters().begin(), model.parameters().end()), close_to(Vector(6, 3.5F)));
  model.offer(all_values, 0, signs, 1, replicas);  // changes of -2.5 and 2.5 with residuals of the same: 5
  EXPECT_TRUE(model.merge({all_values, {{0, 1}}, Merging::mean, as_it_is}).has_value());
  EXPECT_THAT(Vector(model.parameters().begin(), model.parameters().end()),
              close_to({-1.5F, 8.5F, -1.5F, 8.5F, -1.5F, 8.5F}));
}

TEST(MergedModel, AWorkerThatWasAwayHasKeptNothing) {
  MergedModel model = model_of();
  const Compression signs{.method = "ef_sign"};
  Replicas replicas = workers_at({1, 6, 1, 6, 1, 6}, unmoved);
  model.offer(all_values, 0, signs, 0, replicas);
  (void)model.merge({all_values, {{0, 1}}, Merging::mean, as_it_is});
  model.forget(0);
  model.offer(all_values, 0, signs, 1, replicas);
  (void)model.merge({all_values, {{0, 1}}, Merging::mean, as_it_is});
  EXPECT_THAT(Vector(model.parameters().begin(), model.parameters().end()), close_to({1, 6, 1, 6, 1, 6}));
}

TEST(MergedModel, ACopyGoesOnByItself) {
  MergedModel model = model_of();
  const MergedModel copy = model;
  (void)after_merge(model, workers_at(Vector(6, 4), unmoved),
                    {all_values, {{0, 1}}, Merging::mean, as_it_is});
  EXPECT_EQ(copy.parameters().front(), 0);
}

}  // namespace
}  // namespace learning::learners
