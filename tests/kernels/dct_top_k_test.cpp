// Tests of the largest cosine coefficients of each tile: tiles and coefficients by hand, and what is
// restored.
#include "kernels/dct_top_k.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "kernels/error_feedback.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

TEST(CosineTiles, AreTheLargestEqualPartsOfAMatrix) {  // 128 x 100: parts of 64 and 50
  const std::vector<Shape> matrices{{128, 100}, {1, 67}, {3, 5}};
  const std::vector<CosineTile> tiles = cosine_tiles(128 * 100 + 67 + 15, matrices);
  ASSERT_EQ(tiles.size(), 4U + 67U + 1U);  // 67 is prime and above 64
  EXPECT_EQ(tiles[1], (CosineTile{50, 100, 64, 50}));
  EXPECT_EQ(tiles[2], (CosineTile{6400, 100, 64, 50}));
  EXPECT_EQ(tiles[4], (CosineTile{12800, 67, 1, 1}));
  EXPECT_EQ(tiles.back(), (CosineTile{12867, 5, 3, 5}));
}

TEST(CosineTiles, OfUnknownMatricesAreRunsOf64Values) {
  EXPECT_EQ(cosine_tiles(4096 + 130),
            (std::vector<CosineTile>{{0, 64, 64, 64}, {4096, 64, 2, 64}, {4224, 2, 1, 2}}));
  EXPECT_TRUE(cosine_tiles(0).empty());
}

// c = 1/128: 32 of each tile of at least 32 values, else all; in proportion 10 of 1280, 1 of 64 and of 16.
TEST(CosineTiles, SendAsManyCoefficientsEachOrInProportion) {
  for (const auto& [values, fixed, proportional] :
       {std::tuple{4096, 32, 32}, std::tuple{1280, 32, 10}, std::tuple{64, 32, 1}, std::tuple{16, 16, 1}}) {
    EXPECT_EQ(kept_of_tile(1.0 / 128, false, values), fixed);
    EXPECT_EQ(kept_of_tile(1.0 / 128, true, values), proportional);
  }
  EXPECT_EQ(kept_of_tile(1e-6, false, 4096), 1);
}

// 64 x 20 and a bias of 20: 32 and all 20 coefficients, or 10 and 1 (0.16 of the 20, but at least one).
TEST(DctTopK, SmallTilesSendAsManyCoefficientsAsWholeOnesUnlessInProportion) {
  const std::vector<float> vector = normal_vector(64 * 20 + 20, 8, 1);
  const std::vector<Shape> matrices{{64, 20}, {1, 20}};
  DctTopK fixed({1.0 / 128, matrices});
  const Message message = fixed.compress(vector);
  EXPECT_EQ(message.wire_bytes, 6 * (32 + 20));
  const std::vector<float> restored = restored_by(fixed, message);
  for (std::size_t i = 1280; i < 1300; ++i) EXPECT_NEAR(restored[i], vector[i], 1e-5);
  DctTopK proportional({1.0 / 128, matrices, true});
  EXPECT_EQ(proportional.compress(vector).wire_bytes, 6 * (10 + 1));
}

// D of two values: 1/sqrt(2) times (1 1; 1 -1). T = (1 2; 3 6): D T D^T = (6 -2; -3 1). Two are sent: 6 and
// -3.
TEST(DctTopK, CoefficientsByHand) {
  DctTopK compressor({0.5, {{2, 2}}, true});
  const Message message = compressor.compress(std::vector<float>{1, 2, 3, 6});
  ASSERT_EQ(message.values.size(), 2U);
  EXPECT_FLOAT_EQ(message.values[0], 6);
  EXPECT_FLOAT_EQ(message.values[1], -3);
  EXPECT_TRUE(std::ranges::equal(message.codes, std::vector<std::uint8_t>{0, 0, 2, 0}));
  EXPECT_EQ(message.wire_bytes, 12);
  EXPECT_NEAR(message.energy.given, 50, 1e-4);
  EXPECT_NEAR(message.energy.sent, 45, 1e-4);
  const std::vector<float> expected{1.5, 1.5, 4.5, 4.5};  // D^T (6 0; -3 0) D
  const std::vector<float> restored = restored_by(compressor, message);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(restored[i], expected[i], 1e-5);
}

TEST(DctTopK, AWaveIsOneCoefficient) {  // cos(pi (2 i + 1) 3 / 128) down a tile: all its energy at row 3
  std::vector<float> wave(4096);
  for (std::size_t i = 0; i < wave.size(); ++i)
    wave[i] = std::cos(std::numbers::pi_v<float> * static_cast<float>(2 * (i / 64) + 1) * 3 / 128);
  DctTopK compressor({1.0 / 4096});
  const Message message = compressor.compress(wave);
  EXPECT_EQ(message.codes[0] | message.codes[1] << 8, 3 * 64);
  EXPECT_NEAR(message.energy.gain(), 1, 1e-5);
}

TEST(DctTopK, AllCoefficientsRestoreTheVector) {
  const std::vector<float> vector = normal_vector(64 * 80 + 7, 5, 1);
  DctTopK compressor({1, {{64, 80}, {1, 7}}});
  const Message message = compressor.compress(vector);
  EXPECT_EQ(message.wire_bytes, 6 * (64 * 80 + 7));
  const std::vector<float> restored = restored_by(compressor, message);
  for (std::size_t i = 0; i < vector.size(); ++i) ASSERT_NEAR(restored[i], vector[i], 1e-5) << i;
}

TEST(DctTopK, TheResidualIsWhatWasNotSent) {
  const std::vector<float> gradient = normal_vector(5000, 6, 1);
  std::vector<float> residual(gradient.size());
  DctTopK compressor({1.0 / 128});
  const Message message = compressor.compress_fed(gradient, residual);
  const std::vector<float> restored = restored_by(compressor, message);
  double left = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    ASSERT_NEAR(residual[i] + restored[i], gradient[i], 1e-6);
    left += static_cast<double>(residual[i]) * static_cast<double>(residual[i]);
  }
  EXPECT_NEAR(left, message.energy.given - message.energy.sent, 1e-3 * left);  // coefficients are orthogonal
}

TEST(DctTopK, ABrokenValueBreaksItsTile) {
  std::vector<float> vector = normal_vector(4096 + 64, 7, 1);
  vector[3] = std::numeric_limits<float>::quiet_NaN();
  DctTopK compressor({1.0 / 128});
  const std::vector<float> restored = restored_by(compressor, compressor.compress(vector));
  EXPECT_TRUE(std::isnan(restored[0]));
  EXPECT_TRUE(std::isnan(restored[4095]));
  EXPECT_TRUE(std::isfinite(restored[4096]));
  vector[3] = std::numeric_limits<float>::infinity();
  const std::vector<float> of_infinity = restored_by(compressor, compressor.compress(vector));
  EXPECT_TRUE(std::none_of(of_infinity.begin(), of_infinity.begin() + 4096,
                           [](float v) { return std::isfinite(v); }));
}

TEST(DctTopK, ServesVectorsOfDifferentLengths) {
  DctTopK compressor({0.5});
  for (const std::size_t size : {100U, 0U, 5000U, 1U}) {
    const Message message = compressor.compress(std::vector<float>(size, 2.0F));
    EXPECT_EQ(message.elements, static_cast<std::int64_t>(size));
    for (const float value : restored_by(compressor, message)) ASSERT_NEAR(value, 2, 1e-5);
  }
}

}  // namespace
}  // namespace kernels
