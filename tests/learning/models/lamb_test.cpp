// Steps of LAMB and 1-bit LAMB: by hand, and against the formulas in double precision.
#include "learning/models/lamb.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "learning/models/optimizer.hpp"

namespace learning::models {
namespace {

using Values = std::vector<float>;

/// A matrix of two values, and one of one.
const std::vector<kernels::Shape> two_and_one{{1, 2}, {1, 1}};

Values after_one(const Lamb& settings) {
  Optimizer optimizer({.method = models::optimizer("lamb", settings)}, two_and_one);
  Values parameters{3, 4, 0};
  optimizer.step(parameters, Values{1, -2, 5}, 0.1);
  return parameters;
}

// Adam's first step is the sign of the gradient: a step of length sqrt(2), made 5 long.
TEST(Lamb, StepsAreAsLongAsTheirMatrix) {
  const Values moved = after_one({.weight_decay = 0});
  EXPECT_NEAR(moved[0], 3 - 0.1 * 5 / std::sqrt(2), 1e-5);
  EXPECT_NEAR(moved[1], 4 + 0.1 * 5 / std::sqrt(2), 1e-5);
  EXPECT_NEAR(moved[2], -0.1, 1e-5);  // a matrix of zeros has no length
}

TEST(Lamb, TheDecayIsAPartOfTheStep) {  // (1 + 1.5, -1 + 2)
  const Values moved = after_one({.weight_decay = 0.5});
  const double trust = 5 / std::sqrt(2.5 * 2.5 + 1);
  EXPECT_NEAR(moved[0], 3 - 0.1 * trust * 2.5, 1e-5);
  EXPECT_NEAR(moved[1], 4 - 0.1 * trust * 1, 1e-5);
}

TEST(Lamb, TheTrustRatioHasBounds) {
  EXPECT_NEAR(after_one({.weight_decay = 0, .max_trust = 2})[0], 3 - 0.1 * 2, 1e-5);
  EXPECT_NEAR(after_one({.weight_decay = 0, .min_trust = 5})[0], 3 - 0.1 * 5, 1e-5);
}

TEST(Lamb, RefusesBoundsInTheWrongOrder) {
  EXPECT_EQ(problem_of(Lamb{}), std::nullopt);
  const Lamb wrong{.min_trust = 2, .max_trust = 1};
  EXPECT_EQ(problem_of(wrong)->key, "min_trust");
  EXPECT_EQ(problem_of(wrong)->what, "the lower bound of the trust ratio is above the upper one, 1");
  EXPECT_EQ(problem_of(wrong)->hint, "accepted: at most 1");
  EXPECT_EQ(problem_of(OneBitLamb{.lamb = wrong})->key, "min_trust");
}

TEST(Lamb, SaysWhatItIs) {
  EXPECT_EQ(describe(optimizer("lamb", Lamb{})), "LAMB, weight decay 0.01");
  EXPECT_EQ(describe(optimizer("onebit_lamb", OneBitLamb{})), "1-bit LAMB, weight decay 0.01");
}

/// The published algorithm for the two matrices, in double precision.
struct Published {
  struct Matrix {
    std::vector<std::size_t> values;
    double trust = 0, scale = 1, factor = 1;
  };
  OneBitLamb settings;
  std::array<double, 3> p, m{}, v{}, fresh{};
  std::array<Matrix, 2> matrices{Matrix{{0, 1}}, Matrix{{2}}};
  int t = 0, frozen_at = 0;

  [[nodiscard]] double root(const std::array<double, 3>& square, std::size_t i, int step) const {
    return std::sqrt(square[i] / (1 - std::pow(settings.lamb.beta2, step))) + settings.lamb.epsilon;
  }
  /// u and its part of the momentum.
  [[nodiscard]] std::pair<double, double> update(std::size_t i, int step) const {
    const double part = m[i] / (1 - std::pow(settings.lamb.beta1, t)) / root(v, i, step);
    return {part + settings.lamb.weight_decay * p[i], part};
  }

  void dense(const std::array<double, 3>& g, double rate) {
    ++t;
    for (std::size_t i = 0; i < 3; ++i) {
      m[i] = settings.lamb.beta1 * m[i] + (1 - settings.lamb.beta1) * g[i];
      v[i] = settings.lamb.beta2 * v[i] + (1 - settings.lamb.beta2) * g[i] * g[i];
    }
    for (Matrix& matrix : matrices) {
      double own = 0, length = 0;
      for (const std::size_t i : matrix.values) {
        own += p[i] * p[i];
        length += std::pow(update(i, t).first, 2);
      }
      const double trust = std::clamp(std::sqrt(own / length), 0.01, 10.0);
      matrix.trust = t == 1 ? trust : settings.trust_beta * matrix.trust + (1 - settings.trust_beta) * trust;
      std::vector<double> by;
      for (const std::size_t i : matrix.values) by.push_back(rate * trust * update(i, t).first);
      for (std::size_t k = 0; k < by.size(); ++k) p[matrix.values[k]] -= by[k];
    }
  }

  void freeze() {
    frozen_at = t;
    fresh = v;
    const double first = std::sqrt((m[0] * m[0] + m[1] * m[1]) / 2), second = std::abs(m[2]);
    matrices[0].scale = (first + second) / 2 / first;
    matrices[1].scale = (first + second) / 2 / second;
  }

  void compressed(const std::array<double, 3>& received, double rate) {
    ++t;
    for (Matrix& matrix : matrices) {
      double factor = 0, whole = 0, part = 0;
      for (const std::size_t i : matrix.values) {
        const double now = received[i] / matrix.scale;
        const double g = (now - settings.lamb.beta1 * m[i]) / (1 - settings.lamb.beta1);
        m[i] = now;
        fresh[i] = settings.lamb.beta2 * fresh[i] + (1 - settings.lamb.beta2) * g * g;
        factor = std::max(factor, root(v, i, frozen_at) / root(fresh, i, t));
        whole += std::pow(update(i, frozen_at).first, 2);
        part += std::pow(update(i, frozen_at).second, 2);
      }
      const double share = std::min(1.0, std::sqrt(part / whole));
      factor = std::clamp(share * factor + 1 - share, settings.min_factor, settings.max_factor);
      const double least = matrix.factor * (1 - settings.factor_threshold);
      const double most = matrix.factor * (1 + settings.factor_threshold);
      matrix.factor = std::clamp(factor, least, most);
      std::vector<double> by;
      for (const std::size_t i : matrix.values)
        by.push_back(rate * matrix.trust * matrix.factor * update(i, frozen_at).first);
      for (std::size_t k = 0; k < by.size(); ++k) p[matrix.values[k]] -= by[k];
    }
  }
};

Values rounded(const std::array<double, 3>& values) {
  return {static_cast<float>(values[0]), static_cast<float>(values[1]), static_cast<float>(values[2])};
}

void expect_near(const Values& found, const std::array<double, 3>& expected) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 2e-5) << i;
}

void expect_published_steps(const OneBitLamb& settings) {
  Optimizer optimizer({.method = models::optimizer("onebit_lamb", settings)}, two_and_one);
  Published published{settings, {3, 4, 0.5}};
  Values parameters = rounded(published.p);
  for (const auto& gradient :
       {std::array{1.0, -2.0, 5.0}, std::array{0.5, 1.0, -3.0}, std::array{2.0, 1.5, 4.0}}) {
    optimizer.step(parameters, rounded(gradient), 0.1);
    published.dense(gradient, 0.1);
    expect_near(parameters, published.p);
  }
  published.freeze();
  Values sent(3);
  optimizer.find_momentum(Values{1, 2, 3}, sent);
  for (std::size_t i = 0; i < 3; ++i) {
    const double scale = published.matrices[i < 2 ? 0 : 1].scale;
    EXPECT_NEAR(sent[i], scale * (0.9 * published.m[i] + 0.1 * static_cast<double>(i + 1)), 1e-6);
  }
  for (const auto& received :
       {std::array{0.3, -0.3, 0.3}, std::array{-0.9, 0.9, 0.9}, std::array{0.1, 0.1, -0.1},
        std::array{0.1, 0.1, 0.1}, std::array{0.1, 0.1, 0.1}}) {
    optimizer.momentum_step(parameters, rounded(received), 0.1);
    published.compressed(received, 0.1);
    expect_near(parameters, published.p);
  }
}

TEST(OneBitLamb, IsThePublishedAlgorithm) { expect_published_steps({}); }

TEST(OneBitLamb, IsThePublishedAlgorithmWithOtherConstantsToo) {
  const OneBitLamb settings{.lamb = {.beta2 = 0.9, .weight_decay = 0.3},
                            .trust_beta = 0.5,
                            .min_factor = 0.9,
                            .max_factor = 1.05,
                            .factor_threshold = 0.5};
  expect_published_steps(settings);
}

TEST(OneBitLamb, IsLambWhileGradientsAreWhole) {
  Optimizer one({.method = models::optimizer("onebit_lamb", OneBitLamb{})}, two_and_one);
  Optimizer other({.method = models::optimizer("lamb", Lamb{})}, two_and_one);
  Values parameters{3, 4, 0.5}, same = parameters;
  for (const float gradient : {2.0F, 3.0F, -1.0F}) {
    one.step(parameters, Values{gradient, 1, -gradient}, 0.1);
    other.step(same, Values{gradient, 1, -gradient}, 0.1);
  }
  EXPECT_EQ(parameters, same);
}

TEST(OneBitLamb, LeavesAValueThatHadNoGradientInTheWarmUpToItsDecay) {
  Optimizer optimizer({.method = models::optimizer("onebit_lamb", OneBitLamb{.lamb = {.weight_decay = 0}})},
                      two_and_one);
  Values parameters{3, 4, 0.5}, sent(3);
  optimizer.step(parameters, Values{0, 1, 1}, 0.1);
  optimizer.find_momentum(Values{2, 2, 2}, sent);
  EXPECT_EQ(sent[0], 0);
  optimizer.momentum_step(parameters, Values{1, 1, 1}, 0.1);
  EXPECT_EQ(parameters[0], 3);
  EXPECT_LT(parameters[1], 4);
}

}  // namespace
}  // namespace learning::models
