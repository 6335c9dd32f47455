// Places of keys in JSON.
#include "files/json_place.hpp"

#include <gtest/gtest.h>

namespace files {
namespace {

TEST(JsonPlace, IsThatOfTheKeyAtTheEndOfThePath) {
  const std::string json = R"({
  "a": {"x": [1, {"b": 2}], "y": "}, \"b\": 3"},
  "c": -1.5e3,
  "b": {"x": null, "b": true}
})";
  EXPECT_EQ(place_of_key("f", json, "a"), "f:2:3");
  EXPECT_EQ(place_of_key("f", json, "a.y"), "f:2:29");
  EXPECT_EQ(place_of_key("f", json, "c"), "f:3:3");
  EXPECT_EQ(place_of_key("f", json, "b.b"), "f:4:20");
}

TEST(JsonPlace, OfAMissingKeyIsThatOfTheLastOneOnTheWay) {
  EXPECT_EQ(place_of_key("f", R"({"a": {"b": 1}})", "a.c"), "f:1:2");
  EXPECT_EQ(place_of_key("f", R"({"a": 1})", "b"), "f:1:1");
  EXPECT_EQ(place_of_key("f", R"({"a": 1})", "a.b.c"), "f:1:2");
}

TEST(JsonPlace, ATextThatIsNoJsonEndsTheSearch) {
  for (const char* text :
       {"", "{", "{\"a", "{\"a\": [1", "{\"a\": \"\\", "[1]", "{]}", "{\"a\" }", "{\"a\":}"})
    EXPECT_TRUE(place_of_key("f", text, "b").starts_with("f:1:")) << text;
}

}  // namespace
}  // namespace files
