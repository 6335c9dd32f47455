// Tests of codes with one scale for each tensor.
#include "kernels/each_tensor.hpp"

#include <gmock/gmock.h>

#include "kernels/catalogue.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using ::testing::ElementsAre;

CompressorPtr of_tensors(std::string_view name, std::vector<std::int64_t> sizes) {
  Settings settings;
  settings.tensor_sizes = std::move(sizes);
  return find(name)->make(settings);
}

std::vector<float> restored(Compressor& compressor, const std::vector<float>& vector) {
  std::vector<float> result(vector.size());
  compressor.restore(compressor.compress(vector), result);
  return result;
}

// Means 2 and 30: one tensor's values say nothing of the other's. Three and two signs are a byte each.
TEST(EachTensor, SendsTheMeanMagnitudeOfEachTensor) {
  const auto compressor = of_tensors("tensor_1bit", {3, 0, 2});
  const std::vector<float> vector{1, -2, 3, -20, 40};
  EXPECT_THAT(restored(*compressor, vector), ElementsAre(2, -2, 2, -30, 30));
  const Message message = compressor->compress(vector);
  EXPECT_THAT(message.values, ElementsAre(2, 30));
  EXPECT_EQ(message.wire_bytes, 2 + 8);
  EXPECT_DOUBLE_EQ(message.energy.gain(), (3 * 4.0 + 2 * 900) / (14.0 + 2000));
}

// 7 levels of 14 and of 70; 127 levels of 254.
TEST(EachTensor, SendsSharesOfTheLargestMagnitudeOfEachTensor) {
  const auto nibbles = of_tensors("tensor_4bit", {3, 2});
  EXPECT_THAT(restored(*nibbles, {14, 2.5F, -8, 70, 24}), ElementsAre(14, 2, -8, 70, 20));
  EXPECT_EQ(nibbles->compress(std::vector<float>{14, 2.5F, -8, 70, 24}).wire_bytes, 2 + 1 + 8);
  const auto bytes = of_tensors("tensor_8bit", {2, 1});
  EXPECT_THAT(restored(*bytes, {254, -3, 0.1F}), ElementsAre(254, -4, 0.1F));
  EXPECT_EQ(bytes->compress(std::vector<float>{254, -3, 0.1F}).wire_bytes, 3 + 8);
}

TEST(EachTensor, WithoutSizesIsOneTensorOfAnyLength) {
  const auto compressor = of_tensors("tensor_8bit", {});
  const std::vector<float> vector = std::vector<float>(10'000, 1.0F);
  EXPECT_EQ(restored(*compressor, vector), vector);
  EXPECT_EQ(compressor->compress(vector).wire_bytes, 10'004);
  EXPECT_EQ(compressor->compress({}).wire_bytes, 0);
}

TEST(EachTensor, KeepsWhatItDoesNotSend) {
  const auto compressor = of_tensors("tensor_1bit", {2, 1});
  std::vector<float> residual(3);
  const Message message = compressor->compress_fed(std::vector<float>{1, 3, -5}, residual);
  EXPECT_THAT(residual, ElementsAre(-1, 1, 0));
  std::vector<float> sum{1, 1, 1};
  compressor->accumulate(message, sum);
  EXPECT_THAT(sum, ElementsAre(3, 3, -4));
}

TEST(EachTensor, ANotFiniteValueSpoilsItsTensorAlone) {
  const auto compressor = of_tensors("tensor_8bit", {2, 1});
  const std::vector<float> result = restored(*compressor, {std::nanf(""), 1, 5});
  EXPECT_TRUE(std::isnan(result[0]) && std::isnan(result[1]));
  EXPECT_EQ(result[2], 5);
}

}  // namespace
}  // namespace kernels
