// Tests of the limits of JSON from others: where each is passed, and what does not count.
#include "files/json_limits.hpp"

#include <iterator>
#include <sstream>

#include <gtest/gtest.h>

namespace files {
namespace {

constexpr JsonLimits small{.most_depth = 2, .most_text = 4, .most_values = 6};

std::string checked(std::string_view text) {
  const auto found = check_json(text, "file", small);
  return found ? "fine" : found.error().text();
}

TEST(JsonLimits, WhatIsAtTheLimitIsAccepted) {
  EXPECT_EQ(checked(R"({"a": [1, -2.5e+3, true]})"), "fine");  // object, key, array, three values
  EXPECT_EQ(checked(R"(["abcd"])"), "fine");
}

TEST(JsonLimits, WhatIsBeyondOneIsRefusedAtItsLineAndColumn) {
  EXPECT_EQ(checked("[[ []"),
            "file:1:4: arrays and objects are nested more than 2 deep; use the file as the tool wrote it");
  EXPECT_EQ(checked(R"(["abcde"])"),
            "file:1:7: a text has more than 4 bytes; use the file as the tool wrote it");
  EXPECT_EQ(checked("[1,2,3,4,5,6]"),
            "file:1:12: the JSON holds more than 6 values; trace or measure less, or give another form "
            "of the file");
}

TEST(JsonLimits, BracketsAndQuotesInTextsDoNotCount) {
  EXPECT_EQ(checked(R"(["[[[{"])"), "fine");
  EXPECT_EQ(checked(R"(["\"[", "\\", []])"), "fine");
}

TEST(JsonLimits, ListsAfterEachOtherAreNotNested) { EXPECT_EQ(checked("[[],[],[]]"), "fine"); }

TEST(JsonLimits, AStreamEndsWhereALimitIsPassed) {
  std::istringstream source("[1, 2, [[3]]]");
  MeteredJson metered(source, small);
  std::istream stream(&metered);
  const std::string seen(std::istreambuf_iterator<char>(stream), {});
  EXPECT_EQ(seen, "");  // a block is passed on whole or not at all
  ASSERT_TRUE(metered.meter().error("file"));
  EXPECT_EQ(metered.meter().error("file")->where, "file:1:9");
}

TEST(JsonLimits, ABytesPlaceIsItsLineAndColumn) {
  EXPECT_EQ(checked("[\n[ []"),
            "file:2:3: arrays and objects are nested more than 2 deep; use the file as the tool wrote it");
  std::istringstream source("[1,\n 2, [3]]");
  MeteredJson metered(source, small);
  std::istream stream(&metered);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}).size(), 12U);
  EXPECT_EQ(metered.place_of("file", 1), "file:1:1");
  EXPECT_EQ(metered.place_of("file", 6), "file:2:2");
  EXPECT_EQ(metered.place_of("file", 99), "file:2:9");
}

}  // namespace
}  // namespace files
