// The keys of a fit: each reads back what it prints, and refuses invalid values.
#include <algorithm>

#include <gtest/gtest.h>

#include "calibrate/fits/fit_file.hpp"

namespace calibrate::fits {
namespace {

FitRecord stated_record() {
  FitRecord record;
  record.operation = *measurements::find_operation("all_gather");
  record.ranks = 8;
  record.nodes = 2;
  record.facts = {"it's 8 GPUs", "TCP: 25 Gbit/s", "tool", "Ring", "LL", "here", "facts", {}};
  record.measurements = "m.csv";
  record.sizes = 12;
  record.smallest = {8};
  record.largest = {1048576};
  record.fit.held_out = {0.031, 0.0125, 0.0625, 0.125, -0.0156};
  record.fit.by = HeldOutBy::one_size_at_a_time;
  record.fit.model.interpolation = Interpolation::log_lines;
  return record;
}

std::string key_error(std::string_view name, std::string_view value) {
  FitRecord read = stated_record();
  const auto key = std::ranges::find(fit_keys(), name, &FitKey::name);
  const auto done = key->read(read, value);
  return done ? "read" : done.error().text();
}

TEST(FitKeys, EachReadsBackWhatItPrints) {
  FitRecord read;
  for (const FitKey& key : fit_keys()) {
    const std::string value = key.print(stated_record());
    EXPECT_NE(value, "") << key.name;
    EXPECT_TRUE(key.read(read, value)) << key.name;
    EXPECT_EQ(key.print(read), value) << key.name;
  }
}

TEST(FitKeys, WhatIsNotKnownIsLeftOut) {
  FitRecord unknown = stated_record();
  unknown.nodes.reset();
  unknown.facts = {};
  const auto empty = [&](const FitKey& key) { return key.print(unknown).empty(); };
  EXPECT_EQ(std::ranges::count_if(fit_keys(), empty), 8);
}

TEST(FitKeys, WrongValuesAreRefused) {
  EXPECT_EQ(key_error("ranks", "0"), "`0` is not a count; accepted: 1 to 1000000");
  EXPECT_EQ(key_error("size", "buffer"),
            "`buffer` is not how the size of all_gather is counted; accepted: total");
  EXPECT_EQ(key_error("held_out", "none"),
            "`none` is not a way to hold out sizes; accepted: every second size, one size at a time");
  EXPECT_EQ(key_error("interpolation", "line"),
            "unknown interpolation `line`; did you mean `lines`? accepted: segments, lines, log_lines");
  EXPECT_EQ(key_error("bias", "nan %"), "`nan %` is not an error; accepted: a number with %");
  EXPECT_EQ(key_error("network", "'it's'"), "unescaped quote inside the text; write it twice");
}

TEST(FitKeys, SegmentsReadBackAndTheLastHasNoEnd) {
  const Segment segment{{65536}, {1e-4}, {1.5e-10}};
  bool has_end = false;
  EXPECT_EQ(print_segment(segment, false), "{up_to: 64 KiB, latency: 100 us, time_per_megabyte: 150 us}");
  EXPECT_EQ(read_segment(print_segment(segment, false), has_end)->latency, segment.latency);
  EXPECT_TRUE(has_end);
  EXPECT_TRUE(read_segment(print_segment(segment, true), has_end));
  EXPECT_FALSE(has_end);
  EXPECT_EQ(read_segment("{latency: 1 s}", has_end).error().text(),
            "a segment lacks `latency` or `time_per_megabyte`");
}

TEST(FitKeys, PointsReadBackAndNeedSizeAndTimeAboveZero) {
  const netmodels::MeasuredTime point{{16384}, {98e-6}};
  EXPECT_EQ(print_point(point), "{size: 16 KiB, time: 98 us}");
  EXPECT_EQ(*read_point(print_point(point)), point);
  EXPECT_EQ(read_point("16 KiB").error().text(),
            "`16 KiB` is not a point; accepted: {size: 16 KiB, time: 98 us}");
  EXPECT_EQ(read_point("{size: 1 kB}").error().text(), "a point lacks `size` or `time`");
  EXPECT_EQ(read_point("{size: 1 kB, tim: 1 s}").error().text(),
            "`tim` is not a key of a point; did you mean `time`? accepted: size, time");
  EXPECT_EQ(read_point("{size: 1 kB, time: 0 s}").error().text(),
            "the point `{size: 1 kB, time: 0 s}` has a size or time of 0; write values above 0");
}

}  // namespace
}  // namespace calibrate::fits
