// Tests of thresholds from fitted exponential tails.
#include "kernels/sidco.hpp"

#include "kernels/statistics.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

/// The thresholds as the header has them, each stage over all values.
double plain_threshold(std::span<const float> vector, const Sidco::Settings& settings) {
  std::vector<double> stages;
  double remaining = settings.ratio;
  stages.push_back(std::max(remaining, settings.first));
  for (remaining /= stages.back(); remaining < 1; remaining /= stages.back()) {
    stages.push_back(std::max(remaining, settings.later));
  }
  double threshold = -measure(vector).mean() * std::log(stages[0]);
  for (std::size_t stage = 1; stage < stages.size(); ++stage) {
    double sum = 0;
    int count = 0;
    for (const float value : vector) {
      const double size = std::abs(static_cast<double>(value));
      if (!(size >= threshold) || !std::isfinite(value)) continue;
      sum += size - threshold;
      ++count;
    }
    threshold -= count == 0 ? 0 : sum / count * std::log(stages[stage]);
  }
  return threshold;
}

TEST(Sidco, SingleStageIsTheExponentialQuantile) {  // mean 2.5, ratio 0.5: 2.5 ln 2 = 1.73
  Sidco compressor({0.5, 0.25, 0.25});
  EXPECT_EQ(places_of(compressor.compress(std::vector<float>{1, -2, 3, 4})), (std::vector<Index>{1, 2, 3}));
}

TEST(Sidco, KeepsTheRatioOfExponentialValues) {
  Random random(13);
  std::vector<float> vector(200000);
  for (float& value : vector) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    value = static_cast<float>(-std::log(1 - unit)) * ((random() & 1U) != 0 ? 1.0F : -1.0F);
  }
  for (const double ratio : {0.3, 0.1, 0.01, 0.001}) {
    Sidco compressor({ratio});
    const auto count = static_cast<double>(compressor.compress(vector).indices.size());
    EXPECT_NEAR(count / (200000 * ratio), 1, 0.1) << ratio;
  }
}

TEST(Sidco, SendsTheLargestWhenNothingPasses) {
  Sidco compressor({0.01});
  EXPECT_EQ(places_of(compressor.compress(std::vector<float>{1, 1, 1})), (std::vector<Index>{0}));
}

TEST(Sidco, EqualsThePlainStages) {
  Random random(14);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random));
    const Sidco::Settings settings{random_ratio(random), 0.75, 0.25};
    Sidco compressor(settings);
    const Message message = compressor.compress(vector);
    const double threshold = plain_threshold(vector, settings);
    std::vector<Index> places;
    for (std::size_t i = 0; i < vector.size(); ++i) {
      if (!(std::abs(static_cast<double>(vector[i])) < threshold)) places.push_back(static_cast<Index>(i));
    }
    if (places.empty()) places = sorted_top_k(vector, plain_kept(1e-9, vector.size()));
    ASSERT_EQ(places_of(message), places);
    ASSERT_NO_FATAL_FAILURE(expect_selection(compressor, vector, message));
  }
}

}  // namespace
}  // namespace kernels
