// Compute over batch: a line comes back, its error is held out, and AdaptDL's single devices follow one.
#include "calibrate/fits/compute_time.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "calibrate/imports/adaptdl.hpp"
#include "tests/data_folder.hpp"

namespace calibrate::fits {
namespace {

namespace fs = std::filesystem;

TEST(FitCompute, KnownLineComesBackWithoutError) {
  const auto law =
      fit_compute(std::vector<ComputedStep>{{8, {0.18}}, {16, {0.26}}, {64, {0.74}}, {128, {1.38}}});
  ASSERT_TRUE(law) << law.error().text();
  EXPECT_NEAR(law->start.count, 0.1, 1e-6);
  EXPECT_NEAR(law->per_sample.count, 0.01, 1e-8);
  EXPECT_LT(law->held_out.worst, 1e-5);
}

TEST(FitCompute, StepThatDoesNotFollowIsHeldAgainstTheOthers) {
  const auto law =
      fit_compute(std::vector<ComputedStep>{{8, {0.18}}, {16, {0.26}}, {64, {0.74}}, {128, {2.76}}});
  EXPECT_GE(law->held_out.worst, 0.499);  // the line through the others gives half of 2.76 s at 128
}

TEST(FitCompute, TwoStepsAreTooFew) {
  EXPECT_EQ(fit_compute(std::vector<ComputedStep>{{8, {1}}, {16, {2}}}).error().text(),
            "2 steps are too few for a fit with a held-out error; measure at least 3");
}

TEST(FitCompute, SingleDevicesOfAdaptdlFollowALine) {
  const fs::path folder = tests::data_path("adaptdl");
  for (const std::string model : {"cifar10", "imagenet", "bert"}) {
    std::ostringstream text;
    text << std::ifstream(folder / model / "placements.csv").rdbuf();
    const auto read = imports::read_adaptdl_placements(text.str(), model);
    ASSERT_TRUE(read) << read.error().text();
    std::vector<ComputedStep> steps;
    for (const auto& [placement, step] : *read) {
      if (step.placement.replicas == 1) steps.push_back({step.placement.local_batch, step.time});
    }
    const auto law = fit_compute(steps);
    ASSERT_TRUE(law) << law.error().text();
    std::cout << fmt::format("{}: {} batches, held out: mean {:.1f} %, worst {:.1f} %\n", model, steps.size(),
                             100 * law->held_out.mean, 100 * law->held_out.worst);
    EXPECT_LE(law->held_out.mean, 0.1) << model;
  }
}

}  // namespace
}  // namespace calibrate::fits
