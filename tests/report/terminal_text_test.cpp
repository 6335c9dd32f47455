// Text styled for a terminal.
#include "sim/report/terminal_text.hpp"

#include <gtest/gtest.h>

namespace sim::report {
namespace {

TEST(Paint, TitlesOfATableAreBoldAndItsRowsAreNot) {
  EXPECT_EQ(style("whole run\narm    step (s)\ndense       1.0\n\nend\n"),
            "whole run\n\033[1marm    step (s)\033[0m\ndense       1.0\n\nend\n");
}

TEST(Paint, AnIndentedLineIsNoTable) {
  EXPECT_EQ(style("a sentence\n  that goes on\n"), "a sentence\n  that goes on\n");
}

TEST(Paint, NamesAreBoldAndWhatIsMissedIsRed) {
  EXPECT_EQ(style("`dense` wins; MISSED\n"), "\033[1m`dense`\033[0m wins; \033[31mMISSED\033[0m\n");
  EXPECT_EQ(style("a lone ` stays\n"), "a lone ` stays\n");
}

TEST(Paint, TakesNoLetterAway) {
  const std::string text = "q?\n\nx  y\n`a`  1\n\n`a` wins\n";
  std::string without = style(text);
  for (std::size_t at = without.find('\033'); at != std::string::npos; at = without.find('\033'))
    without.erase(at, without.find('m', at) - at + 1);
  EXPECT_EQ(without, text);
}

}  // namespace
}  // namespace sim::report
