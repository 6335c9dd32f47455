// Times of known segments with known noise, for tests of fits.
#pragma once

#include <random>
#include <vector>

#include "calibrate/fits/segments.hpp"

namespace calibrate::fits {

inline const SegmentModel three{
    {{{32768}, {30e-6}, {1e-9}}, {{4e6}, {60e-6}, {0.2e-9}}, {{1e12}, {300e-6}, {0.15e-9}}}};

/// Times of a model at 4 B, 8 B, ... 4 GB, each off by a normal deviate of `noise`, relative.
inline std::vector<measurements::MeasuredPoint> sample(const SegmentModel& model, double noise,
                                                       unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<measurements::MeasuredPoint> points;
  for (double size = 4; size < 5e9; size *= 2) {
    double deviate = -6;  // a sum of uniform numbers, the same with every library
    for (int i = 0; i < 12; ++i) deviate += static_cast<double>(generator()) / 4294967296.0;
    points.push_back({{size}, predict(model, {size}) * (1 + noise * deviate)});
  }
  return points;
}

}  // namespace calibrate::fits
