// Files of fits: errors by hand, and a fit never called a prediction of its own data.
#include <gtest/gtest.h>

#include "calibrate/fits/fit_file.hpp"
#include "calibrate/ledger/rules.hpp"
#include "tests/ledger/evidence.hpp"

namespace calibrate::ledger {
namespace {

/// 0.1 ms + 1 ns a byte, as a fit of the measurements in `source`.
SourceText fit_of(const SourceText& source) {
  const auto measured = measurements::parse_csv(source.text, source.path);
  const fits::Fit fit{{{{{2e6}, {1e-4}, {1e-9}}}}, {}, fits::HeldOutBy::every_second_size};
  return {"c.yaml", fits::print_fits(std::vector{fits::record_of(*measured, source.path, fit)}, "0")};
}

TEST(FitFiles, ErrorsAreAsByHand) {
  const SourceText measured = line_table("m.csv", "all_reduce", 2, 0, 1e-9);
  const auto predictions = predict_by_fit_files({{fit_of(measured)}, {measured}});
  ASSERT_TRUE(predictions) << predictions.error().text();
  EXPECT_NEAR((*predictions)[0].error(), 100, 1e-9);  // 101 us instead of 1 us at 1 kB
}

TEST(FitFiles, FitToTheSameTimesIsSaidToBeInSample) {
  const SourceText measured = line_table("m.csv", "all_reduce", 2, 0, 1e-9);
  const SourceText other = line_table("other.csv", "all_reduce", 2, 0, 1e-9);
  EXPECT_TRUE(predict_by_fit_files({{fit_of(measured)}, {measured}})->front().in_sample);
  EXPECT_FALSE(predict_by_fit_files({{fit_of(measured)}, {other}})->front().in_sample);
}

TEST(FitFiles, MissingFitIsRefused) {
  const SourceText measured = line_table("m.csv", "all_reduce", 2, 0, 1e-9);
  EXPECT_EQ(predict_by_fit_files({{fit_of(measured)}, {line_table("n.csv", "all_reduce", 4, 0, 1e-9)}})
                .error()
                .text(),
            "n.csv: no fit of all_reduce on 4 ranks; there is all_reduce on 2 ranks");
}

}  // namespace
}  // namespace calibrate::ledger
