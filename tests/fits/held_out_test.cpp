// Held-out errors: near the noise where the model is right, large where it is not, and no size sees itself.
#include "calibrate/fits/held_out.hpp"

#include <cmath>
#include <random>
#include <span>

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

/// A curve that no three straight pieces follow: t = 1 us * sqrt(size).
std::vector<measurements::MeasuredPoint> square_roots() {
  std::vector<measurements::MeasuredPoint> points;
  for (double size = 1; size < 5e9; size *= 2) points.push_back({{size}, {1e-6 * std::sqrt(size)}});
  return points;
}

TEST(ChooseShape, PowerLawsBetweenSizesAreTakenForAPowerLaw) {  // by hand: exact but at the two ends
  const auto fit = fit_held_out(square_roots(), std::nullopt);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->model.interpolation, Interpolation::log_lines);
  EXPECT_EQ(fit->model.points.size(), square_roots().size());
  EXPECT_LT(fit->held_out.median, 1e-9);
  EXPECT_NEAR(predict(fit->model, {3}).count, 1e-6 * std::sqrt(3), 1e-12);
}

TEST(ChooseShape, LinesBetweenSizesAreTakenForManyStraightPieces) {
  std::vector<measurements::MeasuredPoint> points;  // every sixth size the slope is multiplied by 4
  double time = 1e-6, slope = 1e-9;
  for (int i = 0; i < 30; ++i) {
    if (i % 6 == 0) slope *= 4;
    points.push_back({{1000.0 * (i + 1)}, {time += slope * 1000}});
  }
  EXPECT_EQ(choose_shape(points).interpolation, Interpolation::lines);
}

TEST(ChooseShape, SegmentsAreTakenForNoisySegmentsAndWhereTheyAreAskedFor) {
  EXPECT_EQ(choose_shape(sample(three, 0.1, 3)).interpolation, Interpolation::segments);
  EXPECT_EQ(fit_held_out(square_roots(), 2)->model.interpolation, Interpolation::segments);
  EXPECT_TRUE(fit_held_out(square_roots(), 2)->model.points.empty());
}

TEST(ChooseShape, TooFewSizesAreOneSegment) {
  const auto points = square_roots();
  EXPECT_EQ(choose_shape(std::span(points).first(3)), Shape{});
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
