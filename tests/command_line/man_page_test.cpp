// The manual page of a small program.
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line/self_description.hpp"

namespace command_line {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ManPage, ShowsCommandsWithTheirOptions) {
  CLI::App app{"gradsim: a small program", "small"};
  std::string format = "csv";
  CLI::App* run = app.add_subcommand("run", "plays files");
  run->add_option("--format", format, "how")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(CLI::IsMember({"csv"}));
  run->footer("Examples:\n  small run");
  app.footer(".hidden\n'too");
  const std::string page = man_page(describe(app), "1.2.3");
  EXPECT_THAT(
      page,
      StartsWith(
          ".TH SMALL 1 \"\" \"gradsim 1.2.3\" \"User Commands\"\n.SH NAME\nsmall \\- a small program\n"));
  EXPECT_THAT(page, HasSubstr(".SS small run\nplays files\n.PP\n\\fBsmall run\\fR [\\fIOPTION\\fR...]\n"));
  EXPECT_THAT(page,
              HasSubstr(".TP\n\\fB\\-\\-format\\fR \\fINAME\\fR\nhow.\nAccepted: csv.\nDefault: csv.\n"));
  EXPECT_THAT(page, HasSubstr(".nf\nExamples:\n  small run\n.fi\n"));
  EXPECT_THAT(page, HasSubstr("\n\\&.hidden\n\\&'too\n"));
}

TEST(SelfDescription, PrintsWhereItIsTold) {
  CLI::App app{"a small program", "small"};
  std::ostringstream output;
  add_self_description(app, "1.0", output);
  app.add_subcommand("later", "was added behind it");
  app.parse("completion bash");
  EXPECT_THAT(output.str(), HasSubstr("later"));
  output.str("");
  app.parse("man");
  EXPECT_THAT(output.str(), HasSubstr(".SS small later\n"));
  EXPECT_THAT(output.str(), Not(HasSubstr("complete -F")));
}

TEST(SelfDescription, KnowsNoOtherShell) {
  CLI::App app{"a small program", "small"};
  std::ostringstream output;
  add_self_description(app, "1.0", output);
  try {
    app.parse("completion tcsh");
    FAIL() << "tcsh was accepted";
  } catch (const CLI::ParseError& error) {
    EXPECT_STREQ(error.what(), "SHELL: unknown value `tcsh`; accepted: bash, zsh, fish");
  }
}

}  // namespace
}  // namespace command_line
