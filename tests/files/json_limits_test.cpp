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

TEST(JsonLimits, WhatIsBeyondOneIsRefusedAtItsByte) {
  EXPECT_EQ(
      checked("[[ []"),
      "file: byte 4: arrays and objects are nested more than 2 deep; use the file as the tool wrote it");
  EXPECT_EQ(checked(R"(["abcde"])"),
            "file: byte 7: a text has more than 4 bytes; use the file as the tool wrote it");
  EXPECT_EQ(checked("[1,2,3,4,5,6]"),
            "file: byte 12: the JSON holds more than 6 values; trace or measure less, or give another form "
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
  EXPECT_EQ(metered.meter().error("file")->where, "file: byte 9");
}

}  // namespace
}  // namespace files
