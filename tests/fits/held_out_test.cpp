// Held-out errors: near the noise where the model is right, large where it is not, and no size sees itself.
#include "calibrate/fits/held_out.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/fits/sampled_times.hpp"

namespace calibrate::fits {
namespace {

TEST(FitHeldOut, FindsThreeSegmentsAndAnErrorNearTheNoise) {
  const auto fit = fit_held_out(sample(three, 0.01, 3), std::nullopt);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->model.segments.size(), 3);
  EXPECT_EQ(fit->by, HeldOutBy::every_second_size);
  EXPECT_LT(fit->held_out.median, 0.015);
}

TEST(FitHeldOut, ErrorOfPureNoiseIsNotHidden) {
  std::mt19937 generator(5);
  std::vector<measurements::MeasuredPoint> points;
  for (double size = 4; size < 5e9; size *= 2)
    points.push_back({{size}, {static_cast<double>(1 + generator() % 1000)}});
  const auto fit = fit_held_out(points, std::nullopt);
  ASSERT_TRUE(fit);
  EXPECT_GT(fit->held_out.mean, 0.3);
}

TEST(FitHeldOut, FewSizesAreHeldOutOneAtATime) {
  auto points = sample(three, 0.01, 3);
  points.resize(8);
  EXPECT_EQ(fit_held_out(points, std::nullopt)->by, HeldOutBy::one_size_at_a_time);
  points.resize(3);
  EXPECT_EQ(fit_held_out(points, std::nullopt).error().text(),
            "3 sizes are too few for a fit with a held-out error; measure at least 4");
  points = sample(three, 0.01, 3);
  points.resize(6);
  EXPECT_EQ(fit_held_out(points, 2).error().text(), "6 sizes are too few for 2 segments; accepted: up to 1");
}

TEST(PredictHeldOut, NoSizeHasASayInItsOwnPrediction) {
  auto points = sample(three, 0.01, 3);
  const auto before = predict_held_out(points, std::nullopt);
  points[7].time *= 1.5;
  const auto after = predict_held_out(points, std::nullopt);
  ASSERT_TRUE(before && after);
  for (std::size_t i = 0; i < before->size(); ++i) {
    if ((*before)[i].measured.size == points[7].size) {
      EXPECT_EQ((*before)[i].predicted, (*after)[i].predicted);
    }
  }
}

TEST(PredictHeldOut, EveryPointIsPredictedOnce) {
  EXPECT_EQ(predict_held_out(sample(three, 0, 1), 2)->size(), sample(three, 0, 1).size());
}

}  // namespace
}  // namespace calibrate::fits
