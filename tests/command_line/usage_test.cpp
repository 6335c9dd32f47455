// Command lines that are not understood.
#include "command_line/usage.hpp"

#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "command_line/known_words.hpp"

namespace command_line {
namespace {

/// What is said to `small WORD`.
std::string said(const char* word, int& exit_code) {
  CLI::App app{"a small program", "small"};
  app.require_subcommand(1);
  app.add_subcommand("report", "reports");
  std::ostringstream errors;
  const std::array<const char*, 2> words{"small", word};
  try {
    app.parse(2, words.data());
  } catch (const CLI::ParseError& error) {
    exit_code = answer_usage(app, error, 2, words.data(), errors, {2});
  }
  return errors.str();
}

TEST(Usage, NamesTheNearestCommand) {
  int exit_code = 0;
  EXPECT_EQ(
      said("reprot", exit_code),
      "small: A subcommand is required\ndid you mean `report`? `small --help` shows the accepted options\n");
  EXPECT_EQ(exit_code, 2);
}

TEST(Usage, GuessesNothingWhereNothingIsNear) {
  int exit_code = 0;
  EXPECT_EQ(said("xyzzy", exit_code),
            "small: A subcommand is required\n`small --help` shows the accepted options\n");
}

TEST(Usage, NamesTheNearestOptionOfTheCommand) {
  int exit_code = 0;
  CLI::App app{"a small program", "small"};
  bool quiet = false;
  app.add_subcommand("report", "reports")->add_flag("--quiet", quiet, "says nothing");
  std::ostringstream errors;
  const std::array<const char*, 3> words{"small", "report", "--qiuet"};
  try {
    app.parse(3, words.data());
  } catch (const CLI::ParseError& error) {
    exit_code = answer_usage(app, error, 3, words.data(), errors, {2});
  }
  EXPECT_EQ(errors.str(),
            "small: The following argument was not expected: --qiuet\ndid you mean `--quiet`? `small report "
            "--help` shows the accepted options\n");
  EXPECT_EQ(exit_code, 2);
}

/// What is said to words of a program with `fit step`, which has --out, --quiet and --format.
std::string said_to_fit(const std::vector<const char*>& words) {
  CLI::App app{"a small program", "small"};
  bool quiet = false;
  std::string out;
  std::string format;
  CLI::App* step = app.add_subcommand("fit", "fits")->add_subcommand("step", "fits a step");
  step->add_flag("--quiet", quiet, "says nothing");
  step->add_option("--out", out, "a file");
  step->add_option("--format", format, "table, csv or json");
  std::ostringstream errors;
  const int count = static_cast<int>(words.size());
  try {
    app.parse(count, words.data());
  } catch (const CLI::ParseError& error) {
    answer_usage(app, error, count, words.data(), errors, {2});
  }
  return errors.str();
}

TEST(Usage, NamesOurOptionForThoseOfOtherPrograms) {
  const std::string shown = "`small fit step --help` shows the accepted options\n";
  EXPECT_EQ(said_to_fit({"small", "fit", "step", "--json"}),
            "small: The following argument was not expected: --json\nwrite `--format json`; " + shown);
  EXPECT_EQ(said_to_fit({"small", "fit", "step", "--output=x"}),
            "small: The following argument was not expected: --output=x\nwrite `--out`; " + shown);
  EXPECT_EQ(said_to_fit({"small", "fit", "step", "-q"}),
            "small: The following argument was not expected: -q\nwrite `--quiet`; " + shown);
  EXPECT_EQ(said_to_fit({"small", "fit", "step", "--markdown"}),
            "small: The following argument was not expected: --markdown\n" + shown);
}

TEST(Usage, NamesTheNearestOptionOfACommandOfACommand) {
  EXPECT_EQ(
      said_to_fit({"small", "fit", "step", "--qiuet"}),
      "small: The following argument was not expected: --qiuet\ndid you mean `--quiet`? `small fit step "
      "--help` shows the accepted options\n");
}

/// What is said to words of a program with `fit step`, and with `run`, which has --set.
std::string said_to_run(const std::vector<const char*>& words) {
  CLI::App app{"a small program", "small"};
  app.require_subcommand(1);
  std::vector<std::string> settings;
  app.add_subcommand("run", "runs")->add_option("--set", settings, "overrides a key");
  app.add_subcommand("fit", "fits")->require_subcommand(1)->add_subcommand("step", "fits a step");
  std::ostringstream errors;
  const auto setting_of = [](std::string_view name, std::string_view value) {
    return name == "steps" ? "`--set training.steps=" + std::string(value) + "`" : std::string{};
  };
  const int count = static_cast<int>(words.size());
  try {
    app.parse(count, words.data());
  } catch (const CLI::ParseError& error) {
    answer_usage(app, error, count, words.data(), errors, {2, setting_of});
  }
  return errors.str();
}

TEST(Usage, NamesTheSettingThatAnOptionOfOthersMeans) {
  const std::string shown = "`small run --help` shows the accepted options\n";
  EXPECT_EQ(said_to_run({"small", "run", "--steps", "10"}),
            "small: The following arguments were not expected: 10 --steps\n"
            "write `--set training.steps=10`; " +
                shown);
  EXPECT_EQ(said_to_run({"small", "run", "--steps=10"}),
            "small: The following argument was not expected: --steps=10\n"
            "write `--set training.steps=10`; " +
                shown);
  EXPECT_EQ(said_to_run({"small", "run", "--sett", "a=1"}),
            "small: The following arguments were not expected: a=1 --sett\ndid you mean `--set`? " + shown);
}

TEST(Usage, NamesTheNearestCommandOfACommand) {
  EXPECT_EQ(said_to_run({"small", "fit", "stp"}),
            "small: A subcommand is required\ndid you mean `step`? `small fit --help` shows the accepted "
            "options\n");
}

TEST(Usage, NamesTheCommandThatRunsAFile) {
  EXPECT_EQ(said_to_run({"small", "mine.yaml"}),
            "small: A subcommand is required\nwrite `small run mine.yaml`; `small --help` shows the accepted "
            "options\n");
}

TEST(Usage, RefusesAQuantityOfTwoWords) {
  const auto said = [](const std::vector<const char*>& words) {
    const CLI::App app{"a small program", "small"};
    std::ostringstream errors;
    refuse_split_quantity(app, static_cast<int>(words.size()), words.data(), errors);
    return errors.str();
  };
  EXPECT_EQ(said({"small", "why", "--link", "10", "Gbit/s"}),
            "small: a number and its unit are two words; write `--link '10 Gbit/s'` in quotes\n");
  EXPECT_EQ(said({"small", "why", "--link", "10 Gbit/s", "--workers", "10", "file.yaml"}), "");
}

TEST(Usage, NamesTheNearestOfTheWordsThatAnOptionAccepts) {
  CLI::App app{"a small program", "small"};
  std::string name;
  app.add_option("--form", name, "how")->check(known_words({"table", "csv"}));
  EXPECT_NO_THROW(app.parse("--form csv"));
  try {
    app.parse("--form tabel");
    ADD_FAILURE();
  } catch (const CLI::ParseError& error) {
    EXPECT_STREQ(error.what(), "--form: unknown value `tabel`; did you mean `table`? accepted: table, csv");
  }
}

TEST(Usage, ShowsControlCharactersOfArgumentsInsteadOfSendingThem) {
  int exit_code = 0;
  CLI::App app{"a small program", "small"};
  app.add_subcommand("report", "reports");
  std::ostringstream errors;
  const std::array<const char*, 3> words{"small", "report", "\x1b[31m"};
  try {
    app.parse(3, words.data());
  } catch (const CLI::ParseError& error) {
    exit_code = answer_usage(app, error, 3, words.data(), errors, {2});
  }
  EXPECT_EQ(errors.str(),
            "small: The following argument was not expected: \\x1b[31m\n`small report --help` shows the "
            "accepted options\n");
  EXPECT_EQ(exit_code, 2);
}

}  // namespace
}  // namespace command_line
