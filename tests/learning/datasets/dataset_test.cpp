// Tests of samples: bytes, values and windows, as a batch takes them.
#include "learning/datasets/dataset.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace learning::datasets {
namespace {

using testing::ElementsAre;

TEST(Samples, BytesAreScaledAndMovedWhenABatchTakesThem) {
  const Samples samples(2, {0, 16, 8, 4}, 1.F / 16, -0.5F, {3, 7});
  Batch batch;
  batch.features = 2;
  samples.append_to(batch, 1);
  samples.append_to(batch, 0);
  EXPECT_THAT(batch.inputs, ElementsAre(0.F, -0.25F, -0.5F, 0.5F));
  EXPECT_THAT(batch.labels, ElementsAre(7, 3));
  EXPECT_EQ(batch.count(), 2);
  EXPECT_EQ(samples.count(), 2);
  EXPECT_EQ(samples.label(1), 7);
}

TEST(Samples, StandardisedTrainingValuesHaveMean0AndDeviation1) {
  Samples train(2, {0, 2, 4, 6}, 1, 0, {0, 1});  // mean 3, variance 5
  Samples test(2, {3, 8}, 1, 0, {0});
  test.standardise(train);
  train.standardise(train);
  Batch batch;
  batch.features = 2;
  train.append_to(batch, 1);
  test.append_to(batch, 0);
  const float unit = 1 / std::sqrt(5.F);
  EXPECT_THAT(batch.inputs, ElementsAre(testing::FloatEq(unit), testing::FloatEq(3 * unit),
                                        testing::FloatNear(0, 1e-6F), testing::FloatEq(5 * unit)));
}

TEST(Samples, EqualTrainingValuesAreLeftAsTheyAre) {
  Samples train(1, {7, 7}, 2, 1, {0, 1});
  train.standardise(train);
  Batch batch;
  batch.features = 1;
  train.append_to(batch, 0);
  EXPECT_THAT(batch.inputs, ElementsAre(15.F));
}

TEST(Samples, EveryByteOfALongSampleIsTaken) {
  std::vector<std::uint8_t> bytes(2 * 35);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  const Samples samples(35, bytes, 2, 1, {0, 1});
  Batch batch;
  batch.features = 35;
  samples.append_to(batch, 1);
  ASSERT_EQ(batch.inputs.size(), 35);
  for (std::size_t i = 0; i < 35; ++i) EXPECT_EQ(batch.inputs[i], 2 * static_cast<float>(35 + i) + 1);
}

TEST(Samples, ValuesAreTakenAsTheyAre) {
  const Samples samples(3, {1.5F, -2.F, 0.F, 4.F, 5.F, 6.F}, {1, 0});
  Batch batch;
  batch.features = 3;
  samples.append_to(batch, 1);
  EXPECT_THAT(batch.inputs, ElementsAre(4.F, 5.F, 6.F));
  EXPECT_THAT(batch.labels, ElementsAre(0));
}

TEST(Samples, WindowsOverlapAndTheirLabelIsTheNextToken) {
  const Samples samples = Samples::windows(3, {5, 6, 7, 8, 9});
  Batch batch;
  batch.features = 3;
  samples.append_to(batch, 0);
  samples.append_to(batch, 1);
  EXPECT_EQ(samples.count(), 2);
  EXPECT_THAT(batch.inputs, ElementsAre(5.F, 6.F, 7.F, 6.F, 7.F, 8.F));
  EXPECT_THAT(batch.labels, ElementsAre(8, 9));
}

TEST(Samples, ATextNoLongerThanItsWindowHasNoSample) {
  EXPECT_EQ(Samples::windows(3, {5, 6, 7}).count(), 0);
  EXPECT_EQ(Samples::windows(3, {}).count(), 0);
  EXPECT_EQ(Samples().count(), 0);
}

TEST(Batch, ClearedBatchKeepsItsRoom) {
  Batch batch;
  batch.inputs = {1, 2, 3};
  batch.labels = {1};
  const std::size_t room = batch.inputs.capacity();
  batch.clear();
  EXPECT_EQ(batch.count(), 0);
  EXPECT_EQ(batch.inputs.capacity(), room);
}

TEST(Shape, SizeIsTheProductOfItsSides) { EXPECT_EQ((Shape{3, 32, 32}.size()), 3072); }

}  // namespace
}  // namespace learning::datasets
