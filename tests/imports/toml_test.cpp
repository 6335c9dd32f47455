// TOML: what is read, and each refusal with its line.
#include "calibrate/imports/toml.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace calibrate::imports {
namespace {

nlohmann::json toml(std::string_view text) {
  const auto read = read_toml(text, "a.toml");
  EXPECT_TRUE(read) << read.error().text();
  return read ? *read : nlohmann::json();
}

std::string toml_error(std::string_view text) {
  const auto read = read_toml(text, "a.toml");
  EXPECT_FALSE(read);
  return read ? "" : read.error().text();
}

TEST(Toml, ValuesAreThoseOfTheSameJson) {
  EXPECT_EQ(toml("# head\r\na = 1_000 # one\nb.c = -1\n\n[d]\ne = \"x # \\\"y\\\"\"\nf = 'c:\\d'\n"
                 "[d.g]\n\"h i\" = [1.5e-4, true,\n  'z', # comment\n]\nj = {k = 1, l = []}\n"),
            nlohmann::json::parse(
                R"({"a":1000,"b":{"c":-1},"d":{"e":"x # \"y\"","f":"c:\\d",
                    "g":{"h i":[1.5e-4,true,"z"],"j":{"k":1,"l":[]}}}})"));
}

TEST(Toml, ListsOfTablesAreLists) {
  EXPECT_EQ(toml("[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3\n"),
            nlohmann::json::parse(R"({"a":[{"b":1},{"b":2,"c":{"d":3}}]})"));
  EXPECT_EQ(toml(""), nlohmann::json::object());
}

TEST(Toml, RefusalsNameTheLine) {
  const std::string hint = "; accepted: TOML 1.0 without dates and texts of several lines";
  EXPECT_EQ(toml_error("a = 1\na = 2\n"), "a.toml:2: duplicate key `a`; state each key once");
  EXPECT_EQ(toml_error("a = 1\n[a]\n"), "a.toml:2: `a` is a value, not a table; state each key once");
  EXPECT_EQ(toml_error("[a]\n[[a]]\n"),
            "a.toml:2: `a` is a table, not a list of tables; state each key once");
  EXPECT_EQ(toml_error("a = 2026-11-24\n"), "a.toml:1: `2026-11-24` cannot be read" + hint);
  EXPECT_EQ(toml_error("a = nan\n"), "a.toml:1: `nan` cannot be read" + hint);
  EXPECT_EQ(toml_error("a = \"\"\"x\"\"\"\n"), "a.toml:1: a text of several lines" + hint);
  EXPECT_EQ(toml_error("a = \"x\n"), "a.toml:1: a text without its closing quote" + hint);
  EXPECT_EQ(toml_error("a = \"\\u0041\"\n"),
            "a.toml:1: an escape other than \\b, \\t, \\n, \\f, \\r, \\\" and \\\\" + hint);
  EXPECT_EQ(toml_error("\n= 1\n"), "a.toml:2: expected a key" + hint);
  EXPECT_EQ(toml_error("a 1\n"), "a.toml:1: expected `=`" + hint);
  EXPECT_EQ(toml_error("a =\n"), "a.toml:1: expected a value" + hint);
  EXPECT_EQ(toml_error("a = 1 b = 2\n"), "a.toml:1: expected the end of the line" + hint);
  EXPECT_EQ(toml_error("a = [1 2]\n"), "a.toml:1: expected `,` or `]`" + hint);
  EXPECT_EQ(toml_error("a = [1,\n"), "a.toml:2: an array without its closing bracket" + hint);
  EXPECT_EQ(toml_error("a = {b.c = 1}\n"), "a.toml:1: a dotted key in an inline table" + hint);
}

TEST(Toml, LimitsHold) {
  EXPECT_EQ(toml_error(std::string(1'000'001, '#')), "a.toml: 1000001 bytes; accepted: up to 1000000 bytes");
  EXPECT_EQ(
      toml_error("a = " + std::string(150, '[')),
      "a.toml:1: more than 100 arrays and tables inside each other; accepted: TOML 1.0 without dates and "
      "texts of several lines");
}

}  // namespace
}  // namespace calibrate::imports
