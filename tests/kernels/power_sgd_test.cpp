// Tests of low-rank compression and of the little linear algebra under it.
#include "kernels/power_sgd.hpp"

#include "kernels/error_feedback.hpp"
#include "tests/kernels/reference.hpp"

namespace kernels {
namespace {

using namespace reference;

double distance(std::span<const float> left, std::span<const float> right) {
  double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    sum += (static_cast<double>(left[i]) - right[i]) * (static_cast<double>(left[i]) - right[i]);
  }
  return std::sqrt(sum);
}

std::vector<float> outer(std::span<const float> left, std::span<const float> right) {
  std::vector<float> matrix;
  for (const float a : left) {
    for (const float b : right) matrix.push_back(a * b);
  }
  return matrix;
}

TEST(Matrix, ProductsByHand) {
  const std::vector<float> values{1, 2, 3, 4, 5};  // 2 x 3, the last place missing
  const MatrixView matrix{values, {2, 3}};
  std::vector<float> product(2), transposed(3);
  std::vector<double> sums(3);
  multiply(matrix, std::vector<float>{1, 10, 100}, product);
  EXPECT_EQ(product, (std::vector<float>{321, 54}));
  multiply_transposed(matrix, std::vector<float>{1, 10}, sums, transposed);
  EXPECT_EQ(transposed, (std::vector<float>{41, 52, 3}));
}

TEST(Matrix, NearlySquareHoldsAllValues) {
  for (std::int64_t elements = 1; elements < 3000; ++elements) {
    const Shape shape = nearly_square(elements);
    ASSERT_GE(shape.rows * shape.columns, elements);
    ASSERT_LT((shape.rows - 1) * shape.columns, elements);
    ASSERT_LE(shape.columns - shape.rows, 1);
  }
  EXPECT_EQ(nearly_square(0).rows, 0);
}

TEST(Matrix, OrthonormalisedVectorsAreSo) {
  Random random(26);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t length = 3 + below(random, 50), count = 1 + below(random, 3);
    std::vector<float> vectors = normal_vector(length * count, random());
    orthonormalise(vectors, static_cast<std::int64_t>(count));
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        double dot = 0;
        for (std::size_t i = 0; i < length; ++i) dot += vectors[a * length + i] * vectors[b * length + i];
        ASSERT_NEAR(dot, a == b ? 1 : 0, 1e-6);
      }
    }
  }
}

TEST(Matrix, DependentVectorBecomesZero) {
  std::vector<float> vectors{1, 2, 2, -2, -4, -4, 0, 0, 0};
  orthonormalise(vectors, 3);
  EXPECT_FLOAT_EQ(vectors[0], 1.0F / 3);
  for (std::size_t i = 3; i < 9; ++i) EXPECT_EQ(vectors[i], 0);
}

TEST(PowerSgd, RestoresAMatrixOfItsRank) {
  const std::vector<float> matrix = outer(normal_vector(7, 1, 1), normal_vector(5, 2, 1));
  PowerSgd compressor({.rank = 1, .shape = {7, 5}});
  const Message message = compressor.compress(matrix);
  std::vector<float> restored(35);
  compressor.restore(message, restored);
  EXPECT_LT(distance(restored, matrix), 1e-5);
  EXPECT_EQ(message.wire_bytes, 4 * 12);
  EXPECT_NEAR(message.energy.gain(), 1, 1e-6);
}

TEST(PowerSgd, WarmStartComesToTheBestRankTwo) {
  std::vector<float> matrix(40 * 30);
  for (std::size_t i = 0; i < 5; ++i) {
    const std::vector<float> part = outer(normal_vector(40, 10 + i, 1), normal_vector(30, 20 + i, 1));
    for (std::size_t j = 0; j < part.size(); ++j) matrix[j] += part[j] * (i < 2 ? 5.0F : 0.5F);
  }
  PowerSgd compressor({.rank = 2, .shape = {40, 30}});
  double before = 0;
  for (int step = 0; step < 6; ++step) {
    const double gain = compressor.compress(matrix).energy.gain();
    EXPECT_GE(gain, before - 1e-6);
    before = gain;
  }
  EXPECT_GT(before, 0.95);
}

TEST(PowerSgd, RecoversFromZerosAndNaN) {
  PowerSgd compressor({.rank = 2});
  const std::vector<float> good = normal_vector(100, 3);
  compressor.compress(std::vector<float>(100));
  EXPECT_GT(compressor.compress(good).energy.gain(), 0.2);
  compressor.compress(std::vector<float>(100, not_a_number));
  EXPECT_GT(compressor.compress(good).energy.gain(), 0.2);
}

TEST(PowerSgd, WarmStartFromDenormalsIsAsGoodAsAny) {
  PowerSgd compressor({.rank = 3});
  std::vector<float> tiny = normal_vector(100, 7), restored(100);
  for (float& value : tiny) value *= 1e-40F;
  compressor.compress(tiny);
  const Message message = compressor.compress(normal_vector(100, 8));
  compressor.restore(message, restored);
  EXPECT_TRUE(near(message.energy.sent, plain_energy(restored), 1e-5));
  EXPECT_LE(message.energy.gain(), 1);
}

TEST(PowerSgd, RanksThatReduceAgreeWithTheMeanGradient) {
  const std::vector<float> first = normal_vector(60, 4), second = normal_vector(60, 5);
  std::vector<float> mean(60), restored(60), alone(60);
  for (std::size_t i = 0; i < 60; ++i) mean[i] = (first[i] + second[i]) / 2;
  const PowerSgd::Settings settings{.rank = 2, .shape = {6, 10}, .seed = 8};
  PowerSgd one(settings), other(settings), both(settings);
  const auto reduce = [](std::span<float> a, std::span<float> b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] = (a[i] + b[i]) / 2;
  };
  reduce(one.project(first), other.project(second));
  reduce(one.back_project(first), other.back_project(second));
  one.restore(one.message(first), restored);
  both.restore(both.compress(mean), alone);
  EXPECT_LT(distance(restored, alone), 1e-6 * std::sqrt(plain_energy(alone)) + 1e-9);
}

TEST(PowerSgd, TellsBytesEnergyAndResidualOfAnyVector) {
  Random random(27);
  for (int round = 0; round < 3000; ++round) {
    const std::vector<float> vector = normal_vector(random_size(random), random());
    PowerSgd compressor({.rank = static_cast<int>(1 + below(random, 4))});
    ASSERT_NO_FATAL_FAILURE(expect_coding(compressor, vector, compressor.compress(vector)));
  }
}

TEST(PowerSgd, ErrorFeedbackSendsEverythingInTheEnd) {
  const std::vector<float> gradient = normal_vector(400, 6, 1);
  PowerSgd compressor({.rank = 1});
  ErrorFeedback memory(400);
  std::vector<float> sum(400);
  const int steps = 200;
  for (int step = 0; step < steps; ++step) compressor.accumulate(memory.compress(compressor, gradient), sum);
  for (float& value : sum) value /= steps;
  EXPECT_LT(distance(sum, gradient), 0.2 * std::sqrt(plain_energy(gradient)));
}

}  // namespace
}  // namespace kernels
