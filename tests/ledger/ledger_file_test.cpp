// The ledger's file: what is read, and every refusal with its place.
#include "calibrate/ledger/ledger_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calibrate::ledger {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& entry) {
  const auto ledger = parse_ledger("ledger:\n  - {" + entry + "}\n", "l.yaml");
  return ledger ? "read" : ledger.error().text();
}

TEST(LedgerFile, IsRead) {
  const auto ledger = parse_ledger(
      "ledger:\n  - name: halves\n    rule: other_collective\n    folder: ../data\n    seen: [a.csv]\n"
      "    measurements: [b.csv, c.csv]\n    least_size: 1 MB\n    median: 2.5 %\n    p90: 6 %\n    goal: "
      "'median 2 %, p90 5.5%'\n    choices: [table, arm1]\n    regret: 3 %\n    question: mpi_gloo\n",
      "l.yaml");
  ASSERT_TRUE(ledger) << ledger.error().text();
  const LedgerEntry& entry = ledger->front();
  EXPECT_EQ(entry.rule->name, "other_collective");
  EXPECT_THAT(entry.seen, ElementsAre("../data/a.csv"));
  EXPECT_THAT(entry.measurements, ElementsAre("../data/b.csv", "../data/c.csv"));
  EXPECT_EQ(entry.least_size, netmodels::Bytes{1e6});
  EXPECT_DOUBLE_EQ(*entry.band.median, 0.025);
  EXPECT_EQ(print_band(entry.band), "median 2.5 %, p90 6 %, regret 3 %");
  EXPECT_EQ(print_band(*entry.goal), "median 2 %, p90 5.5 %");
  EXPECT_THAT(entry.choices, ElementsAre("table", "arm1"));
  EXPECT_EQ(entry.question->title, "MPI or Gloo collective");
}

TEST(LedgerFile, BoundsAreReadAsTheyArePrinted) {
  const Band band{.mean = 0.1, .right_side = 0.97, .winners = 0.9, .regret = 0.02};
  EXPECT_EQ(print_band(band), "mean 10 %, right_side 97 %, winners 90 %, regret 2 %");
  EXPECT_EQ(*parse_band(print_band(band)), band);
}

TEST(LedgerFile, GoalsAndChoicesAreChecked) {
  EXPECT_THAT(refusal("question: mpi"), HasSubstr("l.yaml:2:6: unknown question `mpi`; "));
  EXPECT_EQ(
      refusal("goal: 'less'"),
      "l.yaml:2:6: `less` does not begin with the name of a bound; accepted: mean, median, p90, right_side, "
      "winners, regret; as in `median 2 %, p90 6 %`");
  EXPECT_EQ(refusal("goal: 'mean 2 %, p90'"),
            "l.yaml:2:6: `` is not a bound; accepted: a number of 0 or above with %");
  EXPECT_EQ(
      refusal("choices: [place]"),
      "l.yaml:2:6: unknown column `place` of figures; accepted: table, metric, and arm1 to arm9 for parts of "
      "the arm's name");
  EXPECT_EQ(
      refusal("name: a, rule: every_second_size, measurements: [b], regret: 1 %"),
      "l.yaml:2:1: `winners` and `regret` need `choices`; name the columns in which figures that compete "
      "agree");
  EXPECT_EQ(
      refusal("name: a, rule: every_second_size, measurements: [b], mean: 1 %, goal: 'winners 90 %'"),
      "l.yaml:2:1: `winners` and `regret` need `choices`; name the columns in which figures that compete "
      "agree");
}

TEST(LedgerFile, IsRefusedWithPlaces) {
  EXPECT_EQ(refusal("nam: a"),
            "l.yaml:2:6: unknown key `nam` of an entry; did you mean `name`? accepted: name, rule, seen, "
            "measurements, machines, least_size, most_size, mean, median, p90, right_side, choices, winners, "
            "regret, "
            "goal, source, note, question, folder");
  EXPECT_THAT(refusal("rule: every_secnd_size"), HasSubstr("did you mean `every_second_size`?"));
  EXPECT_EQ(refusal("median: 2"), "l.yaml:2:6: `2` is not a bound; accepted: a number of 0 or above with %");
  EXPECT_THAT(refusal("median: nan %"), HasSubstr("`nan %` is not a bound"));
  EXPECT_THAT(refusal("least_size: 1 M"), HasSubstr("l.yaml:2:6: "));
  EXPECT_EQ(refusal("measurements: a.csv"), "l.yaml:2:6: `measurements` is a list; write [first, second]");
  EXPECT_EQ(refusal("name: a, rule: every_second_size, measurements: [b]"),
            "l.yaml:2:1: an entry lacks `name`, `rule`, `measurements` or a bound; a bound is one of mean, "
            "median, p90, right_side, winners, regret, in %");
  EXPECT_EQ(refusal("name: a, rule: file, measurements: [b], mean: 1 %"),
            "l.yaml:2:1: the rule file lacks `seen`; its parameters come from the file of fits itself");
  EXPECT_THAT(refusal("name: a, rule: every_second_size, seen: [c], measurements: [b], mean: 1 %"),
              HasSubstr("the rule every_second_size does not use `seen`"));
  EXPECT_EQ(parse_ledger("ledger:\n", "l.yaml").error().text(), "l.yaml: the ledger has no entries");
}

TEST(LedgerFile, NamesStandOnce) {
  const std::string entry = "  - {name: a, rule: every_second_size, measurements: [b], mean: 1 %}\n";
  EXPECT_EQ(parse_ledger("ledger:\n" + entry + entry, "l.yaml").error().text(),
            "l.yaml:3:1: duplicate `a`; give each entry its own name");
}

}  // namespace
}  // namespace calibrate::ledger
