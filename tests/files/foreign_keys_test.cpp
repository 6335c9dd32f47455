// Rows of other programs' keys: harmless values, and the table that they make.
#include "files/foreign_keys.hpp"

#include <array>

#include <gtest/gtest.h>

namespace files {
namespace {

TEST(ForeignKeys, HarmlessValuesAreTextsOrNumbers) {
  EXPECT_TRUE(is_harmless("auto", "500000000|auto"));
  EXPECT_TRUE(is_harmless("5e8", "500000000|auto"));
  EXPECT_TRUE(is_harmless("500000000.0", "500000000|auto"));
  EXPECT_TRUE(is_harmless("-1", "-1|0"));
  EXPECT_FALSE(is_harmless("50000000", "500000000|auto"));
  EXPECT_FALSE(is_harmless("", "500000000|auto"));
  EXPECT_FALSE(is_harmless("true", ""));
}

TEST(ForeignKeys, AreATableInMarkdown) {
  constexpr std::array table{read_as("a.b", "`c`", "1|auto"), refused("d", "it is odd", "", "true")};
  EXPECT_EQ(print_markdown(table),
            "| key | use | becomes, or why | without effect at |\n|---|---|---|---|\n"
            "| `a.b` | read as | `c` | `1`, `auto` |\n| `d` | refused | it is odd |  |\n");
}

}  // namespace
}  // namespace files
