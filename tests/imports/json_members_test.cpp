// Tests of looking into foreign JSON.
#include "calibrate/imports/json_members.hpp"

#include <gtest/gtest.h>

namespace calibrate::imports {
namespace {

using nlohmann::json;

TEST(JsonMembers, AreFoundUnderTheFirstSpellingThatIsThere) {
  const json object = json::parse(R"({"Id": 5, "id": 6})");
  EXPECT_EQ(member(object, {"id", "Id"}), 6);
  EXPECT_EQ(member(object, {"ID", "Id"}), 5);
  EXPECT_EQ(member(object, "Id"), 5);
}

TEST(JsonMembers, AreNullWhereThereIsNothingToLookInto) {
  EXPECT_TRUE(member(json::parse("{}"), "id").is_null());
  EXPECT_TRUE(member(json::parse("[1]"), "id").is_null());
  EXPECT_TRUE(member(json(), {"id", "Id"}).is_null());
}

TEST(JsonMembers, OnlyTextIsText) {
  EXPECT_EQ(as_text("a"), "a");
  EXPECT_EQ(as_text(5), std::nullopt);
  EXPECT_EQ(text_or_empty("a"), "a");
  EXPECT_EQ(text_or_empty(json()), "");
}

}  // namespace
}  // namespace calibrate::imports
