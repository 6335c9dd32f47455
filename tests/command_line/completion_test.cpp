// Completion scripts: the output of each shell for a small program.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line/self_description.hpp"

namespace command_line {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A program with one command that takes options, and one with a command below.
struct Small {
  Small() {
    CLI::App* run = app.add_subcommand("run", "plays it's files");
    run->add_option("FILE", file, "what to play")->required()->type_name("");
    run->add_option("--format", format, "how: [a table]")
        ->type_name("NAME")
        ->check(CLI::IsMember({"csv", "json"}));
    run->add_option("--out", out, "a folder")->type_name("DIR");
    run->add_flag("-q,--quiet", quiet, "says nothing");
    CLI::App* import = app.add_subcommand("import", "reads");
    import->require_subcommand(1);
    import->add_subcommand("osu", "OSU's tables")
        ->add_option("KIND", kind, "which")
        ->check(CLI::IsMember({"one"}));
  }
  CLI::App app{"a small program", "small"};
  std::string file, format, out, kind;
  bool quiet = false;
};

TEST(Described, ReadsCommandsOptionsAndChoices) {
  const DescribedCommand small = describe(Small().app);
  ASSERT_EQ(small.commands.size(), 2U);
  const DescribedCommand& run = small.commands[0];
  EXPECT_EQ(run.text, "plays it's files");
  ASSERT_EQ(run.positionals.size(), 1U);
  EXPECT_TRUE(run.positionals[0].required);
  ASSERT_EQ(run.options.size(), 4U);
  EXPECT_THAT(run.options[1].names, ElementsAre("--format"));
  EXPECT_EQ(run.options[1].value, "NAME");
  EXPECT_THAT(run.options[1].choices, ElementsAre("csv", "json"));
  EXPECT_THAT(run.options[3].names, ElementsAre("-q", "--quiet"));
  EXPECT_FALSE(run.options[3].takes_value);
  EXPECT_THAT(small.commands[1].commands[0].positionals[0].choices, ElementsAre("one"));
}

TEST(BashCompletion, KnowsCommandsOptionsAndValues) {
  const std::string script = bash_completion(describe(Small().app));
  EXPECT_THAT(script, HasSubstr("'small') words='run import --help'"));
  EXPECT_THAT(script, HasSubstr("'small/import osu') path='small/import/osu' ;;"));
  EXPECT_THAT(script, HasSubstr("'small/run --format') kind=value; accepted='csv json' ;;"));
  EXPECT_THAT(script, HasSubstr("'small/run --out') kind=value; accepted='' ;;"));
  EXPECT_THAT(script, Not(HasSubstr("'small/run --quiet')")));
  EXPECT_THAT(script, HasSubstr("complete -F _small small"));
}

TEST(ZshCompletion, EscapesWhatItsBracketsMean) {
  const std::string script = zsh_completion(describe(Small().app));
  EXPECT_THAT(script, HasSubstr("'--format[how\\: \\[a table\\]]:NAME:(csv json)'"));
  EXPECT_THAT(script, HasSubstr("'run:plays it'\\''s files'"));
  EXPECT_THAT(script, HasSubstr("osu) _small_import_osu ;;"));
}

TEST(FishCompletion, OffersACommandsOptionsBehindIt) {
  const std::string script = fish_completion(describe(Small().app));
  EXPECT_THAT(script,
              HasSubstr("complete -c small -n 'not __fish_seen_subcommand_from run import' -f -a run -d "
                        "'plays it\\'s files'"));
  EXPECT_THAT(script,
              HasSubstr("complete -c small -n '__fish_seen_subcommand_from run' -l format -x -a 'csv json'"));
  EXPECT_THAT(script, HasSubstr("-s q -l quiet -d 'says nothing'"));
  EXPECT_THAT(script,
              HasSubstr("-n '__fish_seen_subcommand_from import; and __fish_seen_subcommand_from osu'"));
}

}  // namespace
}  // namespace command_line
