// Tests of the statistics of a vector from one pass on the device.
#include "kernels/device_statistics.hpp"

#include "kernels/statistics.hpp"
#include "tests/device/on_device.hpp"

namespace kernels {
namespace {

using namespace reference;

class OfDeviceStatistics : public OnDevice {};

VectorParts measured(DeviceStatistics& statistics, const std::vector<float>& vector, std::int64_t shift = 0) {
  const Stream stream;
  const Uploaded given(vector, stream, shift);
  return downloaded(std::span(statistics.measure(given.span(), stream), 1), stream).front();
}

TEST_F(OfDeviceStatistics, OfFourValues) {
  DeviceStatistics statistics;
  const VectorParts found = measured(statistics, {1, -2, infinity, -4});
  EXPECT_EQ(found.energy, infinity);
  EXPECT_EQ(found.negative_sum, -6);
  EXPECT_EQ(found.other_sum, 1);
  EXPECT_EQ(found.negatives, 2);
  EXPECT_EQ(found.finite, 3);
  EXPECT_EQ(absolute(found.largest), 4);
}

TEST_F(OfDeviceStatistics, EqualThoseOfTheCpuForAnyBits) {
  Random random(5);
  DeviceStatistics statistics;
  for (int round = 0; round < 200; ++round) {
    const std::size_t size = round % 20 == 0 ? below(random, 40000) : random_size(random, 2000);
    const std::vector<float> vector = random_vector(random, size);
    const Statistics expected = measure(vector);
    const VectorParts found = measured(statistics, vector, static_cast<std::int64_t>(below(random, 4)));
    ASSERT_TRUE(near(found.energy, expected.energy, order_of_sums));
    ASSERT_TRUE(near(found.other_sum - found.negative_sum, expected.magnitude_sum, order_of_sums));
    ASSERT_EQ(found.largest, expected.largest);
    ASSERT_EQ(found.finite, expected.finite);
  }
}

TEST_F(OfDeviceStatistics, AddInTheSameOrderEveryTime) {
  const std::vector<float> vector = normal_vector(50001, 2);
  DeviceStatistics one, other;
  const VectorParts first = measured(one, vector), second = measured(other, vector);
  EXPECT_EQ(first.energy, second.energy);
  EXPECT_EQ(first.other_sum, second.other_sum);
}

TEST_F(OfDeviceStatistics, DeviationIsThatOfTheFormula) {
  const Stream stream;
  DeviceStatistics statistics;
  const std::vector<float> vector = normal_vector(20001, 3, 2);
  const Uploaded given(vector, stream);
  statistics.measure(given.span(), stream);
  const double found = downloaded(std::span(statistics.deviation(given.span(), stream), 1), stream).front();
  double mean = 0, squares = 0;
  for (const float value : vector) mean += value / 20001.0;
  for (const float value : vector) squares += (value - mean) * (value - mean);
  EXPECT_NEAR(found, std::sqrt(squares / 20001), 1e-12 * found);
}

}  // namespace
}  // namespace kernels
