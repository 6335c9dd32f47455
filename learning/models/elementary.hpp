// Exponential, logarithm and what is made of them, by plain arithmetic: the same bits on every machine.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace learning::models {

/// e^x to 2e-7 of itself; below -87 as at -87, above 88 as at 88; NaN stays NaN. The standard library's
/// differs between machines in its last bit, and does not become vector instructions.
///
/// x = n ln 2 + r with |r| <= ln 2 / 2, then e^r by its series up to r^7 / 7!.
constexpr float exponential(float x) {
  constexpr float to_whole = 0x1.8p23F;      // added, it leaves no bits after the point
  constexpr float upper = 0x1.63p-1F;        // the first 9 bits of ln 2: its product with n is exact
  constexpr float lower = -0x1.bd0106p-13F;  // ln 2 - upper
  const float bounded = x < -87.0F ? -87.0F : (x > 88.0F ? 88.0F : x);
  const float shifted = bounded * 0x1.715476p+0F + to_whole;  // 1 / ln 2
  const float n = shifted - to_whole;
  const float r = (bounded - n * upper) - n * lower;
  float series = 1.0F / 5040;
  series = series * r + 1.0F / 720;
  series = series * r + 1.0F / 120;
  series = series * r + 1.0F / 24;
  series = series * r + 1.0F / 6;
  series = series * r + 0.5F;
  series = series * r + 1;
  series = series * r + 1;
  const std::uint32_t exponent =
      std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(to_whole);
  return series * std::bit_cast<float>((exponent + 127U) << 23);
}

/// 1 / (1 + e^-x).
constexpr float sigmoid(float x) { return 1.0F / (1.0F + exponential(-x)); }

/// To 2e-7 absolutely, not relatively: near 0 it has the errors of a difference.
constexpr float hyperbolic_tangent(float x) { return 1.0F - 2.0F / (1.0F + exponential(2 * x)); }

/// The natural logarithm to 4e-16, for finite x > 0; NaN stays NaN.
///
/// x = 2^n m with m in [sqrt(1/2), sqrt(2)), then ln m = 2 (s + s^3/3 + s^5/5 + ...), s = (m - 1) / (m + 1).
inline double logarithm(double x) {
  if (!(x > 0) || std::isinf(x)) return std::log(x);
  int n = 0;
  double m = std::frexp(x, &n);
  if (m < 0.70710678118654752) {
    m *= 2;
    --n;
  }
  const double s = (m - 1) / (m + 1);
  double series = 0;
  for (int k = 23; k >= 1; k -= 2) series = series * s * s + 1.0 / k;
  return n * 0.69314718055994531 + 2 * s * series;
}

}  // namespace learning::models
