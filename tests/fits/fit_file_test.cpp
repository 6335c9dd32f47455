// Files of fits: read back as written, and refused with their place where they are damaged.
#include "calibrate/fits/fit_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/calibrate/printed_log.hpp"

namespace calibrate::fits {
namespace {

using testing::HasSubstr;

FitRecord fitted_record() {
  measurements::Measurements measured = random_measurements(measurements::operations()[0], 8, 2, 1);
  measured.facts.network = "it's TCP: 25 Gbit/s";
  measured.facts.notes = {"not carried"};
  const Fit fit{{{{{65536}, {1e-4}, {0}}, {measured.points.back().size, {2e-4}, {1.5e-10}}},
                 Interpolation::lines,
                 {{{65536}, {1e-4}}, {{131072}, {9e-5}}}},
                {3.12 / 100, 1.25 / 100, 6.25 / 100, 12.5 / 100, -1.56 / 100},
                HeldOutBy::every_second_size};
  return record_of(measured, "m.csv", fit);
}

std::string damaged(const std::string& from, const std::string& to) {
  std::string text = print_fits(std::vector{fitted_record()}, "0.1.0");
  text.replace(text.find(from), from.size(), to);
  const auto read = parse_fits(text, "c.yaml");
  return read ? "read" : read.error().text();
}

TEST(FitFile, GivesBackWhatItPrinted) {
  const std::string text = print_fits(std::vector{fitted_record(), fitted_record()}, "0.1.0");
  const auto read = parse_fits(text, "c.yaml");
  ASSERT_TRUE(read) << read.error().text() << "\n" << text;
  ASSERT_EQ(read->size(), 2);
  EXPECT_EQ((*read)[1].facts, fitted_record().facts);
  EXPECT_EQ((*read)[1].fit.held_out, fitted_record().fit.held_out);
  EXPECT_EQ((*read)[1].fit.model.segments.size(), 2);
  EXPECT_NEAR((*read)[1].fit.model.segments[1].per_byte.count, 1.5e-10, 1e-20);
  EXPECT_EQ((*read)[1].fit.model.interpolation, Interpolation::lines);
  EXPECT_EQ((*read)[1].fit.model.points, fitted_record().fit.model.points);
  EXPECT_EQ((*read)[1].ranks, 8);
  EXPECT_EQ(print_fits(*read, "0.1.0"), text);
}

TEST(FitFile, WithoutInterpolationTheSegmentsInterpolate) {
  const auto read = parse_fits(
      "fits:\n  - {collective: all_reduce, ranks: 4, segments: [{latency: 1 s, time_per_megabyte: 1 s}]}\n",
      "c.yaml");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->front().fit.model.interpolation, Interpolation::segments);
  EXPECT_TRUE(read->front().fit.model.points.empty());
}

TEST(FitFile, SaysUnitsProvenanceAndHeldOutError) {
  const std::string text = print_fits(std::vector{fitted_record()}, "0.1.0");
  EXPECT_THAT(text, HasSubstr("- {up_to: 64 KiB, latency: 100 us, time_per_megabyte: 0 s}\n"));
  EXPECT_THAT(text, HasSubstr("- {latency: 200 us, time_per_megabyte: 150 us}\n"));
  EXPECT_THAT(text, HasSubstr("held_out: every second size\n    mean_error: 3.12 %\n"));
  EXPECT_THAT(text, HasSubstr("network: 'it''s TCP: 25 Gbit/s'\n"));
  EXPECT_THAT(text, HasSubstr("`calibrate fit` of gradsim 0.1.0"));
}

TEST(FitFile, DamageIsRefusedWithItsPlace) {
  EXPECT_THAT(damaged("ranks: 8", "ranks: some"), HasSubstr("c.yaml:9:5: `some` is not a count"));
  EXPECT_THAT(damaged("    ranks: 8\n", ""),
              HasSubstr("a fit lacks `collective`, `ranks` (2 or more) or its last segment"));
  EXPECT_THAT(damaged("mean_error", "mean_eror"),
              HasSubstr("unknown key `mean_eror` here; did you mean `mean_error`?"));
  EXPECT_THAT(damaged("3.12 %", "3.12"), HasSubstr("`3.12` is not an error; accepted: a number with %"));
  EXPECT_THAT(damaged("latency: 100 us", "latency: 100 ub"), HasSubstr("100 ub"));
  EXPECT_THAT(damaged("latency: 100 us, ", ""),
              HasSubstr("a segment lacks `latency` or `time_per_megabyte`"));
  EXPECT_THAT(damaged("{up_to: 64 KiB, ", "{"), HasSubstr("a segment follows the last one"));
  EXPECT_THAT(damaged("- {latency: 200 us, time_per_megabyte: 150 us}", ""), HasSubstr("a fit lacks"));
  EXPECT_THAT(damaged("interpolation: lines", "interpolation: segments"),
              HasSubstr("`points` are given, and segments interpolate; write `interpolation: lines` or "
                        "`log_lines`, or leave out `points`"));
  EXPECT_THAT(damaged("      - {size: 64 KiB, time: 100 us}\n", ""),
              HasSubstr("`lines` interpolate between 1 `points`; write at least 2"));
  EXPECT_THAT(damaged("{size: 64 KiB,", "{size: 128 KiB,"),
              HasSubstr("the sizes of `points` do not increase; write the smallest first, each once"));
  EXPECT_THAT(damaged("time: 90 us", "time: 90"), HasSubstr("c.yaml:"));
  EXPECT_EQ(parse_fits("# nothing\n", "c.yaml").error().text(),
            "c.yaml: `fits:` is missing; it begins the list");
  EXPECT_EQ(parse_fits("fits:\n", "c.yaml").error().text(),
            "c.yaml: no fits found; give a file that `calibrate fit` wrote");
}

}  // namespace
}  // namespace calibrate::fits
