// Tests of the threshold from a sample.
#include "kernels/dgc.hpp"

#include <functional>

#include "kernels/philox.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

std::vector<Index> passing(std::span<const float> vector, Magnitude limit) {
  std::vector<Index> places;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    if (magnitude(vector[i]) >= limit) places.push_back(static_cast<Index>(i));
  }
  return places;
}

/// The algorithm as published, with sorts.
std::vector<Index> plain_dgc(std::span<const float> vector, const Dgc::Settings& settings,
                             std::uint64_t step) {
  if (vector.empty()) return {};
  const RandomStream stream{settings.seed, step};
  const double elements = static_cast<double>(vector.size());
  const double wanted = std::ceil(std::max(settings.sample_ratio * elements, 2 / settings.ratio));
  std::vector<Magnitude> sample;
  for (std::size_t i = 0; i < vector.size() && static_cast<double>(i) < wanted; ++i) {
    sample.push_back(magnitude(vector[wanted < elements ? stream.below(vector.size(), i) : i]));
  }
  std::ranges::sort(sample, std::greater<>());
  Magnitude limit = sample[static_cast<std::size_t>(plain_kept(settings.ratio, sample.size())) - 1];
  const auto k = static_cast<double>(plain_kept(settings.ratio, vector.size()));
  std::vector<Index> places = passing(vector, limit);
  for (int round = 0; static_cast<double>(places.size()) < settings.lower * k; ++round) {
    const double size = limit >= infinite_magnitude ? std::numeric_limits<float>::max() : absolute(limit);
    limit = round < settings.rounds ? at_least(settings.lower * size) : 0;
    places = passing(vector, limit);
  }
  if (static_cast<double>(places.size()) > settings.upper * k) {
    return sorted_top_k(vector, static_cast<std::int64_t>(k));
  }
  return places;
}

TEST(Dgc, SendsAboutK) {
  Dgc compressor({0.01});
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto count = compressor.compress(normal_vector(100000, seed)).indices.size();
    EXPECT_GE(count, 800U);
    EXPECT_LE(count, 1300U);
  }
}

TEST(Dgc, OfASmallVectorIsExact) {  // all values are in the sample
  const std::vector<float> vector = normal_vector(150, 2);
  Dgc compressor({0.02});
  EXPECT_EQ(places_of(compressor.compress(vector)), sorted_top_k(vector, 3));
}

TEST(Dgc, SendsExactlyKOfTooManyEquals) {
  Dgc compressor({0.1});
  EXPECT_EQ(places_of(compressor.compress(std::vector<float>(40, 3.0F))), (std::vector<Index>{0, 1, 2, 3}));
}

TEST(Dgc, EqualsThePlainAlgorithm) {
  Random random(11);
  for (int round = 0; round < 10000; ++round) {
    const std::vector<float> vector = random_vector(random, random_size(random, 600));
    Dgc::Settings settings;
    settings.ratio = random_ratio(random);
    settings.seed = 5;
    settings.rounds = static_cast<int>(below(random, 11));
    Dgc compressor(settings);
    compressor.set_step(static_cast<std::uint64_t>(round));
    const Message message = compressor.compress(vector);
    ASSERT_EQ(places_of(message), plain_dgc(vector, settings, static_cast<std::uint64_t>(round)));
    ASSERT_NO_FATAL_FAILURE(expect_selection(compressor, vector, message));
  }
}

}  // namespace
}  // namespace kernels
